"""Works out the best way to serve the workload on one instance type, or why there is none."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from catalog.schema import Instance, Model, Quote
from engine.cost import serving_cost
from engine.dtypes import DtypeSupport, model_support, support
from engine.estimate import Estimate, Memory, Performance
from engine.hosts import host_of
from engine.limits import limit_checks
from engine.memory.serving import serving_memory
from engine.option import Option
from engine.parallel import serving_plans, spans_hosts
from engine.performance.serving import serving_performance
from engine.plan import Host, Load, Plan
from engine.question import Question, serving_load
from engine.reasons import does_not_fit
from engine.result import Cost, Rejection

MAX_PLANS_PER_TYPE = 6  # tensor parallel 1, 2, 4, 8, 16 and one pipeline plan
MAX_INSTANCES = 64  # beyond this a single service is a fleet, and wants its own design
TOKENLESS_TASKS = frozenset({"diffusion", "vision"})
FULL_LOAD_CONCURRENCIES = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # per replica; 256: engines' default


class Held(NamedTuple):
    """A plan that fits on some host, with what it holds and what it does at the asked load."""

    plan: Plan
    memory: Memory
    performance: Performance
    codes: tuple[str, ...]  # topic codes that the number format raises there


class Refused(NamedTuple):
    """A host that cannot run the model: the software does not, or no plan fits."""

    unsupported: str | None
    memories: list[Memory]


@dataclass(slots=True)
class Worked:
    """What was already worked out for one model, dtype, context and load, whatever the limits.

    Types that differ only in host size (g5.xlarge, g5.2xlarge) share plans and estimates, and two
    questions that differ only in their limits share everything.
    """

    hosts: dict[object, list[Held] | Refused] = field(default_factory=dict)
    plans: dict[object, list[Plan]] = field(default_factory=dict)
    memory: dict[object, Memory] = field(default_factory=dict)
    performance: dict[object, Performance] = field(default_factory=dict)
    options: dict[str, list[Option] | Rejection] = field(default_factory=dict)
    candidates: tuple[list[Instance], list[Rejection]] | None = None


@dataclass(slots=True)
class Serving:
    """Evaluates instance types for one serving question."""

    question: Question
    worked: Worked = field(default_factory=Worked)
    load: Load = field(init=False)
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        """Take from the question what every type needs."""
        if self.question.model is None:
            msg = "serving needs a model"
            raise TypeError(msg)
        self.model, self.load = self.question.model, serving_load(self.question.workload)

    def evaluate(self, instance: Instance) -> Option | Rejection:
        """Return the best option on this type, or the one reason there is none."""
        name = instance.instance_type
        if name not in self.worked.options:
            self.worked.options[name] = self._options(instance)
        found = self.worked.options[name]
        if isinstance(found, Rejection):
            return found
        judged = [self._scaled(self._judged(option)) for option in found]
        return judged[0] if len(judged) == 1 else best_of_type(judged, self.question)

    def _options(self, instance: Instance) -> list[Option] | Rejection:
        """Return one option a plan that fits, at the asked load on one copy of the plan."""
        host = host_of(instance, self.question.catalog)
        key = _host_key(host)
        if key not in self.worked.hosts:
            self.worked.hosts[key] = self._on(host)
        found = self.worked.hosts[key]
        if not isinstance(found, Refused):
            quote = self.question.quote(instance)
            return [self._option(instance, quote, host, held) for held in found]
        if found.unsupported is None:
            return does_not_fit(instance, found.memories)
        return Rejection(
            instance_type=instance.instance_type, reason="unsupported", detail=found.unsupported
        )

    def _on(self, host: Host) -> list[Held] | Refused:
        """Return every plan that fits on such a host, worked out."""
        chosen = weights_dtype(self.question, self.model, host)
        if isinstance(chosen, DtypeSupport):
            return Refused(chosen.reason, [])
        dtype, codes = chosen
        planned = [(plan, self._memory(host, plan)) for plan in self._plans(host, dtype)]
        fitting = [(plan, memory) for plan, memory in planned if memory.fits]
        if not fitting:
            return Refused(None, [memory for _, memory in planned])
        return [
            Held(plan, memory, self._measured(host, plan, memory, self.load), codes)
            for plan, memory in fitting
        ]

    def _plans(self, host: Host, dtype: str) -> list[Plan]:
        """Return the plans worth estimating on a host (CPU hosts of one design share theirs)."""
        key = (_speed_key(host) if host.accelerator is None else _host_key(host), dtype)
        if key not in self.worked.plans:
            self.worked.plans[key] = self._planned(host, dtype)
        return self.worked.plans[key]

    def _planned(self, host: Host, dtype: str) -> list[Plan]:
        workload = self.question.workload
        plans = serving_plans(
            self.model,
            None,
            host,
            dtype=dtype,
            kv_dtype=workload.kv_dtype or "auto",
            engine=workload.framework or "vllm",
            context_tokens=workload.context or 1,
            sequences=float(workload.batch or 1),
            memory_utilisation=workload.memory_utilisation or 0.9,
            tensor_parallel=workload.tensor_parallel,
            pipeline_parallel=workload.pipeline_parallel,
        )
        return list(islice(plans, MAX_PLANS_PER_TYPE))

    def _memory(self, host: Host, plan: Plan) -> Memory:
        """Return the memory of a plan that must hold the whole context (CPU hosts share it)."""
        if host.accelerator is not None:
            return self._held(host, plan)
        key = (host.host_mem_gib, plan.weights_dtype)
        if key not in self.worked.memory:
            self.worked.memory[key] = self._held(host, plan)
        return self.worked.memory[key]

    def _held(self, host: Host, plan: Plan) -> Memory:
        """Return the memory of a plan, and how many requests of the load fit beside each other.

        The context is what one sequence may grow to; the requests of the load are usually shorter,
        so more of them fit at once (not on Neuron, whose static shapes reserve the whole context).
        """
        workload = self.question.workload
        context, sequences = workload.context or 1, float(workload.batch or 1)
        # A pick must be able to start where it is picked: on Neuron that includes compiling.
        memory = serving_memory(
            self.model,
            host,
            plan,
            context_tokens=context,
            sequences=sequences,
            compile_on_host=True,
        )
        tokens = self.load.input_tokens + self.load.output_tokens
        static = host.accelerator is not None and host.accelerator.vendor == "aws"
        if not memory.fits or static or tokens >= context:
            return memory
        short = serving_memory(self.model, host, plan, context_tokens=tokens, sequences=sequences)
        return replace(memory, sequences_max=short.sequences_max)

    def _option(self, instance: Instance, quote: Quote, host: Host, held: Held) -> Option:
        """Return the option of one plan, not yet held against any limit."""
        plan, memory, performance, codes = held
        return Option(
            instance=instance,
            instances=plan.instances,
            estimate=Estimate(plan=plan, memory=memory, performance=performance, notes=codes),
            quote=quote,
            ceiling=self.question.ceiling(instance, quote),
            cost=self._cost(quote, plan, self._full_rate(host, plan, memory)),
            limits=(),
            accelerator_tdp_w=host.accelerator.tdp_w if host.accelerator else None,
        )

    def _cost(self, quote: Quote, plan: Plan, full_load: Performance | None) -> Cost:
        in_tokens = self.model.task not in TOKENLESS_TASKS
        return serving_cost(quote, plan.instances, full_load, in_tokens=in_tokens)

    def _judged(self, option: Option) -> Option:
        """Return the option held against the limits of the question."""
        limits = limit_checks(self.question.workload, option.estimate, option.cost)
        return option.held_against(limits) if limits else option

    def _scaled(self, option: Option) -> Option:
        """Return the option with as many instances as the load needs (one, unless it is a rate)."""
        if self.load.kind not in {"open", "closed"} or _enough(option):
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
        count = fewest(lambda n: _enough(self._at(option, self.load, n)), most)
        return None if count is None else self._at(option, self.load, count)

    def _at(self, option: Option, load: Load, count: int) -> Option:
        """Return the option on `count` copies of its plan under a load, held against the limits."""
        host = host_of(option.instance, self.question.catalog)
        plan, memory = times(option.estimate.plan, count), option.estimate.memory
        performance = self._measured(host, plan, memory, load)
        held = Held(plan, memory, performance, option.estimate.notes)
        return self._judged(self._option(option.instance, option.quote, host, held))

    def _full_rate(self, host: Host, plan: Plan, memory: Memory) -> Performance | None:
        """Return the offline maximum where ranking needs it (batch work and value objectives)."""
        ranks_by_it = self.question.workload.objective in {"value", "throughput", "energy"}
        if self.load.kind != "max" and not ranks_by_it:
            return None
        return self._measured(host, plan, memory, queued(self.load))

    def _measured(self, host: Host, plan: Plan, memory: Memory, load: Load) -> Performance:
        # One request at a time never waits for room: types of any memory share the estimate.
        room = None if load.kind == "single" else memory.sequences_max
        key = (_speed_key(host), plan, load, room)
        if key not in self.worked.performance:
            self.worked.performance[key] = serving_performance(
                self.model,
                host,
                plan,
                load,
                sequences_max=room,
                coefficients=self.question.coefficients,
                percentile=self.question.workload.percentile,
            )
        return self.worked.performance[key]

    def at_full_load(self, option: Option) -> Option:
        """Return the option with its full load and cost per million tokens.

        Full load is the most requests in flight (powers of two per replica) at which every stated
        latency limit still holds; batch work and single-shot models take the offline maximum.
        """
        host = host_of(option.instance, self.question.catalog)
        performance = self._full_load(host, option)
        estimate = replace(option.estimate, at_max=performance)
        cost = self._cost(option.quote, option.estimate.plan, performance)
        return replace(option, estimate=estimate, cost=cost)

    def _full_load(self, host: Host, option: Option) -> Performance:
        memory, plan = option.estimate.memory, option.estimate.plan
        if self.load.kind == "max" or self.load.output_tokens == 0:
            return self._measured(host, plan, memory, queued(self.load))
        # The asked load itself is within the limits, where the option meets them.
        best = option.estimate.performance if option.meets_limits else None
        for per_replica in FULL_LOAD_CONCURRENCIES:
            if memory.sequences_max is not None and per_replica > max(1.0, memory.sequences_max):
                break
            total = float(per_replica * plan.data_parallel)
            load = replace(self.load, kind="closed", concurrency=total, rps=None)
            performance = self._measured(host, plan, memory, load)
            if best is not None and not self._within_latency(performance, option):
                break
            best = faster_of(best, performance)
        return best or self._measured(host, plan, memory, queued(self.load))

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


def times(plan: Plan, count: int) -> Plan:
    """Return the plan on `count` times as many instances, as more replicas."""
    return replace(
        plan,
        instances=plan.instances * count,
        accelerators=plan.accelerators * count,
        data_parallel=plan.data_parallel * count,
    )


def fewest(enough: Callable[[int], bool], most: int) -> int | None:
    """Return the smallest count in 2..most for which `enough` holds, None if none does.

    Relies on `enough` staying true once true; doubles, then bisects.
    """
    below, count = 1, 2
    while not enough(count):
        if count >= most:
            return None
        below, count = count, min(most, count * 2)
    while count - below > 1:
        middle = (below + count) // 2
        below, count = (below, middle) if enough(middle) else (middle, count)
    return count


def best_of_type(options: list[Option], question: Question) -> Option:
    """Return the plan to use on one type.

    For speed objectives the fastest; else the first that meets every limit (plans come with the
    fewest accelerators per replica first, so it serves the most), else the nearest miss.
    """
    meeting = [option for option in options if option.meets_limits and _enough(option)]
    if question.workload.objective in {"performance", "latency"} and meeting:
        return min(meeting, key=lambda option: (option.instances, speed_ms(option)))
    if meeting:
        return min(meeting, key=lambda option: option.instances)
    return min(options, key=_miss)


def speed_ms(option: Option) -> float:
    """Return the time of one whole request in ms (infinite where it cannot be known)."""
    figure = option.figure("e2e_ms")
    return figure.value if figure is not None else float("inf")


def _miss(option: Option) -> float:
    worst = option.worst_miss
    return worst.value / worst.limit if worst is not None else 1.0


def _enough(option: Option) -> bool:
    performance = option.estimate.performance
    return option.meets_limits and not (performance is not None and performance.saturated)


def _host_key(host: Host) -> object:
    """What makes two hosts run and hold a model alike."""
    if host.accelerator is None:
        return (_speed_key(host), host.host_mem_gib)
    # Neuron models are compiled in the host's memory.
    compile_memory = host.host_mem_gib if host.accelerator.vendor == "aws" else None
    return (_speed_key(host), compile_memory)


def _speed_key(host: Host) -> object:
    """What makes two hosts run a model alike: devices and links, or cores of one CPU design."""
    if host.accelerator is not None:
        network = host.network_gb_s if spans_hosts(host) else None
        return (host.accelerator.id, host.accelerators, network)
    cpu = host.cpu
    if cpu is None:
        return host.cores
    peaks = (cpu.bf16_gflops_per_core, cpu.int8_gops_per_core, cpu.fp32_gflops_per_core)
    return (cpu.microarchitecture, cpu.cores_per_socket, peaks, host.cores)
