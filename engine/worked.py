"""What one question has worked out so far, for types and for questions that share it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from catalog.schema import Instance, Quote
from engine.dtypes import DtypeSupport
from engine.estimate import Estimate, Memory, Performance
from engine.hosts import Machine
from engine.plan import Plan
from engine.result import Cost, Rejection


class Held(NamedTuple):
    """A plan that fits on some host: what it holds, what it does at the asked load."""

    estimate: Estimate
    full_rate: Performance | None  # the offline maximum, where ranking needs it

    @property
    def costs_as_one(self) -> bool:
        """Whether it costs what one instance does, for want of a rate to share the price out."""
        return self.full_rate is None and self.estimate.plan.instances == 1


class Refused(NamedTuple):
    """A host that cannot run the model: the software does not, or no plan fits."""

    unsupported: str | None
    memories: list[Memory]


class Offer(NamedTuple):
    """The plans that fit on one type, each with what it costs."""

    machine: Machine
    quote: Quote
    ceiling: Quote | None
    plans: list[tuple[Estimate, Cost]]


@dataclass(slots=True)
class Worked:
    """What was already worked out for one model, dtype, context and load, whatever the limits.

    Types that differ only in host size (g5.xlarge, g5.2xlarge) share plans and estimates, and two
    questions that differ only in their limits share everything.
    """

    hosts: dict[int, list[Held] | Refused] = field(default_factory=dict)
    plans: dict[object, list[Plan]] = field(default_factory=dict)
    memory: dict[object, Memory] = field(default_factory=dict)
    performance: dict[object, Performance] = field(default_factory=dict)
    dtypes: dict[str | None, tuple[str, tuple[str, ...]] | DtypeSupport] = field(
        default_factory=dict
    )
    offers: dict[str, Offer | Rejection] = field(default_factory=dict)
    alike: tuple[list[Instance], list[list[Instance]]] | None = None  # some types, by machine
    candidates: tuple[list[Instance], list[Rejection]] | None = None
