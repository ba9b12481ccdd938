"""The steps of a GPU's memory: weights, cache, what the engine leaves, what it holds."""

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GIB
from engine.core.dtypes import kv_cache_bytes
from engine.core.estimate import Memory
from engine.core.plan import Plan
from engine.derivation.step import Step, Value, fact, model_source
from engine.memory.constants import WEIGHTS_BASE_GIB
from engine.memory.demand import Demand
from engine.memory.device import usable_gib
from engine.memory.gpu import GpuTerms, gpu_terms, manager_of
from engine.memory.kv_cache import CacheLayout, kv_bytes_per_token
from engine.memory.serving import run_of
from engine.memory.weights import repeated_bytes, stage_share, weight_bytes
from engine.performance.device import Serving
from engine.shape.shape import Shape, shape_of

LOGS = "fitted to engine start-up logs, engine/memory/constants.py"


def gpu_memory_steps(asked: Serving, memory: Memory, context_tokens: int) -> list[Step]:
    """Return the steps from the model's shape to what one GPU of the plan holds."""
    model, plan, chip = asked.model, asked.plan, asked.accelerator
    shape, memory_gib = shape_of(model), usable_gib(chip)
    size = kv_cache_bytes(plan.kv_dtype, plan.weights_dtype)
    demand = Demand(
        model=model,
        host=asked.host,
        plan=plan,
        shape=shape,
        kv_bytes=size,
        context_tokens=context_tokens,
    )
    steps = [_weights(demand, chip.compute_capability)]
    per_token = _cache_per_token(model, plan, shape)
    if per_token is not None:
        steps.append(per_token)
    terms = gpu_terms(plan.serving_engine, shape, chip, memory_gib, run_of(demand))
    steps.append(_room_step(terms, steps[0]))
    need = demand.cache(manager_of(plan.serving_engine))
    layout = need.layout
    if layout is not None and layout.printed_groups and memory.kv_tokens_max is not None:
        steps.append(_cache_tokens_step(layout, need.tokens, steps[-1], memory, plan))
    return steps


def _weights(demand: Demand, capability: float | None) -> Step:
    plan, shape, row = demand.plan, demand.shape, model_source(demand.model)
    parts = weight_bytes(demand.model, plan.weights_dtype, capability)
    tp, pp = plan.tensor_parallel, plan.pipeline_parallel
    ranks = max(tp * plan.attention_data_parallel, plan.expert_parallel)
    stage = stage_share(shape.layers, pp)
    values = [
        fact("E", parts.embedding, "bytes of one embedding table", row),
        fact("n", 1 if pp > 1 else shape.embedding_tables, "tables on one GPU", row),
        fact("D", parts.body, f"bytes of the body in {plan.weights_dtype}", row),
        fact("s", stage, "share of the layers on the fullest stage", "plan"),
        fact("T", tp, "tensor parallel ways", "plan"),
        fact("X", parts.experts, "bytes of all routed experts", row),
        fact("R", ranks, "GPUs that share the experts", "plan"),
        fact("r", repeated_bytes(shape, parts.body_bytes_per_param, tp) * stage,
             "bytes that every rank repeats", "engine/memory/weights.py"),
        fact("w", WEIGHTS_BASE_GIB, "GiB any engine adds", LOGS),
    ]  # fmt: skip
    return Step(
        "weights on one GPU",
        f"((E×n + D×s) / T + X×s/R + r) / {BYTES_PER_GIB:.0f} + w",
        tuple(values),
        demand.weights(capability),
        "GiB",
    )


def _cache_per_token(model: Model, plan: Plan, shape: Shape) -> Step | None:
    if not shape.caching_layers:
        return None
    size, row = kv_cache_bytes(plan.kv_dtype, plan.weights_dtype), model_source(model)
    layers = fact("L", shape.caching_layers, "layers that keep keys and values", row)
    byte = fact("b", size, "bytes of one cached value", f"kv_dtype {plan.kv_dtype}")
    if shape.mla_width:
        formula = "(m×b + i) × L"
        values: tuple[Value, ...] = (
            fact("m", shape.mla_width, "latent and rotary values a token", row),
            fact("i", shape.indexer_bytes, "bytes of a sparse indexer", row),
        )
    else:
        formula = "2 × h × d × b × L"
        values = (
            fact("h", shape.kv_heads, "key-value heads", row),
            fact("d", shape.head_dim, "width of a head", row),
        )
    kv = kv_bytes_per_token(model, _cache_dtype(plan))
    return Step("cache of one token", formula, (*values, byte, layers), kv, "B")


def _cache_dtype(plan: Plan) -> str:
    if plan.kv_dtype != "auto":
        return plan.kv_dtype
    return "fp32" if kv_cache_bytes("auto", plan.weights_dtype) > 2 else "bf16"


def _room_step(terms: GpuTerms, weights: Step) -> Step:
    values = (
        fact("c", terms.scale, "share of the rest the engine takes", LOGS),
        fact("M", terms.budget, "GiB the engine may use: its cap, or what else is in use", LOGS),
        weights.as_value("W"),
        fact("A", terms.activations, "GiB of activations", LOGS),
        fact("N", terms.runtime, "GiB of runtime (NCCL, workspaces)", LOGS),
    )
    return Step(
        "room for the cache on one GPU",
        "c × (M - W - A - N)",
        values,
        terms.room(weights.result),
        "GiB",
    )


def _cache_tokens_step(
    layout: CacheLayout, context: int, room: Step, memory: Memory, plan: Plan
) -> Step:
    blocks = f"floor(max(0, G) × {BYTES_PER_GIB:.0f} / B)"
    if layout.state_blocks:  # whole sequences, which pin some blocks whatever their length
        pinned, formula = layout.sequence_blocks(context), f"floor({blocks} × t / g) × a"
        of = (pinned, "blocks that one sequence pins", context, "tokens of a sequence")
    else:
        formula = f"floor({blocks} / g) × t × a"
        groups, block = layout.printed_groups, layout.block_tokens
        of = (groups, "blocks for each group of layers", block, "tokens of a block")
    values = (
        room.as_value("G"),
        fact("B", layout.block_bytes, "bytes of one block on one GPU", "models.csv, plan"),
        fact("g", of[0], of[1], "engine's layout"),
        fact("t", of[2], of[3], "engine's layout"),
        fact("a", plan.attention_data_parallel, "separate caches of a replica", "plan"),
    )
    return Step(
        "tokens the cache of a replica holds",
        formula,
        values,
        float(memory.kv_tokens_max or 0),
        "tokens",
    )
