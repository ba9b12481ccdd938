"""How much more the machines of a pick carry, and which limit goes first when the load grows.

The plan stays as it is deployed: the same machines, the same split, another load. Every figure is
the estimate's own at that load.
"""

from dataclasses import dataclass, replace

from engine.core.estimate import Performance
from engine.core.limits import latency_checks, meets
from engine.core.plan import Plan
from engine.core.question import Question
from engine.core.result import LimitCheck, Pick
from engine.pick.serving import ServingEvaluator
from engine.placement.hosts import machine_of
from engine.what_if.capacity import SMALLEST, LoadField, at_load, turning_point


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """What goes at a load: a missed limit, else a queue that grows without end."""

    missed: LimitCheck | None  # None: requests arrive faster than they are finished
    performance: Performance


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The most that a plan carries within every latency limit: requests/s, or requests in flight.

    `most` is None where not even the smallest load is carried; `breaks` is what goes just above it,
    None where nothing does up to the largest load searched (`engine.what_if.capacity.LARGEST`).
    """

    field: LoadField
    asked: float | None
    most: float | None
    breaks: Break | None

    @property
    def headroom(self) -> float | None:
        """How many times the asked load is carried."""
        return None if not self.asked or self.most is None else self.most / self.asked


def growth(pick: Pick, question: Question, field: LoadField) -> Growth:
    """Return how far the load of a pick may grow on the machines it has.

    Raises:
        TypeError: the question has no model.
    """
    return _growth(pick, question, field, pick.estimate.plan)


def growth_without_one(pick: Pick, question: Question, field: LoadField) -> Growth | None:
    """Return the same with one machine down; None where no whole copy would be left by that."""
    plan = pick.estimate.plan
    if plan.instances < 2 or plan.data_parallel % plan.instances:
        return None
    left = plan.instances - 1
    fewer = replace(
        plan,
        instances=left,
        accelerators=plan.accelerators // plan.instances * left,
        data_parallel=plan.data_parallel // plan.instances * left,
    )
    return _growth(pick, question, field, fewer)


def _growth(pick: Pick, question: Question, field: LoadField, plan: Plan) -> Growth:
    def broken(load: float) -> Break | None:
        return _first_broken_limit(pick, plan, at_load(question, field, load))

    most: float | None = None
    above = SMALLEST[field]
    if broken(above) is None:
        most, above = turning_point(field, lambda load: broken(load) is None)
    asked: float | None = getattr(question.workload, field)
    if field == "concurrency" and most is not None:
        most = float(int(most))
    return Growth(field=field, asked=asked, most=most, breaks=broken(above))


def _first_broken_limit(pick: Pick, plan: Plan, question: Question) -> Break | None:
    """Return what goes when a plan has the load of a question, None where all limits hold."""
    hosting = ServingEvaluator(question).hosting
    machine = machine_of(pick.instance, question.catalog)
    memory = hosting.shared(machine, plan, pick.estimate.memory)
    performance = hosting.measured(machine, plan, memory, hosting.load)
    checks = latency_checks(question.workload, performance, by_middle=question.by_middle)
    if meets(checks) and not performance.saturated:
        return None
    missed = [check for check in checks if check.verdict == "misses"]
    worst = max(missed, key=lambda check: check.used, default=None)
    return Break(missed=worst, performance=performance)
