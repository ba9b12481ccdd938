"""The steps of one decode step on GPUs: every sequence of the batch gains one token."""

from engine.derivation.gpu_serving import ServingDerivation
from engine.derivation.step import Step, Value, fact, fitted
from engine.performance.bytes import (
    body_class,
)
from engine.performance.decode import (
    attention_s,
    cache_s,
    compute_s,
    decode_step_s,
    host_overhead_s,
    kv_read_s,
    launch_factor,
    linear_s,
    links_s,
    weight_read_s,
)
from engine.performance.machine import (
    flops_16bit,
)


def weight_read_step(of: ServingDerivation, bandwidth: Step) -> Step:
    """Return the reading of weights in one decode step."""
    shape, size, costs = of.shape, of.precision, of.decode
    weights = of.coefficients.serving.weights
    kernel = body_class(size, moe=shape.moe)
    values = [
        fact("P", shape.body_params, "parameters of the dense body", of.row),
        fact("b", size.dense, "bytes each", f"dtype {of.asked.plan.weights_dtype}"),
        fact("H", shape.head_params, "parameters of the output head", of.row),
        fact("t", size.table, "bytes each", "kept by quantisers"),
        fact("R", of.machine.layout.ranks, "GPUs that share them", "plan"),
        bandwidth.as_value("B"),
        fitted("k", weights[kernel].dense_bandwidth, f"gpu.weights.{kernel}.dense_bandwidth",
               "share of these kernels"),
    ]  # fmt: skip
    formula = "(P×b + H×t) / (R×B×k)"
    if costs.expert_s:
        formula += " + N×x"
        values += _experts_touched(of)
    return Step("weights read", formula, tuple(values), weight_read_s(costs, of.batch), "s")


def _experts_touched(of: ServingDerivation) -> list[Value]:
    costs = of.decode
    touched = (weight_read_s(costs, of.batch) - costs.weights_s) / costs.expert_s
    chosen = f"of {costs.experts}, {costs.experts_per_token} a token"
    return [
        fact("N", touched, f"distinct experts that a step touches ({chosen})", "routing at random"),
        fact("x", costs.expert_s, "s to read one expert of every layer", "engine/performance"),
    ]


def decode_steps(of: ServingDerivation, bandwidth: Step, products: Step) -> list[Step]:
    """Return the parts of one decode step and their sum."""
    costs, batch, context = of.decode, of.batch, of.context
    shared = of.coefficients.serving.shared
    sequences = fact("n", batch, "sequences in the step", "load")
    read = weight_read_step(of, bandwidth)
    multiply = Step(
        "products", "n × 2 × A / (G × F)",
        (sequences, fact("A", of.shape.active_params, "parameters a token meets", of.row),
         fact("G", of.machine.layout.accelerators, "GPUs of a replica stage", "plan"),
         products.as_value("F")),
        compute_s(costs, batch), "s",
    )  # fmt: skip
    linear = Step(
        "weights and products, overlapped", "(r^p + m^p)^(1/p)",
        (read.as_value("r"), multiply.as_value("m"),
         fitted("p", shared.overlap_power, "gpu.shared.overlap_power", "how well they overlap")),
        linear_s(costs, batch), "s",
    )  # fmt: skip
    cache = _cache_step(of, bandwidth, sequences)
    attention = _decode_attention_step(of, sequences)
    larger = Step(
        "cache and attention, overlapped", "max(c, a)",
        (cache.as_value("c"), attention.as_value("a")), cache_s(costs, batch, context), "s",
    )  # fmt: skip
    host, links = _host_step(of, sequences), _links_step(of, sequences)
    whole = Step(
        "one decode step", "l + c + h + k",
        (linear.as_value("l"), larger.as_value("c"), host.as_value("h"), links.as_value("k")),
        decode_step_s(costs, batch, context), "s",
    )  # fmt: skip
    return [read, multiply, linear, cache, attention, larger, host, links, whole]


def _cache_step(of: ServingDerivation, bandwidth: Step, sequences: Value) -> Step:
    shape, costs, shared = of.shape, of.decode, of.coefficients.serving.shared
    context = fact("C", of.context, "tokens of context in mid-answer", "load")
    near = fact("W", min(of.context, shape.window), "… of which inside the window", of.row)
    values = (
        sequences,
        fact("q", costs.rank_share, "share of them on one rank", "plan"),
        fact("v", of.precision.kv * shape.kv_elements, "cached bytes a token and layer", of.row),
        fact("f", shape.full_layers, "layers that see everything", of.row),
        context,
        fact("y", shape.window_layers, "layers that see a window", of.row),
        near,
        fact("S", min(of.machine.layout.ranks, shape.kv_splits), "ways the cache divides", "plan"),
        bandwidth.as_value("B"),
        fitted("k", shared.kv_bandwidth, "gpu.shared.kv_bandwidth", "share for the cache"),
        fact("z", costs.state_s, "s for linear-attention states", "engine/performance"),
    )
    return Step(
        "cache read", "n × q × (v × (f×C + y×W) / (S×B×k) + z)", values,
        kv_read_s(costs, of.batch, of.context), "s",
    )  # fmt: skip


def _decode_attention_step(of: ServingDerivation, sequences: Value) -> Step:
    shape, costs, shared = of.shape, of.decode, of.coefficients.serving.shared
    values = (
        sequences,
        fact("q", costs.rank_share, "share of them on one rank", "plan"),
        fact("h", shape.heads, "attention heads", of.row),
        fact("d", shape.decode_head_dims, "key and value width of a head", of.row),
        fact("f", shape.full_layers, "layers that see everything", of.row),
        fact("C", of.context, "tokens of context in mid-answer", "load"),
        fact("y", shape.window_layers, "layers that see a window", of.row),
        fact("W", min(of.context, shape.window), "… of which inside the window", of.row),
        fact("R", of.machine.layout.ranks, "GPUs that share the heads", "plan"),
        fact("F", flops_16bit(of.asked.accelerator), "16-bit peak, FLOP/s", of.chip),
        fitted("k", shared.decode_attention_flops, "gpu.shared.decode_attention_flops", "share"),
    )
    return Step(
        "attention products", "n × q × 2 × h × d × (f×C + y×W) / (R×F×k)", values,
        attention_s(costs, of.batch, of.context), "s",
    )  # fmt: skip


def _host_step(of: ServingDerivation, sequences: Value) -> Step:
    engine, costs, name = of.run.replica.engine, of.decode, of.fitted_engine
    values = (
        fact("L", of.shape.layers, "layers", of.row),
        fact("f", launch_factor(of.shape, of.coefficients), "launches of such a layer over a "
             "plain one's", "from gpu.shared: launches by kind of layer"),
        fitted("l", engine.layer_us, f"{name}.layer_us", "µs a layer"),
        fitted("s", engine.step_us, f"{name}.step_us", "µs a step"),
        sequences,
        fitted("q", engine.sequence_us, f"{name}.sequence_us", "µs for each sequence"),
    )  # fmt: skip
    total = host_overhead_s(costs, of.batch)
    return Step("host", "(L×f×l + s + n×q) / 1000000", values, total, "s")


def _links_step(of: ServingDerivation, sequences: Value) -> Step:
    costs = of.decode
    values = (
        fact("f", costs.links.fixed_s, "s of latency of all all-reduces", "from gpu.link"),
        sequences,
        fact("t", costs.links.token_s, "s for each token sent", "from gpu.link"),
        fact("h", costs.hop_s, "s between pipeline stages", "from gpu.shared.hop_us"),
    )
    return Step("links", "f + n×t + h", values, links_s(costs, of.batch), "s")
