"""Works out the best way to serve the workload on one instance type, or why there is none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from catalog.schema import Instance, Model
from engine.cost import serving_cost
from engine.dtypes import DtypeSupport, model_support, support
from engine.estimate import Estimate, Memory, Performance
from engine.hosts import host_of
from engine.limits import limit_checks
from engine.memory.serving import serving_memory
from engine.option import Option
from engine.parallel import serving_plans
from engine.performance.serving import serving_performance
from engine.plan import Host, Load, Plan
from engine.question import Question, serving_load
from engine.reasons import does_not_fit
from engine.result import Rejection

MAX_PLANS_PER_TYPE = 6  # tensor parallel 1, 2, 4, 8, 16 and one pipeline plan
MAX_INSTANCES = 64  # beyond this a single service is a fleet, and wants its own design
FULL_LOAD_CONCURRENCIES = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # per replica; 256: engines' default


@dataclass(slots=True)
class Worked:
    """What was already worked out for one model, dtype, context and load.

    Types that differ only in host size (g5.xlarge, g5.2xlarge) share plans and estimates, and so do
    two questions that differ only in their limits.
    """

    plans: dict[object, list[tuple[Plan, Memory]]] = field(default_factory=dict)
    performance: dict[object, Performance] = field(default_factory=dict)


@dataclass(slots=True)
class Serving:
    """Evaluates instance types for one serving question."""

    question: Question
    worked: Worked = field(default_factory=Worked)

    def evaluate(self, instance: Instance) -> Option | Rejection:
        """Return the best option on this type, or the one reason there is none."""
        model = self._model()
        host = host_of(instance, self.question.catalog)
        chosen = weights_dtype(self.question, model, host)
        if isinstance(chosen, DtypeSupport):
            return Rejection(
                instance_type=instance.instance_type, reason="unsupported", detail=chosen.reason
            )
        dtype, codes = chosen
        planned = self._planned(host, dtype)
        fitting = [(plan, memory) for plan, memory in planned if memory.fits]
        if not fitting:
            return does_not_fit(instance, [memory for _, memory in planned])
        options = [self._scaled(instance, host, plan, memory) for plan, memory in fitting]
        best = best_of_type(options, self.question)
        return replace(best, estimate=replace(best.estimate, notes=codes)) if codes else best

    def _model(self) -> Model:
        if self.question.model is None:
            msg = "serving needs a model"
            raise TypeError(msg)
        return self.question.model

    def _planned(self, host: Host, dtype: str) -> list[tuple[Plan, Memory]]:
        """Return plans with their memory, shared between types whose hosts are alike."""
        key = (_memory_key(host), dtype)
        if key not in self.worked.plans:
            found = islice(self._plan_memory(host, dtype), MAX_PLANS_PER_TYPE)
            self.worked.plans[key] = list(found)
        return self.worked.plans[key]

    def _plan_memory(self, host: Host, dtype: str) -> Iterator[tuple[Plan, Memory]]:
        workload = self.question.workload
        for plan in serving_plans(
            self._model(),
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
        ):
            yield plan, self._memory(host, plan)

    def _memory(self, host: Host, plan: Plan) -> Memory:
        """Return the memory of a plan that must hold the whole context, and how many requests fit.

        The context is what one sequence may grow to; the requests of the load are usually shorter,
        so more of them fit at once (not on Neuron, whose static shapes reserve the whole context).
        """
        workload, model = self.question.workload, self._model()
        context = workload.context or 1
        sequences = float(workload.batch or 1)
        # A pick must be able to start where it is picked: on Neuron that includes compiling.
        memory = serving_memory(
            model, host, plan, context_tokens=context, sequences=sequences, compile_on_host=True
        )
        request_tokens = (workload.input_tokens or 0) + (workload.output_tokens or 0)
        static = host.accelerator is not None and host.accelerator.vendor == "aws"
        if not memory.fits or static or not 0 < request_tokens < context:
            return memory
        short = serving_memory(
            model, host, plan, context_tokens=request_tokens, sequences=sequences
        )
        return replace(memory, sequences_max=short.sequences_max)

    def _scaled(self, instance: Instance, host: Host, plan: Plan, memory: Memory) -> Option:
        """Return the option with as many instances as the load needs (one, unless it is a rate)."""
        load = serving_load(self.question.workload)
        option = self._option(instance, host, plan, memory, load)
        if _enough(option) or not self._more_would_help(option, instance, host, plan, memory):
            return option
        return self._fewest_enough(instance, host, plan, memory, load) or option

    def _more_would_help(
        self, option: Option, instance: Instance, host: Host, plan: Plan, memory: Memory
    ) -> bool:
        """Whether more instances can help: not if one request alone already misses a limit."""
        load = serving_load(self.question.workload)
        if load.kind not in {"open", "closed"}:
            return False
        alone = replace(load, kind="single", concurrency=1.0, rps=None)
        latency = [c for c in option.limits if c.field.endswith("_ms") and c.verdict == "misses"]
        if not latency:
            return True
        return self._option(instance, host, plan, memory, alone).meets_limits

    def _fewest_enough(
        self, instance: Instance, host: Host, plan: Plan, memory: Memory, load: Load
    ) -> Option | None:
        """Return the option with the fewest instances that carry the load within the limits."""

        def carried(count: int) -> Option:
            return self._option(instance, host, times(plan, count), memory, load)

        most = MAX_INSTANCES // max(1, plan.instances)
        count = fewest(lambda n: _enough(carried(n)), most)
        return None if count is None else carried(count)

    def _option(
        self, instance: Instance, host: Host, plan: Plan, memory: Memory, load: Load
    ) -> Option:
        question = self.question
        performance = self._measured(host, plan, memory, load)
        estimate = Estimate(plan=plan, memory=memory, performance=performance)
        quote = question.quote(instance)
        cost = serving_cost(quote, plan.instances, self._full_rate(host, plan, memory, load))
        return Option(
            instance=instance,
            instances=plan.instances,
            estimate=estimate,
            quote=quote,
            ceiling=question.ceiling(instance, quote),
            cost=cost,
            limits=limit_checks(question.workload, estimate, cost),
        )

    def _full_rate(self, host: Host, plan: Plan, memory: Memory, load: Load) -> Performance | None:
        """Return the offline maximum where ranking needs it (batch work and value objectives)."""
        if load.kind == "max":
            return self._measured(host, plan, memory, load)
        if self.question.workload.objective in {"value", "throughput", "energy"}:
            queued = replace(load, kind="max", concurrency=None, rps=None)
            return self._measured(host, plan, memory, queued)
        return None

    def _measured(self, host: Host, plan: Plan, memory: Memory, load: Load) -> Performance:
        key = (_speed_key(host), plan, load, memory.sequences_max)
        if key not in self.worked.performance:
            self.worked.performance[key] = serving_performance(
                self._model(),
                host,
                plan,
                load,
                sequences_max=memory.sequences_max,
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
        cost = serving_cost(option.quote, option.instances, performance)
        return replace(option, estimate=estimate, cost=cost)

    def _full_load(self, host: Host, option: Option) -> Performance:
        memory, plan = option.estimate.memory, option.estimate.plan
        asked = serving_load(self.question.workload)
        queued = replace(asked, kind="max", concurrency=None, rps=None)
        if asked.kind == "max" or asked.output_tokens == 0:
            return self._measured(host, plan, memory, queued)
        best: Performance | None = None
        if option.meets_limits:
            best = option.estimate.performance  # the asked load itself is within the limits
        for per_replica in FULL_LOAD_CONCURRENCIES:
            if memory.sequences_max is not None and per_replica > max(1.0, memory.sequences_max):
                break
            total = float(per_replica * plan.data_parallel)
            load = replace(asked, kind="closed", concurrency=total, rps=None)
            performance = self._measured(host, plan, memory, load)
            if best is not None and not self._within_latency(performance, option):
                break
            best = faster_of(best, performance)
        return best or self._measured(host, plan, memory, queued)

    def _within_latency(self, performance: Performance, option: Option) -> bool:
        estimate = replace(option.estimate, performance=performance)
        checks = limit_checks(self.question.workload, estimate, option.cost)
        return all(c.verdict != "misses" for c in checks if c.field.endswith("_ms"))


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


def _memory_key(host: Host) -> object:
    """What makes two hosts hold a model alike: devices, or the memory of a CPU host."""
    if host.accelerator is None:
        return (host.cpu.family if host.cpu else None, host.cores, host.host_mem_gib)
    compile_memory = host.host_mem_gib if host.accelerator.vendor == "aws" else None
    return (_speed_key(host), compile_memory)


def _speed_key(host: Host) -> object:
    """What makes two hosts run a model alike: devices and network, or cores of one design."""
    if host.accelerator is not None:
        return (host.accelerator.id, host.accelerators, host.efa, host.network_gb_s)
    if host.cpu is None:
        return (None, host.cores)
    cpu = host.cpu
    return (
        cpu.microarchitecture,
        cpu.socket_bw_gb_s,
        cpu.clock_ghz,
        cpu.vcpus_per_core,
        host.cores,
    )
