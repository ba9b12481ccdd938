"""What the smallest deployment of each type carries within every limit, and what it costs.

Replicas do not share work, so `n` units carry `n` times the load of one: a law of the estimates
that `tests/engine/test_crossover.py` holds them to. Within a limit is what
meets it: a unit that is full is near its limits, and what a pick pays to be surely within them is
not counted. From the units follow the cheapest type at every load
(`engine.what_if.crossover`) and the cheapest mix of types (`engine.what_if.fleet`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from catalog.facts.schema import Instance
from engine.core.option import Option
from engine.core.question import Question
from engine.pick.rank import how_unproven, in_reserve
from engine.pick.recommend import evaluate, with_workload
from engine.pick.serving import MAX_INSTANCES, ServingEvaluator

LoadField = Literal["rps", "concurrency"]
SMALLEST: dict[LoadField, float] = {"rps": 1e-3, "concurrency": 1.0}
LARGEST: dict[LoadField, float] = {"rps": 1e5, "concurrency": 1e6}
STEP = 8.0  # how fast the search for a load that is too much grows
PRECISION = 1.001  # a capacity is known to 0.1 %, from below


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The fewest instances of a type that hold one replica, and the most they carry together."""

    instance: Instance
    instances: int
    usd_per_hour: float  # of the unit
    capacity: float  # requests per second, or requests in flight
    spans_hosts: bool = False
    unproven: int = 0  # 0: measured, 1: documented, 2: neither

    @property
    def name(self) -> str:
        """The instance type."""
        return self.instance.instance_type

    @property
    def most(self) -> int:
        """How many units one deployment may have."""
        return MAX_INSTANCES // self.instances


def load_field(question: Question) -> LoadField:
    """Return what the load of a workload is counted in."""
    return "rps" if question.workload.rps is not None else "concurrency"


def at_load(question: Question, field: LoadField, load: float) -> Question:
    """Return the question under another load; limits and everything else stay."""
    other: LoadField = "concurrency" if field == "rps" else "rps"
    return with_workload(question, **{field: load, other: None, "nodes": None})


def units(question: Question, field: LoadField) -> list[Unit]:
    """Return one unit for every priced type that serves the smallest load within the limits.

    Types that run the model alike (g6.xlarge, g6.2xlarge) are one entry: the cheapest that holds as
    many sequences at once. Sorted by price per capacity, best first.
    """
    smallest = evaluate(at_load(question, field, SMALLEST[field]))
    meeting = smallest.meeting
    current = [option for option in meeting if not in_reserve(option, question)] or meeting
    found = [
        Unit(
            instance=option.instance,
            instances=option.instances,
            usd_per_hour=option.usd_per_hour or 0.0,
            capacity=_capacity(question, field, option),
            spans_hosts=option.spans_hosts,
            unproven=how_unproven(option, question),
        )
        for option in contenders(current)
    ]
    # A replica spread over hosts is for models that no host holds: ranking keeps them behind too.
    alone = [unit for unit in found if not unit.spans_hosts] or found
    return sorted(alone, key=lambda unit: (unit.usd_per_hour / unit.capacity, unit.name))


def contenders(every: Iterable[Option]) -> list[Option]:
    """Return the priced options, without those that others of the same speed make pointless."""
    alike: dict[object, list[Option]] = {}
    for option in every:
        if option.usd_per_hour is not None:
            alike.setdefault(_capacity_key(option), []).append(option)
    kept: list[Option] = []
    for options in alike.values():
        roomiest = -1.0
        for option in sorted(options, key=lambda o: (o.usd_per_hour, o.instance.instance_type)):
            room = _cache_room(option)
            if room > roomiest:
                kept.append(option)
                roomiest = room
    return kept


def _capacity_key(option: Option) -> object:
    instance, estimate = option.instance, option.estimate
    devices = (instance.accelerator_id, instance.accelerators) if instance.accelerators else None
    cores = None if devices else instance.cores
    return devices, cores, option.instances, estimate.performance


def _cache_room(option: Option) -> float:
    sequences = option.estimate.memory.sequences_max
    return float("inf") if sequences is None else sequences


def _capacity(question: Question, field: LoadField, option: Option) -> float:
    """Return the largest load that this many instances of the type carry within the limits."""

    def carries(load: float) -> bool:
        found = ServingEvaluator(at_load(question, field, load)).evaluate(option.instance)
        if not isinstance(found, Option) or found.instances > option.instances:
            return False
        return found.carries_load

    return turning_point(field, carries)[0]


def turning_point(field: LoadField, carries: Callable[[float], bool]) -> tuple[float, float]:
    """Return the largest load that is carried, to 0.1 % from below, and one just above it.

    The smallest load is taken as carried.
    """
    below, above = SMALLEST[field], SMALLEST[field] * STEP
    while above < LARGEST[field] and carries(above):
        below, above = above, above * STEP
    while above / below > PRECISION:
        middle = sqrt(above * below)
        below, above = (middle, above) if carries(middle) else (below, middle)
    return below, above


def undominated(found: Iterable[Unit]) -> list[Unit]:
    """Return the units that none as well proven beats in price, capacity and machines."""
    kept: list[Unit] = []
    for unit in sorted(found, key=lambda u: (u.usd_per_hour, -u.capacity, u.instances, u.name)):
        beaten = (
            other.capacity >= unit.capacity
            and other.instances <= unit.instances
            and other.unproven <= unit.unproven
            for other in kept
        )
        if not any(beaten):
            kept.append(unit)
    return kept
