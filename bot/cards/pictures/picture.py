"""What a picture shows, ready to be drawn: figures, names, and the same in words.

As JSON between the function that answers and the one that draws; as a table with bars for the
terminal, and wherever no picture can be shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bot.core.views import TableView


BAR_CELLS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What every picture has. `alt_text` says in words whatever the picture says."""

    file_name: str
    title: str
    alt_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One type of the frontier."""

    name: str
    usd_per_hour: float
    milliseconds: float  # of the figure on the other axis
    picked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPicture(Picture):
    """Types that nothing is both cheaper and faster than, the pick marked."""

    figure: str  # "whole answer"
    dots: tuple[Dot, ...]
    limit_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A type that is the cheapest from one load to another."""

    name: str
    machines: str  # "3 × g6e.xlarge", at its start
    loads: tuple[float, float]
    usd_per_hour: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossoverPicture(Picture):
    """The cheapest price at every load, by the type that has it."""

    load: str  # "users at once"
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedPrice:
    """A price on a day it was seen."""

    day: date
    usd_per_hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPicture(Picture):
    """What one price was on the days it was seen; between two of them nothing is known."""

    prices: tuple[DatedPrice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPart:
    """One part of a memory."""

    name: str
    gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPicture(Picture):
    """What fills the memory of one device, and how much stays free."""

    device: str  # "GPU"
    parts: tuple[MemoryPart, ...]


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


def chart_view(pictures: Sequence[Picture]) -> "TableView":
    """Return the first of some pictures as a table; the lead says in words what all of them show.

    Raises:
        TypeError: nobody has said how this kind of picture is written.
    """
    from bot.cards.table import table_view

    first = pictures[0]
    lead = " ".join(picture.alt_text for picture in pictures)
    if isinstance(first, FrontierPicture):
        return table_view(
            first.title, lead, ("type", "$/h", first.figure, ""), _frontier_rows(first)
        )
    if isinstance(first, MemoryPicture):
        return table_view(first.title, lead, ("part", "GiB", ""), _part_rows(first))
    raise TypeError(f"no table for {type(first).__name__}")


def _frontier_rows(picture: FrontierPicture) -> list[tuple[str, ...]]:
    from bot.core.figures import ms, usd_per_hour

    slowest = max(dot.milliseconds for dot in picture.dots)
    return [
        (
            f"{dot.name} (the pick)" if dot.picked else dot.name,
            usd_per_hour(dot.usd_per_hour),
            ms(dot.milliseconds),
            _share_bar(dot.milliseconds / slowest),
        )
        for dot in picture.dots
    ]


def _part_rows(picture: MemoryPicture) -> list[tuple[str, ...]]:
    whole = sum(part.gib for part in picture.parts)
    return [(part.name, f"{part.gib:.1f}", _share_bar(part.gib / whole)) for part in picture.parts]


def _share_bar(share: float) -> str:
    return "█" * max(1, round(BAR_CELLS * share))
