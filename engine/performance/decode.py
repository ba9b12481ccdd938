"""Time of one decode step on GPUs: every sequence of the batch gains one token.

    step = smooth_max(weights, matrix products) + max(cache, attention) + host + links

Additive because the terms run one after the other in each layer; weights and products overlap.
"""

from catalog.facts.coefficients import Coefficients, EngineCosts
from engine.core.value import kw_value
from engine.memory.weights import padding
from engine.performance.bytes import (
    Precision,
    body_class,
    distinct_experts,
)
from engine.performance.links import LinkTime, all_reduce_s, hop_s, link_costs
from engine.performance.machine import (
    MICRO,
    Machine,
    bandwidth_rate,
    expert_class,
    flops_16bit,
    flops_rate,
)
from engine.shape.shape import Shape

REFERENCE_WIDTH = 4096  # hidden size of the layer that `EngineCosts.layer_us` is of


@kw_value
class DecodeCosts:
    """Everything constant about a replica's decode step, in seconds per the unit named."""

    weights_s: float  # dense weights and head, once a step
    expert_s: float  # per distinct expert
    experts: int
    experts_per_token: float
    sequence_flops_s: float  # matrix products, per sequence
    overlap_power: float
    cache_full_s: float  # per sequence and token of context
    cache_window_s: float  # per sequence and token inside the window
    state_s: float  # per sequence
    attention_full_s: float
    attention_window_s: float
    window: int
    host_s: float  # per step
    host_sequence_s: float
    links: LinkTime
    hop_s: float
    rank_share: float  # sequences of one attention rank over those of the replica


def decode_costs(
    shape: Shape,
    machine: Machine,
    precision: Precision,
    engine: EngineCosts,
    coefficients: Coefficients,
) -> DecodeCosts:
    """Return the constants of a replica's decode step."""
    shared = coefficients.serving.shared
    ways, ranks = machine.layout.accelerators, machine.layout.ranks
    weights_s, expert_s = _weight_costs(shape, machine, precision, coefficients)
    cache_rate = bandwidth_rate(machine.accelerator, coefficients) * shared.kv_bandwidth
    token_s = precision.kv * shape.kv_elements / min(ranks, shape.kv_splits) / cache_rate
    attention_rate = flops_16bit(machine.accelerator) * shared.decode_attention_flops
    attention_s = 2 * shape.heads * shape.decode_head_dims / ranks / attention_rate
    flops = flops_rate(machine.accelerator, precision, coefficients)
    launches = shape.layers * launch_factor(shape, coefficients)
    return DecodeCosts(
        weights_s=weights_s,
        expert_s=expert_s,
        experts=shape.experts,
        experts_per_token=shape.experts_per_token,
        sequence_flops_s=2 * shape.active_params / ways / flops,
        overlap_power=shared.overlap_power,
        cache_full_s=token_s * shape.full_layers,
        cache_window_s=token_s * shape.window_layers,
        state_s=2 * shape.sequence_state_bytes / ranks / cache_rate,
        attention_full_s=attention_s * shape.full_layers,
        attention_window_s=attention_s * shape.window_layers,
        window=shape.window,
        host_s=(engine.layer_us * launches + engine.step_us) * MICRO,
        host_sequence_s=engine.sequence_us * MICRO,
        links=link_costs(shape, machine, coefficients),
        hop_s=hop_s(machine.layout.stages, coefficients),
        rank_share=1 / machine.layout.attention_ways,
    )


def _weight_costs(
    shape: Shape, machine: Machine, precision: Precision, coefficients: Coefficients
) -> tuple[float, float]:
    """Return the time to read the dense weights and head, and one expert, in seconds."""
    bandwidth = bandwidth_rate(machine.accelerator, coefficients)
    weights = coefficients.serving.weights
    dense_share = weights[body_class(precision, moe=shape.moe)].dense_bandwidth
    dense = shape.body_params * precision.dense + shape.head_params * precision.table
    kernels = expert_class(precision.name, machine.accelerator)
    padded = padding(shape, precision.name, machine.accelerator.compute_capability)
    expert = shape.expert_params * precision.expert * padded
    expert_rate = bandwidth * weights[kernels].expert_bandwidth
    return (
        dense / machine.layout.ranks / (bandwidth * dense_share),
        expert / machine.layout.accelerators / expert_rate,
    )


def launch_factor(shape: Shape, coefficients: Coefficients) -> float:
    """Return the launch cost of one layer over that of a plain dense layer 4,096 wide.

    The gaps between kernels hide less behind the short kernels of narrow layers.
    """
    shared = coefficients.serving.shared
    factor = shared.moe_launch if shape.moe else 1.0
    factor *= shared.mla_launch if shape.mla else 1.0
    narrowing: float = (REFERENCE_WIDTH / shape.hidden) ** shared.launch_narrowing
    return factor * narrowing


def weight_read_s(costs: DecodeCosts, sequences: float) -> float:
    """Return the time to read dense weights and the experts that `sequences` touch."""
    if not costs.expert_s:
        return costs.weights_s
    touched = distinct_experts(costs.experts, costs.experts_per_token, sequences)
    return costs.weights_s + touched * costs.expert_s


def compute_s(costs: DecodeCosts, sequences: float) -> float:
    """Return the time of the step's matrix products."""
    return sequences * costs.sequence_flops_s


def kv_read_s(costs: DecodeCosts, sequences: float, context: float) -> float:
    """Return the time to read the caches and states of `sequences`, `context` tokens each."""
    near = min(context, costs.window)
    one = costs.cache_full_s * context + costs.cache_window_s * near + costs.state_s
    return sequences * costs.rank_share * one


def attention_s(costs: DecodeCosts, sequences: float, context: float) -> float:
    """Return the time of the step's attention products."""
    near = min(context, costs.window)
    one = costs.attention_full_s * context + costs.attention_window_s * near
    return sequences * costs.rank_share * one


def host_overhead_s(costs: DecodeCosts, sequences: float) -> float:
    """Return the host's share of a step: launches per layer, the step itself, each sequence."""
    return costs.host_s + sequences * costs.host_sequence_s


def linear_s(costs: DecodeCosts, sequences: float) -> float:
    """Return the time of reading weights and multiplying with them, which overlap."""
    read, multiply = weight_read_s(costs, sequences), compute_s(costs, sequences)
    power = costs.overlap_power
    together: float = (read**power + multiply**power) ** (1 / power)
    return together


def cache_s(costs: DecodeCosts, sequences: float, context: float) -> float:
    """Return the time of attention: reading its cache, or its products where those take longer."""
    return max(kv_read_s(costs, sequences, context), attention_s(costs, sequences, context))


def links_s(costs: DecodeCosts, sequences: float) -> float:
    """Return the time a step spends on links: all-reduces, and hops between stages."""
    return all_reduce_s(costs.links, sequences) + costs.hop_s


def sequence_s(costs: DecodeCosts, context: float) -> float:
    """Return what one more sequence at that context adds to a step besides weights and products."""
    return cache_s(costs, 1.0, context) + costs.host_sequence_s + costs.links.token_s


def step_s(costs: DecodeCosts, sequences: float, each_s: float) -> float:
    """Return the time of one step in seconds, where each sequence adds `sequence_s` to it."""
    fixed = costs.host_s + costs.links.fixed_s + costs.hop_s
    return linear_s(costs, sequences) + fixed + sequences * each_s


def decode_step_s(costs: DecodeCosts, sequences: float, context: float) -> float:
    """Return the time of one step in seconds, for a batch of `sequences` at a mean context."""
    return step_s(costs, sequences, sequence_s(costs, context))
