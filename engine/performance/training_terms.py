"""Seconds per token and accelerator of each part of a training step.

Every function returns accelerator-seconds for one token of one data-parallel group, so that one
over their sum is tokens/s per accelerator.
"""

from catalog.facts.coefficients import Coefficients
from engine.performance.training_setup import MANY_EXPERTS, Run

FULL_PASSES = 3.0  # forward, gradient of the inputs, gradient of the weights
BYTES_16BIT = 2.0
OFFLOAD_LINK = 16e9  # bytes/s a GPU gets from its host; judgement, as is the next
HOST_BANDWIDTH = 100e9  # bytes/s that an optimiser on the host reads and writes
OPTIMIZER_BYTES = 24.0  # read and write of master weights, two moments and gradient, per parameter


def matrix_passes(run: Run, coefficients: Coefficients) -> float:
    """Return how many forward runs' worth of products a step takes.

    Adapters need no gradient of the frozen weights; recomputed activations add a forward run.
    """
    shared = coefficients.training.shared
    passes = shared.lora_passes if run.adapters else FULL_PASSES
    if run.checkpointing == "full":
        return passes + 1
    return passes + (shared.selective_passes if run.checkpointing == "selective" else 0.0)


def rate_16bit(run: Run, coefficients: Coefficients) -> float:
    """Return the FLOP/s that large 16-bit products reach inside training."""
    share = coefficients.training.generation[run.generation]
    return run.rates.sustained_share * run.peak_16bit * share


def product_rate(run: Run, coefficients: Coefficients) -> float:
    """Return the FLOP/s of products in the run's precision; fp8 only where the chip has it."""
    shared = coefficients.training.shared
    half = rate_16bit(run, coefficients)
    if run.precision in {"fp8", "mxfp8", "nvfp4"} and run.peak_fp8 > 1.5 * run.peak_16bit:
        fp8 = run.rates.sustained_share_fp8 * run.peak_fp8 * shared.fp8
        return max(half, fp8 * (shared.nvfp4_over_fp8 if run.precision == "nvfp4" else 1.0))
    return half * (shared.fp32_share if run.precision == "fp32" else 1.0)


def matrix_s(run: Run, coefficients: Coefficients) -> float:
    """Return the time of matrix products; narrow ones and few tokens reach less of the rate."""
    shared, flops, shape = coefficients.training.shared, run.flops, run.shape
    passes = matrix_passes(run, coefficients)
    rate = product_rate(run, coefficients)

    def filled(width: float, tokens: float) -> float:
        return width / (width + shared.half_width) * tokens / (tokens + shared.half_tokens)

    m = run.micro_tokens
    body = (
        flops.body * passes / (rate * filled(shape.hidden / run.tensor_ways, m / run.context_ways))
    )
    head_passes = passes - (1.0 if run.checkpointing == "full" else 0.0)
    ramp = m / (m + shared.half_tokens)
    head = flops.head * head_passes / (rate_16bit(run, coefficients) * ramp)
    if not flops.experts:
        return body + head
    seen = m * shape.experts_per_token * run.expert_ways / shape.experts
    return body + head + flops.experts * passes / (rate * filled(shape.expert_width, seen))


def attention_s(run: Run, coefficients: Coefficients) -> float:
    """Return the time of attention: backward costs two and a half forward runs."""
    passes = attention_passes(run, coefficients)
    return run.flops.attention * passes / attention_rate(run, coefficients)


def attention_passes(run: Run, coefficients: Coefficients) -> float:
    """Return how many forward runs' worth of attention a step takes."""
    recomputed = 1.0 if run.checkpointing == "full" else 0.0
    return coefficients.training.shared.attention_passes + recomputed


def attention_rate(run: Run, coefficients: Coefficients) -> float:
    """Return the FLOP/s that attention reaches."""
    return run.rates.sustained_share * run.peak_16bit * _attention_share(run, coefficients)


def _attention_share(run: Run, coefficients: Coefficients) -> float:
    shared = coefficients.training.shared
    if run.generation == "neuron":
        return shared.attention_neuron * coefficients.training.generation["neuron"]
    if run.vendor_attention:
        return shared.attention_vendor
    if run.flash_attention_3:
        return shared.attention_flash_hopper
    return shared.attention_flash_ampere


def traffic_s(run: Run, coefficients: Coefficients) -> float:
    """Return the time of everything that passes through memory besides attention and products."""
    return traffic_bytes(run, coefficients) / run.bandwidth


def traffic_bytes(run: Run, coefficients: Coefficients) -> float:
    """Return the bytes that pass through memory for one token, besides attention and products.

    Element-wise operations, the logits, the routing of experts, the weights of each pass, and the
    optimiser's states.
    """
    shared, shape = coefficients.training.shared, run.shape
    values = shared.elementwise_fused if run.fused else shared.elementwise_eager
    passes = matrix_passes(run, coefficients) / FULL_PASSES
    moved = 2 * shape.layers * shape.hidden * values * passes
    if not run.encoder:
        moved += 16 * shape.head_params / shape.hidden  # logits: 16 bytes a vocabulary entry
    if shape.moe:
        chosen = shape.experts_per_token
        moved += 2 * shape.layers * shape.hidden * chosen * shared.routing
    held = shape.total_params / run.expert_ways
    unpacked = shared.four_bit_bytes + BYTES_16BIT * shared.unpack
    size = unpacked if run.four_bit else BYTES_16BIT
    moved += held * size * (2 if run.adapters else 3) / run.micro_tokens
    if not run.adapters:
        parts = run.data_ways if run.states_sharded else 1.0
        moved += OPTIMIZER_BYTES * held / (parts * run.tokens_per_rank)
    return moved


def host_s(run: Run, coefficients: Coefficients) -> float:
    """Return the host's launch time; fused software launches a fifth of the kernels."""
    shared = coefficients.training.shared
    layer_s = shared.layer_ms / 1e3 * (shared.layer_ms_fused_share if run.fused else 1.0)
    factor = shared.checkpoint_host if run.checkpointing == "full" else 1.0
    return layer_s * run.shape.layers * factor / run.micro_tokens


def offload_s(run: Run) -> float:
    """Return the time of what is off-loaded: weights and gradients over PCIe, moments on the host.

    Each pass fetches a rank's share, and the host updates all of it once a step. Not measured.
    """
    if not run.offloaded:
        return 0.0
    held = run.shape.total_params / run.expert_ways
    fetched = 3 * BYTES_16BIT * held / run.data_ways / (OFFLOAD_LINK * run.micro_tokens)
    hosts = max(1.0, run.accelerators / run.node)
    updated = OPTIMIZER_BYTES * held / (hosts * HOST_BANDWIDTH)
    return fetched + updated * run.rank_accelerators / run.tokens_per_rank


def exchange_s(run: Run, coefficients: Coefficients) -> float:
    """Return the time of exchanging parameters or gradients between data-parallel ranks."""
    shared, shape = coefficients.training.shared, run.shape
    if run.data_ways <= 1:
        return 0.0
    exchanged = shape.total_params if shape.experts < MANY_EXPERTS else shape.active_params
    exchanged /= run.tensor_ways * run.pipeline_ways
    if run.sharded:
        size = shared.four_bit_bytes if run.four_bit else BYTES_16BIT
        per_token = (2 if run.adapters else 3) * size * exchanged / run.micro_tokens
    else:
        per_token = 0.0 if run.adapters else 4 * exchanged / run.tokens_per_rank
    inside = min(run.accelerators, run.domain)
    links = (1 - 1 / inside) / (shared.link_share * run.link_rate)
    network = (1 - 1 / run.nodes) * run.tensor_ways / (shared.link_share * run.network_rate)
    return run.rank_accelerators * per_token * (links + network)


def tensor_parallel_s(run: Run, coefficients: Coefficients) -> float:
    """Return the time of tensor-parallel reductions: four a layer, six when recomputing."""
    reductions = 6 if run.checkpointing == "full" else 4
    moved = run.shape.layers * reductions * 4 * run.shape.hidden * (1 - 1 / run.tensor_ways)
    inside = run.tensor_ways <= run.domain * run.cores
    rate = run.link_rate if inside else run.network_rate / run.node
    return moved / (coefficients.training.shared.link_share * rate)


def expert_parallel_s(run: Run, coefficients: Coefficients) -> float:
    """Return the time of sending tokens to their experts and back."""
    shape = run.shape
    if not shape.moe or run.expert_ways <= 1:
        return 0.0
    moved = shape.layers * 8 * shape.experts_per_token * shape.hidden * (1 - 1 / run.expert_ways)
    rate = run.link_rate if run.expert_ways <= run.domain else run.network_rate / run.domain
    return moved / (coefficients.training.shared.link_share * rate)


def pipeline_bubble(run: Run) -> float:
    """Return the factor by which filling and draining the pipeline stretches a step."""
    return 1 + (run.pipeline_ways - 1) / (run.virtual_stages * run.micro_batches)
