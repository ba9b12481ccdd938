"""What a picture shows, ready to be drawn: figures, names, and the same in words."""

from dataclasses import dataclass
from datetime import date


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
