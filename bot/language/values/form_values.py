"""What is typed into the fields of a form: a percentage, an exchange rate, a list, a model's name.

Needs nothing but the catalog's names: a form is filled while Slack waits.
"""

import re
from collections.abc import Iterator
from typing import Final

from catalog.catalog import Catalog

PERCENT: Final = re.compile(r"(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:%|percent)?", re.IGNORECASE)
RATE: Final = re.compile(
    r"(?:(?P<code>[A-Za-z]{3})(?:\s+at)?\s*(?P<rate>\d{1,7}(?:[.,]\d{1,6})?)"
    r"|(?P<rate_first>\d{1,7}(?:[.,]\d{1,6})?)\s*(?P<code_last>[A-Za-z]{3}))"
)
SIZE: Final = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\s*[bB]?")
PARTS: Final = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


def percent_typed(text: str) -> float | None:
    """Return the percentage; None for anything else."""
    found = PERCENT.fullmatch(text)
    return None if found is None else float(found[1].replace(",", "."))


def rate_typed(text: str) -> tuple[str, float] | None:
    """Return a currency's code and what one US dollar costs in it; None for anything else."""
    found = RATE.fullmatch(text)
    if found is None:
        return None
    rate = (found["rate"] or found["rate_first"]).replace(",", ".")
    return (found["code"] or found["code_last"]).upper(), float(rate)


def words_listed(text: str) -> tuple[str, ...]:
    """Return the words of a list, each once, in lower case."""
    return tuple(dict.fromkeys(re.split(r"[\s,;]+", text.lower().strip(" ,;"))))


def size_typed(text: str) -> str | None:
    """Return the figure of a model's size ("7B", "7"); None for anything else."""
    size = SIZE.fullmatch(text.strip())
    return None if size is None or float(size[1]) == 0 else size[1]


def models_called(query: str, catalog: Catalog) -> Iterator[str]:
    """Yield the models with a name that holds each part of `query` (llama-3.3-70b: "llama 70")."""
    wanted = PARTS.findall(query.lower())
    named: dict[str, list[str]] = {model_id: [model_id] for model_id in catalog.models}
    for name, model_id in catalog.model_names.items():
        named.setdefault(model_id, []).append(name)
    for model_id, names in named.items():
        if any(_holds(name, wanted) for name in names):
            yield model_id


def _holds(name: str, wanted: list[str]) -> bool:
    """Return whether each part begins a part of the name."""
    there = PARTS.findall(name)
    return all(any(part.startswith(one) for part in there) for one in wanted)
