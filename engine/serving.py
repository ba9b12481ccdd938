"""Works out the best way to serve the workload on one instance type, or why there is none."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from catalog.schema import Instance, Model, Quote
from engine.cost import serving_cost
from engine.dtypes import DtypeSupport, model_support, support
from engine.estimate import Estimate, Memory, Performance
from engine.hosts import Machine, compiles, machine_of
from engine.limits import Checks, limit_checks, meets
from engine.memory.serving import serving_memory
from engine.option import Option
from engine.parallel import serving_plans, threads_most
from engine.performance.serving import serving_performance
from engine.plan import Host, Load, Plan
from engine.plan_choice import best_of_type, carries_load
from engine.question import Question, serving_load
from engine.reasons import does_not_fit
from engine.replicas import fewest, times
from engine.result import Cost, Rejection
from engine.worked import Held, Offer, Refused, Worked

MAX_PLANS_PER_TYPE = 6  # tensor parallel 1, 2, 4, 8, 16 and one pipeline plan
MAX_INSTANCES = 64  # beyond this a single service is a fleet, and wants its own design
SCALED_LOADS = frozenset({"open", "closed"})  # that more instances can carry
PRICES = "engine.serving.prices"
TOKENLESS_TASKS = frozenset({"diffusion", "vision"})
FULL_LOAD_CONCURRENCIES = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # per replica; 256: engines' default


@dataclass(slots=True)
class Serving:
    """Evaluates instance types for one serving question."""

    question: Question
    worked: Worked = field(default_factory=Worked)
    load: Load = field(init=False)
    model: Model = field(init=False)
    checks: Checks = field(init=False)
    prices: dict[str, tuple[Quote, Quote | None, Cost]] = field(init=False)

    def __post_init__(self) -> None:
        """Take from the question what every type needs."""
        if self.question.model is None:
            msg = "serving needs a model"
            raise TypeError(msg)
        self.model, self.load = self.question.model, serving_load(self.question.workload)
        self.checks = Checks(self.question.workload)
        question, workload = self.question, self.question.workload
        bought = (question.region, question.market, workload.term_years, self.in_tokens)
        self.prices = question.catalog.derived.setdefault(PRICES, {}).setdefault(bought, {})

    @property
    def in_tokens(self) -> bool:
        """Whether the work is counted in tokens: images are counted in requests."""
        return self.model.task not in TOKENLESS_TASKS

    def evaluate(self, instance: Instance) -> Option | Rejection:
        """Return the best option on this type, or the one reason there is none."""
        offer = self._offer(instance)
        if isinstance(offer, Rejection):
            return offer
        judged = [self._option(instance, offer, estimate, cost) for estimate, cost in offer.plans]
        if self.load.kind in SCALED_LOADS:
            judged = [self._scaled(option) for option in judged]
        return judged[0] if len(judged) == 1 else best_of_type(judged, self.question)

    def promising(self, types: list[Instance]) -> Iterator[Instance]:
        """Yield the types that can meet the limits at all (cheaper than evaluating them).

        Types of one kind of machine differ in their price alone.
        """
        grouped = self.worked.alike
        if grouped is None or grouped[0] is not types:
            grouped = self.worked.alike = types, self._alike(types)
        for alike in grouped[1]:
            if self._may_meet(alike[0]):
                yield from alike

    def _alike(self, types: list[Instance]) -> list[list[Instance]]:
        """Return the types by kind of machine, of the kinds on which a plan fits."""
        kinds: dict[int, list[Instance]] = {}
        for instance in types:
            kind = machine_of(instance, self.question.catalog).kind
            kinds.setdefault(kind, []).append(instance)
        return [alike for alike in kinds.values() if isinstance(self._offer(alike[0]), Offer)]

    def _may_meet(self, instance: Instance) -> bool:
        offer = self._offer(instance)
        if isinstance(offer, Rejection):
            return False
        if self.load.kind in SCALED_LOADS or self.checks.of_money:
            return True
        return any(meets(self.checks.of(estimate, cost)) for estimate, cost in offer.plans)

    def _offer(self, instance: Instance) -> Offer | Rejection:
        """Return the plans that fit a type, at the asked load on one copy of each."""
        name = instance.instance_type
        found = self.worked.offers.get(name)
        if found is None:
            found = self.worked.offers[name] = self._offered(instance)
        return found

    def _offered(self, instance: Instance) -> Offer | Rejection:
        machine = machine_of(instance, self.question.catalog)
        found = self.worked.hosts.get(machine.kind)
        if found is None:
            found = self.worked.hosts[machine.kind] = self._on(machine)
        if not isinstance(found, Refused):
            quote, ceiling, alone = self._price(instance)
            plans = [
                (one.estimate, alone if one.costs_as_one else self._cost(quote, one))
                for one in found
            ]
            return Offer(machine, quote, ceiling, plans)
        if found.unsupported is None:
            return does_not_fit(instance, found.memories)
        return Rejection(
            instance_type=instance.instance_type, reason="unsupported", detail=found.unsupported
        )

    def _price(self, instance: Instance) -> tuple[Quote, Quote | None, Cost]:
        """Return the quote of a type, its ceiling and what one instance costs, once per catalog."""
        name = instance.instance_type
        found = self.prices.get(name)
        if found is None:
            quote = self.question.quote(instance)
            ceiling = self.question.ceiling(instance, quote)
            cost = serving_cost(quote, 1, None, in_tokens=self.in_tokens)
            found = self.prices[name] = quote, ceiling, cost
        return found

    def _on(self, machine: Machine) -> list[Held] | Refused:
        """Return every plan that fits on such a host, worked out."""
        chosen = self._dtype(machine.host)
        if isinstance(chosen, DtypeSupport):
            return Refused(chosen.reason, [])
        dtype, codes = chosen
        planned = [(plan, self._memory(machine, plan)) for plan in self._plans(machine, dtype)]
        fitting = [(plan, memory) for plan, memory in planned if memory.fits]
        if not fitting:
            return Refused(None, [memory for _, memory in planned])
        return [self._held(machine, plan, memory, self.load, codes) for plan, memory in fitting]

    def _dtype(self, host: Host) -> tuple[str, tuple[str, ...]] | DtypeSupport:
        """Return the weights dtype for a device (hosts of one device share the answer)."""
        name = host.accelerator.id if host.accelerator is not None else None
        if name not in self.worked.dtypes:
            self.worked.dtypes[name] = weights_dtype(self.question, self.model, host)
        return self.worked.dtypes[name]

    def _plans(self, machine: Machine, dtype: str) -> list[Plan]:
        """Return the plans worth estimating on a host (CPU plans differ by threads alone)."""
        host = machine.host
        key = machine.kind if host.accelerator else ("threads", threads_most(host))
        found = self.worked.plans.get((key, dtype))
        if found is None:
            found = self.worked.plans[key, dtype] = self._planned(machine, dtype)
        return found

    def _planned(self, machine: Machine, dtype: str) -> list[Plan]:
        workload = self.question.workload
        plans = serving_plans(
            self.model,
            None,
            machine.host,
            dtype=dtype,
            kv_dtype=workload.kv_dtype or "auto",
            engine=workload.framework or "vllm",
            context_tokens=workload.context or 1,
            sequences=float(workload.batch or 1),
            memory_utilisation=workload.memory_utilisation or 0.9,
            tensor_parallel=workload.tensor_parallel,
            pipeline_parallel=workload.pipeline_parallel,
            memory_of=None if compiles(machine.host) else lambda plan: self._whole(machine, plan),
        )
        return list(islice(plans, MAX_PLANS_PER_TYPE))

    def _memory(self, machine: Machine, plan: Plan) -> Memory:
        """Return the memory of a plan, and how many requests of the load it holds at once.

        One request at a time asks for no more than it has: what the plan could hold is worked out
        for the picks alone.
        """
        memory = self._whole(machine, plan)
        return memory if self.load.kind == "single" else self._shared(machine, plan, memory)

    def _whole(self, machine: Machine, plan: Plan) -> Memory:
        """Return the memory of a plan that must hold the whole context (CPU hosts share it)."""
        host = machine.host
        key: object = (machine.kind, plan)
        if host.accelerator is None:
            key = (host.host_mem_gib, plan.weights_dtype)
        found = self.worked.memory.get(key)
        if found is None:
            workload = self.question.workload
            # A pick must be able to start where it is picked: on Neuron that includes compiling,
            # unless a compile job elsewhere is part of the plan.
            found = self.worked.memory[key] = serving_memory(
                self.model,
                host,
                plan,
                context_tokens=workload.context or 1,
                sequences=float(workload.batch or 1),
                compile_on_host=not self.question.compiled_ahead,
            )
        return found

    def _shared(self, machine: Machine, plan: Plan, memory: Memory) -> Memory:
        """Return the memory with the number of requests of this load that fit beside each other.

        The context is what one sequence may grow to; the requests of the load are usually shorter,
        so more of them fit at once (not on Neuron, whose static shapes reserve the whole context).
        """
        workload = self.question.workload
        tokens = self.load.input_tokens + self.load.output_tokens
        if not memory.fits or compiles(machine.host) or tokens >= (workload.context or 1):
            return memory
        short = serving_memory(
            self.model,
            machine.host,
            plan,
            context_tokens=tokens,
            sequences=float(workload.batch or 1),
        )
        return replace(memory, sequences_max=short.sequences_max)

    def _held(
        self, machine: Machine, plan: Plan, memory: Memory, load: Load, codes: tuple[str, ...]
    ) -> Held:
        performance = self._measured(machine, plan, memory, load)
        estimate = Estimate(plan=plan, memory=memory, performance=performance, notes=codes)
        return Held(estimate, self._full_rate(machine, plan, memory))

    def _option(self, instance: Instance, offer: Offer, estimate: Estimate, cost: Cost) -> Option:
        """Return the option of one plan, held against the limits of the question."""
        return Option(
            instance=instance,
            instances=estimate.plan.instances,
            estimate=estimate,
            quote=offer.quote,
            ceiling=offer.ceiling,
            cost=cost,
            limits=self.checks.of(estimate, cost),
        )

    def _cost(self, quote: Quote, held: Held) -> Cost:
        return self._cost_at(quote, held.estimate.plan, held.full_rate)

    def _cost_at(self, quote: Quote, plan: Plan, full_load: Performance | None) -> Cost:
        return serving_cost(quote, plan.instances, full_load, in_tokens=self.in_tokens)

    def _scaled(self, option: Option) -> Option:
        """Return the option with as many instances as the load needs (one, unless it is a rate)."""
        if carries_load(option):
            return option
        return self._fewest_enough(option) or option if self._more_would_help(option) else option

    def _more_would_help(self, option: Option) -> bool:
        """Whether more instances can help: not if one request alone already misses a limit."""
        if not any(c.verdict == "misses" and c.field.endswith("_ms") for c in option.limits):
            return True
        alone = replace(self.load, kind="single", concurrency=1.0, rps=None)
        return self._at(option, alone, 1).meets_limits

    def _fewest_enough(self, option: Option) -> Option | None:
        """Return the option with the fewest instances that carry the load within the limits."""
        most = MAX_INSTANCES // max(1, option.instances)
        count = fewest(lambda n: carries_load(self._at(option, self.load, n)), most)
        return None if count is None else self._at(option, self.load, count)

    def _at(self, option: Option, load: Load, count: int) -> Option:
        """Return the option on `count` copies of its plan under a load, held against the limits."""
        machine = machine_of(option.instance, self.question.catalog)
        estimate = option.estimate
        plan = times(estimate.plan, count)
        held = self._held(machine, plan, estimate.memory, load, estimate.notes)
        offer = Offer(machine, option.quote, option.ceiling, [])
        return self._option(option.instance, offer, held.estimate, self._cost(option.quote, held))

    def _full_rate(self, machine: Machine, plan: Plan, memory: Memory) -> Performance | None:
        """Return the offline maximum where ranking needs it (batch work and value objectives)."""
        ranks_by_it = self.question.workload.objective in {"value", "throughput", "energy"}
        if self.load.kind != "max" and not ranks_by_it:
            return None
        shared = self._shared(machine, plan, memory) if self.load.kind == "single" else memory
        return self._measured(machine, plan, shared, queued(self.load))

    def _measured(self, machine: Machine, plan: Plan, memory: Memory, load: Load) -> Performance:
        # One request at a time never waits for room: types of any memory share the estimate.
        room = None if load.kind == "single" else memory.sequences_max
        key = (machine.speed, plan, load, room)
        found = self.worked.performance.get(key)
        if found is None:
            found = self.worked.performance[key] = serving_performance(
                self.model,
                machine.host,
                plan,
                load,
                sequences_max=room,
                coefficients=self.question.coefficients,
                percentile=self.question.workload.percentile,
            )
        return found

    def at_full_load(self, option: Option) -> Option:
        """Return the option with its full load and cost per million tokens.

        Full load is the most requests in flight (powers of two per replica) at which every stated
        latency limit still holds; batch work and single-shot models take the offline maximum.
        """
        machine, plan = machine_of(option.instance, self.question.catalog), option.estimate.plan
        if self.load.kind == "single":
            memory = self._shared(machine, plan, option.estimate.memory)
            option = replace(option, estimate=replace(option.estimate, memory=memory))
        performance = self._full_load(machine, option)
        estimate = replace(option.estimate, at_max=performance)
        cost = self._cost_at(option.quote, plan, performance)
        return replace(option, estimate=estimate, cost=cost)

    def _full_load(self, machine: Machine, option: Option) -> Performance:
        memory, plan = option.estimate.memory, option.estimate.plan
        if self.load.kind == "max" or self.load.output_tokens == 0:
            return self._measured(machine, plan, memory, queued(self.load))
        # The asked load itself is within the limits, where the option meets them.
        best = option.estimate.performance if option.meets_limits else None
        for per_replica in FULL_LOAD_CONCURRENCIES:
            if memory.sequences_max is not None and per_replica > max(1.0, memory.sequences_max):
                break
            total = float(per_replica * plan.data_parallel)
            load = replace(self.load, kind="closed", concurrency=total, rps=None)
            performance = self._measured(machine, plan, memory, load)
            if best is not None and not self._within_latency(performance, option):
                break
            best = faster_of(best, performance)
        return best or self._measured(machine, plan, memory, queued(self.load))

    def _within_latency(self, performance: Performance, option: Option) -> bool:
        estimate = replace(option.estimate, performance=performance)
        checks = limit_checks(self.question.workload, estimate, option.cost)
        return all(c.verdict != "misses" for c in checks if c.field.endswith("_ms"))


def queued(load: Load) -> Load:
    """Return the same requests, all waiting at once: the offline maximum."""
    return replace(load, kind="max", concurrency=None, rps=None)


def faster_of(first: Performance | None, second: Performance) -> Performance:
    """Return the one that puts out more tokens a second."""
    if first is None or first.output_tokens_per_s is None or second.output_tokens_per_s is None:
        return second
    return max(
        first, second, key=lambda p: p.output_tokens_per_s.value if p.output_tokens_per_s else 0
    )


def weights_dtype(
    question: Question, model: Model, host: Host
) -> tuple[str, tuple[str, ...]] | DtypeSupport:
    """Return the weights dtype to run on this host with its topic codes, or what forbids it.

    A dtype the user named is kept or refused. One that was assumed gives way to the host's own
    16-bit type where the host cannot run it (T4 and V100 have no bf16).
    """
    workload = question.workload
    engine = workload.framework or "vllm"
    wanted = workload.quant or model.native_dtype
    architecture = model_support(host.accelerator, model, workload.task, workload.method)
    if architecture.kind == "unsupported":
        return architecture
    verdict = support(host.accelerator, wanted, engine)
    if verdict.kind != "unsupported":
        return wanted, (verdict.code,) if verdict.code else ()
    if question.said.quant is None and verdict.alternative:
        fallback = support(host.accelerator, verdict.alternative, engine)
        if fallback.kind != "unsupported":
            return verdict.alternative, (verdict.code,) if verdict.code else ()
    return verdict
