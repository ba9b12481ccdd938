"""Pictures as JSON, between the function that answers and the one that draws."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from bot.cards.pictures.picture import (
    CrossoverPicture,
    FrontierPicture,
    HistoryPicture,
    MemoryPicture,
    Picture,
)

KINDS: Final[dict[str, type[Picture]]] = {
    "crossover": CrossoverPicture,
    "frontier": FrontierPicture,
    "history": HistoryPicture,
    "memory": MemoryPicture,
}
_NAMES: Final = {kind: name for name, kind in KINDS.items()}


def as_wire(pictures: Iterable[Picture]) -> list[dict[str, Any]]:
    """Return the pictures as objects that `json.dumps(…, default=str)` writes."""
    return [{"kind": _NAMES[type(picture)], "picture": asdict(picture)} for picture in pictures]


def from_wire(sent: Iterable[dict[str, Any]]) -> tuple[Picture, ...]:
    """Return the pictures that were sent.

    Raises:
        KeyError: a kind that nobody knows.
        ValueError: a figure is missing or is none (pydantic's ValidationError).
    """
    from pydantic import TypeAdapter

    return tuple(TypeAdapter(KINDS[one["kind"]]).validate_python(one["picture"]) for one in sent)
