"""How long until it serves, in words: each part of a start with what it rests on."""

from collections.abc import Iterator
from typing import Final

from bot.answers.facts.subject import Subject, subject_of, table_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.figures import quantity
from catalog.reference import start_figures
from engine.core.result import Number
from engine.plans.startup import PartName, StartEstimate, StartPart, StartTime, start_estimate

COLUMNS: Final = ("step", "takes", "range", "what it is")
PARTS: Final[dict[PartName, str]] = {
    "node": "machine ready",
    "image": "image",
    "weights": "weights",
    "load": "into memory",
    "engine": "server starts",
}
BOUND_WORDS: Final = {
    "network": "the network's sustained rate",
    "gp3": "a gp3 volume as it comes",
    "nvme": "the local disk",
}
NOT_COMPILED: Final = (
    "On Neuron the first start compiles for tens of minutes, unless the compiled model is kept on a"
    " volume."
)
NOT_MEASURED: Final = (
    "Not measured on this machine: sizes over rates, and starts that others published."
)
S_PER_MINUTE: Final = 60.0
SHORTEST_IN_MINUTES: Final = 120.0


def startup_turn(turn: Turn) -> Reply:
    """Return how long a new machine takes until it serves, and a restart on one that runs."""
    subject = subject_of(turn)
    start = start_of(subject)
    rows = [_part_row(part, start) for part in start.parts]
    whole, spread = time_words(start.first.seconds), range_words(start.first)
    rows.append(("together", whole, spread, "one after the other"))
    told = f"{subject.name}: about {whole} {spread} from launch until it serves"
    if subject.pick is None:
        told += ", without the weights: name a model"
    return table_reply(
        turn,
        subject,
        title=f"How long until {subject.name} serves",
        line=f"{told}; a restart on a machine that runs {time_words(start.again.seconds)}.",
        columns=COLUMNS,
        rows=rows,
        notes=tuple(_start_notes(subject, start)),
        numbers=(Number("start", start.first.seconds, "s"), _restart(start)),
        verdict="computed",
    )


def start_of(subject: Subject) -> StartEstimate:
    """Return how long a start of the subject's machine takes."""
    return start_estimate(subject.instance, start_figures(), subject.result, subject.pick)


def time_words(seconds: float) -> str:
    """Return `45 s` or `6.5 min`."""
    if seconds < SHORTEST_IN_MINUTES:
        return f"{quantity(seconds)} s"
    return f"{quantity(seconds / S_PER_MINUTE)} min"


def range_words(time: StartTime) -> str:
    """Return the range in the unit of the time: `(3–13)`; nothing where there is none."""
    if time.low_s == time.high_s:
        return ""
    unit = 1.0 if time.seconds < SHORTEST_IN_MINUTES else S_PER_MINUTE
    return f"({quantity(time.low_s / unit)}–{quantity(time.high_s / unit)})"


def _restart(start: StartEstimate) -> Number:
    return Number("restart", start.again.seconds, "s")


def _part_row(part: StartPart, start: StartEstimate) -> tuple[str, ...]:
    what = _part_words(part, start)
    return PARTS[part.name], time_words(part.time.seconds), range_words(part.time), what


def _part_words(part: StartPart, start: StartEstimate) -> str:
    """Return what happens in a part: a size over a rate, or what was published."""
    if part.name == "load" and part.figure is not None and part.gb is not None:
        many = f", at best {start.devices} side by side" if start.devices > 1 else ""
        return f"{quantity(part.gb)} GB at {part.figure.value:g} GB/s{many}"
    if part.gb is None:
        return "" if part.figure is None else part.figure.what
    of = f" of {start.dtype}" if part.name == "weights" else ""
    rate = f"{quantity(start.rate_gb_s)} GB/s: {BOUND_WORDS[start.bound_by]}"
    return f"{quantity(part.gb)} GB{of} at {rate}"


def _start_notes(subject: Subject, start: StartEstimate) -> Iterator[str]:
    """Yield what would be faster, and the source of each part."""
    if subject.instance.neuron:
        yield NOT_COMPILED
    if subject.pick is not None:
        if start.saved_s > 1:
            faster = time_words(start.first.seconds - start.saved_s)
            yield f"With volumeThroughput 1000 on the gp3 volume: {faster}."
        yield NOT_MEASURED
    for part in start.parts:
        if part.figure is not None:
            yield f"{PARTS[part.name].capitalize()}: {part.figure.source}."
