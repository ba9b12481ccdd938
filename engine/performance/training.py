"""Time, speed and utilisation of a training run."""

from catalog.facts.coefficients import Coefficients, Factors, RangeKey
from catalog.facts.schema import Model
from engine.core.estimate import Basis, BoundBy, Figure, TrainingPerformance
from engine.core.plan import Host, Plan, TrainingJob
from engine.core.value import value
from engine.performance.cpu_socket import peak_flops_per_core, socket_of
from engine.performance.ranges import NOT_MEASURED_WIDENING, inverse, ranged
from engine.performance.spot import spot_restart_factor
from engine.performance.training_flops import forward_flops
from engine.performance.training_setup import Run, is_encoder, run_of
from engine.performance.training_terms import (
    FULL_PASSES,
    attention_s,
    exchange_s,
    expert_parallel_s,
    host_s,
    matrix_s,
    offload_s,
    pipeline_bubble,
    tensor_parallel_s,
    traffic_s,
)
from engine.shape.shape import transformer_of

SECONDS_PER_HOUR = 3600.0
ADAPTER_SHARE = 2 / 3  # of full training's FLOPs: frozen weights need no gradient


@value
class TokenTime:
    """Accelerator-seconds of one token by what they are spent on, and in all."""

    compute: float
    memory: float
    host: float
    interconnect: float
    total: float

    @property
    def bound_by(self) -> BoundBy:
        """The largest part."""
        seconds: dict[BoundBy, float] = {
            "compute": self.compute,
            "memory_bandwidth": self.memory,
            "interconnect": self.interconnect,
            "overhead": self.host,
        }
        return max(seconds, key=lambda part: seconds[part])


def token_time(run: Run, coefficients: Coefficients) -> TokenTime:
    """Return the time of one token of one data-parallel group, per accelerator.

    Eager software waits for the host between kernels; fused software hides the shorter of the
    two. Exchanges overlap with compute, except over PCIe without peer-to-peer.
    """
    products = matrix_s(run, coefficients) + attention_s(run, coefficients)
    traffic, host = traffic_s(run, coefficients), host_s(run, coefficients)
    work = max(products + traffic, host) if run.fused else products + traffic + host
    exchange = exchange_s(run, coefficients)
    power = coefficients.training.shared.overlap_power if run.overlaps else 1.0
    together = (work**power + exchange**power) ** (1 / power)
    inside = tensor_parallel_s(run, coefficients) + expert_parallel_s(run, coefficients)
    inside += offload_s(run)
    return TokenTime(
        compute=products,
        memory=traffic,
        host=host,
        interconnect=exchange + inside,
        total=(together + inside) * pipeline_bubble(run),
    )


def training_performance(
    model: Model,
    host: Host,
    plan: Plan,
    job: TrainingJob,
    coefficients: Coefficients,
    *,
    spot: bool = False,
) -> TrainingPerformance:
    """Return the speed of a training run with its 80 % range.

    Tokens are useful ones: padding is computed and not counted. On spot the time to train holds
    what interruptions cost (`restart_factor`); rate and step are those of a run that goes on.
    MFU counts the FLOPs the method needs (6 per weight and token and three times the forward
    attention; two thirds of that for adapters), without recomputation, against the 16-bit peak.
    """
    if host.accelerator is None:
        return _cpu_training(model, host, plan, job, coefficients, spot=spot)
    run = run_of(model, host, plan, job, coefficients)
    time = token_time(run, coefficients)
    flops = run.flops
    needed = (
        FULL_PASSES * (flops.matrix + flops.attention) * (ADAPTER_SHARE if run.adapters else 1.0)
    )
    measured = "training" in host.accelerator.measured and not job.cpu_offload
    basis: Basis = "measured_class" if measured else "not_measured"
    factors = _rate_factors(run, basis, coefficients)
    rate = ranged(1 / (time.total * job.padding), factors)
    share = needed / run.peak_16bit
    restart = spot_restart_factor(plan.instances) if spot else 1.0
    per_token = time.total / run.accelerators
    return TrainingPerformance(
        tokens_per_s_per_accelerator=rate,
        mfu=Figure(rate.value * share, rate.low * share, rate.high * share),
        step_s=_duration_range(job.global_batch_tokens, per_token, factors),
        time_h=_total_hours(job, per_token * restart, factors),
        bound_by=time.bound_by,
        basis=basis,
        restart_factor=restart,
    )


def _total_hours(job: TrainingJob, per_token: float, factors: Factors) -> Figure | None:
    return _duration_range(job.tokens_total, per_token * job.padding / SECONDS_PER_HOUR, factors)


def _duration_range(tokens: float | None, per_token: float, factors: Factors) -> Figure | None:
    return None if tokens is None else ranged(tokens * per_token, inverse(factors))


def _rate_factors(run: Run, basis: Basis, coefficients: Coefficients) -> Factors:
    """Return the factors on tokens/s of the class of run that was measured.

    A class with too few runs for a range of its own has the range of all, widened.
    """
    ranges = coefficients.ranges
    own = ranges.get(RangeKey("training", "throughput", range_class(run), None))
    found = own or _widened(ranges[RangeKey("training", "throughput", "any", None)])
    return found if basis == "measured_class" else _widened(found)


def _widened(factors: Factors) -> Factors:
    return Factors(factors.low / NOT_MEASURED_WIDENING, factors.high * NOT_MEASURED_WIDENING)


def range_class(run: Run) -> str:
    """Return which measured class of runs a run belongs to: its range comes from there."""
    if run.generation == "neuron":
        return "neuron"
    if run.shape.moe:
        return "moe"
    if run.adapters:
        return "lora_4bit" if run.four_bit else "lora"
    if run.encoder:
        return "encoder"
    return "dense_fp8" if run.precision in {"fp8", "mxfp8", "nvfp4"} else "dense_16bit"


def _cpu_training(
    model: Model,
    host: Host,
    plan: Plan,
    job: TrainingJob,
    coefficients: Coefficients,
    *,
    spot: bool,
) -> TrainingPerformance:
    """Return a class estimate: products at a fixed share of all cores' peak.

    "Per accelerator" is per instance here.
    """
    socket = socket_of(host, plan, float("inf"), coefficients)
    precision = "fp32" if job.precision == "fp32" else "bf16"
    peak = host.cores * peak_flops_per_core(socket, precision, coefficients)
    flops = forward_flops(transformer_of(model), job.seq_len, encoder=is_encoder(model))
    forward = flops.matrix + flops.attention
    shared = coefficients.training.shared
    passes = FULL_PASSES if job.method == "full" else shared.lora_passes
    per_token = forward * (passes + 1) / (peak * shared.cpu_flops_share)
    factors = coefficients.ranges[RangeKey("class", "any", "any", None)]
    rate = ranged(1 / (per_token * job.padding), factors)
    share = FULL_PASSES * forward * (1.0 if job.method == "full" else ADAPTER_SHARE) / peak
    instances = max(1, plan.instances)
    restart = spot_restart_factor(instances) if spot else 1.0
    return TrainingPerformance(
        tokens_per_s_per_accelerator=rate,
        mfu=Figure(rate.value * share, rate.low * share, rate.high * share),
        step_s=_duration_range(job.global_batch_tokens, per_token / instances, factors),
        time_h=_total_hours(job, per_token / instances * restart, factors),
        bound_by="compute",
        basis="not_measured",
        restart_factor=restart,
    )
