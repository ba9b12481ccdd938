"""The plans worth estimating for a model on one instance type: serving and training."""

from collections.abc import Callable, Iterator
from typing import Final

from catalog.facts.schema import Accelerator, Model
from engine.core.dtypes import dtype_named, native_weights_dtype
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan, TrainingJob
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.core.value import kw_value
from engine.memory.device import cores_per_chip
from engine.memory.gpu import LLAMA_CPP, TRANSFORMERS
from engine.memory.serving import serving_memory
from engine.memory.training import training_memory
from engine.memory.weights import total_weights_gb
from engine.placement.degrees import (
    candidate_degrees,
    parallel_units,
    valid_tensor_parallel,
    why_invalid_tp,
)
from engine.shape.shape import shape_of

__all__ = [
    "minimal_accelerators",
    "serving_plans",
    "training_plans",
    "valid_tensor_parallel",
    "why_invalid_tp",
]

MAX_SERVING_NODES: Final = 8
NODES_OF_A_GROUP: Final = (2, 4, 8)  # that tensor parallelism spans
# A pipeline over nodes passes activations at each step, sharded training exchanges weights: below
# 100 Gbit/s neither is run in practice, EFA or not.
NODE_LINK_GB_S: Final = 12.5
TRAINING_INSTANCES: Final = (1, 2, 4, 8, 16, 32, 64, 128)
LAYER_SPLIT_ENGINES: Final = frozenset({LLAMA_CPP, TRANSFORMERS})
NEURON_ENGINES: Final = frozenset(
    {"neuronx", "torch-neuronx", "optimum-neuron", "transformers-neuronx"}
)

# Threads that help CPU decoding: never more than one socket's cores; small models saturate early
# (GB of weights below which, and the most threads; best counts observed over EC2 families).
CPU_THREAD_CAPS: Final = ((0.2, 16), (1.0, 48))
NEURON_STAGES: Final = (1, 2, 4, 8)


@kw_value
class Deployment:
    """What is served and how, the same for every plan of one question."""

    model: Model
    instance_type: str | None
    host: Host
    dtype: str
    kv_dtype: str
    engine: str
    context_tokens: int
    sequences: float
    memory_utilisation: float
    memory_of: Callable[[Plan], Memory] | None = None

    def plan(
        self, tp: int, pp: int = 1, ep: int = 1, instances: int = 1, threads: int | None = None
    ) -> Plan:
        """Return the plan that fills the instances with replicas of tp x pp units."""
        units = parallel_units(self.host) * instances
        replicas = max(1, units // (tp * pp))
        accelerator = self.host.accelerator
        per_chip = 1 if accelerator is None else cores_per_chip(accelerator)
        return Plan(
            instance_type=self.instance_type,
            instances=instances,
            accelerators=0 if accelerator is None else -(-replicas * tp * pp // per_chip),
            tensor_parallel=tp,
            pipeline_parallel=pp,
            data_parallel=replicas,
            expert_parallel=ep,
            threads=threads,
            weights_dtype=self.dtype,
            kv_dtype=self.kv_dtype,
            serving_engine=self.engine,
            memory_utilisation=self.memory_utilisation,
        )

    @property
    def on_neuron(self) -> bool:
        """Whether the host's devices are AWS's own."""
        return self.host.accelerator is not None and self.host.accelerator.vendor == "aws"

    def memory(self, plan: Plan) -> Memory:
        """Return the memory of one of its plans."""
        if self.memory_of is not None:
            return self.memory_of(plan)
        return serving_memory(
            self.model,
            self.host,
            plan,
            context_tokens=self.context_tokens,
            sequences=self.sequences,
        )


def serving_plans(
    model: Model,
    instance_type: str | None,
    host: Host,
    *,
    dtype: str,
    kv_dtype: str = "auto",
    engine: str = "vllm",
    context_tokens: int = 4096,
    sequences: float = 1.0,
    memory_utilisation: float = 0.9,
    tensor_parallel: int | None = None,
    pipeline_parallel: int | None = None,
    memory_of: Callable[[Plan], Memory] | None = None,
) -> Iterator[Plan]:
    """Yield the plans worth estimating on one instance type, the recommended one first.

    That is the smallest valid tensor-parallel degree that fits and is not tight, else the smallest
    that fits: more replicas serve more than more tensor parallelism. The other degrees that fit
    follow, ascending (lower latency, longer contexts). Where no degree fits inside one host,
    pipeline stages inside it are tried, then over up to 8 hosts with a fast network; on Neuron, or
    where so many were asked for, one group over several hosts. Where nothing
    fits, the one plan that comes closest is yielded, so that its memory says what is missing;
    nothing at all where the asked degrees are invalid. `sequences` counts those of one replica.
    `memory_of` is the caller's own way to the memory of a plan, where it keeps what it worked out.
    """
    deployment = Deployment(
        model=model,
        instance_type=instance_type,
        host=host,
        dtype=dtype,
        kv_dtype=kv_dtype,
        engine=_engine_on(host, engine, dtype, model),
        context_tokens=context_tokens,
        sequences=sequences,
        memory_utilisation=memory_utilisation,
        memory_of=memory_of,
    )
    if host.accelerator is None:
        yield cpu_plan(deployment)
        return
    degrees = [
        pair
        for pair in _valid_degrees(deployment)
        if tensor_parallel is None or pair[0] == tensor_parallel
    ]
    inside = _inside(deployment, degrees, pipeline_parallel or 1)
    if not any(memory.fits for _, memory in inside) and deployment.on_neuron:
        padded = [pair for pair in _valid_degrees(deployment, padded=True) if pair not in degrees]
        wanted = [pair for pair in padded if tensor_parallel in {None, pair[0]}]
        inside += _inside(deployment, wanted, pipeline_parallel or 1)
    if any(memory.fits for _, memory in inside):
        yield from _recommended_first(inside)
        return
    over = [p for p in _over_hosts(deployment, tensor_parallel) if deployment.memory(p).fits]
    if over:
        yield from over
        return
    staged = None if pipeline_parallel else _first_fitting(deployment, _staged(deployment, degrees))
    if staged is not None:
        yield staged
    elif inside:
        yield max(inside, key=lambda pair: pair[1].limit_gib / pair[1].needed_gib)[0]


def _inside(
    deployment: Deployment, degrees: list[tuple[int, int]], stages: int
) -> list[tuple[Plan, Memory]]:
    """Return the plans of these degrees that one host has the devices for, with their memory."""
    units = parallel_units(deployment.host)
    plans = [deployment.plan(tp, stages, ep) for tp, ep in degrees if tp * stages <= units]
    return [(plan, deployment.memory(plan)) for plan in plans]


def _engine_on(host: Host, engine: str, dtype: str, model: Model) -> str:
    """Return the engine that really runs: Neuron and the CPU have their own."""
    if host.accelerator is None:
        return LLAMA_CPP if dtype_named(dtype).gguf else engine
    if host.accelerator.vendor == "aws" and engine not in NEURON_ENGINES:
        return "torch-neuronx" if model.task in SINGLE_SHOT_TASKS else "neuronx"
    return engine


def _valid_degrees(deployment: Deployment, *, padded: bool = False) -> list[tuple[int, int]]:
    """Return valid (tensor, expert) parallel degrees on one host, ascending.

    Experts are cut by width where that is valid and kept whole, spread over the ranks, where not.
    """
    model, host, dtype = deployment.model, deployment.host, deployment.dtype
    one_device = model.task == "diffusion" and not deployment.on_neuron
    if model.task in SINGLE_SHOT_TASKS or one_device or deployment.engine in LAYER_SPLIT_ENGINES:
        return [(1, 1)]
    degrees = [(tp, 1) for tp in valid_tensor_parallel(model, host, dtype, padded=padded)]
    if model.num_experts:
        units = parallel_units(host)
        cut = {tp for tp, _ in degrees}
        degrees += [
            (tp, tp)
            for tp in candidate_degrees(host)
            if tp not in cut
            and why_invalid_tp(
                model, tp, dtype=dtype, devices=units, expert_parallel=tp, padded=padded
            )
            is None
        ]
    return sorted(degrees)


def _recommended_first(inside: list[tuple[Plan, Memory]]) -> Iterator[Plan]:
    fitting = [(plan, memory) for plan, memory in inside if memory.fits]
    best = next((plan for plan, memory in fitting if not memory.tight), fitting[0][0])
    yield best
    yield from (plan for plan, _ in fitting if plan is not best)


def _staged(deployment: Deployment, degrees: list[tuple[int, int]]) -> Iterator[Plan]:
    """Yield plans with pipeline stages: inside one host, then over hosts, fewest devices first."""
    units, layers = parallel_units(deployment.host), shape_of(deployment.model).layers
    if not degrees or deployment.on_neuron or deployment.model.task in SINGLE_SHOT_TASKS:
        return
    splits = [(tp, ep, pp) for tp, ep in degrees for pp in range(2, min(units // tp, layers) + 1)]
    for tp, ep, pp in sorted(splits, key=lambda split: (split[0] * split[2], split[2])):
        yield deployment.plan(tp, pp, ep)
    if not spans_hosts(deployment.host):
        return
    tp, ep = degrees[-1]
    for nodes in range(2, MAX_SERVING_NODES + 1):
        stages = nodes * (units // tp)
        if stages <= layers:
            yield deployment.plan(tp, stages, ep, instances=nodes)


def _over_hosts(deployment: Deployment, asked: int | None) -> Iterator[Plan]:
    """Yield plans whose tensor parallelism takes all devices of several hosts.

    Each layer then waits for the network. It is how Neuron serves what one host does not hold
    (Llama 3.1 405B over the 128 cores of four trn1.32xlarge, aws-neuron-samples). On GPUs stages
    are faster: there it has to be asked for, over two hosts with NVSwitch inside.
    """
    host, model = deployment.host, deployment.model
    if host.accelerator is None or not (host.efa and spans_hosts(host)):
        return
    if not deployment.on_neuron and (asked is None or host.accelerator.link != "nvswitch"):
        return
    for nodes in NODES_OF_A_GROUP if deployment.on_neuron else NODES_OF_A_GROUP[:1]:
        tp = nodes * parallel_units(host)
        valid = why_invalid_tp(
            model, tp, dtype=deployment.dtype, devices=tp, padded=deployment.on_neuron
        )
        if valid is None and asked in {None, tp} and model.task not in SINGLE_SHOT_TASKS:
            yield deployment.plan(tp, instances=nodes)


def spans_hosts(host: Host) -> bool:
    """Return whether work may be split over several such hosts: from 100 Gbit/s between them."""
    return (host.network_gb_s or 0.0) >= NODE_LINK_GB_S


def _first_fitting(deployment: Deployment, plans: Iterator[Plan]) -> Plan | None:
    return next((plan for plan in plans if deployment.memory(plan).fits), None)


def threads_most(host: Host) -> int:
    """Return the threads one replica may run on: the cores of one socket at most."""
    return host.cores if host.cpu is None else min(host.cores, host.cpu.cores_per_socket)


def cpu_plan(deployment: Deployment) -> Plan:
    """Return the one CPU plan: a single replica on the cores of at most one socket."""
    cores = threads_most(deployment.host)
    weights_gb = total_weights_gb(deployment.model, deployment.dtype)
    cap = next((most for below, most in CPU_THREAD_CAPS if weights_gb < below), cores)
    return deployment.plan(1, threads=min(cores, cap))


def minimal_accelerators(
    model: Model,
    accelerator: Accelerator,
    dtype: str | None = None,
    *,
    context_tokens: int = 4096,
    sequences: float = 1.0,
    kv_dtype: str = "auto",
    serving_engine: str = "vllm",
    memory_utilisation: float = 0.9,
    most: int = 8,
) -> int | None:
    """Return the smallest valid tensor-parallel degree that fits, tight or not; None if none does.

    On Neuron the degree counts cores. `most` is how many devices one host holds.
    """
    host = Host(
        accelerator=accelerator,
        accelerators=most,
        cpu=None,
        cores=1,
        host_mem_gib=float("inf"),
        network_gb_s=None,
        efa=False,
    )
    plans = serving_plans(
        model,
        None,
        host,
        dtype=dtype or native_weights_dtype(model),
        kv_dtype=kv_dtype,
        engine=serving_engine,
        context_tokens=context_tokens,
        sequences=sequences,
        memory_utilisation=memory_utilisation,
        pipeline_parallel=1,
    )
    fitting = [
        plan.tensor_parallel
        for plan in plans
        if serving_memory(
            model, host, plan, context_tokens=context_tokens, sequences=sequences
        ).fits
    ]
    return min(fitting, default=None)


def training_plans(
    model: Model, instance_type: str | None, host: Host, job: TrainingJob
) -> Iterator[Plan]:
    """Yield the plan on the fewest instances that holds the job; the closest one where none does.

    On Neuron, where splits decide how much is recomputed, every split of as many instances that
    holds it follows. All accelerators of an instance work (it is billed whole). Plain data parallel
    or full sharding comes first; tensor parallelism only where that does not fit. QLoRA never takes
    it: 4-bit bases are not cut by any stack. Nothing is yielded for hosts without an accelerator.
    """
    if host.accelerator is None:
        return
    counts = TRAINING_INSTANCES if spans_hosts(host) else TRAINING_INSTANCES[:1]
    closest: tuple[float, Plan] | None = None
    for instances in counts:
        held = False
        for plan in _training_layouts(model, instance_type, host, job, instances):
            memory = training_memory(model, host, plan, job)
            if memory.fits:
                held = True
                yield plan
                if host.accelerator.vendor != "aws":
                    return
            ratio = memory.limit_gib / memory.needed_gib
            if closest is None or ratio > closest[0]:
                closest = (ratio, plan)
        if held:
            return
    if closest is not None:
        yield closest[1]


def _training_layouts(
    model: Model, instance_type: str | None, host: Host, job: TrainingJob, instances: int
) -> Iterator[Plan]:
    accelerator = host.accelerator
    if accelerator is None:
        return
    units = parallel_units(host) * instances
    on_neuron = accelerator.vendor == "aws"
    stages = NEURON_STAGES if on_neuron else (1,)
    degrees: tuple[int, ...] = (1,)
    if on_neuron or (job.method != "qlora" and job.sharding != "ddp"):
        degrees = valid_tensor_parallel(model, host, task="training")
    splits = [(tp, pp) for tp in degrees for pp in stages if units % (tp * pp) == 0]
    for tp, pp in sorted(splits, key=lambda split: (split[0] * split[1], split[1])):
        yield Plan(
            instance_type=instance_type,
            instances=instances,
            accelerators=host.accelerators * instances,
            tensor_parallel=tp,
            pipeline_parallel=pp,
            data_parallel=units // (tp * pp),
            expert_parallel=1,
            weights_dtype=job.precision,
            kv_dtype="auto",
            serving_engine="training",
            memory_utilisation=1.0,
        )
