"""How each coefficient came about: its bounds and its source, from the file that ships it."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Provenance(NamedTuple):
    """Between which bounds a coefficient was fitted or taken, and from what."""

    value: float
    low: float
    high: float
    source: str  # key of the file's sources
    text: str


@cache
def coefficient_provenance() -> dict[str, Provenance]:
    """Return how each coefficient came about, by its name in coefficients.json."""
    path = Path(__file__).parents[1] / "data" / "coefficients.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    sources = document["sources"]
    return {
        row["name"]: Provenance(
            row["value"], row["low"], row["high"], row["source"], sources[row["source"]]
        )
        for row in document["coefficients"]
    }
