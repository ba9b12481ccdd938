"""The cheapest combination of types for a load that one type serves badly.

An exact search: integer counts of at most three types whose capacities within the limits add up to
the load, by branch and bound. Traffic is split by capacity, so every part stays within its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from engine.pick.serving import MAX_INSTANCES
from engine.what_if.capacity import Unit, undominated
from engine.what_if.crossover import SLACK, Winner, cheapest

MOST_TYPES = 3
WORTH_MIXING = 0.95  # a mix that saves less than 5 % is not worth a second type to run


@dataclass(frozen=True, slots=True)
class FleetPart:
    """Some units of one type in a fleet."""

    unit: Unit
    units: int

    @property
    def instances(self) -> int:
        """How many machines that is."""
        return self.units * self.unit.instances

    @property
    def usd_per_hour(self) -> float:
        """What they cost together."""
        return self.units * self.unit.usd_per_hour

    @property
    def capacity(self) -> float:
        """What they carry together."""
        return self.units * self.unit.capacity


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """The cheapest mix for a load, beside the best single type; parts are dearest first."""

    load: float
    parts: tuple[FleetPart, ...]
    single: Winner | None

    @property
    def usd_per_hour(self) -> float:
        """What the fleet costs."""
        return sum(part.usd_per_hour for part in self.parts)

    @property
    def capacity(self) -> float:
        """What the fleet carries."""
        return sum(part.capacity for part in self.parts)

    @property
    def mixed(self) -> bool:
        """Whether more than one type is in it."""
        return len(self.parts) > 1

    @property
    def saving(self) -> float:
        """The share of the best single type's cost that the mix saves; 0.0 where none does it."""
        return 0.0 if self.single is None else 1 - self.usd_per_hour / self.single.usd_per_hour

    @property
    def worth_it(self) -> bool:
        """Whether the mix saves enough to run a second type, or is the only way."""
        return self.mixed and (self.single is None or self.saving >= 1 - WORTH_MIXING)

    def share(self, part: FleetPart) -> float:
        """Return the share of the traffic to send to a part."""
        return part.capacity / self.capacity


@dataclass(slots=True)
class _Search:
    """The best fleet found so far; `units` are ordered by price per capacity, cheapest first."""

    units: Sequence[Unit]
    best_usd: float = float("inf")
    best: tuple[FleetPart, ...] = ()
    chosen: list[FleetPart] = field(default_factory=list)

    def extend(self, start: int, left: float, spent: float, machines: int) -> None:
        """Try every useful number of each unit from `start` on for the load that is `left`."""
        if left <= 0:
            if spent < self.best_usd * (1 - 1e-12):
                self.best_usd, self.best = spent, tuple(self.chosen)
            return
        if len(self.chosen) == MOST_TYPES:
            return
        for index in range(start, len(self.units)):
            unit = self.units[index]
            # Units that follow cost at least as much per capacity: this is the least it can take.
            if spent + left / unit.capacity * unit.usd_per_hour >= self.best_usd:
                return
            self._try_counts(index, left, spent, machines)

    def _try_counts(self, index: int, left: float, spent: float, machines: int) -> None:
        unit = self.units[index]
        room = (MAX_INSTANCES - machines) // unit.instances
        for count in range(min(room, ceil(left / unit.capacity / SLACK)), 0, -1):
            self.chosen.append(FleetPart(unit, count))
            remaining = left - count * unit.capacity * SLACK
            self.extend(
                index + 1,
                remaining,
                spent + count * unit.usd_per_hour,
                machines + count * unit.instances,
            )
            self.chosen.pop()


def cheapest_fleet(units: Sequence[Unit], load: float) -> Fleet | None:
    """Return the cheapest fleet of at most three types and 64 machines; None where none is.

    The best single type is one of the fleets, so the answer never costs more than it.
    """
    kept = undominated(units)
    by_value = sorted(kept, key=lambda u: (u.usd_per_hour / u.capacity, u.name))
    single = cheapest(kept, load)
    search = _Search(by_value)
    if single is not None:
        search.best_usd = single.usd_per_hour
        search.best = (FleetPart(single.unit, single.units),)
    search.extend(0, load, 0.0, 0)
    if not search.best:
        return None
    parts = sorted(search.best, key=lambda part: (-part.usd_per_hour, part.unit.name))
    return Fleet(load=load, parts=tuple(parts), single=single)
