"""No name of a family, instance type, accelerator, region or model stands in code: they are rows.

The names are taken from the data, so that a new row is covered at once. Looked at are the string
constants of every product module (no docstrings, no comments; patterns too) and the text of every
template. Words are compared one by one, so `p5` is found in `p5[en]*` and not in `p50`.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from catalog.load import DATA_DIR
from tests.catalog.small_data import read

ROOT = Path(__file__).parents[2]
PRODUCT = ("bot", "catalog", "engine", "templates")
WORD = re.compile(r"[a-z0-9]+")

# What coincides with a name and is none, each with why. Taken out before names are looked for.
COINCIDENCES = {
    r"llama[._ ]?cpp|llama-server|LLAMA_CACHE": "a server program, whatever model it runs",
    r"(?i)\barns?\b|[a-z]Arn\b|_arn\b": "Amazon resource names; Stockholm's airport is ARN",
    r"aws-us-gov": "the partition",
    r"Kimi delta attention": "the kind of attention, which others use too",
    r"\b(?:turing|hopper)-$": "tags of the images of text-embeddings-inference",
    r"\bGt\b|\bGte\b|\bLte?\b": "operators of Kubernetes requirements",
    r"^E5$": "the number of a rule",
    r"/opt/bin/": "a folder",
    r"\(\?:precision.*r1": "words after which `full` is no method: a model's name may be one",
    r"fp8_weight_only_on_ampere": "a code that readers of JSON answers know, not a test of a chip",
}
# Names of the data that mean something else wherever they stand alone.
ORDINARY = {
    "new": "the English word; a model_type of Alibaba's encoders",
    "mamba": "a kind of layer, after which its first models are called",
    "mamba2": "its second version",
    "central": "the English word; Mexico (Central)",
}


class Literal(NamedTuple):
    """A string that stands in the product."""

    file: str
    line: int
    text: str


def words_of(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text.lower()))


def cells(file: str, *columns: str) -> Iterator[str]:
    for row in read(DATA_DIR / file)[1]:
        for column in columns:
            yield from row[column].split("; ")


def region_names() -> Iterator[str]:
    """Yield codes, names, the towns in them, and what people say."""
    yield from cells("regions.csv", "code", "name", "nicknames")
    for name in cells("regions.csv", "name"):
        yield from (town for town in re.findall(r"\((\w[^)]+)\)$| - (.+)$", name)[0] if town)


def chip_names() -> Iterator[str]:
    """Yield ids, marketed names, ids without memory or generation, lines and architectures."""
    yield from cells("accelerators.csv", "id", "marketed_name", "line")
    for name in cells("accelerators.csv", "id"):
        yield re.sub(r"-\d+$|-1_\d$", "", name) if not name.startswith("RTX") else name
    for architecture in cells("accelerators.csv", "architecture"):
        yield architecture.partition(" ")[0]


@cache
def names() -> dict[tuple[str, ...], str]:
    """Return every name by its words."""
    told = {
        "model": cells("models.csv", "id", "aliases", "family", "hf_repo"),
        "model type": cells("architectures.csv", "model_type"),
        "region": region_names(),
        "accelerator": chip_names(),
        "instance type": cells("instances.csv", "instance_type"),
        "withdrawn type": cells("unlisted_instances.csv", "instance_type"),
        "family": cells("families.csv", "family"),
    }
    return {
        words: kind
        for kind, found in told.items()
        for name in found
        if (words := words_of(name)) and name.lower() not in ORDINARY
    }


def literals_of(path: Path) -> Iterator[Literal]:
    name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    if path.suffix == ".j2":
        plain = re.sub(
            r"\{#.*?#\}", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL
        )
        for number, line in enumerate(plain.splitlines(), 1):
            yield Literal(name, number, line)
        return
    tree = ast.parse(text)
    told = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told:
            yield Literal(name, node.lineno, node.value)


@cache
def coefficient_names() -> frozenset[str]:
    """Return the coefficients' own names: a reference to a row of data, not a fact."""
    rows = json.loads((DATA_DIR / "coefficients.json").read_text(encoding="utf-8"))
    own = (row["name"].rpartition(".")[2] for row in rows["coefficients"])
    return frozenset(name for name in own if "_" in name)


def named_in(text: str) -> list[str]:
    """Return the names that a text holds, the longest where one begins another."""
    if text in coefficient_names():
        return []
    for pattern in COINCIDENCES:
        text = re.sub(pattern, " ", text)
    text = re.sub(r"\\[bBdDsSwW]", " ", text)  # of a pattern
    readings = {text, re.sub(r"(\w)\?", "", text), text.replace("?", "")}  # `frankfurts?`
    return sorted({name for reading in readings for name in _found(words_of(reading))})


def _found(words: tuple[str, ...]) -> Iterator[str]:
    longest = max(map(len, names()))
    start = 0
    while start < len(words):
        lengths = range(min(longest, len(words) - start), 0, -1)
        length = next((n for n in lengths if words[start : start + n] in names()), 0)
        if length:
            found = words[start : start + length]
            yield f"{names()[found]} {' '.join(found)}"
        start += length or 1


def product_files() -> list[Path]:
    paths = [path for folder in PRODUCT for path in (ROOT / folder).rglob("*")]
    return sorted(path for path in paths if path.suffix in {".py", ".j2"})


@pytest.mark.parametrize("folder", PRODUCT)
def test_no_name_stands_in_code(folder):
    found = [
        f"{literal.file}:{literal.line}: {', '.join(held)} in {literal.text[:100]!r}"
        for path in product_files()
        if path.is_relative_to(ROOT / folder)
        for literal in literals_of(path)
        if (held := named_in(literal.text))
    ]
    assert found == [], "make them rows of catalog/data:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("why not inf2?", ["family inf2"]),
        (r"\b(?:p4de?|g5)\.", ["family g5", "family p4d", "family p4de"]),
        ("in Frankfurt on spot", ["region frankfurt"]),
        ("frankfurts?", ["region frankfurt"]),
        ("eu-central-1", ["region eu central 1"]),
        ("llama-3.1-8b of p5.48xlarge", ["instance type p5 48xlarge", "model llama 3 1 8b"]),
        ("A100 or Trainium2", ["accelerator a100", "accelerator trainium2"]),
        ("p50 of the latency in m50", []),
        ("llama.cpp", []),
        ("arn:aws:iam", []),
    ],
)
def test_names_are_found_in_words_and_patterns(text, held):
    assert named_in(text) == held


def test_every_coincidence_is_needed():
    texts = [literal.text for path in product_files() for literal in literals_of(path)]
    unused = [
        pattern for pattern in COINCIDENCES if not any(re.search(pattern, text) for text in texts)
    ]
    assert unused == []
