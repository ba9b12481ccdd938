"""One pick as the card shows it: money, figures beside their limits, memory, reasons."""

from bot.cards.figure_lines import figure_lines
from bot.cards.price_lines import price_words
from bot.core.figures import gib, hours, hours_range, plain_line, tokens, usd_estimated
from bot.core.views import BarSegment, MemoryBar, PickView
from bot.core.wording import (
    MARKET_WORDS,
    device_noun,
    hardware,
    machines,
    price_note,
    serving_plan,
    training_plan,
)
from engine.core.estimate import Memory
from engine.core.result import Pick
from engine.core.workload import Workload


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
        headline=_training_headline(pick) if training else price_words(pick),
        market=MARKET_WORDS[pick.quote.market],
        bought=pick.quote.market,
        price_note=price_note(pick.quote),
        priced_on=pick.quote.as_of,
        usd_per_hour=pick.quote.usd_per_hour,
        plan=training_plan(plan, workload) if training else serving_plan(plan),
        figures=tuple(figure_lines(pick, workload, assumed)),
        memory=memory_bar(pick.estimate.memory, device_noun(pick.instance), training=training),
        basis=_basis_line(pick),
        why=tuple(line for line in _plain_lines(pick.why) if line != pick.label),
        caveats=_plain_lines(pick.caveats),
    )


def _training_headline(pick: Pick) -> str:
    training = pick.estimate.training
    time_h = None if training is None else training.time_h
    total = pick.cost.usd_total
    if time_h is None or total is None:
        return price_words(pick)
    return f"{usd_estimated(total)} in total · {hours(time_h.value)} {hours_range(time_h)}"


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
    segments = tuple(BarSegment(name, gib(v), v / whole) for name, v in parts if v > 0)
    return MemoryBar(
        name="host memory" if noun == "host" else f"memory per {noun}",
        segments=segments,
        summary=_memory_summary(segments, memory),
        room=_kv_room(memory),
    )


def _memory_summary(segments: tuple[BarSegment, ...], memory: Memory) -> str:
    listed = " · ".join(f"{s.gib} {s.name}" for s in segments)
    if memory.total > memory.available:
        return f"{listed}: needs {gib(memory.total)} of {gib(memory.available)} GiB"
    return f"{listed} of {gib(memory.available)} GiB"


def _kv_room(memory: Memory) -> str:
    if memory.kv_tokens_max is None:
        return ""
    about = "about " if memory.approximate else ""
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
