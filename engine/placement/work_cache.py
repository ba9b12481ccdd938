"""What one question has worked out so far, for types and for questions that share it."""

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from catalog.facts.schema import Instance
from engine.core.estimate import Estimate, Memory, Performance
from engine.core.plan import Load, Plan
from engine.core.result import Number, Rejection


class HostedPlan(NamedTuple):
    """A plan that fits on some host: what it holds, what it does at the asked load."""

    estimate: Estimate
    full_rate: Performance | None  # the offline maximum, where ranking needs it
    costs_as_one: bool  # it costs what one instance does, for want of a rate to share the price out


class HostRefusal(NamedTuple):
    """A host that cannot run the model, and why: the software does not, or no plan fits."""

    reason: Literal["unsupported", "does_not_fit"]
    detail: str
    numbers: tuple[Number, ...] = ()

    def of(self, instance: Instance) -> Rejection:
        """Return the rejection of a type with such a host."""
        return Rejection(
            instance_type=instance.instance_type,
            reason=self.reason,
            detail=self.detail,
            numbers=self.numbers,
        )


class Shortlist(NamedTuple):
    """The plans worth estimating on hosts that run a model alike, and what to know about them."""

    codes: tuple[str, ...]
    plans: list[Plan]


# Figures under one load, by speed of machine, plan and sequences it holds at most.
Estimates = dict[tuple[int, Plan, float | None], Performance]


@dataclass(slots=True)
class WorkCache:
    """What was already worked out for one model, dtype, context and load, whatever the limits.

    Types that differ only in host size (g5.xlarge, g5.2xlarge) share plans and estimates, and two
    questions that differ only in their limits share everything.
    """

    hosts: dict[int, list[HostedPlan] | HostRefusal] = field(default_factory=dict)
    planned: dict[int, Shortlist | HostRefusal] = field(default_factory=dict)  # by speed of machine
    cpu_planned: dict[int, Shortlist | HostRefusal] = field(default_factory=dict)  # by threads
    memory: dict[tuple[int, Plan], Memory] = field(default_factory=dict)  # by kind of machine
    cpu_memory: dict[float, Memory] = field(default_factory=dict)  # by GiB of the host
    performance: dict[Load, Estimates] = field(default_factory=dict)
    candidates: tuple[list[Instance], list[Rejection]] | None = None
    alike: tuple[list[Instance], list[tuple[list[HostedPlan], list[Instance]]]] | None = None
    leading: bool = False  # only what may be picked is wanted, not why the others are not

    def elsewhere(self) -> "WorkCache":
        """Return the same for another region: its types are others, their estimates are shared."""
        return replace(self, candidates=None, alike=None)

    def for_leading(self) -> "WorkCache":
        """Return the same for a question of which only what is picked will be told."""
        return replace(self, leading=True)

    def under(self, load: Load) -> Estimates:
        """Return what was estimated under a load, to be added to."""
        return self.performance.setdefault(load, {})
