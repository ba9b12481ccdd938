"""Memory of one serving plan, whatever the device and the kind of model."""

from catalog.facts.schema import Accelerator, Model
from catalog.facts.units import BYTES_PER_GIB
from engine.core.dtypes import kv_cache_bytes
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.memory import constants as c
from engine.memory.constants import EngineVersion
from engine.memory.device import usable_gib
from engine.memory.gpu import (
    LLAMA_CPP,
    TRANSFORMERS,
    GpuRun,
    GpuTerms,
    gpu_terms,
    manager_of,
    step_tokens,
)
from engine.memory.host_cpu import cpu_memory
from engine.memory.kv_cache import cache_layout, cached_tokens, layer_token_bytes
from engine.memory.neuron import neuron_memory
from engine.memory.single_shot import diffusion_memory, encoder_memory
from engine.memory.verdict import CacheNeed, Terms, serving_verdict
from engine.memory.weights import weights_gib
from engine.shape.shape import shape_of

UNCAPPED_ENGINES = frozenset({TRANSFORMERS, LLAMA_CPP})
# Kernels that expand 4-bit experts need a buffer besides the CUDA graphs: Mixtral in GPTQ on two
# 22 GiB cards ran out at 21.9 GiB until run eagerly (a user's report).
DEQUANTISED_EXPERTS = frozenset({"int4", "awq", "gptq", "nf4"})
GRAPHS_NOTE = "cuda_graph_overhead"


def serving_memory(
    model: Model,
    host: Host,
    plan: Plan,
    *,
    context_tokens: int,
    sequences: float = 1.0,
    engine_version: EngineVersion = "current",
    chunked_prefill: bool = True,
    compile_on_host: bool = False,
) -> Memory:
    """Return the memory of a serving plan, GiB per accelerator (NeuronCore, CPU host).

    `context_tokens` is the length of each sequence, prompt and answer together; `sequences` how
    many of them one replica must hold at once. `compile_on_host` makes a Neuron plan that cannot
    be compiled in this host's memory not fit (else it only carries the note).

    Raises:
        ValueError: unknown dtype in the plan.
    """
    if host.accelerator is None:
        return cpu_memory(model, host, plan, context_tokens, sequences)
    if host.accelerator.vendor == "aws":
        return neuron_memory(
            model, host, plan, context_tokens, sequences, compile_on_host=compile_on_host
        )
    if model.task in SINGLE_SHOT_TASKS:
        return encoder_memory(model, host, plan, context_tokens)
    if model.task == "diffusion":
        return diffusion_memory(model, host, plan)
    run = GpuRun(
        weights_dtype=plan.weights_dtype,
        utilisation=plan.memory_utilisation,
        tp=plan.tensor_parallel,
        ranks=plan.tensor_parallel * plan.pipeline_parallel * plan.attention_data_parallel,
        context_tokens=context_tokens,
        sequences=sequences,
        version=engine_version,
        chunked_prefill=chunked_prefill,
    )
    return _gpu_memory(model, host.accelerator, plan, run)


def _gpu_memory(model: Model, accelerator: Accelerator, plan: Plan, run: GpuRun) -> Memory:
    memory_gib, shape = usable_gib(accelerator), shape_of(model)
    weights = weights_gib(
        model,
        plan.weights_dtype,
        plan.tensor_parallel,
        plan.pipeline_parallel,
        plan.expert_parallel,
        attention_dp=plan.attention_data_parallel,
        capability=accelerator.compute_capability,
    )
    terms = gpu_terms(plan.serving_engine, shape, accelerator, memory_gib, run)
    kv_bytes = kv_cache_bytes(plan.kv_dtype, plan.weights_dtype)
    layout = cache_layout(
        shape,
        kv_bytes,
        plan.tensor_parallel,
        plan.pipeline_parallel,
        manager_of(plan.serving_engine),
    )
    tokens, _ = step_tokens(accelerator, memory_gib, run)
    per_copy = run.sequences / plan.attention_data_parallel
    need = CacheNeed(layout, cached_tokens(model, run.context_tokens), per_copy, tokens)
    older_room = terms.room(weights) - terms.grown_before
    notes = _serving_topics(model, plan, need, memory_gib, older_room)
    return serving_verdict(
        Terms(
            weights=weights,
            activations=terms.activations,
            overhead=terms.runtime + terms.outside,
            fixed=weights + terms.activations + terms.runtime,
            room=terms.room(weights),
            available=memory_gib,
            device="GPU",
        ),
        need,
        tight=_tight(plan, terms, weights, need, memory_gib) or GRAPHS_NOTE in notes,
        bytes_per_token=layer_token_bytes(shape, kv_bytes) * shape.caching_layers or None,
        copies=plan.attention_data_parallel,
        approximate=model.kv_approximate or accelerator.mem_gib_usable is None,
        notes=notes,
    )


def _tight(plan: Plan, terms: GpuTerms, weights: float, need: CacheNeed, memory_gib: float) -> bool:
    """Whether little stands between this plan and running out, apart from the room itself."""
    if memory_gib - weights < c.TIGHT_FREE_SHARE * memory_gib:
        return True
    if plan.serving_engine in UNCAPPED_ENGINES:
        return False
    if plan.memory_utilisation > c.TIGHT_ABOVE_UTILISATION:
        return True
    usual = plan.memory_utilisation <= c.OLD_OVERHEADS_UP_TO_UTILISATION
    return usual and terms.room(weights) - terms.grown_before < need.gib


def _serving_topics(
    model: Model, plan: Plan, need: CacheNeed, memory_gib: float, older_room: float
) -> tuple[str, ...]:
    """Return the topic codes of what a user must know before starting this plan."""
    codes = []
    if plan.pipeline_parallel > 1:
        codes.append("pipeline_parallel_slower")
    room_bytes = max(0.0, older_room) * BYTES_PER_GIB
    if need.layout is not None and model.max_context is not None:
        longest = need.layout.longest_sequence(need.layout.blocks(room_bytes), need.in_flight)
        if longest < model.max_context:
            codes.append("reduce_max_model_len")
    four_bit_experts = bool(model.num_experts) and plan.weights_dtype in DEQUANTISED_EXPERTS
    if four_bit_experts and memory_gib < c.SMALL_CARD_FOR_GRAPHS_GIB:
        codes += [GRAPHS_NOTE, "little_kv_headroom"]
    return tuple(codes)
