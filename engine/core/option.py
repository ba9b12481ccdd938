"""One way to run the workload, fully worked out: plan, estimate, price, cost, limits."""

from catalog.facts.schema import Instance, Quote
from engine.core.estimate import Estimate, Figure
from engine.core.limits import LOAD_FIELD, meets, worst_miss
from engine.core.result import Cost, LimitCheck
from engine.core.value import kw_value


@kw_value
class Option:
    """An evaluated plan on `instances` of one type. It may miss limits: see `limits`."""

    instance: Instance
    instances: int
    estimate: Estimate
    quote: Quote
    ceiling: Quote | None
    cost: Cost
    limits: tuple[LimitCheck, ...]

    @property
    def meets_limits(self) -> bool:
        """Whether no stated limit is missed."""
        return meets(self.limits)

    @property
    def carries_load(self) -> bool:
        """Whether it meets every limit without its queues growing."""
        performance = self.estimate.performance
        return self.meets_limits and not (performance is not None and performance.saturated)

    @property
    def has_room(self) -> bool:
        """Whether it carries the load with the share to spare that is planned with."""
        return self.carries_load and not any(check.field == LOAD_FIELD for check in self.limits)

    @property
    def spans_hosts(self) -> bool:
        """Whether one serving replica is spread over several machines."""
        plan = self.estimate.plan
        return self.estimate.training is None and plan.instances > plan.data_parallel

    @property
    def may_miss(self) -> bool:
        """Whether the range of some limited figure reaches past its limit."""
        return any(check.verdict == "tight" for check in self.limits)

    @property
    def worst_miss(self) -> LimitCheck | None:
        """The limit missed by the largest factor, if any."""
        return worst_miss(self.limits)

    @property
    def excess(self) -> float:
        """By what factor the worst limit is missed; 1.0 where none is."""
        worst = self.worst_miss
        return 1.0 if worst is None else worst.used

    @property
    def misses_only_budget(self) -> bool:
        """Whether it would do but for its price."""
        missed = False
        for check in self.limits:
            if check.verdict == "misses":
                if not check.field.startswith("usd"):
                    return False
                missed = True
        return missed

    @property
    def headroom(self) -> float:
        """How far the tightest limit is from being reached: 2.0 means half of it is used."""
        ratios = [1 / check.used for check in self.limits if check.used > 0]
        memory = self.estimate.memory
        if memory.needed_gib > 0:
            ratios.append(memory.limit_gib / memory.needed_gib)
        return min(ratios, default=1.0)

    @property
    def usd_per_hour(self) -> float | None:
        """USD per hour for all instances; None where unpriced."""
        return self.cost.usd_per_hour

    @property
    def most_usd_per_hour(self) -> float | None:
        """USD per hour that all instances cost at most: on demand, where the market has no figure.

        None where a price is known, or not even that one.
        """
        if self.ceiling is None or self.ceiling.usd_per_hour is None:
            return None
        return self.ceiling.usd_per_hour * self.instances

    def figure(self, name: str) -> Figure | None:
        """Return a serving figure by its name (`ttft_ms`, `tpot_ms`, …) at the asked load."""
        performance = self.estimate.performance
        if performance is None:
            return None
        figure: Figure | None = getattr(performance, name)
        return figure
