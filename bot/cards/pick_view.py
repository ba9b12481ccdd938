"""One pick as the card shows it: money, figures beside their limits, memory, reasons."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.cards import limits_met
from bot.cards.price_lines import (
    asked_million_words,
    per_million_words,
    price_words,
    runs_words,
)
from bot.core.figures import (
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
    usd_estimated,
)
from bot.core.views import BarSegment, FigureLine, MemoryBar, PickView
from bot.core.wording import (
    MARKET_WORDS,
    device_noun,
    hardware,
    machines,
    price_note,
    serving_plan,
    training_plan,
)
from engine.core.estimate import Figure, Memory, Performance, TrainingPerformance
from engine.core.limits import latency_limits
from engine.core.result import LimitCheck, Pick
from engine.core.workload import Workload
from engine.pick.cost import SET_UP_H

_BOUND_WORDS = {
    "memory_bandwidth": "memory bandwidth",
    "compute": "compute",
    "interconnect": "the links between chips",
    "overhead": "per-step overhead",
}


def pick_view(pick: Pick, workload: Workload, assumed: frozenset[str] = frozenset()) -> PickView:
    """Return the pick in words; `workload` is the filled one, `assumed` its unsaid fields."""
    training = pick.estimate.training is not None
    plan = pick.estimate.plan
    return PickView(
        instance_type=pick.instance.instance_type,
        instances=pick.instances,
        machines=machines(pick.instance.instance_type, pick.instances),
        hardware=hardware(pick.instance, pick.instances),
        region=pick.region,
        label=plain_line(pick.label),
        headline=_headline_words(pick),
        market=MARKET_WORDS[pick.quote.market],
        bought=pick.quote.market,
        price_note=price_note(pick.quote),
        priced_on=pick.quote.as_of,
        usd_per_hour=pick.quote.usd_per_hour,
        plan=training_plan(plan, workload) if training else serving_plan(plan),
        figures=tuple(figure_lines(pick, workload, assumed)),
        memory=memory_bar(
            pick.estimate.memory,
            device_noun(pick.instance),
            training=training,
            context=None if "context" in assumed else workload.context,
        ),
        basis=_basis_line(pick),
        why=tuple(line for line in _plain_lines(pick.why) if line != pick.label),
        caveats=_plain_lines(pick.caveats),
    )


def _headline_words(pick: Pick) -> str:
    """Return the price of it all; a limit that may be missed is said beside it."""
    words = _headline(pick)
    return f"{words} · may miss a limit" if pick.may_miss else words


def _headline(pick: Pick) -> str:
    """Return what a job takes and costs in all, what a service costs an hour."""
    time_h, total = _time_h(pick), pick.cost.usd_total
    if time_h is None:
        return price_words(pick)
    takes = f"{hours(time_h.value)} {hours_range(time_h)}"
    if total is None:
        return f"{price_words(pick)}{_total_at_most(pick, time_h)} · {takes}"
    return f"{usd_estimated(total)} in total · {takes}{runs_words(pick)}"


def _total_at_most(pick: Pick, time_h: Figure) -> str:
    """Return what a job costs at most that is bought at an unknown price; empty if that is too."""
    ceiling = None if pick.ceiling is None else pick.ceiling.usd_per_hour
    if ceiling is None:
        return ""
    return f", {usd_estimated(ceiling * pick.instances * (time_h.value + SET_UP_H))} in total"


def _time_h(pick: Pick) -> Figure | None:
    job = pick.estimate.training or pick.estimate.job
    return None if job is None else job.time_h


def memory_bar(
    memory: Memory, noun: str, *, training: bool, context: int | None = None
) -> MemoryBar | None:
    """Return where the memory of one device goes; None where nothing is known of it.

    `context` is the length that was asked for, where one was.
    """
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
    segments = tuple(BarSegment(name, gib(v), v / whole) for name, v in parts if v > 0)
    return MemoryBar(
        name="host memory" if noun == "host" else f"memory per {noun}",
        segments=segments,
        summary=_memory_summary(segments, memory),
        room=_kv_room(memory, context),
    )


def _memory_summary(segments: tuple[BarSegment, ...], memory: Memory) -> str:
    listed = " · ".join(f"{s.gib} {s.name}" for s in segments)
    if memory.total > memory.available:
        return f"{listed}: needs {gib(memory.total)} of {gib(memory.available)} GiB"
    return f"{listed} of {gib(memory.available)} GiB"


def _kv_room(memory: Memory, context: int | None) -> str:
    if memory.kv_tokens_max is None:
        return ""
    about = "about " if memory.approximate else ""
    if context is not None and memory.full_sequences is not None:
        held = quantity(memory.full_sequences)
        return f"KV cache room for {about}{held} sequences of {tokens(context)} tokens a replica"
    if memory.context_max is not None and memory.context_max > memory.kv_tokens_max:
        # Layers with a window stop growing: engines print far fewer tokens than one sequence holds.
        return f"KV cache room for one sequence of {about}{tokens(memory.context_max)} tokens"
    return f"KV cache room for {about}{tokens(memory.kv_tokens_max)} tokens a replica"


def _basis_line(pick: Pick) -> str:
    for performance in (pick.estimate.performance, pick.estimate.training, pick.estimate.at_max):
        if performance is not None and performance.basis == "not_measured":
            return "Not measured: computed from the chip's specifications alone."
    return ""


def _plain_lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in map(plain_line, texts) if line)


@dataclass(frozen=True, slots=True)
class UnshownLimits:
    """The limits of a pick that no line has shown yet."""

    checks: dict[str, LimitCheck]
    percentile: float | None
    fields: dict[str, str]  # the workload field behind a limited figure
    assumed: frozenset[str]  # workload fields the user did not say

    def line(
        self, name: str, value: str, *, field: str = "", spread: str = "", note: str = ""
    ) -> FigureLine:
        """Return a figure; a limit held against `field` is put beside it and then done with."""
        check = self.checks.pop(field, None)
        if check is None:
            return FigureLine(name=name, value=value, spread=spread, note=note)
        assumed = "assumed " if self.fields.get(field) in self.assumed else ""
        return FigureLine(
            name=name,
            value=value,
            spread=spread,
            limit=assumed + limits_met.limit_words(check, self.percentile),
            status=check.verdict,
            verdict=limits_met.verdict_words(check),
            note=note,
        )

    def throughput(
        self, name: str, unit: str, figure: Figure, *, field: str = "", note: str = ""
    ) -> FigureLine:
        """Return a rate with its range."""
        value = f"{quantity(figure.value)} {unit}"
        return self.line(name, value, field=field, spread=plain_range(figure), note=note)


def figure_lines(
    pick: Pick, workload: Workload, assumed: frozenset[str] = frozenset()
) -> Iterator[FigureLine]:
    """Yield every known figure, the ones a reader decides by first; then limits left over."""
    fields = {figure: field for figure, (field, _) in latency_limits(workload).items()}
    fields["time_h"] = "deadline_h"
    held = UnshownLimits({c.field: c for c in pick.limits}, workload.percentile, fields, assumed)
    estimate = pick.estimate
    if estimate.training is not None:
        yield from _training_lines(pick, estimate.training, held, workload)
    if estimate.job is not None:
        yield from _job_lines(pick, held)
    elif estimate.performance is not None:
        yield from _serving_lines(pick, estimate.performance, held, workload)
    if estimate.at_max is not None:
        yield from _full_load_lines(pick, estimate.at_max, held)
    for check in tuple(held.checks.values()):
        name = limits_met.FIELD_WORDS.get(check.field, check.field.replace("_", " "))
        value = limits_met.limit_value(check.field, check.value)
        yield held.line(name, value, field=check.field)


def _serving_lines(
    pick: Pick, performance: Performance, held: UnshownLimits, workload: Workload
) -> Iterator[FigureLine]:
    whole = "whole answer" if workload.output_tokens else "per request"
    tpot = performance.tpot_ms
    rate = f"{quantity(1000 / tpot.value)} tok/s per user" if tpot and tpot.value > 0 else ""
    for field, name, figure, note in (
        ("ttft_ms", "first token", performance.ttft_ms, ""),
        ("tpot_ms", "per token", tpot, rate),
        ("e2e_ms", whole, performance.e2e_ms, ""),
    ):
        if figure is not None:
            spread = ms_range(figure)
            yield held.line(name, ms(figure.value), field=field, spread=spread, note=note)
    yield from _load_lines(pick, performance, held, workload)


def _load_lines(
    pick: Pick, performance: Performance, held: UnshownLimits, workload: Workload
) -> Iterator[FigureLine]:
    """Yield what the asked load gets and costs: output tokens where there is a load."""
    loaded = (workload.concurrency or 0) > 1 or workload.rps is not None
    over = "the asked load is more than this takes" if performance.saturated else ""
    note = over or asked_million_words(pick)
    for field, unit, figure in (
        ("output_tokens_per_s", "tok/s", performance.output_tokens_per_s),
        ("total_tokens_per_s", "tok/s in and out", performance.total_tokens_per_s),
    ):
        if figure is not None and (loaded or field in held.checks):
            yield held.throughput("at your load", unit, figure, field=field, note=note)
            loaded = False


def _full_load_lines(pick: Pick, at_max: Performance, held: UnshownLimits) -> Iterator[FigureLine]:
    """Yield the most the plan puts out: within the stated limits, where there are any."""
    limited = any(field.endswith("_ms") for field in held.checks)
    name = "within limits" if limited else "at full load"
    users = "" if at_max.concurrency is None else f"{count(at_max.concurrency)} at once"
    note = " · ".join(part for part in (users, per_million_words(pick)) if part)
    for unit, figure in (
        ("tok/s", at_max.output_tokens_per_s),
        ("requests/s", at_max.requests_per_s),
        ("tok/s in and out", at_max.total_tokens_per_s),
    ):
        if figure is not None:
            yield held.throughput(name, unit, figure, note=note)
            return


def _training_lines(
    pick: Pick, training: TrainingPerformance, held: UnshownLimits, workload: Workload
) -> Iterator[FigureLine]:
    yield from _job_lines(pick, held)
    accelerators = max(1, pick.estimate.plan.accelerators)
    speed = training.tokens_per_s_per_accelerator
    whole = Figure(*(v * accelerators for v in (speed.value, speed.low, speed.high)))
    bound = f"bound by {_BOUND_WORDS[training.bound_by]}"
    yield held.throughput("speed", "tok/s", whole, note=bound)
    mfu = training.mfu
    spread = f"({mfu.low:.0%}–{mfu.high:.0%})"
    yield held.line("MFU", f"{mfu.value:.0%}", spread=spread, note=_step_words(training, workload))


def _job_lines(pick: Pick, held: UnshownLimits) -> Iterator[FigureLine]:
    time_h, total = _time_h(pick), pick.cost.usd_total
    if time_h is None:
        return
    spread = hours_range(time_h)
    yield held.line("time to finish", hours(time_h.value), field="time_h", spread=spread)
    if total is None or time_h.value <= 0:
        return
    hourly = total / (time_h.value + SET_UP_H)
    low, high = (hourly * (bound + SET_UP_H) for bound in (time_h.low, time_h.high))
    rate = price_words(pick).partition(" · ")[0]
    start = f"{hours(time_h.value)} and {hours(SET_UP_H)} of start at {rate}"
    notes = (start, per_million_words(pick))
    yield held.line(
        "total cost",
        usd_estimated(total),
        field="usd_total",
        spread=f"({usd_estimated(low)}–{usd_estimated(high)})",
        note=" · ".join(note for note in notes if note),
    )


def _step_words(training: TrainingPerformance, workload: Workload) -> str:
    if training.step_s is None:
        return ""
    batch = workload.global_batch_tokens
    of = f" for {tokens(batch)} tokens" if batch else ""
    return f"step {ms(training.step_s.value * 1000)}{of}"
