"""Memory of one serving plan, whatever the device and the kind of model."""

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GIB
from engine.core.dtypes import kv_cache_bytes
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.memory import constants as c
from engine.memory.constants import EngineVersion
from engine.memory.demand import Demand
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
from engine.memory.neuron import host_short, neuron_memory, not_compiled
from engine.memory.single_shot import single_shot_memory
from engine.memory.verdict import CacheNeed, OnDevice, serving_verdict
from engine.shape.attention import padded_model
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
    on_neuron = host.accelerator is not None and host.accelerator.vendor == "aws"
    held = padded_model(model, plan.tensor_parallel) if on_neuron else model
    demand = Demand(
        model=held,
        host=host,
        plan=plan,
        shape=shape_of(held),
        kv_bytes=kv_cache_bytes(plan.kv_dtype, plan.weights_dtype),
        context_tokens=context_tokens,
        sequences=sequences,
        engine_version=engine_version,
        chunked_prefill=chunked_prefill,
        padded=held is not model,
    )
    memory = serving_verdict(_on_device(demand), demand.token_bytes)
    if not compile_on_host or not on_neuron:
        return memory
    return not_compiled(memory, demand) if host_short(demand) else memory


def _on_device(demand: Demand) -> OnDevice:
    """Return what the plan puts on a device of its kind."""
    chip, task = demand.host.accelerator, demand.model.task
    if chip is None:
        return cpu_memory(demand)
    if chip.vendor == "aws":
        return neuron_memory(demand)
    if task in SINGLE_SHOT_TASKS or task == "diffusion":
        return single_shot_memory(demand)
    return _gpu_memory(demand)


def _gpu_memory(demand: Demand) -> OnDevice:
    accelerator, plan = demand.accelerator, demand.plan
    memory_gib, weights = usable_gib(accelerator), demand.weights(accelerator.compute_capability)
    run = run_of(demand)
    terms = gpu_terms(plan.serving_engine, demand.shape, accelerator, memory_gib, run)
    tokens, _ = step_tokens(accelerator, memory_gib, run)
    need = demand.cache(manager_of(plan.serving_engine), in_flight=tokens)
    room = terms.room(weights)
    notes = _serving_topics(demand, need, memory_gib, room - terms.grown_before)
    return OnDevice(
        name="GPU",
        available=memory_gib,
        weights=weights,
        activations=terms.activations,
        runtime=terms.runtime,
        outside=terms.outside,
        room=room,
        need=need,
        tight=_tight(plan, terms, weights, need, memory_gib) or GRAPHS_NOTE in notes,
        copies=plan.attention_data_parallel,
        approximate=demand.model.kv_approximate or accelerator.mem_gib_usable is None,
        notes=notes,
    )


def run_of(demand: Demand) -> GpuRun:
    """Return the settings of the run that decide the engine's overheads."""
    plan = demand.plan
    return GpuRun(
        weights_dtype=plan.weights_dtype,
        utilisation=plan.memory_utilisation,
        tp=plan.tensor_parallel,
        ranks=plan.tensor_parallel * plan.pipeline_parallel * plan.attention_data_parallel,
        context_tokens=demand.context_tokens,
        sequences=demand.sequences,
        version=demand.engine_version,
        chunked_prefill=demand.chunked_prefill,
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
    demand: Demand, need: CacheNeed, memory_gib: float, older_room: float
) -> tuple[str, ...]:
    """Return the topic codes of what a user must know before starting this plan."""
    codes, model, plan = [], demand.model, demand.plan
    if plan.pipeline_parallel > 1:
        codes.append("pipeline_parallel_slower")
    elif demand.replica_hosts > 1:
        codes.append("tensor_parallel_over_hosts")
    room_bytes = max(0.0, older_room) * BYTES_PER_GIB
    if need.layout is not None and model.max_context is not None:
        longest = need.layout.longest_sequence(need.layout.blocks(room_bytes), need.in_flight)
        if longest < model.max_context:
            codes.append("reduce_max_model_len")
    four_bit_experts = bool(model.num_experts) and plan.weights_dtype in DEQUANTISED_EXPERTS
    if four_bit_experts and memory_gib < c.SMALL_CARD_FOR_GRAPHS_GIB:
        codes += [GRAPHS_NOTE, "little_kv_headroom"]
    return tuple(codes)
