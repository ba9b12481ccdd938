"""Time of reading a prompt on GPUs: what it adds to a busy server, and one pass on an idle one."""

from math import ceil, expm1, inf, log

from catalog.facts.coefficients import Coefficients, EngineCosts
from engine.core.value import kw_value
from engine.memory.weights import padding
from engine.performance.bytes import Precision
from engine.performance.links import LinkTime, link_costs
from engine.performance.machine import MICRO, Machine, bandwidth_rate, flops_16bit, flops_rate
from engine.shape.shape import Shape


@kw_value
class PrefillCosts:
    """Everything constant about a replica's prompt passes, in seconds per the unit named."""

    token_s: float  # matrix products at full rate, per token
    half_tokens: float  # prompt length at which they reach half that rate
    attention_full_s: float  # per token squared
    attention_window_s: float  # per token and token seen inside the window
    window: int
    dense_read_s: float  # weights of the dense body, once a pass
    experts_read_s: float  # all experts
    missed_log: float  # log of the chance that a token misses one expert; 0 for dense models
    launch_s: float  # host time of a pass
    links: LinkTime
    overlap: float  # by how much several cards share the prompts (layer split), at least 1
    cached_share: float = 0.0  # of a prompt's tokens: their keys and values are there already
    chunk_tokens: float = inf  # most that one pass reads


def prefill_costs(
    shape: Shape,
    machine: Machine,
    precision: Precision,
    engine: EngineCosts,
    coefficients: Coefficients,
    *,
    layer_split: bool = False,
) -> PrefillCosts:
    """Return the constants of a replica's prompt passes."""
    shared, ways = coefficients.serving.shared, machine.layout.accelerators
    flops = flops_rate(machine.accelerator, precision, coefficients) * ways
    expert_params = shape.experts_per_token * shape.expert_params / shared.moe_prefill_flops
    attention_rate = ways * flops_16bit(machine.accelerator) * shared.prefill_attention_flops
    attention = shape.heads * shape.prefill_head_dims / attention_rate
    bandwidth = bandwidth_rate(machine.accelerator, coefficients) * ways
    padded = padding(shape, precision.name, machine.accelerator.compute_capability)
    experts_bytes = shape.routed_params * precision.expert * padded
    stages = machine.layout.stages
    return PrefillCosts(
        token_s=2 * (shape.body_params + expert_params) / flops,
        half_tokens=shared.gemm_half_tokens * ways**shared.gemm_half_growth,
        attention_full_s=attention * shape.full_layers * (2 if shape.bidirectional else 1),
        attention_window_s=2 * attention * shape.window_layers,
        window=shape.window,
        dense_read_s=shape.body_params * precision.dense / bandwidth,
        experts_read_s=experts_bytes / bandwidth,
        missed_log=log(1 - shape.experts_per_token / shape.experts) if shape.moe else 0.0,
        launch_s=_launch_s(shape, engine, coefficients),
        links=link_costs(shape, machine, coefficients),
        overlap=max(1.0, shared.layer_split_overlap * stages) if layer_split else 1.0,
    )


def _launch_s(shape: Shape, engine: EngineCosts, coefficients: Coefficients) -> float:
    """Return the host time of one pass: decode runs from captured graphs, prefill does not."""
    shared = coefficients.serving.shared
    decode = engine.layer_us * (shared.moe_launch if shape.moe else 1.0)
    eager = engine.prefill_layer_us * (shared.moe_prefill_launch if shape.moe else 1.0)
    eager *= shared.hybrid_prefill_launch if shape.linear_layers else 1.0
    return shape.layers * (decode + eager) * MICRO


def fresh_tokens(costs: PrefillCosts, tokens: float) -> float:
    """Return how many tokens of a prompt must be read: those that no cache holds."""
    return tokens * (1 - costs.cached_share)


def gemm_s(costs: PrefillCosts, tokens: float) -> float:
    """Return the time of a prompt's matrix products: full rate is reached only by long prompts."""
    return costs.token_s * (fresh_tokens(costs, tokens) + costs.half_tokens)


def prefill_attention_s(costs: PrefillCosts, tokens: float) -> float:
    """Return the time of a prompt's attention products: the whole less its cached start."""
    start = tokens * costs.cached_share
    return _attention_s(costs, tokens) - (_attention_s(costs, start) if start else 0.0)


def _attention_s(costs: PrefillCosts, tokens: float) -> float:
    full = costs.attention_full_s * tokens * tokens
    return full + costs.attention_window_s * tokens * min(tokens / 2, costs.window)


def prefill_marginal_s(costs: PrefillCosts, tokens: float) -> float:
    """Return the seconds a prompt adds to a server that is busy anyway."""
    work = gemm_s(costs, tokens) + prefill_attention_s(costs, tokens)
    return (work + fresh_tokens(costs, tokens) * costs.links.token_s) / costs.overlap


def prefill_read_s(costs: PrefillCosts, tokens: float) -> float:
    """Return the time to read the weights a prompt touches (all experts, for long passes)."""
    count, fresh = passes(costs, tokens), fresh_tokens(costs, tokens)
    if not costs.missed_log:
        return count * costs.dense_read_s
    touched = -expm1(costs.missed_log * fresh / count)
    return count * (costs.dense_read_s + costs.experts_read_s * touched)


def passes(costs: PrefillCosts, tokens: float) -> int:
    """Return how many passes read a prompt."""
    return max(1, ceil(fresh_tokens(costs, tokens) / costs.chunk_tokens))


def prefill_pass_s(costs: PrefillCosts, tokens: float) -> float:
    """Return the seconds of one prompt alone: products or weights, host launches, link latency."""
    work = max(prefill_marginal_s(costs, tokens), prefill_read_s(costs, tokens))
    return work + passes(costs, tokens) * (costs.launch_s + costs.links.fixed_s)
