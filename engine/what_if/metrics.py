"""The four figures a service is sized by: throughput, latency, utilisation, cost per inference.

An inference is one request, whatever its length.
"""

from dataclasses import dataclass

from catalog.facts.schema import Accelerator
from engine.core.estimate import Figure, Performance
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Pick
from engine.performance.bytes import kv_read_bytes, precision_of, weight_read_bytes
from engine.performance.machine import flops_peak
from engine.placement.hosts import host_of
from engine.shape.shape import Shape, transformer_of

SECONDS_PER_HOUR = 3600.0
GIGA = 1e9
FLOPS_PER_PARAMETER = 2.0  # one multiplication and one addition per weight and token


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The four metrics of one plan at the asked load, and at its full load within the limits.

    Shares are of 1. `bandwidth_share` is what decoding reads of what the memory can deliver while
    it decodes; `mfu` is arithmetic done of the peak. None where a figure is unknown.
    """

    requests_per_s: float | None
    requests_per_s_full: float | None
    tokens_per_s: Figure | None
    ttft_ms: Figure | None
    tpot_ms: Figure | None
    e2e_ms: Figure | None
    load_share: float | None
    bandwidth_share: float | None
    mfu: float | None
    usd_per_million: float | None
    usd_per_million_full: float | None


def metrics_of(pick: Pick | Option, question: Question) -> Metrics:
    """Return the four metrics of a pick that has its full load worked out."""
    asked, full = pick.estimate.performance, pick.estimate.at_max
    rate, full_rate = requests_per_s(asked), requests_per_s(full)
    price = pick.cost.usd_per_hour
    return Metrics(
        requests_per_s=rate,
        requests_per_s_full=full_rate,
        tokens_per_s=None if asked is None else asked.output_tokens_per_s,
        ttft_ms=None if asked is None else asked.ttft_ms,
        tpot_ms=None if asked is None else asked.tpot_ms,
        e2e_ms=None if asked is None else asked.e2e_ms,
        load_share=None if rate is None or full_rate is None else rate / full_rate,
        bandwidth_share=_bandwidth_share(pick, question),
        mfu=_mfu(pick, question),
        usd_per_million=usd_per_million(price, rate),
        usd_per_million_full=usd_per_million(price, full_rate),
    )


def requests_per_s(performance: Performance | None) -> float | None:
    """Return the requests served a second."""
    figure = performance.requests_per_s if performance is not None else None
    return None if figure is None else figure.value


def usd_per_million(usd_per_hour: float | None, rate: float | None) -> float | None:
    """Return USD per million inferences at `rate` requests a second; None where unknown."""
    if usd_per_hour is None or not rate:
        return None
    return 1e6 * usd_per_hour / (SECONDS_PER_HOUR * rate)


def _bandwidth_share(pick: Pick | Option, question: Question) -> float | None:
    """Return bytes read per decode step over what the replica's memory could read in its time."""
    asked, plan, model = pick.estimate.performance, pick.estimate.plan, question.model
    accelerator = _pick_accelerator(pick, question)
    if asked is None or asked.tpot_ms is None or model is None or accelerator is None:
        return None
    shape = _shape(question)
    precision = precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe)
    sequences = max(1.0, (asked.concurrency or 1.0) / max(1, plan.data_parallel))
    workload = question.workload
    context = (workload.input_tokens or 0) + (workload.output_tokens or 0) / 2
    read = weight_read_bytes(shape, precision, sequences)
    read += sequences * kv_read_bytes(shape, precision, context)
    ways = max(1, plan.accelerators // max(1, plan.data_parallel))
    readable = accelerator.mem_bw_gb_s * GIGA * ways * asked.tpot_ms.value / 1000
    return read / readable


def _mfu(pick: Pick | Option, question: Question) -> float | None:
    """Return the arithmetic of all tokens over the peak of the devices at work."""
    training = pick.estimate.training
    if training is not None:
        return training.mfu.value
    asked, peak = pick.estimate.performance, _peak_flops(pick, question)
    if asked is None or asked.total_tokens_per_s is None or peak is None or question.model is None:
        return None
    flops = FLOPS_PER_PARAMETER * _shape(question).active_params
    return asked.total_tokens_per_s.value * flops / peak


def _peak_flops(pick: Pick | Option, question: Question) -> float | None:
    plan, accelerator = pick.estimate.plan, _pick_accelerator(pick, question)
    if accelerator is not None:
        return flops_peak(accelerator, plan.weights_dtype) * max(1, plan.accelerators)
    cpu = host_of(pick.instance, question.catalog).cpu
    if cpu is None:
        return None
    per_core = cpu.fp32_gflops_per_core
    if plan.weights_dtype == "int8":
        per_core = cpu.int8_gops_per_core or per_core
    elif plan.weights_dtype != "fp32":
        per_core = cpu.bf16_gflops_per_core or per_core
    return per_core * GIGA * pick.instance.cores * pick.instances


def _pick_accelerator(pick: Pick | Option, question: Question) -> Accelerator | None:
    name = pick.instance.accelerator_id
    return None if name is None else question.catalog.accelerators[name]


def _shape(question: Question) -> Shape:
    if question.model is None:
        msg = "metrics of a service need a model"
        raise TypeError(msg)
    return transformer_of(question.model)
