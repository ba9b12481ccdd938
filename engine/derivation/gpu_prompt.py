"""The steps of reading one prompt on GPUs, alone on its server."""

from engine.derivation.gpu_serving import ServingDerivation
from engine.derivation.step import Step, Value, fact, fitted
from engine.performance.machine import MICRO, flops_16bit
from engine.performance.prefill import (
    gemm_s,
    prefill_attention_s,
    prefill_marginal_s,
    prefill_pass_s,
    prefill_read_s,
)


def prompt_steps(of: ServingDerivation, bandwidth: Step, products: Step) -> list[Step]:
    """Return the parts of reading one prompt alone, and their sum."""
    costs, tokens = of.prefill, of.tokens
    length = fact("n", tokens, "tokens of the prompt", "load")
    work = _gemm_step(of, products, length)
    attention = _prompt_attention_step(of, length)
    busy = Step(
        "work of the prompt", "(g + a + n×t) / o",
        (work.as_value("g"), attention.as_value("a"), length,
         fact("t", costs.links.token_s, "s on the links for each token", "from gpu.link"),
         fact("o", costs.overlap, "prompts that run side by side (layer split)", "plan")),
        prefill_marginal_s(costs, tokens), "s",
    )  # fmt: skip
    read, host = _prompt_read_step(of, bandwidth, length), _prompt_host_step(of)
    whole = Step(
        "one prompt alone", "max(w, r) + h + f",
        (busy.as_value("w"), read.as_value("r"), host.as_value("h"),
         fact("f", costs.links.fixed_s, "s of latency of all all-reduces", "from gpu.link")),
        prefill_pass_s(costs, tokens), "s",
    )  # fmt: skip
    return [work, attention, busy, read, host, whole]


def _prompt_host_step(of: ServingDerivation) -> Step:
    engine, shared = of.run.replica.engine, of.coefficients.serving.shared
    layers = of.reader.layers
    launch_s = of.prefill.launch_s
    captured = shared.moe_launch if of.reader.moe else 1.0
    uncaptured = (launch_s / MICRO / layers - engine.layer_us * captured) / engine.prefill_layer_us
    kinds = "from gpu.shared: launches by kind of layer"
    values = (
        fact("L", layers, "layers", of.row),
        fitted("l", engine.layer_us, f"{of.fitted_engine}.layer_us", "µs a layer"),
        fact("a", captured, "launches of such a layer over a plain one's", kinds),
        fitted("e", engine.prefill_layer_us, f"{of.fitted_engine}.prefill_layer_us",
               "µs more, as prompts do not run from captured graphs"),
        fact("b", uncaptured, "uncaptured launches over a plain layer's", kinds),
    )  # fmt: skip
    return Step("host of the prompt", "L × (l×a + e×b) / 1000000", values, launch_s, "s")


def _gemm_step(of: ServingDerivation, products: Step, length: Value) -> Step:
    shape, shared = of.reader, of.coefficients.serving.shared
    ways = of.machine.layout.accelerators
    values = [
        fact("P", shape.body_params, "parameters of the dense body", of.row),
        fact("G", ways, "GPUs of a replica stage", "plan"),
        products.as_value("F"),
        length,
        fitted("h", shared.gemm_half_tokens, "gpu.shared.gemm_half_tokens",
               "tokens at half the full rate"),
        fitted("e", shared.gemm_half_growth, "gpu.shared.gemm_half_growth", "growth with GPUs"),
    ]  # fmt: skip
    weights = "P"
    if shape.moe:
        weights = "(P + j×X/k)"
        values += [
            fact("j", shape.experts_per_token, "experts a token meets", of.row),
            fact("X", shape.expert_params, "parameters of one, over all layers", of.row),
            fitted("k", shared.moe_prefill_flops, "gpu.shared.moe_prefill_flops",
                   "share of the rate in experts"),
        ]  # fmt: skip
    return Step(
        "products of the prompt", f"2 × {weights} / (G×F) × (n + h × G^e)", tuple(values),
        gemm_s(of.prefill, of.tokens), "s",
    )  # fmt: skip


def _prompt_attention_step(of: ServingDerivation, length: Value) -> Step:
    shape, shared = of.reader, of.coefficients.serving.shared
    costs, tokens = of.prefill, of.tokens
    values = (
        fact("h", shape.heads, "attention heads", of.row),
        fact("d", shape.prefill_head_dims, "key and value width of a head", of.row),
        fact("f", shape.full_layers, "layers that see everything", of.row),
        fact("s", 2 if shape.bidirectional else 1, "halves of the square seen", of.row),
        length,
        fact("y", shape.window_layers, "layers that see a window", of.row),
        fact("W", min(tokens / 2, shape.window), "tokens such a layer sees", of.row),
        fact("G", of.machine.layout.accelerators, "GPUs of a replica stage", "plan"),
        fact("F", flops_16bit(of.asked.accelerator), "16-bit peak, FLOP/s", of.chip),
        fitted("k", shared.prefill_attention_flops, "gpu.shared.prefill_attention_flops", "share"),
    )
    return Step(
        "attention of the prompt", "h × d × n × (f×s×n + 2×y×W) / (G×F×k)", values,
        prefill_attention_s(costs, tokens), "s",
    )  # fmt: skip


def _prompt_read_step(of: ServingDerivation, bandwidth: Step, length: Value) -> Step:
    shape, size, costs = of.reader, of.precision, of.prefill
    values = [
        fact("P", shape.body_params, "parameters of the dense body", of.row),
        fact("b", size.dense, "bytes each", f"dtype {of.asked.plan.weights_dtype}"),
        fact("G", of.machine.layout.accelerators, "GPUs of a replica stage", "plan"),
        bandwidth.as_value("B"),
    ]
    formula = "P×b / (G×B)"
    if costs.missed_log:
        formula += " + x × (1 - exp(m × n))"
        values += [
            fact("x", costs.experts_read_s, "s to read all experts once", of.row),
            fact("m", costs.missed_log, "log of the chance that a token misses an expert", of.row),
            length,
        ]
    return Step(
        "weights read by the prompt", formula, tuple(values),
        prefill_read_s(costs, of.tokens), "s",
    )  # fmt: skip
