"""Type-ahead: the catalog's models whose names hold what was typed. Needs no engine."""

import re
from typing import Final

from bot.slack.form.view import Block, option
from catalog.catalog import Catalog
from catalog.facts.schema import Model

MOST: Final = 100  # options in one answer, by Slack's limit
QUERY_CHARS: Final = 100
SIZE: Final = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\s*[bB]?")
PARTS: Final = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


def model_options(query: str, catalog: Catalog) -> list[Block]:
    """Return the models that hold every part of `query`, the shortest names first.

    A size ("7B") also offers a typical model of that size.
    """
    wanted = PARTS.findall(query[:QUERY_CHARS].lower())
    named: dict[str, list[str]] = {}
    for name, model_id in catalog.model_names.items():
        named.setdefault(model_id, []).append(name)
    found = [
        model
        for model in catalog.models.values()
        if any(_holds(name, wanted) for name in (model.id, *named.get(model.id, ())))
    ]
    found.sort(key=lambda model: (len(model.id), model.id))
    options = [option(model.id, _label(model)) for model in found]
    return [*_of_size(query), *options][:MOST]


def _holds(name: str, wanted: list[str]) -> bool:
    """Return whether each part begins a part of the name, as "llama 70" does `llama-3.3-70b`."""
    there = PARTS.findall(name)
    return all(any(part.startswith(one) for part in there) for one in wanted)


def _label(model: Model) -> str:
    size = f"{model.total_params_b:.3g}B parameters"
    return f"{model.id} ({size})"


def _of_size(query: str) -> list[Block]:
    size = SIZE.fullmatch(query.strip())
    if size is None or float(size[1]) == 0:
        return []
    return [option(f"{size[1]}b", f"{size[1]}B: a typical model of this size")]
