"""The steps of training: what one token costs on one accelerator, and how long a run takes."""

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model
from engine.core.estimate import Figure, TrainingPerformance
from engine.core.plan import Host, Plan, TrainingJob
from engine.derivation.step import Step, Value, fact, fitted, in_section, model_source
from engine.performance.training import token_time
from engine.performance.training_setup import Run, run_of
from engine.performance.training_terms import (
    attention_passes,
    attention_rate,
    attention_s,
    exchange_s,
    expert_parallel_s,
    host_s,
    matrix_passes,
    matrix_s,
    offload_s,
    pipeline_bubble,
    product_rate,
    rate_16bit,
    tensor_parallel_s,
    traffic_bytes,
    traffic_s,
)


def training_steps(
    model: Model,
    host: Host,
    plan: Plan,
    job: TrainingJob,
    performance: TrainingPerformance,
    *,
    coefficients: Coefficients,
) -> list[Step]:
    """Return the steps of a run on accelerators.

    Raises:
        ValueError: the host has no accelerator.
    """
    run = run_of(model, host, plan, job, coefficients)
    row = model_source(model)
    products, attention = _products_step(run, row, coefficients), _attention_step(run, coefficients)
    rest = _other_steps(run, coefficients)
    whole = _token_step(run, coefficients, products, attention, rest)
    return [
        *in_section("One token", [products, attention, *rest, whole]),
        *in_section("The run", _run_steps(run, job, whole, performance)),
    ]


def _products_step(run: Run, row: str, coefficients: Coefficients) -> Step:
    shared, flops, shape = coefficients.training.shared, run.flops, run.shape
    passes = matrix_passes(run, coefficients)
    micro = run.micro_tokens
    values = [
        fact("b", flops.body, "FLOPs of the body in one forward run", row),
        fact("k", passes, "forward runs' worth (backward counts two, recomputing one)", "job"),
        fact("R", product_rate(run, coefficients), "FLOP/s of large products: peak × share",
             "from training.accelerator"),
        fact("w", shape.hidden / run.tensor_ways, "width of a product", row),
        fitted("V", shared.half_width, "training.shared.half_width", "width at half the rate"),
        fact("m", micro, "tokens of a micro-batch", "job"),
        fact("c", run.context_ways, "context parallel ways", "job"),
        fitted("M", shared.half_tokens, "training.shared.half_tokens", "tokens at half the rate"),
        fact("h", flops.head, "FLOPs of the output head", row),
        fact("K", passes - (1.0 if run.checkpointing == "full" else 0.0),
             "forward runs' worth of the head", "job"),
        fact("Q", rate_16bit(run, coefficients), "FLOP/s of large 16-bit products",
             "from training.accelerator"),
    ]  # fmt: skip
    formula = "b×k / (R × w/(w+V) × (m/c)/(m/c+M)) + h×K / (Q × m/(m+M))"
    if flops.experts:
        seen = micro * shape.experts_per_token * run.expert_ways / shape.experts
        formula += " + x×k / (R × e/(e+V) × t/(t+M))"
        values += [
            fact("x", flops.experts, "FLOPs of the experts a token meets", row),
            fact("e", shape.expert_width, "width of an expert", row),
            fact("t", seen, "tokens one expert sees", "job"),
        ]
    result = matrix_s(run, coefficients)
    return Step("matrix products", formula, tuple(values), result, "s")


def _attention_step(run: Run, coefficients: Coefficients) -> Step:
    values = (
        fact("a", run.flops.attention, "FLOPs of attention in one forward run", "models.csv, job"),
        fact("k", attention_passes(run, coefficients), "forward runs' worth",
             "from training.shared.attention_passes"),
        fact("R", attention_rate(run, coefficients), "FLOP/s that attention reaches",
             "from training.shared"),
    )  # fmt: skip
    return Step("attention", "a×k / R", values, attention_s(run, coefficients), "s")


def _other_steps(run: Run, coefficients: Coefficients) -> list[Step]:
    """Return memory traffic, host, and what travels between accelerators."""
    moved = fact("m", traffic_bytes(run, coefficients), "bytes through memory for one token",
                 "engine/performance/training_terms.py")  # fmt: skip
    traffic = Step(
        "memory traffic", "m / B",
        (moved, fact("B", run.bandwidth, "peak memory bandwidth, bytes/s", "accelerators.csv")),
        traffic_s(run, coefficients), "s",
    )  # fmt: skip
    launch = host_s(run, coefficients)
    per_batch = fact("l", launch * run.micro_tokens, "s of launches for a micro-batch",
                     "from training.shared.layer_ms")  # fmt: skip
    tokens = fact("t", run.micro_tokens, "tokens of a micro-batch", "job")
    host = Step("host", "l / t", (per_batch, tokens), launch, "s")
    exchange = exchange_s(run, coefficients)
    ranks = fact("e", exchange, f"s of exchange over {run.data_ways:g} data-parallel ranks",
                 "from training.shared.link_share")  # fmt: skip
    inside = tensor_parallel_s(run, coefficients) + expert_parallel_s(run, coefficients)
    inside += offload_s(run)
    what = "s of tensor and expert parallel traffic" + ", and of off-loading" * run.offloaded
    ways = fact("i", inside, what, "from training.shared.link_share")
    return [
        traffic,
        host,
        Step("exchange between ranks", "e", (ranks,), exchange, "s"),
        Step("traffic inside a rank", "i", (ways,), inside, "s"),
    ]


def _token_step(
    run: Run, coefficients: Coefficients, products: Step, attention: Step, rest: list[Step]
) -> Step:
    traffic, host, exchange, inside = rest
    overlap = fact("o", 1, "exchange does not overlap over these links", "accelerators.csv")
    if run.overlaps:
        overlap = fitted(
            "o",
            coefficients.training.shared.overlap_power,
            "training.shared.overlap_power",
            "how exchange overlaps with work",
        )
    work = "max(p + a + m, h)" if run.fused else "(p + a + m + h)"
    values: tuple[Value, ...] = (
        products.as_value("p"),
        attention.as_value("a"),
        traffic.as_value("m"),
        host.as_value("h"),
        exchange.as_value("e"),
        overlap,
        inside.as_value("i"),
        fact("b", pipeline_bubble(run), "stretch by filling the pipeline", "plan"),
    )
    return Step(
        "one token on one accelerator", f"(({work}^o + e^o)^(1/o) + i) × b", values,
        token_time(run, coefficients).total, "s",
    )  # fmt: skip


def _run_steps(
    run: Run, job: TrainingJob, token: Step, performance: TrainingPerformance
) -> list[Step]:
    """Return tokens a second, utilisation and the time of the whole run."""
    rate = Step(
        "useful tokens a second and accelerator", "1 / (t × p)",
        (token.as_value("t"), fact("p", job.padding, "tokens computed for each useful one", "job")),
        performance.tokens_per_s_per_accelerator.value, "1/s",
    )  # fmt: skip
    adapters = 2 / 3 if run.adapters else 1.0
    needed = fact("n", 3 * (run.flops.matrix + run.flops.attention) * adapters,
                  "FLOPs that the method needs for a token", "models.csv, job")  # fmt: skip
    utilisation = Step(
        "model FLOPs utilisation (MFU)", "r × n / F",
        (rate.as_value("r"), needed,
         fact("F", run.peak_16bit, "16-bit peak, FLOP/s", "accelerators.csv")),
        performance.mfu.value, "1",
    )  # fmt: skip
    return [rate, utilisation, *_time(run, job, rate, performance.time_h, performance)]


def _time(
    run: Run, job: TrainingJob, rate: Step, time_h: Figure | None, performance: TrainingPerformance
) -> list[Step]:
    if time_h is None or job.tokens_total is None:
        return []
    values = (
        fact("T", job.tokens_total, "tokens to train on", "job"),
        rate.as_value("r"),
        fact("G", run.accelerators, "accelerators", "plan"),
        fact("s", performance.restart_factor, "stretch by spot interruptions", "market"),
    )
    return [Step("time of the run, hours", "T / (r × G) × s / 3600", values, time_h.value,
                 "h")]  # fmt: skip
