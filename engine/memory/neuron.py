"""Memory of a plan on Inferentia and Trainium: static shapes, counted per NeuronCore."""

from dataclasses import replace

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.estimate import Memory
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.memory import constants as c
from engine.memory.demand import Demand
from engine.memory.device import unit_gib
from engine.memory.single_shot import encoder_activation_gib
from engine.memory.verdict import OnDevice
from engine.memory.weights import total_weights_gb


def neuron_memory(demand: Demand) -> OnDevice:
    """Return what one NeuronCore holds: weights / tp + batch x cache of the compiled length + own.

    Shapes are compiled in, so the cache of every sequence is reserved whole. A core's own share is
    known to 1-7 GiB: what fits with the least of it is tight. Compilation needs more host memory
    than the 16-bit weights: a host short of that is told in a note.
    """
    core, weights = unit_gib(demand.accelerator), demand.weights()
    single_shot = demand.model.task in SINGLE_SHOT_TASKS
    activations = (
        encoder_activation_gib(demand.shape, demand.context_tokens) if single_shot else 0.0
    )
    need = demand.cache("in_full")
    runtime = c.NEURON_ENCODER_CORE_GIB
    if not single_shot:
        runtime = _core_gib(core - weights - need.gib)
    fixed = weights + activations + runtime
    tight = fixed + need.gib > c.TIGHT_CORE_SHARE * core
    return OnDevice(
        name="NeuronCore",
        available=core,
        weights=weights,
        activations=activations,
        runtime=runtime,
        room=core - fixed,
        need=need,
        tight=tight,
        approximate=demand.model.kv_approximate,
        notes=_neuron_topics(demand, tight=tight),
    )


def _core_gib(left: float) -> float:
    """Return what a core keeps to itself, of what weights and cache leave: less where it must."""
    return left if c.NEURON_CORE_LEAST_GIB <= left < c.NEURON_CORE_GIB else c.NEURON_CORE_GIB


def compile_host_gib(model: Model) -> float:
    """Return GiB of host memory that compiling a model for Neuron needs.

    2.4 times its 16-bit weights, and 2 GiB. Five times for image models, whose parts are traced
    whole. Else between what is known: an 8B (15 GiB) was killed on a 32 GiB host, a 109B mixture of
    experts (203 GiB) ran on one of 512 (optimum-neuron's benchmark of Llama 4 Scout on
    trn1.32xlarge).
    """
    sixteen_bit = total_weights_gb(model, "bf16") * BYTES_PER_GB / BYTES_PER_GIB
    traced = model.task == "diffusion"
    factor = c.NEURON_COMPILE_DIFFUSION_FACTOR if traced else c.NEURON_COMPILE_FACTOR
    return factor * sixteen_bit + c.NEURON_COMPILE_RESERVE_GIB


def host_short(demand: Demand) -> bool:
    """Whether the plan cannot be compiled in its hosts' memory."""
    return _compile_gib(demand) > demand.host.host_mem_gib


def _compile_gib(demand: Demand) -> float:
    """Return GiB that compiling takes on each host of a replica: every one compiles its part."""
    return compile_host_gib(demand.model) / demand.replica_hosts


def _neuron_topics(demand: Demand, *, tight: bool) -> tuple[str, ...]:
    codes = ["static_shapes"]
    if demand.padded:
        codes.append("padded_heads")
    if demand.replica_hosts > 1:
        codes.append("tensor_parallel_over_hosts")
    if tight and demand.model.task not in SINGLE_SHOT_TASKS:
        codes.append("restricted_batch_and_sequence")
    if host_short(demand):
        codes += ["host_memory", "compile_on_larger_instance"]
    return tuple(codes)


def not_compiled(memory: Memory, demand: Demand) -> Memory:
    """Return the memory of a plan that would have to be compiled on a host too small for it."""
    needs, there = _compile_gib(demand), demand.host.host_mem_gib
    why = (
        f"needs {needs:.0f} GiB of host memory to compile, has {there:.0f}: "
        "compile on a larger instance"
    )
    return replace(
        memory,
        fits=False,
        tight=False,
        why_not=memory.why_not or why,
        needed_gib=needs if memory.fits else memory.needed_gib,
        limit_gib=there if memory.fits else memory.limit_gib,
    )
