"""The numbers that turn physics into estimates: typed, named, bounded, all from one data file.

`data/coefficients.json` holds one line per coefficient with its value, bounds, unit and source; a
refit rewrites that file and nothing else. Field names carry the unit; a name that ends in no unit
is a dimensionless share or exponent. Accelerator, engine, link and CPU keys are fitted one by one;
`Aliases` says which fitted row stands in for hardware or software that was never measured.

The rows are named tuples: every process that answers a question imports this file, and two dozen
dataclasses would cost it 20 ms.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from catalog.facts.coefficient_values import CoefficientError, NamedValues, checked_values


class AcceleratorShares(NamedTuple):
    """What one accelerator reaches of its peaks in LLM serving."""

    bandwidth_share: float
    flops_share: float


class EngineCosts(NamedTuple):
    """Host time one serving engine adds, and how it admits requests."""

    layer_us: float  # per layer and decode step
    step_us: float  # per decode step
    sequence_us: float  # per sequence and decode step
    request_ms: float  # per request, before its first token
    prefill_layer_us: float  # per layer of a prefill pass, which runs without captured graphs
    burst_share: float  # share of a benchmark's requests that meets the start-up queue
    sequences_max: float  # most sequences it decodes at once when everything is queued


class WeightShares(NamedTuple):
    """What the kernels of one weight type reach, relative to the accelerator's own shares."""

    dense_bandwidth: float
    flops: float
    expert_bandwidth: float


class LinkCosts(NamedTuple):
    """One class of links between the accelerators of a replica."""

    latency_us: float
    rate_share: float


class ServingConstants(NamedTuple):
    """GPU serving constants common to every accelerator and engine."""

    link_latency_growth: float  # per doubling of the ring beyond two members
    moe_launch: float  # per-layer cost of an expert layer over a dense one
    mla_launch: float
    launch_narrowing: float  # exponent: by how much a narrow layer's gaps are longer
    moe_prefill_flops: float
    moe_prefill_launch: float
    hybrid_prefill_launch: float  # linear-attention layers launch more kernels for a prompt
    gemm_half_tokens: float  # prompt length at which the matrix products reach half their rate
    gemm_half_growth: float  # exponent of its growth with the number of accelerators
    prefill_attention_flops: float
    decode_attention_flops: float
    kv_bandwidth: float
    overlap_power: float  # of the smooth maximum of weight reading and matrix products
    prefill_overhead_share: float
    wait_steps: float  # decode steps a new request waits for before its prefill
    queue_share: float
    cache_wait_share: float
    layer_split_overlap: float
    hop_us: float
    prefill_chunk_tokens: float
    open_load_limit: float  # share of the capacity above which an arrival rate saturates
    planned_load_share: float  # of the rate it takes steadily: what a replica is planned for
    encoder_batch_tokens: float
    network_fallback_gb_s: float  # one host, where EC2 says only "up to"
    pcie_fallback_gb_s: float  # one card, where the links are not known


class ServingCoefficients(NamedTuple):
    """Everything the GPU serving estimate needs."""

    accelerator: Mapping[str, AcceleratorShares]
    engine: Mapping[str, EngineCosts]
    weights: Mapping[str, WeightShares]
    link: Mapping[str, LinkCosts]
    shared: ServingConstants


class Neuron(NamedTuple):
    """Inferentia and Trainium inference."""

    layer_us: float
    sequence_layer_us: float
    bandwidth_share: float
    bandwidth_share_trainium2: float
    kv_bandwidth_share: float
    optimum_sequence_ms: float
    optimum_moe_layer_us: float
    prompt_layer_us: float
    optimum_prompt_ms: float  # where a replica spans chips
    prompt_flops_legacy: float
    prompt_flops: float
    prompt_half_width: float  # columns of a core's slice at which products reach half their rate
    prompt_attention: float
    score_bytes: float  # moved per attention score, before the flash kernel takes over
    score_bytes_flash: float
    encoder_flops: float
    encoder_flops_inferentia1: float
    encoder_layer_us: float
    encoder_layer_inferentia1_us: float
    prompt_bandwidth_share: float
    wide_hidden: float
    wide_layer: float
    encoder_decoder_layers: float
    batch_max: float


class Microarchitecture(NamedTuple):
    """Memory and matrix rates of one CPU micro-architecture under llama.cpp."""

    socket_cores: float
    socket_gb_s: float
    core_gb_s: float
    socket_share: float
    prefill_gops_per_core: float
    prefill_loss_per_core: float
    chiplet_gb_s: float | None = None  # AMD only


class CpuVendor(NamedTuple):
    """Thread synchronisation and what two sockets give together."""

    serial_layer_kb: float  # of a layer's memory traffic, on one core
    layer_thread_us: float
    two_sockets_share: float


class CpuConstants(NamedTuple):
    """CPU inference constants common to every micro-architecture."""

    saturation_power: float
    cores_per_chiplet: float
    two_sockets_sync: float
    half_width: float  # hidden size at which quantised products reach half their rate
    half_width_amx: float
    half_width_power: float
    two_sockets_prefill: float
    prefill_attention_share: float
    vllm_layer_ms: float
    other_layer_ms: float
    core_gain: float
    socket_limit_share: float
    request_ms: float
    gemm_share: float
    gemm_loss_per_core: float
    gemm_share_amx: float
    gemm_loss_per_core_amx: float
    encoder_share: float
    encoder_share_fp32: float
    threads_small_model: float
    threads_tiny_model: float
    other_bandwidth_share: float
    other_core_gb_s: float
    other_prefill_gops_per_core: float
    other_prefill_loss_per_core: float


class CpuCosts(NamedTuple):
    """Everything the CPU estimate needs."""

    microarchitecture: Mapping[str, Microarchitecture]
    vendor: Mapping[str, CpuVendor]
    shared: CpuConstants


class TrainingAccelerator(NamedTuple):
    """Sustained share of the matrix peak, and the one-way link rate, in training."""

    sustained_share: float
    sustained_share_fp8: float
    link_gb_s: float


class TrainingConstants(NamedTuple):
    """Training constants common to every accelerator."""

    fp8: float
    nvfp4_over_fp8: float
    fp32_share: float
    elementwise_fused: float
    elementwise_eager: float
    half_tokens: float
    half_width: float
    attention_vendor: float
    attention_flash_ampere: float
    attention_flash_hopper: float
    attention_neuron: float
    routing: float
    unpack: float
    link_share: float
    overlap_power: float
    layer_ms: float
    layer_ms_fused_share: float
    lora_passes: float
    four_bit_bytes: float
    checkpoint_host: float
    attention_passes: float
    selective_passes: float
    default_tokens: float
    cpu_flops_share: float


class TrainingCoefficients(NamedTuple):
    """Everything the training estimate needs."""

    accelerator: Mapping[str, TrainingAccelerator]
    generation: Mapping[str, float]
    shared: TrainingConstants


class Diffusion(NamedTuple):
    """Image generation: a class estimate, not fitted to runs."""

    steps: float
    guidance_passes: float
    tokens_per_image: float
    unet_flops_share: float
    text_tokens: float
    pass_layer_us: float
    fixed_ms: float
    unet_layers: float
    neuron_flops_share: float
    cpu_flops_share: float


class Shapes(NamedTuple):
    """What a request holds where the model's class decides it, not the user."""

    speech_frames: float
    vision_tokens: float
    decoder_weight_ratio: float


class Tail(NamedTuple):
    """Spread of single requests around the mean: standard deviation of the logarithm."""

    ttft_log_sigma: float
    tpot_log_sigma: float
    e2e_log_sigma: float


class Aliases(NamedTuple):
    """Which fitted row stands for a name; a name found in none has no measured class."""

    accelerator: Mapping[str, str]
    engine: Mapping[str, str]
    microarchitecture: Mapping[str, str]  # part of the CPU table's words, lower case -> key
    serving_population: Mapping[str, str]


class RangeKey(NamedTuple):
    """What an 80 % range was measured on. `moe` is None where both kinds were pooled."""

    population: str
    figure: str
    load: str
    moe: bool | None


class Factors(NamedTuple):
    """The range is prediction x low to prediction x high."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """All of them, hashed by identity, so that estimates can be cached on it."""

    serving: ServingCoefficients
    neuron: Neuron
    cpu: CpuCosts
    training: TrainingCoefficients
    diffusion: Diffusion
    shapes: Shapes
    tail: Tail
    aliases: Aliases
    ranges: Mapping[RangeKey, Factors]
    as_of: str


def build_coefficients(document: Mapping[str, Any]) -> Coefficients:
    """Return the typed coefficients of a parsed `coefficients.json`.

    Raises:
        CoefficientError: a name is missing, unused, given twice, or outside its bounds.
    """
    values = NamedValues(checked_values(document["coefficients"]))
    result = Coefficients(
        serving=ServingCoefficients(
            values.keyed("gpu.accelerator", AcceleratorShares),
            values.keyed("gpu.engine", EngineCosts),
            values.keyed("gpu.weights", WeightShares),
            values.keyed("gpu.link", LinkCosts),
            values.section("gpu.shared", ServingConstants),
        ),
        neuron=values.section("neuron", Neuron),
        cpu=CpuCosts(
            values.keyed("cpu.microarchitecture", Microarchitecture),
            values.keyed("cpu.vendor", CpuVendor),
            values.section("cpu.shared", CpuConstants),
        ),
        training=TrainingCoefficients(
            values.keyed("training.accelerator", TrainingAccelerator),
            values.numbers("training.generation"),
            values.section("training.shared", TrainingConstants),
        ),
        diffusion=values.section("diffusion", Diffusion),
        shapes=values.section("shapes", Shapes),
        tail=values.section("tail", Tail),
        aliases=Aliases(**document["aliases"]),
        ranges=_range_factors(document["ranges"]),
        as_of=document["as_of"],
    )
    values.check_empty()
    return result


def _range_factors(rows: list[dict[str, Any]]) -> dict[RangeKey, Factors]:
    ranges: dict[RangeKey, Factors] = {}
    for row in rows:
        key = RangeKey(row["population"], row["figure"], row["load"], row["moe"])
        if key in ranges:
            raise CoefficientError(f"coefficients.json gives the range {key} twice: keep one line")
        if not 0 < row["low"] <= 1 <= row["high"]:
            raise CoefficientError(f"coefficients.json: range {key} does not contain its estimate")
        ranges[key] = Factors(row["low"], row["high"])
    return ranges


@cache
def load_coefficients() -> Coefficients:
    """Return the coefficients that ship with the product, read once per process."""
    path = Path(__file__).parents[1] / "data" / "coefficients.json"
    text = path.read_text(encoding="utf-8")
    return build_coefficients(json.loads(text))
