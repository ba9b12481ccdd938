"""The steps of serving on Inferentia and Trainium: compiled graphs, layers first."""

from math import ceil, inf

from engine.derivation.serial import SerialParts
from engine.derivation.step import Step, Value, fact, fitted, model_source
from engine.performance.device import Serving
from engine.performance.encoder import request_tokens
from engine.performance.links import all_reduce_s
from engine.performance.machine import GIGA, flops_16bit
from engine.performance.neuron import (
    LEGACY_FLASH_TOKENS,
    NeuronReplica,
    compiled_batch,
    neuron_replica,
    prompt_bucket,
)


def neuron_parts(asked: Serving, in_flight: float) -> SerialParts:
    """Return the parts of a text generator on Neuron.

    Raises:
        ValueError: the host has no accelerator, or a dtype is unknown.
    """
    model, load, coefficients = asked.model, asked.load, asked.coefficients
    replica = neuron_replica(model, asked.accelerator, asked.plan, coefficients, asked.host)
    tokens, row = request_tokens(model, load, coefficients), model_source(model)
    capacity = asked.at_once(coefficients.neuron.batch_max)
    batch = compiled_batch(min(in_flight, capacity), capacity)
    return SerialParts(
        rates=[],
        decode=_neuron_decode_steps(replica, batch, float(tokens + load.output_tokens), row),
        prompt=_neuron_prompt_steps(replica, tokens, row),
        capacity=capacity,
    )


def _neuron_decode_steps(of: NeuronReplica, batch: float, tokens: float, row: str) -> list[Step]:
    rates, chip = of.rates, f"accelerators.csv: {of.chip.id}"
    compiled = fact("n", batch, "sequences the graph is compiled for", "load, memory")
    share = rates.bandwidth_share_trainium2 if of.newest else rates.bandwidth_share
    name = "bandwidth_share_trainium2" if of.newest else "bandwidth_share"
    read = Step(
        "weights read", "W / (c × B × u)",
        (fact("W", of.weights_bytes(batch), "bytes of weights a step reads", row),
         fact("c", of.chips, "chips of a replica", "plan"),
         fact("B", of.chip.mem_bw_gb_s * GIGA, "peak memory bandwidth of a chip, bytes/s", chip),
         fitted("u", share, f"neuron.{name}", "share reached")),
        of.weights_s(batch, share), "s",
    )  # fmt: skip
    cache = _cache(of, compiled, tokens, row)
    host = _layers(of, compiled, row)
    over = _between_hosts(of, batch)
    whole = Step(
        "one decode step", "h + r + k" + " + x" * len(over),
        (host.as_value("h"), read.as_value("r"), cache.as_value("k"), *over),
        of.step_s(batch, tokens), "s",
    )  # fmt: skip
    return [read, cache, host, whole]


def _between_hosts(of: NeuronReplica, tokens: float) -> tuple[Value, ...]:
    """Return what all-reduces between hosts take; nothing where one host holds the replica."""
    seconds = all_reduce_s(of.links, tokens)
    return (fact("x", seconds, "s between hosts", "from gpu.link.network"),) if seconds else ()


def _layers(of: NeuronReplica, compiled: Value, row: str) -> Step:
    rates, formula = of.rates, "L × (l + q×n) / 1000000"
    values = [
        fact("L", of.layers, "layers that a step passes", row),
        fitted("l", rates.layer_us, "neuron.layer_us", "µs a layer"),
        fitted("q", rates.sequence_layer_us, "neuron.sequence_layer_us", "µs a sequence, layer"),
        compiled,
    ]
    if of.optimum:
        experts = rates.optimum_moe_layer_us if of.shape.moe else 0.0
        formula = "L × (l + q×n + e) / 1000000 + o×n/1000"
        values += [
            fact("e", experts, "µs of experts a layer", "from neuron.optimum_moe_layer_us"),
            fitted("o", rates.optimum_sequence_ms, "neuron.optimum_sequence_ms", "ms a sequence"),
        ]
    return Step("layers", formula, tuple(values), of.host_s(compiled.number), "s")


def _cache(of: NeuronReplica, compiled: Value, tokens: float, row: str) -> Step:
    shape = of.shape
    near = min(tokens, 2 * shape.window) if shape.window else 0.0
    head_bytes = shape.kv_elements / shape.kv_heads * of.precision.kv
    core = of.chip.mem_bw_gb_s * GIGA / (of.chip.cores_per_chip or 1)
    values = (
        compiled,
        fact("f", shape.full_layers, "layers that see everything", row),
        fact("C", tokens, "tokens of the compiled length", "load"),
        fact("y", shape.window_layers, "layers that see a window", row),
        fact("W", near, "tokens they keep", row),
        fact("v", head_bytes, "cached bytes of a token, layer and head", row),
        fact("h", max(1.0, shape.kv_heads / of.cores), "heads of one core", "plan"),
        fact("B", core, "memory bandwidth of a core, bytes/s", f"accelerators.csv: {of.chip.id}"),
        fitted("u", of.rates.kv_bandwidth_share, "neuron.kv_bandwidth_share", "share reached"),
    )
    return Step(
        "cache read", "n × (f×C + y×W) × v × h / (B×u)", values,
        of.cache_s(compiled.number, tokens), "s",
    )  # fmt: skip


def _neuron_prompt_steps(of: NeuronReplica, tokens: int, row: str) -> list[Step]:
    rates, length = of.rates, prompt_bucket(tokens)
    chip = f"accelerators.csv: {of.chip.id}"
    read = Step(
        "weights read by the prompt", "W / (c × B × u)",
        (fact("W", of.weights_bytes(inf), "bytes of all weights", row),
         fact("c", of.chips, "chips of a replica", "plan"),
         fact("B", of.chip.mem_bw_gb_s * GIGA, "peak memory bandwidth of a chip, bytes/s", chip),
         fitted("u", rates.prompt_bandwidth_share, "neuron.prompt_bandwidth_share", "share")),
        of.weights_s(inf, rates.prompt_bandwidth_share), "s",
    )  # fmt: skip
    products, attention = _prompt_products(of, length, row), _prompt_attention(of, length, row)
    extra = rates.optimum_prompt_ms if of.optimum and of.chips > 1 else 0.0
    over = _between_hosts(of, length)
    whole = Step(
        "one prompt", "L × l / 1000000 + o/1000 + r + p + a" + " + x" * len(over),
        (fact("L", of.layers, "layers", row),
         fitted("l", rates.prompt_layer_us, "neuron.prompt_layer_us", "µs a layer of a prompt"),
         fact("o", extra, "ms under Optimum on several chips",
              "from neuron.optimum_prompt_ms"),
         read.as_value("r"), products.as_value("p"), attention.as_value("a"), *over),
        of.prompt_s(tokens), "s",
    )  # fmt: skip
    return [read, products, attention, whole]


def _prompt_products(of: NeuronReplica, length: float, row: str) -> Step:
    shape, rates = of.reader, of.rates
    share = "prompt_flops_legacy" if of.legacy else "prompt_flops"
    values = (
        fact("n", length, "tokens, padded to the compiled length", "load"),
        fact("c", of.chips, "chips of a replica", "plan"),
        fact("F", flops_16bit(of.chip), "16-bit peak of a chip, FLOP/s",
             f"accelerators.csv: {of.chip.id}"),
        fitted("u", getattr(rates, share), f"neuron.{share}", "share reached"),
        fact("P", shape.body_params, "parameters of the dense body", row),
        fact("w", of.ffn_width, "width of the dense layers", row),
        fitted("h", rates.prompt_half_width, "neuron.prompt_half_width", "width at half the rate"),
        fact("k", of.cores, "cores of a replica", "plan"),
        fact("E", shape.routed_params, "parameters of all experts", row),
        fact("x", shape.expert_width, "width of an expert", row),
    )  # fmt: skip
    return Step(
        "products of the prompt",
        "2 × n / (c×F×u) × (P × (1 + h×k/w) + E × (1 + h×k/x))",
        values, of.products_s(length), "s",
    )  # fmt: skip


def _prompt_attention(of: NeuronReplica, length: float, row: str) -> Step:
    shape, rates = of.reader, of.rates
    near = min(length, shape.window) if shape.window else 0.0
    seen = (
        fact("n", length, "tokens, padded to the compiled length", "load"),
        fact("f", shape.full_layers, "layers that see everything", row),
        fact("y", shape.window_layers, "layers that see a window", row),
        fact("W", near, "tokens they see", row),
    )
    result = of.attention_s(length, length)
    if of.legacy:
        name = "score_bytes_flash" if length >= LEGACY_FLASH_TOKENS else "score_bytes"
        core = of.chip.mem_bw_gb_s * GIGA / (of.chip.cores_per_chip or 1)
        more: tuple[Value, ...] = (
            fact("h", ceil(shape.heads / of.cores), "heads of one core", "plan"),
            fitted("s", getattr(rates, name), f"neuron.{name}", "bytes moved a score"),
            fact("B", core, "memory bandwidth of a core", f"accelerators.csv: {of.chip.id}"),
        )
        formula = "n × (f×n + y×W) × h × s / B"
    else:
        more = (
            fact("h", shape.heads, "attention heads", row),
            fact("d", shape.prefill_head_dims, "key and value width of a head", row),
            fact("c", of.chips, "chips of a replica", "plan"),
            fact("F", flops_16bit(of.chip), "16-bit peak of a chip", of.chip.id),
            fitted("u", rates.prompt_attention, "neuron.prompt_attention", "share reached"),
        )
        formula = "n × (f×n + y×W) × h × d / (c×F×u)"
    return Step("attention of the prompt", formula, (*seen, *more), result, "s")
