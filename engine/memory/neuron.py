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

    Shapes are compiled in, so the cache of every sequence is reserved whole. Compilation needs
    about three times the 16-bit weights of host memory: a host short of that is told in a note.
    """
    core, weights = unit_gib(demand.accelerator), demand.weights()
    single_shot = demand.model.task in SINGLE_SHOT_TASKS
    activations = (
        encoder_activation_gib(demand.shape, demand.context_tokens) if single_shot else 0.0
    )
    runtime = c.NEURON_ENCODER_CORE_GIB if single_shot else c.NEURON_CORE_GIB
    fixed, need = weights + activations + runtime, demand.cache("in_full")
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


def compile_host_gib(model: Model) -> float:
    """Return GiB of host memory that compiling a model for Neuron needs: 3 x its 16-bit weights.

    An 8B (45 GiB by this rule) was killed on a 32 GiB host.
    """
    sixteen_bit = total_weights_gb(model, "bf16") * BYTES_PER_GB / BYTES_PER_GIB
    return c.NEURON_COMPILE_FACTOR * sixteen_bit


def host_short(demand: Demand) -> bool:
    """Whether the plan cannot be compiled in its host's memory."""
    return compile_host_gib(demand.model) > demand.host.host_mem_gib


def _neuron_topics(demand: Demand, *, tight: bool) -> tuple[str, ...]:
    codes = ["static_shapes"]
    if tight and demand.model.task not in SINGLE_SHOT_TASKS:
        codes.append("restricted_batch_and_sequence")
    if host_short(demand):
        codes += ["host_memory", "compile_on_larger_instance"]
    return tuple(codes)


def not_compiled(memory: Memory, demand: Demand) -> Memory:
    """Return the memory of a plan that would have to be compiled on a host too small for it."""
    needs, there = compile_host_gib(demand.model), demand.host.host_mem_gib
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
