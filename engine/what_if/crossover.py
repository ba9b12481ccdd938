"""The cheapest single type at every load: which type wins from which load to which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from engine.pick.rank import dared_first
from engine.what_if.capacity import LoadField, Unit, undominated

DEFAULT_RANGE: dict[LoadField, tuple[float, float]] = {
    "rps": (0.1, 1000.0),
    "concurrency": (1.0, 1000.0),
}
SLACK = 1 + 1e-9  # a load that equals a capacity is carried, whatever the rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """What carries one load for the least money."""

    load: float
    unit: Unit
    units: int
    usd_per_hour: float

    @property
    def instances(self) -> int:
        """How many machines that is."""
        return self.units * self.unit.instances


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRange:
    """A stretch of loads that one type carries for the least money, with the winners at its ends.

    `first` is just above `above` (users: the next whole number), `last` the most it still wins.
    """

    above: float  # 0.0: from the start of the range
    first: Winner
    last: Winner

    @property
    def name(self) -> str:
        """The type that wins."""
        return self.first.unit.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """The segments from the smallest load to the largest that can be carried."""

    field: LoadField
    low: float
    high: float  # asked for
    carried_to: float  # what some type carries within the most machines
    segments: tuple[LoadRange, ...]


def cheapest(units: Sequence[Unit], load: float) -> Winner | None:
    """Return the cheapest number of units of one type for a load; None where none carries it.

    What is unproven yields as it does where types are ranked. A pick may be another: what is surely
    within the limits is first there at up to 1.5 times the price.
    """
    return dared_first(
        _offers_of(units, load),
        key=lambda offer: offer.usd_per_hour,
        usd=lambda offer: offer.usd_per_hour,
        unproven=lambda offer: offer.unit.unproven,
    )


def _offers_of(units: Sequence[Unit], load: float) -> Iterator[Winner]:
    for unit in units:
        count = max(1, ceil(load / unit.capacity / SLACK))
        if count <= unit.most:
            usd = count * unit.usd_per_hour
            yield Winner(load=load, unit=unit, units=count, usd_per_hour=usd)


def crossover(units: Sequence[Unit], field: LoadField, low: float, high: float) -> Crossover:
    """Return who wins at every load from `low` to `high`, exactly.

    What a load costs changes only where some type is full and needs one unit more, so the winner is
    the same between two such loads.
    """
    kept = undominated(units)
    carried = min(high, max((unit.capacity * unit.most for unit in kept), default=0.0))
    carried = _whole_load(carried) if field == "concurrency" else carried
    if carried < low:
        return Crossover(field=field, low=low, high=high, carried_to=0.0, segments=())
    loads = _changes(kept, low, carried, whole=field == "concurrency")
    winners = [winner for winner in (cheapest(kept, load) for load in loads) if winner is not None]
    segments = tuple(_segments(kept, winners, low, whole=field == "concurrency"))
    return Crossover(field=field, low=low, high=high, carried_to=carried, segments=segments)


def _whole_load(load: float) -> float:
    return float(int(load * SLACK))


def _changes(units: Sequence[Unit], low: float, high: float, *, whole: bool) -> list[float]:
    """Return the loads at which some type is full, the most that its units carry, and the end."""
    full = (unit.capacity * count for unit in units for count in range(1, unit.most + 1))
    loads = {_whole_load(load) if whole else load for load in full}
    return sorted(load for load in loads | {high} if low <= load <= high)


def _segments(
    units: Sequence[Unit], winners: list[Winner], low: float, *, whole: bool
) -> Iterator[LoadRange]:
    above, start = 0.0, 0
    for end, winner in enumerate(winners):
        following = winners[end + 1] if end + 1 < len(winners) else None
        if following is not None and following.unit == winner.unit:
            continue
        least = low if start == 0 else _just_above(above, whole=whole)
        first = cheapest(units, least) or winners[start]
        yield LoadRange(above=above, first=first, last=winner)
        above, start = winner.load, end + 1


def _just_above(load: float, *, whole: bool) -> float:
    return load + 1 if whole else load * (1 + 1e-6)
