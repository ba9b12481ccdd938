"""What people call chips, families, places and models beside their names: `data/spoken.json`."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from catalog.load import DATA_DIR


@cache
def _spoken_words() -> Mapping[str, Any]:
    return dict(json.loads((DATA_DIR / "spoken.json").read_text(encoding="utf-8")))


def spoken(section: str) -> dict[str, Any]:
    """Return a section's words and what each means; KeyError where there is none."""
    return dict(_spoken_words()[section])


def words(section: str) -> tuple[str, ...]:
    """Return a section's words, in their order."""
    return tuple(_spoken_words()[section])


def any_of(section: str) -> str:
    """Return the part of a pattern that takes any word of a section."""
    return "|".join(words(section))
