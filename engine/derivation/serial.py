"""From a step and a prompt to requests, where a server stops decoding while it reads a prompt."""

from engine.core.estimate import Figure, Performance
from engine.core.plan import Load
from engine.core.value import value
from engine.derivation.step import Step, Value, fact


@value
class SerialParts:
    """What a server that stops decoding for prompts adds up: the last step of each part counts."""

    rates: list[Step]
    decode: list[Step]
    prompt: list[Step]
    capacity: float  # requests on one copy that hold cache


def serial_steps(
    parts: SerialParts, load: Load, performance: Performance, in_flight: float
) -> list[Step]:
    """Return TPOT, TTFT, the whole request and the rate (CPU and Neuron servers).

    `in_flight` counts the requests on one copy. Figures are means: a percentile is not derived.
    """
    step, prompt = parts.decode[-1], parts.prompt[-1]
    if load.kind not in {"single", "closed"}:
        return [_rate_step(load, performance)]
    held = min(in_flight, max(1.0, parts.capacity))
    count = (
        fact("c", in_flight, "requests in flight on one copy", "load"),
        fact("d", held, "… that hold cache", "memory"),
        fact("O", load.output_tokens, "output tokens", "load"),
    )
    found = []
    token = Step(
        "time per token (TPOT)", "s + (d - 1) × P / O",
        (step.as_value("s"), *count[1:], prompt.as_value("P")),
        _in_s(performance.tpot_ms), "s",
    )  # fmt: skip
    found.append(token)
    first = Step(
        "first token (TTFT)", "P + s × (1 - 1/d) + (c/d - 1) × (O×t + P)",
        (prompt.as_value("P"), step.as_value("s"), *count, token.as_value("t")),
        _in_s(performance.ttft_ms), "s",
    )  # fmt: skip
    whole = Step(
        "whole request", "T + (O - 1) × t",
        (first.as_value("T"), count[2], token.as_value("t")), _in_s(performance.e2e_ms), "s",
    )  # fmt: skip
    return [*found, first, whole, _rate_step(load, performance, whole)]


def _rate_step(load: Load, performance: Performance, whole: Step | None = None) -> Step:
    requests = performance.requests_per_s
    result = requests.value if requests is not None else 0.0
    in_flight = performance.concurrency or 1.0
    if whole is None:
        values: tuple[Value, ...] = (
            fact("c", in_flight, "requests in flight, whole deployment", f"{load.kind} load"),
            fact("E", in_flight / (result or 1.0), "s of each", "whole request"),
        )
    else:
        values = (
            fact("c", in_flight, "requests in flight, whole deployment", "load"),
            whole.as_value("E"),
        )
    return Step("requests a second", "c / E", values, result, "1/s")


def _in_s(figure: Figure | None) -> float:
    return 0.0 if figure is None else figure.value / 1e3
