"""One pick as the card shows it: money, figures beside their limits, memory, reasons."""

from collections.abc import Iterator

from bot.card import limits_met
from bot.card.figures import (
    count,
    gib,
    hours,
    hours_range,
    ms,
    ms_range,
    plain_line,
    plain_range,
    quantity,
    tokens,
    usd,
    usd_estimated,
    usd_per_hour,
)
from bot.card.model import FigureLine, MemoryBar, PickView, Segment
from bot.card.wording import (
    MARKET_WORDS,
    device_noun,
    hardware,
    machines,
    price_note,
    serving_plan,
    training_plan,
)
from engine.estimate import Figure, Memory, Performance, TrainingPerformance
from engine.result import LimitCheck, Pick
from engine.workload import Workload

_BOUND_WORDS = {
    "memory_bandwidth": "memory bandwidth",
    "compute": "compute",
    "interconnect": "the links between chips",
    "overhead": "per-step overhead",
}


def pick_view(pick: Pick, workload: Workload) -> PickView:
    """Return the pick in words; `workload` is the filled one."""
    training = pick.estimate.training is not None
    plan = pick.estimate.plan
    return PickView(
        instance_type=pick.instance.instance_type,
        instances=pick.instances,
        machines=machines(pick.instance.instance_type, pick.instances),
        hardware=hardware(pick.instance, pick.instances),
        region=pick.region,
        label=plain_line(pick.label),
        headline=_training_headline(pick) if training else price_words(pick),
        market=MARKET_WORDS[pick.quote.market],
        price_note=price_note(pick.quote),
        plan=training_plan(plan, workload) if training else serving_plan(plan),
        figures=tuple(_figure_lines(pick, workload)),
        memory=memory_bar(pick.estimate.memory, device_noun(pick.instance), training=training),
        basis=_basis(pick),
        why=tuple(line for line in _lines(pick.why) if line != pick.label),
        caveats=_lines(pick.caveats),
        meets=all(check.verdict != "misses" for check in pick.limits) and pick.estimate.fits,
    )


def price_words(pick: Pick) -> str:
    """Return the price an hour and a month, or that there is none and what caps it."""
    per_hour, per_month = pick.cost.usd_per_hour, pick.cost.usd_per_month
    if per_hour is None:
        return f"no {MARKET_WORDS[pick.quote.market]} price{_ceiling(pick)}"
    month = "" if per_month is None else f" · {usd(per_month)}/month"
    each = pick.quote.usd_per_hour
    split = f" ({pick.instances} × {usd(each)})" if pick.instances > 1 and each else ""
    return f"{usd_per_hour(per_hour)}{split}{month}"


def _ceiling(pick: Pick) -> str:
    if pick.ceiling is None or pick.ceiling.usd_per_hour is None:
        return ""
    at_most = pick.ceiling.usd_per_hour * pick.instances
    return f", at most the on-demand {usd_per_hour(at_most)}"


def _training_headline(pick: Pick) -> str:
    training = pick.estimate.training
    time_h = None if training is None else training.time_h
    total = pick.cost.usd_total
    if time_h is None or total is None:
        return price_words(pick)
    return f"{usd_estimated(total)} in total · {hours(time_h.value)} {hours_range(time_h)}"


def _figure_lines(pick: Pick, workload: Workload) -> Iterator[FigureLine]:
    checks = {check.field: check for check in pick.limits}
    estimate = pick.estimate
    if estimate.training is not None:
        yield from _training_lines(pick, estimate.training, checks, workload)
    if estimate.performance is not None:
        yield from _serving_lines(estimate.performance, checks, workload)
    if estimate.at_max is not None:
        yield from _full_load_lines(pick, estimate.at_max)
    for check in checks.values():
        yield _line(
            limits_met.FIELD_WORDS.get(check.field, check.field.replace("_", " ")),
            limits_met.limit_value(check.field, check.value),
            check=check,
            percentile=workload.percentile,
        )


def _line(
    name: str,
    value: str,
    *,
    spread: str = "",
    check: LimitCheck | None = None,
    note: str = "",
    percentile: float | None = None,
) -> FigureLine:
    if check is None:
        return FigureLine(name=name, value=value, spread=spread, note=note)
    return FigureLine(
        name=name,
        value=value,
        spread=spread,
        limit=limits_met.limit_words(check, percentile),
        status=check.verdict,
        verdict=limits_met.verdict_words(check),
        note=note,
    )


def _serving_lines(
    performance: Performance, checks: dict[str, LimitCheck], workload: Workload
) -> Iterator[FigureLine]:
    """Yield the latencies, then the throughput where a load was asked for; takes their checks."""
    whole = "whole answer" if workload.output_tokens else "per request"
    tpot = performance.tpot_ms
    rate = f"{quantity(1000 / tpot.value)} tok/s per user" if tpot and tpot.value > 0 else ""
    for field, name, figure, note in (
        ("ttft_ms", "first token", performance.ttft_ms, ""),
        ("tpot_ms", "per token", tpot, rate),
        ("e2e_ms", whole, performance.e2e_ms, ""),
    ):
        if figure is None:
            continue
        yield _line(
            name,
            ms(figure.value),
            spread=ms_range(figure),
            check=checks.pop(field, None),
            note=note,
            percentile=workload.percentile,
        )
    yield from _load_lines(performance, checks, workload)


def _load_lines(
    performance: Performance, checks: dict[str, LimitCheck], workload: Workload
) -> Iterator[FigureLine]:
    asked = (workload.concurrency or 0) > 1 or workload.rps is not None
    for field, unit, figure in (
        ("output_tokens_per_s", "tok/s", performance.output_tokens_per_s),
        ("total_tokens_per_s", "tok/s in and out", performance.total_tokens_per_s),
        ("requests_per_s", "requests/s", performance.requests_per_s),
    ):
        check = checks.pop(field, None)
        if figure is None or not (check or (asked and field == "output_tokens_per_s")):
            continue
        note = "the asked load is more than this takes" if performance.saturated else ""
        yield _throughput("at your load", unit, figure, check=check, note=note)


def _full_load_lines(pick: Pick, at_max: Performance) -> Iterator[FigureLine]:
    users = "" if at_max.concurrency is None else f"{count(at_max.concurrency)} at once"
    note = " · ".join(part for part in (users, per_million_words(pick)) if part)
    for unit, figure in (
        ("tok/s", at_max.output_tokens_per_s),
        ("requests/s", at_max.requests_per_s),
        ("tok/s in and out", at_max.total_tokens_per_s),
    ):
        if figure is not None:
            yield _throughput("at full load", unit, figure, note=note)
            return


def _throughput(
    name: str, unit: str, figure: Figure, *, check: LimitCheck | None = None, note: str = ""
) -> FigureLine:
    value = f"{quantity(figure.value)} {unit}"
    return _line(name, value, spread=plain_range(figure), check=check, note=note)


def per_million_words(pick: Pick) -> str:
    """Return the price of a million tokens and which tokens it counts; empty when unknown."""
    amount = pick.cost.usd_per_million_tokens
    if amount is None:
        return ""
    kind = {"output": "1M output tokens", "total": "1M tokens, in and out"}
    if pick.estimate.training is not None:
        return f"{usd_estimated(amount)} per 1M trained tokens"
    counted = kind.get(pick.cost.tokens_counted, "1M tokens")
    return f"{usd_estimated(amount)} per {counted}"


def _training_lines(
    pick: Pick,
    training: TrainingPerformance,
    checks: dict[str, LimitCheck],
    workload: Workload,
) -> Iterator[FigureLine]:
    yield from _job_lines(pick, training, checks)
    accelerators = max(1, pick.estimate.plan.accelerators)
    speed = training.tokens_per_s_per_accelerator
    whole = Figure(*(v * accelerators for v in (speed.value, speed.low, speed.high)))
    bound = f"bound by {_BOUND_WORDS[training.bound_by]}"
    yield _throughput("speed", "tok/s", whole, note=bound)
    mfu = training.mfu
    spread = f"({mfu.low:.0%}–{mfu.high:.0%})"
    yield _line("MFU", f"{mfu.value:.0%}", spread=spread, note=_step_words(training, workload))


def _job_lines(
    pick: Pick, training: TrainingPerformance, checks: dict[str, LimitCheck]
) -> Iterator[FigureLine]:
    time_h, total = training.time_h, pick.cost.usd_total
    if time_h is not None:
        check = checks.pop("time_h", None)
        yield _line("time to finish", hours(time_h.value), spread=hours_range(time_h), check=check)
    if total is not None and time_h is not None and time_h.value > 0:
        low, high = (total * bound / time_h.value for bound in (time_h.low, time_h.high))
        rate = price_words(pick).partition(" · ")[0]
        yield _line(
            "total cost",
            usd_estimated(total),
            spread=f"({usd_estimated(low)}–{usd_estimated(high)})",
            check=checks.pop("usd_total", None),
            note=f"{hours(time_h.value)} at {rate} · {per_million_words(pick)}".removesuffix(" · "),
        )


def _step_words(training: TrainingPerformance, workload: Workload) -> str:
    if training.step_s is None:
        return ""
    batch = workload.global_batch_tokens
    of = f" for {tokens(batch)} tokens" if batch else ""
    return f"step {ms(training.step_s.value * 1000)}{of}"


def memory_bar(memory: Memory, noun: str, *, training: bool) -> MemoryBar | None:
    """Return where the memory of one device goes; None where nothing is known of it."""
    if memory.total <= 0 or memory.available <= 0:
        return None
    parts = [
        ("weights", memory.weights),
        ("KV cache", memory.kv_cache),
        ("gradients", memory.gradients),
        ("optimiser", memory.optimizer),
        ("activations" if training else "runtime", memory.activations if training else 0.0),
        ("runtime", memory.overhead + (0.0 if training else memory.activations)),
        ("free", max(0.0, memory.available - memory.total)),
    ]
    whole = max(memory.available, memory.total)
    segments = tuple(Segment(name, gib(v), v / whole) for name, v in parts if v > 0)
    return MemoryBar(
        name="host memory" if noun == "host" else f"memory per {noun}",
        segments=segments,
        summary=_memory_summary(segments, memory),
        room=_kv_room(memory),
    )


def _memory_summary(segments: tuple[Segment, ...], memory: Memory) -> str:
    listed = " · ".join(f"{s.gib} {s.name}" for s in segments)
    if memory.total > memory.available:
        return f"{listed}: needs {gib(memory.total)} of {gib(memory.available)} GiB"
    return f"{listed} of {gib(memory.available)} GiB"


def _kv_room(memory: Memory) -> str:
    if memory.kv_tokens_max is None:
        return ""
    about = "about " if memory.approximate else ""
    return f"KV cache room for {about}{tokens(memory.kv_tokens_max)} tokens a replica"


def _basis(pick: Pick) -> str:
    for performance in (pick.estimate.performance, pick.estimate.training, pick.estimate.at_max):
        if performance is not None and performance.basis == "not_measured":
            return "Not measured: computed from the chip's specifications alone."
    return ""


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in map(plain_line, texts) if line)
