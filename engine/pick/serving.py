"""Works out the best way to serve the workload on one instance type, or why there is none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

from catalog.facts.schema import Instance, Quote
from engine.core.estimate import Estimate, Performance
from engine.core.job import items_of_job
from engine.core.limits import latency_checks, limit_checks, limits_money, meets
from engine.core.option import Option
from engine.core.plan import Load
from engine.core.question import Question
from engine.core.replicas import fewest, times
from engine.core.result import Cost, LimitCheck, Rejection
from engine.pick.cost import NO_COST, serving_cost
from engine.pick.hosting import Hosting, in_flight, queued
from engine.pick.jobs import finishing
from engine.pick.rank import SAFE_PREMIUM, job_usd, request_ms
from engine.pick.reasons import too_large
from engine.placement.hosts import HostClass, machine_of
from engine.placement.work_cache import HostedPlan, HostRefusal, WorkCache

MAX_INSTANCES = 64  # beyond this a single service is a fleet, and wants its own design
SCALED_LOADS = frozenset({"open", "closed"})  # that more instances can carry
PRICED = "engine.pick.serving.priced"
TOKENLESS_TASKS = frozenset({"diffusion", "vision"})
FULL_LOAD_CONCURRENCIES = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # per replica; 256: engines' default


Checks = tuple[LimitCheck, ...]


class HostPrice(NamedTuple):
    """A type as its machine, and what one of it costs on the asked market."""

    machine: HostClass
    quote: Quote
    ceiling: Quote | None
    alone: Cost


@dataclass(slots=True)
class ServingEvaluator:
    """Evaluates instance types for one serving question."""

    question: Question
    worked: WorkCache = field(default_factory=WorkCache)
    hosting: Hosting = field(init=False)
    scales: bool = field(init=False)  # whether more instances carry more of this load
    limits_money: bool = field(init=False)
    is_job: bool = field(init=False)  # so many items by then, on as many machines as it takes
    checked: dict[int, Checks] = field(default_factory=dict)  # by id of the figures, kept by worked
    priced: dict[str, HostPrice] = field(init=False)  # of the catalog's types on the asked market

    def __post_init__(self) -> None:
        """Take from the question what every type needs."""
        question, workload = self.question, self.question.workload
        self.hosting = Hosting(question, self.worked)
        self.scales = self.hosting.load.kind in SCALED_LOADS
        self.limits_money = limits_money(workload)
        self.is_job = items_of_job(workload) is not None
        bought = (question.region, question.market, workload.term_years, self.in_tokens)
        self.priced = question.catalog.derived.setdefault(PRICED, {}).setdefault(bought, {})

    @property
    def in_tokens(self) -> bool:
        """Whether the work is counted in tokens: images are counted in requests."""
        return self.hosting.model.task not in TOKENLESS_TASKS

    def evaluate(self, instance: Instance) -> Option | Rejection:
        """Return the best option on this type, or the one reason there is none."""
        priced = self._priced(instance)
        found = self.hosting.on(priced.machine)
        if isinstance(found, HostRefusal):
            return found.of(instance)
        options = [self._option(instance, priced, held) for held in found]
        if self.scales:
            options = [self._scaled(option) for option in options]
        if self.is_job:
            options = [finishing(option, self.question, self._more_of) for option in options]
        if self.question.workload.nodes is not None:
            options = [self._on_as_many(option) for option in options]
        return options[0] if len(options) == 1 else best_of_type(options, self.question)

    def on(self, instance: Instance, count: int) -> Option | Rejection:
        """Return the best option on just `count` of a type, whatever more of them would do."""
        priced = self._priced(instance)
        found = self.hosting.on(priced.machine)
        if isinstance(found, HostRefusal):
            return found.of(instance)
        held = [one for one in found if one.estimate.plan.instances <= count]
        if not held:
            return HostRefusal("does_not_fit", *too_large([])).of(instance)
        options = [self._option(instance, priced, one) for one in held]
        load = self.hosting.load
        return best_of_type(
            [self._at(one, load, count // one.instances) for one in options], self.question
        )

    def promising(self, types: list[Instance]) -> Iterator[Instance]:
        """Yield the types that can meet the limits at all (cheaper than evaluating them).

        Types of one kind of machine differ in their price alone.
        """
        grouped = self.worked.alike
        if grouped is None or grouped[0] is not types:
            grouped = self.worked.alike = types, self._alike(types)
        for plans, alike in grouped[1]:
            if self._may_meet(plans):
                yield from alike

    def _alike(self, types: list[Instance]) -> list[tuple[list[HostedPlan], list[Instance]]]:
        """Return the types by kind of machine with its plans, of the kinds on which one fits."""
        kinds: dict[int, tuple[HostClass, list[Instance]]] = {}
        for instance in types:
            machine = machine_of(instance, self.question.catalog)
            kinds.setdefault(machine.kind, (machine, []))[1].append(instance)
        found = ((self.hosting.on(machine), alike) for machine, alike in kinds.values())
        return [(plans, alike) for plans, alike in found if not isinstance(plans, HostRefusal)]

    def _may_meet(self, plans: list[HostedPlan]) -> bool:
        if self.scales or self.limits_money or self.is_job:
            return True
        return any(meets(self._checks(held.estimate, NO_COST)) for held in plans)

    def _checks(self, estimate: Estimate, cost: Cost) -> Checks:
        """Return the limits held against an estimate; plans that share figures share them."""
        question = self.question
        if self.limits_money:
            return limit_checks(question.workload, estimate, cost, by_middle=question.by_middle)
        figures = id(estimate.performance)
        found = self.checked.get(figures)
        if found is None:
            found = limit_checks(question.workload, estimate, cost, by_middle=question.by_middle)
            self.checked[figures] = found
        return found

    def _priced(self, instance: Instance) -> HostPrice:
        return self.priced.get(instance.instance_type) or self._price(instance)

    def _price(self, instance: Instance) -> HostPrice:
        """Return a type's machine and what one of it costs, once per catalog."""
        quote = self.question.quote(instance)
        found = self.priced[instance.instance_type] = HostPrice(
            machine_of(instance, self.question.catalog),
            quote,
            self.question.ceiling(instance, quote),
            serving_cost(quote, 1, None, in_tokens=self.in_tokens),
        )
        return found

    def _option(self, instance: Instance, priced: HostPrice, held: HostedPlan) -> Option:
        """Return the option of one plan, held against the limits of the question."""
        estimate, full_rate, costs_as_one = held
        instances = estimate.plan.instances
        _, quote, ceiling, cost = priced
        if not costs_as_one:
            cost = self._cost(quote, instances, full_rate)
        return Option(
            instance=instance,
            instances=instances,
            estimate=estimate,
            quote=quote,
            ceiling=ceiling,
            cost=cost,
            limits=self._checks(estimate, cost),
        )

    def _cost(self, quote: Quote, instances: int, full_load: Performance | None) -> Cost:
        return serving_cost(quote, instances, full_load, in_tokens=self.in_tokens)

    def _scaled(self, option: Option) -> Option:
        """Return the option with as many instances as the load needs (one, unless it is a rate)."""
        if option.has_room or not self._more_would_help(option):
            return option
        roomy = self._fewest(option, lambda more: more.has_room)
        return roomy or self._fewest(option, lambda more: more.carries_load) or option

    def _more_would_help(self, option: Option) -> bool:
        """Whether more instances can help: not if one request alone already misses a limit."""
        if not any(c.verdict == "misses" and c.field.endswith("_ms") for c in option.limits):
            return True
        alone = replace(self.hosting.load, kind="single", concurrency=1.0, rps=None)
        return self._at(option, alone, 1).meets_limits

    def _fewest(self, option: Option, enough: Callable[[Option], bool]) -> Option | None:
        """Return the option on the fewest more instances that are enough; None at too many."""
        most = MAX_INSTANCES // max(1, option.instances)
        count = fewest(lambda n: enough(self._at(option, self.hosting.load, n)), most)
        return None if count is None else self._at(option, self.hosting.load, count)

    def on_enough_to_be_sure(self, option: Option) -> Option | None:
        """Return the option on the few more of its type that hold every limit at the worst.

        None where more replicas would not, at 1.5 times as many, or where the count was said.
        """
        priced, most = self._priced(option.instance), int(SAFE_PREMIUM * option.instances)
        found = self.hosting.on(priced.machine)
        fixed = self.is_job or self.question.workload.nodes is not None
        if fixed or not self.scales or isinstance(found, HostRefusal):
            return None
        for held in found:
            one = self._option(option.instance, priced, held)
            for count in range(option.instances // one.instances + 1, most // one.instances + 1):
                more = self._at(one, self.hosting.load, count)
                if more.carries_load and not more.may_miss:
                    return more
        return None

    def _on_as_many(self, option: Option) -> Option:
        """Return the option on at least as many instances as were asked for, as more replicas."""
        asked = self.question.workload.nodes or 1
        if option.instances >= asked:
            return option
        return self._at(option, self.hosting.load, ceil(asked / option.instances))

    def _more_of(self, option: Option, count: int) -> Option:
        return self._at(option, self.hosting.load, count)

    def _at(self, option: Option, load: Load, count: int) -> Option:
        """Return the option on `count` copies of its plan under a load, held against the limits."""
        priced, estimate = self._priced(option.instance), option.estimate
        plan = times(estimate.plan, count)
        held = self.hosting.held(priced.machine, plan, estimate.memory, load, estimate.notes)
        return self._option(option.instance, priced, held)

    def at_full_load(self, option: Option) -> Option:
        """Return the option with its full load and cost per million tokens.

        Full load is the most requests in flight (powers of two per replica) at which every stated
        latency limit still holds; batch work and single-shot models take the offline maximum.
        """
        machine, plan = machine_of(option.instance, self.question.catalog), option.estimate.plan
        if self.hosting.load.kind == "single":
            memory = self.hosting.shared(machine, plan, option.estimate.memory)
            option = replace(option, estimate=replace(option.estimate, memory=memory))
        performance = self._full_load(machine, option)
        estimate = replace(option.estimate, at_max=performance)
        cost = serving_cost(
            option.quote,
            plan.instances,
            performance,
            asked=option.estimate.performance,
            in_tokens=self.in_tokens,
        )
        cost = replace(cost, usd_total=option.cost.usd_total)
        return replace(option, estimate=estimate, cost=cost)

    def _is_in_time(self, performance: Performance) -> bool:
        """Whether no latency limit is missed."""
        question = self.question
        return meets(latency_checks(question.workload, performance, by_middle=question.by_middle))

    def _full_load(self, machine: HostClass, option: Option) -> Performance:
        memory, plan = option.estimate.memory, option.estimate.plan
        if self.hosting.load.kind == "max" or self.hosting.load.output_tokens == 0:
            return self.hosting.measured(machine, plan, memory, queued(self.hosting.load))
        # The asked load is one that it carries, whatever that costs.
        asked = option.estimate.performance
        carried = asked is not None and not asked.saturated and self._is_in_time(asked)
        best = asked if carried else None
        for per_replica in FULL_LOAD_CONCURRENCIES:
            if memory.sequences_max is not None and per_replica > max(1.0, memory.sequences_max):
                break
            total = float(per_replica * plan.data_parallel)
            load = in_flight(self.hosting.load, total)
            performance = self.hosting.measured(machine, plan, memory, load)
            if best is not None and not self._is_in_time(performance):
                break
            best = faster_of(best, performance)
        return best or self.hosting.measured(machine, plan, memory, queued(self.hosting.load))


def faster_of(first: Performance | None, second: Performance) -> Performance:
    """Return the one that puts out more tokens a second."""
    if first is None or first.output_tokens_per_s is None or second.output_tokens_per_s is None:
        return second
    return max(
        first, second, key=lambda p: p.output_tokens_per_s.value if p.output_tokens_per_s else 0
    )


def best_of_type(options: list[Option], question: Question) -> Option:
    """Return the plan to use on one type.

    For speed objectives the fastest; else the first that meets every limit (plans come with the
    fewest accelerators per replica first, so it serves the most), else the nearest miss.
    """
    meeting = [option for option in options if option.carries_load]
    if question.workload.objective in {"performance", "latency"} and meeting:
        return min(meeting, key=lambda option: (option.instances, request_ms(option)))
    if meeting:
        return min(meeting, key=lambda option: (job_usd(option), option.instances))
    return min(options, key=lambda option: option.excess)
