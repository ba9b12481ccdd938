"""Memory of a plan on Inferentia and Trainium: static shapes, counted per NeuronCore."""

from dataclasses import replace

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.dtypes import kv_cache_bytes
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.memory import constants as c
from engine.memory.device import unit_gib
from engine.memory.kv_cache import cache_layout, cached_tokens, layer_token_bytes
from engine.memory.single_shot import encoder_activation_gib
from engine.memory.verdict import CacheNeed, Terms, serving_verdict
from engine.memory.weights import total_weights_gb, weights_gib
from engine.shape.shape import shape_of


def neuron_memory(
    model: Model,
    host: Host,
    plan: Plan,
    context_tokens: int,
    sequences: float,
    *,
    compile_on_host: bool = False,
) -> Memory:
    """Return GiB per NeuronCore: weights / tp + batch x cache of the compiled length + overhead.

    Shapes are compiled in, so the cache of every sequence is reserved whole. Compilation needs
    about three times the 16-bit weights of host memory; with `compile_on_host` a host short of that
    does not fit, else the plan carries the note `compile_on_larger_instance`.
    """
    accelerator = host.accelerator
    if accelerator is None:
        raise TypeError("a Neuron plan needs a host with Neuron devices")
    shape, core = shape_of(model), unit_gib(accelerator)
    weights = weights_gib(
        model,
        plan.weights_dtype,
        plan.tensor_parallel,
        plan.pipeline_parallel,
        plan.expert_parallel,
    )
    single_shot = model.task in SINGLE_SHOT_TASKS
    activations = encoder_activation_gib(shape, context_tokens) if single_shot else 0.0
    overhead = c.NEURON_ENCODER_CORE_GIB if single_shot else c.NEURON_CORE_GIB
    kv_bytes = kv_cache_bytes(plan.kv_dtype, plan.weights_dtype)
    layout = cache_layout(shape, kv_bytes, plan.tensor_parallel, plan.pipeline_parallel, "in_full")
    fixed = weights + activations + overhead
    need = CacheNeed(layout, cached_tokens(model, context_tokens), sequences, 0)
    host_short = compile_host_gib(model) > host.host_mem_gib
    full = fixed + need.gib > c.TIGHT_CORE_SHARE * core
    memory = serving_verdict(
        Terms(
            weights=weights,
            activations=activations,
            overhead=overhead,
            fixed=fixed,
            room=core - fixed,
            available=core,
            device="NeuronCore",
        ),
        need,
        tight=full,
        bytes_per_token=layer_token_bytes(shape, kv_bytes) * shape.caching_layers or None,
        approximate=model.kv_approximate,
        notes=_neuron_topics(model, tight=full, host_short=host_short),
    )
    return _not_fitting(memory, model, host) if compile_on_host and host_short else memory


def compile_host_gib(model: Model) -> float:
    """Return GiB of host memory that compiling a model for Neuron needs: 3 x its 16-bit weights.

    An 8B (45 GiB by this rule) was killed on a 32 GiB host.
    """
    sixteen_bit = total_weights_gb(model, "bf16") * BYTES_PER_GB / BYTES_PER_GIB
    return c.NEURON_COMPILE_FACTOR * sixteen_bit


def _neuron_topics(model: Model, *, tight: bool, host_short: bool) -> tuple[str, ...]:
    codes = ["static_shapes"]
    if tight and model.task not in SINGLE_SHOT_TASKS:
        codes.append("restricted_batch_and_sequence")
    if host_short:
        codes += ["host_memory", "compile_on_larger_instance"]
    return tuple(codes)


def _not_fitting(memory: Memory, model: Model, host: Host) -> Memory:
    needs = compile_host_gib(model)
    why = (
        f"needs {needs:.0f} GiB of host memory to compile, has {host.host_mem_gib:.0f}: "
        "compile on a larger instance"
    )
    return replace(
        memory,
        fits=False,
        tight=False,
        why_not=memory.why_not or why,
        needed_gib=needs if memory.fits else memory.needed_gib,
        limit_gib=host.host_mem_gib if memory.fits else memory.limit_gib,
    )
