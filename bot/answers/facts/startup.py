"""How long until it serves: launch, image, weights, load, engine, each with what it rests on."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from bot.answers.facts.subject import Subject, subject_of, table_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.figures import quantity
from catalog.reference import StartFigure, start_figures
from engine.core.result import Number
from engine.plans.scaling import ScaleUp, Start, copy_rate, scale_up_of
from engine.plans.sides import loaded_gb, side_of

COLUMNS: Final = ("step", "takes", "range", "what it is")
BOUND_WORDS: Final = {
    "network": "the network's sustained rate",
    "gp3": "a gp3 volume as it comes",
    "nvme": "the local disk",
}
NOT_COMPILED: Final = (
    "On Neuron the first start compiles for tens of minutes, unless the compiled model is kept on a"
    " volume."
)
S_PER_MINUTE: Final = 60.0
SHORTEST_IN_MINUTES: Final = 120.0


class StartPart(NamedTuple):
    """A part of a start: its seconds with their range, what happens, and what says so."""

    name: str
    seconds: float
    low_s: float
    high_s: float
    what: str
    source: str
    again: bool  # a restart on a machine that runs takes it too


def startup_turn(turn: Turn) -> Reply:
    """Return how long a new machine takes until it serves, and a restart on one that runs."""
    subject, start = subject_of(turn), start_figures()
    parts = list(_start_parts(subject, start))
    first = _total(parts)
    again = _total([part for part in parts if part.again], engine_s=start["engine_again"].value)
    rows = [_part_row(part) for part in parts]
    rows.append(("together", *first.words, "one after the other"))
    told = f"{subject.name}: about {first.words[0]} {first.words[1]} from launch until it serves"
    if subject.pick is None:
        told += ", without the weights: name a model"
    return table_reply(
        turn,
        subject,
        title=f"How long until {subject.name} serves",
        line=f"{told}; a restart on a machine that runs {again.words[0]}.",
        columns=COLUMNS,
        rows=rows,
        notes=(
            NOT_COMPILED if subject.instance.neuron else "",
            *_faster(subject, start, first),
            *(f"{part.name.capitalize()}: {part.source}." for part in parts if part.source),
        ),
        numbers=(Number("start", first.seconds, "s"), Number("restart", again.seconds, "s")),
        verdict="computed",
    )


def startup_s(subject: Subject) -> float:
    """Return the seconds from launch until a new machine serves."""
    return _total(list(_start_parts(subject, start_figures()))).seconds


class StartTime(NamedTuple):
    """Seconds with their range."""

    seconds: float
    low_s: float
    high_s: float

    @property
    def words(self) -> tuple[str, str]:
        """The time and its range: `6 min`, `(3–13)`."""
        return time_words(self.seconds), range_words(self.low_s, self.high_s, self.seconds)


def time_words(seconds: float) -> str:
    """Return `45 s` or `6.5 min`."""
    if seconds < SHORTEST_IN_MINUTES:
        return f"{quantity(seconds)} s"
    return f"{quantity(seconds / S_PER_MINUTE)} min"


def range_words(low_s: float, high_s: float, seconds: float) -> str:
    """Return the range in the unit of `seconds`: `(3–13)`; nothing where there is none."""
    if low_s == high_s:
        return ""
    unit = 1.0 if seconds < SHORTEST_IN_MINUTES else S_PER_MINUTE
    return f"({quantity(low_s / unit)}–{quantity(high_s / unit)})"


def _start_parts(subject: Subject, start: Start) -> Iterator[StartPart]:
    """Yield the parts in their order; the weights only where a model is known."""
    rate, bound_by = copy_rate(subject.instance, start["gp3"].value, start)
    how = f"at {quantity(rate)} GB/s: {BOUND_WORDS[bound_by]}"
    yield _published_part("machine ready", start["node"])
    image = start["image"]
    image_s = (image.value / rate, image.low / rate, image.high / rate)
    yield StartPart(
        "image", *image_s, f"{quantity(image.value)} GB {how}", image.source, again=False
    )
    if subject.pick is not None and subject.result is not None:
        side = side_of(subject.pick)
        up = scale_up_of(subject.pick, side, loaded_gb(subject.result, subject.pick), start)
        here = min(side.tensor_parallel, subject.instance.accelerators) or 1
        yield from _weight_parts(up, start["load"], side.dtype, how, here)
    compiles = subject.instance.accelerators > 0
    yield _published_part(
        "server starts", start["engine" if compiles else "engine_again"], again=True
    )


def _published_part(name: str, figure: StartFigure, *, again: bool = False) -> StartPart:
    bounds = (figure.value, figure.low, figure.high)
    return StartPart(name, *bounds, figure.what, figure.source, again=again)


def _weight_parts(
    up: ScaleUp, load: StartFigure, dtype: str, how: str, devices: int
) -> Iterator[StartPart]:
    here_gb = up.weights_s * up.rate_gb_s
    copied = f"{quantity(here_gb)} GB of {dtype} {how}"
    took = (up.weights_s, up.weights_s, up.weights_s)
    yield StartPart("weights", *took, copied, "", again=False)
    # The rates are of one GPU; at best as many as hold a replica load side by side.
    fastest = here_gb / (load.high * devices)
    seconds = (here_gb / load.value, fastest, here_gb / load.low)
    side_by_side = f", at best {devices} side by side" if devices > 1 else ""
    what = f"{quantity(here_gb)} GB at {load.value:g} GB/s{side_by_side}"
    yield StartPart("into memory", *seconds, what, load.source, again=True)


def _total(parts: list[StartPart], *, engine_s: float | None = None) -> StartTime:
    """Return the sum; `engine_s` takes the place of the first start of the server."""
    last = (
        parts[-1]
        if engine_s is None
        else parts[-1]._replace(seconds=engine_s, low_s=engine_s, high_s=engine_s)
    )
    every = [*parts[:-1], last]
    return StartTime(
        sum(part.seconds for part in every),
        sum(part.low_s for part in every),
        sum(part.high_s for part in every),
    )


def _part_row(part: StartPart) -> tuple[str, ...]:
    spread = range_words(part.low_s, part.high_s, part.seconds)
    return part.name, time_words(part.seconds), spread, part.what


def _faster(subject: Subject, start: Start, first: StartTime) -> Iterator[str]:
    """Yield what a volume with its throughput bought up would save."""
    if subject.pick is None or subject.result is None:
        return
    weights_gb = loaded_gb(subject.result, subject.pick)
    up = scale_up_of(subject.pick, side_of(subject.pick), weights_gb, start)
    saved = up.total_s - up.best_total_s
    if saved > 1:
        yield (
            f"With volumeThroughput 1000 on the gp3 volume: {time_words(first.seconds - saved)}."
        )
    yield "Not measured on this machine: sizes over rates, and starts that others published."
