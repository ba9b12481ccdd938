"""From what people type to the catalog's own names, and the nearest names when nothing matches."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from catalog.catalog import Catalog
from catalog.facts.schema import Model

# Ends of a checkpoint's name that tell how it was tuned or published, not which model it is.
TUNED: Final = re.compile(r"-(?:instruct|chat|hf|it|gguf|dynamic|distributed)$")
# Ends that tell how its weights are stored, longest first; the value is the dtype's usual name.
STORED: Final = {
    "gptq-int4": "gptq",
    "gptq-int8": "int8",
    "gptq-4bit": "gptq",
    "awq-int4": "awq",
    "bnb-4bit": "int4",
    "bnb-8bit": "int8",
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "q4-k-m": "q4_k_m",
    "w4a16": "int4",
    "w8a8": "int8",
    "nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "gptq": "gptq",
    "int4": "int4",
    "int8": "int8",
    "4bit": "int4",
    "8bit": "int8",
    "bf16": "bf16",
    "fp16": "fp16",
    "fp32": "fp32",
    "awq": "awq",
    "fp8": "fp8",
}


def normalised(name: str) -> tuple[str, str | None]:
    """Return a model name as the catalog writes names, and the dtype its ending told, if any.

    Lower case, hyphens for spaces and underscores, without the publisher and without endings
    such as `-instruct`, `-hf` or `-awq`.
    """
    text = re.sub(r"[\s_]+", "-", name.strip().lower()).rpartition("/")[2]
    dtype = None
    while True:
        shorter, told = _without_ending(text)
        if shorter == text:
            return text, dtype
        text, dtype = shorter, dtype or told


def _without_ending(text: str) -> tuple[str, str | None]:
    for ending, dtype in STORED.items():
        if text.endswith(f"-{ending}"):
            return text.removesuffix(f"-{ending}"), dtype
    return TUNED.sub("", text), None


def name_index(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return normalised name -> model id for (name, id) pairs; the first to claim a name has it."""
    found: dict[str, str] = {}
    for name, identity in named:
        found.setdefault(normalised(name)[0], identity)
    return found


def resolve_checkpoint(catalog: Catalog, name: str) -> tuple[Model, str | None] | None:
    """Return the model a name means and the dtype its ending tells; None when nothing matches."""
    text, dtype = normalised(name)
    identity = (
        catalog.model_names.get(name.strip().lower())
        or catalog.model_names.get(text)
        or _by_letters(catalog.model_names, text)
    )
    return None if identity is None else (catalog.models[identity], dtype)


def resolve_model(catalog: Catalog, name: str) -> Model | None:
    """Return the model that an id, alias or Hugging Face name means; None when nothing matches."""
    found = resolve_checkpoint(catalog, name)
    return None if found is None else found[0]


def _by_letters(names: Mapping[str, str], text: str) -> str | None:
    """Return the one model whose name has the same letters and digits (`llama3.1-8b`)."""
    wanted = _bare_letters(text)
    found = {identity for name, identity in names.items() if _bare_letters(name) == wanted}
    return found.pop() if len(found) == 1 else None


def _bare_letters(name: str) -> str:
    return name.replace("-", "").replace(".", "")


def nearest_models(catalog: Catalog, name: str, most: int = 3) -> tuple[str, ...]:
    """Return up to `most` model ids whose names look most like the one typed, best first."""
    near = _nearest(normalised(name)[0], catalog.model_names, 4 * most)
    return tuple(dict.fromkeys(catalog.model_names[found] for found in near))[:most]


def nearest_instances(catalog: Catalog, name: str, most: int = 3) -> tuple[str, ...]:
    """Return up to `most` instance types that look most like the one typed, best first."""
    return tuple(_nearest(name.strip().lower(), catalog.instances, most))


def _nearest(name: str, names: Iterable[str], most: int) -> list[str]:
    from rapidfuzz import fuzz, process

    ordered = sorted(names)  # ties then end in the name, whatever the catalog's order
    return [found for found, _, _ in process.extract(name, ordered, scorer=fuzz.ratio, limit=most)]


def chip_words(accelerator_id: str) -> str:
    """Return a chip's id as people write it: `H100 80 GB`, `RTX PRO 6000`, `L4 (1/2)`."""
    name, _, size = accelerator_id.rpartition("-")
    if "_" in size:
        return f"{name} ({size.replace('_', '/')})"
    if size.isdigit() and len(size) < 4:
        return f"{name} {size} GB"
    return accelerator_id.replace("-", " ")
