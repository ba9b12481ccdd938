"""Which values a workload field can hold at all; beyond these no hardware question makes sense."""

import math

from bot.core.errors import RequestError
from bot.core.examples import example

# field: (lowest, highest, what it is); the lowest is excluded where it is 0.
LIMITS: dict[str, tuple[float, float, str]] = {
    "params_b": (0, 100_000, "billion parameters"),
    "active_params_b": (0, 100_000, "billion active parameters"),
    "context": (0, 100_000_000, "tokens of context"),
    "input_tokens": (0, 100_000_000, "input tokens"),
    "output_tokens": (0, 100_000_000, "output tokens"),
    "seq_len": (0, 100_000_000, "tokens per sequence"),
    "concurrency": (0, 10_000_000, "requests at once"),
    "users": (0, 10_000_000_000, "users"),
    "active_share": (0, 1, "of the users"),
    "requests_per_user_min": (0, 100_000, "requests a minute of a user"),
    "peak_factor": (1, 1000, "times the usual load"),
    "cached_share": (0, 1, "of a prompt's tokens"),
    "items": (0, 1e15, "items"),
    "tokens_per_item": (0, 100_000_000, "tokens an item"),
    "duty_h_per_day": (0, 24, "hours a day"),
    "runs_per_month": (0, 100_000, "runs a month"),
    "vcpus_max": (1, 1_000_000, "vCPUs of quota"),
    "steps": (1, 10_000, "steps"),
    "image_px": (64, 16_384, "pixels a side"),
    "replicas_min": (1, 10_000, "replicas"),
    "zones_min": (1, 6, "zones of one region"),
    "rps": (0, 10_000_000, "requests per second"),
    "tokens_per_day": (0, 1e16, "tokens per day"),
    "avg_tokens_per_s": (0, 1e11, "tokens per second"),
    "latency_ms": (0, 1e9, "milliseconds"),
    "first_token_ms": (0, 1e9, "milliseconds"),
    "per_token_ms": (0, 1e9, "milliseconds"),
    "percentile": (0, 99.999, "as a percentile"),
    "tokens_total": (0, 1e17, "tokens in all"),
    "deadline_h": (0, 200_000, "hours"),
    "budget_usd_per_hour": (0, 1e7, "dollars per hour"),
    "budget_usd_per_month": (0, 1e10, "dollars per month"),
    "budget_usd_total": (0, 1e11, "dollars in all"),
    "term_years": (0, 3, "years (AWS sells terms of 1 and 3)"),
    "gpu_count": (1, 100_000, "accelerators"),
    "gpu_memory_gb": (0, 1000, "GB on one accelerator"),
    "nodes": (1, 10_000, "nodes"),
    "network_gbps": (0, 100_000, "Gbit/s"),
    "tensor_parallel": (1, 1024, "ways of tensor parallelism"),
    "pipeline_parallel": (1, 1024, "pipeline stages"),
    "memory_utilisation": (0, 1, "of the accelerator's memory"),
    "batch": (1, 1_000_000, "sequences at once"),
    "global_batch_tokens": (0, 1e12, "tokens per step"),
}
WHOLE = frozenset(
    {
        "context",
        "input_tokens",
        "output_tokens",
        "seq_len",
        "gpu_count",
        "nodes",
        "vcpus_max",
        "users",
        "tokens_per_item",
        "steps",
        "image_px",
        "replicas_min",
        "zones_min",
        "tensor_parallel",
        "pipeline_parallel",
        "batch",
        "global_batch_tokens",
    }
)


def checked(name: str, value: object, words: str) -> object:
    """Return `value` as the field stores it.

    Raises:
        RequestError: `invalid_value` for zero, negative or fractional counts, `out_of_range` for
            more than any deployment has.
    """
    if name not in LIMITS or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    low, high, what = LIMITS[name]
    quoted = f"`{words.strip()}`" if words.strip() else f"{name}={value}"
    if math.isnan(value) or value < low or (low == 0 and value == 0):
        least = "more than 0" if low == 0 else f"at least {low:g}"
        raise _wrong(
            "invalid_value", f"{quoted} is not possible: it must be {least} {what}.", name, words
        )
    if value > high:
        raise _wrong(
            "out_of_range", f"{quoted} is out of range: at most {high:,g} {what}.", name, words
        )
    if name not in WHOLE:
        return value
    if abs(value - round(value)) > 1e-6 * value:
        raise _wrong("invalid_value", f"{quoted} is not a whole number ({what}).", name, words)
    return round(value)


def _wrong(code: str, message: str, name: str, words: str) -> RequestError:
    if code == "out_of_range":
        return RequestError(
            "out_of_range", message, field=name, words=words, example=_example(name)
        )
    return RequestError("invalid_value", message, field=name, words=words, example=_example(name))


def _example(name: str) -> str:
    if name in {"params_b", "active_params_b"}:
        return "inference 7B latency<100ms"
    return example("value_limits")
