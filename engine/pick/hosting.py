"""Works out every plan that fits on one kind of host: what it holds, what it does."""

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from catalog.facts.schema import Model
from engine.core.dtypes import DtypeSupport, model_support, support
from engine.core.estimate import Estimate, Memory, Performance
from engine.core.plan import PLAIN, Host, Load, Plan, ServingOptions
from engine.core.question import Question, serving_load
from engine.memory.serving import serving_memory
from engine.performance.serving import serving_performance
from engine.pick.reasons import too_large
from engine.placement.hosts import HostClass, compiles
from engine.placement.parallel import serving_plans, threads_most
from engine.placement.work_cache import Estimates, HostedPlan, HostRefusal, Shortlist, WorkCache

MAX_PLANS_PER_TYPE = 6  # tensor parallel 1, 2, 4, 8, 16 and one pipeline plan
USUAL_UTILISATION = 0.9
# vLLM's own advice where the cache has too little room; beyond it the driver's context is short.
MORE_UTILISATION = 0.95
MOST_CACHED = 0.99  # something of every prompt is new
FULL_RATE_OBJECTIVES = frozenset({"value", "throughput", "energy"})


class WeightsDtype(NamedTuple):
    """What the weights are kept in on a host, and the topic codes of what to know about that."""

    name: str
    codes: tuple[str, ...]


@dataclass(slots=True)
class Hosting:
    """Works out hosts for one serving question, each kind of machine once.

    Raises:
        TypeError: the question has no model.
    """

    question: Question
    worked: WorkCache
    model: Model = field(init=False)
    load: Load = field(init=False)
    asked: Estimates = field(init=False)  # of the asked load
    needs_full_rate: bool = field(init=False)  # ranking needs the offline maximum of every plan

    def __post_init__(self) -> None:
        """Take from the question what every host needs."""
        if self.question.model is None:
            msg = "serving needs a model"
            raise TypeError(msg)
        self.model, self.load = self.question.model, serving_load(self.question.workload)
        self.asked = self.worked.under(self.load)
        objective = self.question.workload.objective
        self.needs_full_rate = self.load.kind == "max" or objective in FULL_RATE_OBJECTIVES

    def on(self, machine: HostClass) -> list[HostedPlan] | HostRefusal:
        """Return every plan that fits on such a host at the asked load, or why none does."""
        found = self.worked.hosts.get(machine.kind)
        if found is None:
            found = self.worked.hosts[machine.kind] = self._on(machine)
        return found

    def _on(self, machine: HostClass) -> list[HostedPlan] | HostRefusal:
        """Return every plan that fits on such a host, worked out."""
        planned = self.worked.planned.get(machine.speed) or self._plan(machine)
        if isinstance(planned, HostRefusal):
            return planned
        codes, plans = planned
        held: list[HostedPlan] = []
        too_small: list[Memory] = []
        for plan in plans:
            memory = self._memory(machine, plan)
            if memory.fits:
                held.append(self.held(machine, plan, memory, self.load, codes))
            else:
                too_small.append(memory)
        return held or HostRefusal("does_not_fit", *too_large(too_small))

    def _plan(self, machine: HostClass) -> Shortlist | HostRefusal:
        """Return the plans of hosts that run a model alike (CPU plans differ by threads alone)."""
        worked, host = self.worked, machine.host
        if host.accelerator is not None:
            found = self._planned(machine)
        else:
            threads = threads_most(host)
            known = worked.cpu_planned.get(threads)
            found = worked.cpu_planned[threads] = known or self._planned(machine)
        worked.planned[machine.speed] = found
        return found

    def _planned(self, machine: HostClass) -> Shortlist | HostRefusal:
        """Return the plans worth estimating, or why the weights' dtype does not run there."""
        dtype = weights_dtype(self.question, self.model, machine.host)
        if isinstance(dtype, DtypeSupport):
            return HostRefusal("unsupported", dtype.reason)
        share = self.question.workload.memory_utilisation or USUAL_UTILISATION
        plans = self._plans(machine, dtype.name, share)
        if self._one_host_holds(machine, plans) or not self._may_take_more(machine.host):
            return Shortlist(dtype.codes, plans)
        more = self._plans(machine, dtype.name, MORE_UTILISATION)
        if self._one_host_holds(machine, more):
            return Shortlist((*dtype.codes, "raised_utilisation"), more)
        return Shortlist(dtype.codes, plans)

    def _one_host_holds(self, machine: HostClass, plans: list[Plan]) -> bool:
        return any(plan.instances == 1 and self._memory(machine, plan).fits for plan in plans)

    def _may_take_more(self, host: Host) -> bool:
        """Whether the engine may take more of a GPU than it usually does: nobody said how much."""
        on_gpu = host.accelerator is not None and not compiles(host)
        return on_gpu and self.question.said.memory_utilisation is None

    def _plans(self, machine: HostClass, dtype: str, memory_utilisation: float) -> list[Plan]:
        """Return the plans worth estimating, the engine taking that share of a device's memory."""
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
            memory_utilisation=memory_utilisation,
            tensor_parallel=workload.tensor_parallel,
            pipeline_parallel=workload.pipeline_parallel,
            memory_of=None if compiles(machine.host) else lambda plan: self._whole(machine, plan),
        )
        options = self._options(machine)
        return [
            plan if options is PLAIN else replace(plan, options=options)
            for plan in islice(plans, MAX_PLANS_PER_TYPE)
        ]

    def _options(self, machine: HostClass) -> ServingOptions:
        """Return what the engine adds: the share of prompts said to be in its cache, on GPUs."""
        share = self.question.workload.cached_share
        if not share or machine.host.accelerator is None or compiles(machine.host):
            return PLAIN
        return ServingOptions(cached_share=min(share, MOST_CACHED))

    def _memory(self, machine: HostClass, plan: Plan) -> Memory:
        """Return the memory of a plan, and how many requests of the load it holds at once.

        One request at a time asks for no more than it has: what the plan could hold is worked out
        for the picks alone. A CPU's memory is its host's, whatever the plan.
        """
        if machine.host.accelerator is not None:
            memory = self._whole(machine, plan)
        else:
            size = machine.host.host_mem_gib
            known = self.worked.cpu_memory.get(size)
            memory = self.worked.cpu_memory[size] = known or self._whole(machine, plan)
        return memory if self.load.kind == "single" else self.shared(machine, plan, memory)

    def _whole(self, machine: HostClass, plan: Plan) -> Memory:
        """Return the memory of a plan that must hold the whole context.

        A pick must be able to start where it is picked: on Neuron that includes compiling, unless a
        compile job elsewhere is part of the plan.
        """
        key = machine.kind, plan
        found = self.worked.memory.get(key)
        if found is None:
            workload = self.question.workload
            found = self.worked.memory[key] = serving_memory(
                self.model,
                machine.host,
                plan,
                context_tokens=workload.context or 1,
                sequences=float(workload.batch or 1),
                compile_on_host=not self.question.compiled_ahead,
            )
        return found

    def shared(self, machine: HostClass, plan: Plan, memory: Memory) -> Memory:
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

    def held(
        self, machine: HostClass, plan: Plan, memory: Memory, load: Load, codes: tuple[str, ...]
    ) -> HostedPlan:
        """Return what a plan that fits holds, and what it does under a load."""
        performance = self.measured(machine, plan, memory, load)
        estimate = Estimate(plan=plan, memory=memory, performance=performance, notes=codes)
        full_rate = self._full_rate(machine, plan, memory) if self.needs_full_rate else None
        return HostedPlan(estimate, full_rate, full_rate is None and plan.instances == 1)

    def _full_rate(self, machine: HostClass, plan: Plan, memory: Memory) -> Performance:
        """Return the offline maximum."""
        shared = self.shared(machine, plan, memory) if self.load.kind == "single" else memory
        return self.measured(machine, plan, shared, queued(self.load))

    def measured(self, machine: HostClass, plan: Plan, memory: Memory, load: Load) -> Performance:
        """Return the figures of a plan under a load."""
        # One request at a time never waits for room: types of any memory share the estimate.
        room = None if load.kind == "single" else memory.sequences_max
        known = self.worked.under(load) if load is not self.load else self.asked
        found = known.get((machine.speed, plan, room))
        if found is None:
            found = known[machine.speed, plan, room] = serving_performance(
                self.model,
                machine.host,
                plan,
                load,
                sequences_max=room,
                coefficients=self.question.coefficients,
                percentile=self.question.workload.percentile,
            )
        return found


def queued(load: Load) -> Load:
    """Return the same requests, all waiting at once: the offline maximum."""
    return replace(load, kind="max", concurrency=None, rps=None)


def in_flight(load: Load, concurrency: float) -> Load:
    """Return the same requests, so many of them always in flight."""
    return Load(
        kind="closed",
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
        concurrency=concurrency,
        burst=load.burst,
        steps=load.steps,
    )


def weights_dtype(question: Question, model: Model, host: Host) -> WeightsDtype | DtypeSupport:
    """Return the weights dtype to run on this host, or what forbids it.

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
    codes = (verdict.code,) if verdict.code else ()
    if verdict.kind != "unsupported":
        return WeightsDtype(wanted, codes)
    if verdict.alternative == "fp16" and model.fp16_overflows:
        return replace(verdict, reason=f"{model.family} overflows in fp16: {verdict.reason}")
    if question.said.quant is None and verdict.alternative:
        fallback = support(host.accelerator, verdict.alternative, engine)
        if fallback.kind != "unsupported":
            return WeightsDtype(verdict.alternative, codes)
    return verdict
