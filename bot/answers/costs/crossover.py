"""The cheapest type at every load, as a table with the price drawn along it."""

from dataclasses import replace
from math import log10

from bot.answers.pick import recommendation_of
from bot.answers.question_asked import (
    compared,
    computed_reply,
    notes_of,
    serving_question,
    short,
    told,
)
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.pictures.of_answer import crossover_picture
from bot.cards.table import table_view
from bot.core.figures import usd_estimated, usd_per_hour
from engine.core.option import Option
from engine.core.question import Question
from engine.pick.explain import Explanation
from engine.pick.rank import SAFE_PREMIUM
from engine.pick.recommend import with_workload
from engine.pick.serving import MAX_INSTANCES, ServingEvaluator
from engine.what_if.capacity import LoadField, Unit, at_load, load_field, units
from engine.what_if.crossover import (
    DEFAULT_RANGE,
    Crossover,
    LoadRange,
    Winner,
    cheapest,
    crossover,
)

COLUMNS = ("from", "to", "instance_type", "instances", "usd_per_hour", "usd_per_million_tokens")
WORDS = {"rps": "requests/s", "concurrency": "users at once"}
ROWS_SHOWN = 14
BAR_CELLS = 16


def crossover_turn(turn: Turn) -> Reply:
    """Return who wins from which load to which, from one user (or 0.1 requests/s) to 1,000.

    Loads that the text lists are the rows instead.
    """
    result = recommendation_of(turn)
    question = serving_question(turn, result, "Crossover")
    question = with_workload(question, instance=None, objective="cost")
    field = load_field(question)
    asked = _loads_listed(turn, field)
    low, high = (asked[0], asked[-1]) if asked else _load_range(turn, field)
    found = units(question, field)
    lines = crossover(found, field, low, high)
    ends = [_ends(segment, question, lines) for segment in lines.segments]
    aloud = _told_at(found, asked, field) if asked else _told_aloud(lines)
    view = table_view(
        f"Cheapest at {'each of these loads' if asked else 'every load'}: {short(result)}",
        aloud if asked else _crossover_lead(lines, told(result)),
        (WORDS[field], "cheapest", "machines", "$/h", "$/1M tokens", "$/h, log scale"),
        _crossover_rows(lines, ends, found, question, asked),
        notes_of(turn, result, *(() if asked else _crossover_notes(lines))),
    )
    explanation = Explanation(short(result), "computed", (), aloud)
    rows = (_json_row(s, million) for s, million in zip(lines.segments, ends, strict=True))
    comparison = compared("crossover", COLUMNS, rows, field=field, carried_to=lines.carried_to)
    picture = crossover_picture(lines, WORDS[field], short(result))
    reply = computed_reply(turn, view, result, explanation=explanation, comparison=comparison)
    return replace(reply, picture=picture)


def _load_range(turn: Turn, field: LoadField) -> tuple[float, float]:
    """Return the usual range, up to the load that was named where that is more."""
    low, high = DEFAULT_RANGE[field]
    return low, max(high, getattr(turn.workload, field) or 0.0)


def _loads_listed(turn: Turn, field: LoadField) -> tuple[float, ...]:
    """Return the loads that the text lists, the smallest first; empty where it lists none."""
    said = turn.understanding.alternatives.get(field, ())
    return tuple(sorted(load for load in said if isinstance(load, float)))


def _crossover_lead(lines: Crossover, workload: str) -> str:
    word = WORDS[lines.field]
    if not lines.segments:
        return f"No single type carries {lines.low:g} {word} within the limits. {workload}."
    winners = len({segment.name for segment in lines.segments})
    reach = f"{lines.low:g} to {lines.carried_to:,.4g} {word}"
    changes = len(lines.segments) - 1
    return f"{reach}: {winners} types win, the cheapest changes {changes} times. {workload}."


def _crossover_notes(lines: Crossover) -> tuple[str, ...]:
    notes = [
        f"Where the cheapest may miss a limit, a pick is what does not, at up to {SAFE_PREMIUM:g}×."
    ]
    if len(lines.segments) > ROWS_SHOWN:
        notes.append(f"Shown at round loads; all {len(lines.segments)} stretches are in --json.")
    if 0 < lines.carried_to < lines.high:
        word = WORDS[lines.field]
        notes.append(f"Above {lines.carried_to:,.4g} {word} no type does it on 64 machines.")
    return tuple(notes)


def _ends(
    segment: LoadRange, question: Question, lines: Crossover
) -> tuple[float | None, float | None]:
    """Return $ per million output tokens at both ends of a segment."""
    return tuple(_usd_per_million_at(w, question, lines) for w in (segment.first, segment.last))  # type: ignore[return-value]


def _usd_per_million_at(winner: Winner, question: Question, lines: Crossover) -> float | None:
    """Return what a million output tokens cost at that load, from the real evaluation."""
    load = winner.load * (1 - 1e-6) if lines.field == "rps" else winner.load
    found = ServingEvaluator(at_load(question, lines.field, load)).evaluate(winner.unit.instance)
    figure = found.figure("output_tokens_per_s") if isinstance(found, Option) else None
    if figure is None:
        return None
    return 1e6 * winner.usd_per_hour / 3600 / figure.value


def _crossover_rows(
    lines: Crossover,
    ends: list[tuple[float | None, float | None]],
    found: list[Unit],
    question: Question,
    asked: tuple[float, ...],
) -> list[tuple[str, ...]]:
    """Return a row for each load asked; without, one a stretch, or a round load where too many."""
    if asked:
        placed = ((load, cheapest(found, load)) for load in asked)
        return [_row_at(w, question, lines) if w else _row_without(load) for load, w in placed]
    if len(lines.segments) <= ROWS_SHOWN:
        return [
            _segment_row(s, million, lines) for s, million in zip(lines.segments, ends, strict=True)
        ]
    winners = (cheapest(found, load) for load in _round_loads(lines))
    return [_row_at(winner, question, lines) for winner in winners if winner is not None]


def _round_loads(lines: Crossover) -> list[float]:
    """Return 1, 2, 5, 10, … within what is carried."""
    series = (digit * 10.0**power for power in range(-3, 6) for digit in (1, 2, 5))
    return [load for load in series if lines.low <= load <= lines.carried_to]


def _row_at(winner: Winner, question: Question, lines: Crossover) -> tuple[str, ...]:
    million = _usd_per_million_at(winner, question, lines)
    return (
        _load_cell(winner.load),
        winner.unit.name,
        str(winner.instances),
        usd_per_hour(winner.usd_per_hour),
        "" if million is None else usd_estimated(million),
        _price_bar(winner.usd_per_hour, lines),
    )


def _row_without(load: float) -> tuple[str, ...]:
    return (_load_cell(load), f"none on {MAX_INSTANCES} machines", "", "", "", "")


def _segment_row(
    segment: LoadRange, million: tuple[float | None, float | None], lines: Crossover
) -> tuple[str, ...]:
    first, last = segment.first, segment.last
    return (
        _span(_load_cell(first.load), _load_cell(last.load)),
        segment.name,
        _span(str(first.instances), str(last.instances)),
        _span(usd_per_hour(first.usd_per_hour), usd_per_hour(last.usd_per_hour)),
        _span(*("" if value is None else usd_estimated(value) for value in million)),
        _price_bar(last.usd_per_hour, lines),
    )


def _load_cell(load: float) -> str:
    return f"{load:,.0f}" if load >= 100 or load == int(load) else f"{load:.3g}"


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} – {last}"


def _price_bar(usd: float, lines: Crossover) -> str:
    least = lines.segments[0].first.usd_per_hour
    most = max(segment.last.usd_per_hour for segment in lines.segments)
    share = 1.0 if most <= least else log10(usd / least) / log10(most / least)
    return "█" * max(1, round(BAR_CELLS * share))


def _json_row(
    segment: LoadRange, million: tuple[float | None, float | None]
) -> tuple[str, list[object]]:
    first, last = segment.first, segment.last
    return segment.name, [
        first.load,
        last.load,
        segment.name,
        [first.instances, last.instances],
        [first.usd_per_hour, last.usd_per_hour],
        list(million),
    ]


def _told_at(found: list[Unit], loads: tuple[float, ...], field: LoadField) -> str:
    """Return the cheapest at each of the loads that were asked about."""
    parts = []
    for load in loads:
        winner = cheapest(found, load)
        told = "no single type" if winner is None else _winner_machines(winner)
        parts.append(f"{_load_cell(load)} {WORDS[field]}: {told}")
    return "; ".join(parts) + "."


def _winner_machines(winner: Winner) -> str:
    return f"{winner.instances}x {winner.unit.name} at {usd_per_hour(winner.usd_per_hour)}"


def _told_aloud(lines: Crossover) -> str:
    word = WORDS[lines.field]
    parts = [
        f"{_span(_load_cell(s.first.load), _load_cell(s.last.load))} {word}: {s.name}"
        for s in lines.segments[:ROWS_SHOWN]
    ]
    return "; ".join(parts) + "." if parts else "No single type carries the load."
