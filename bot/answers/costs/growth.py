"""How far the machines of an answer go: the most they carry, and what gives way first."""

from collections.abc import Iterator
from dataclasses import replace

from bot.answers.pick import recommendation_of
from bot.answers.question_asked import computed_reply, notes_of, serving_question, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import ms, percent, quantity, times, tokens
from bot.core.wording import machines
from engine.core.people import rates_of, use_case_of
from engine.core.question import Question
from engine.core.result import Number, Pick, Recommendation
from engine.pick.explain import Explanation
from engine.pick.reasons import UNIT
from engine.what_if.capacity import LARGEST, LoadField, load_field
from engine.what_if.growth import Break, Growth, growth, growth_without_one

WORDS: dict[LoadField, str] = {"rps": "requests/s", "concurrency": "requests in flight"}
COLUMNS = ("what grows", "at most", "now", "what gives way")
IN_FLIGHT = (
    "Requests in flight are users who each wait for an answer at that moment; who reads or types"
    " adds nothing."
)


def growth_turn(turn: Turn) -> Reply:
    """Return the most that the pick's machines carry and what gives way above it.

    Raises:
        RequestError: the workload is no service with a model.
    """
    result = recommendation_of(turn)
    question = serving_question(turn, result, "Capacity")
    shown = (result.asked, *result.picks, *result.closest)
    pick = next((pick for pick in shown if pick is not None), None)
    pick = _as_many_as_named(pick, result, question)
    if pick is None:
        from bot.answers.picks.explain import explain_turn

        return explain_turn(turn)
    return _reply(turn, result, question, pick)


def _as_many_as_named(pick: Pick | None, result: Recommendation, question: Question) -> Pick | None:
    """Return just as many of a type as were named or run today, where they hold the model."""
    verdict = result.verdict
    instance = None if verdict is None else question.catalog.instances.get(verdict.name)
    if pick is None or verdict is None or instance is None or verdict.estimate is None:
        return pick
    if verdict.named == "doubted":
        return pick
    return replace(pick, instance=instance, instances=verdict.count, estimate=verdict.estimate)


def _reply(turn: Turn, result: Recommendation, question: Question, pick: Pick) -> Reply:
    field = load_field(question)
    other: LoadField = "concurrency" if field == "rps" else "rps"
    found = growth(pick, question, field)
    also = growth(pick, question, other)
    name = machines(pick.instance.instance_type, pick.instances)
    lead = _growth_lead(name, found, also, question)
    rows = [
        _load_row(found),
        _load_row(also),
        *_memory_rows(pick, question),
        _machines_row(pick, question, found),
    ]
    title = f"How far {name} goes for {short(result)}"
    text = f"{lead} Asked: {told(result)}."
    view = table_view(title, text, COLUMNS, rows, notes_of(turn, result, IN_FLIGHT))
    explanation = Explanation(name, "computed", tuple(_growth_numbers(found, also)), lead)
    return computed_reply(turn, view, result, explanation=explanation)


def _growth_lead(name: str, found: Growth, also: Growth, question: Question) -> str:
    if found.most is None:
        return f"{name} carries no load within every limit: {_gives_way(found)}."
    planned = _planned_words(name, found if found.field == "rps" else also, question)
    most = f"{quantity(found.most)} {WORDS[found.field]}"
    if also.most is not None:
        most += f" (or {quantity(also.most)} {WORDS[also.field]})"
    beside = ""
    if found.headroom is not None and found.asked is not None:
        beside = f", {times(found.headroom)} the {quantity(found.asked)} asked for"
    return (
        f"{planned}{name} carries up to {most} within every limit{beside}. First to go: "
        f"{_gives_way(found)}."
    )


def _planned_words(name: str, arriving: Growth, question: Question) -> str:
    """Return what to plan with, as requests and as people; "" where no rate is carried."""
    if arriving.most is None or question.model is None:
        return ""
    share = question.coefficients.serving.shared.planned_load_share
    planned = share * arriving.most
    use_cases = question.catalog.use_cases
    case = use_case_of(question.said, question.model, use_cases)
    each = 0.0 if case is None else rates_of(question.said, case, use_cases).requests_per_s(1.0)
    people = ""
    if case is not None and each > 0:
        people = f", about {planned / each:,.0f} users of a {case.use_case.replace('_', ' ')}"
    return f"Plan {name} for {quantity(planned)} requests/s{people}: {percent(share)} of its most. "


def _gives_way(found: Growth) -> str:
    if found.breaks is None:
        return f"nothing up to {LARGEST[found.field]:,.0f} {WORDS[found.field]}"
    missed = found.breaks.missed
    if missed is None:
        return "requests arrive faster than they are finished, and the queue grows without end"
    return (
        f"the {UNIT[missed.field][0]} passes its limit of {ms(missed.limit)}{_bound(found.breaks)}"
    )


def _bound(broken: Break) -> str:
    """Return what the machine spends its time on at that load."""
    return f" (bound by {broken.performance.bound_by.replace('_', ' ')})"


def _load_row(found: Growth) -> tuple[str, ...]:
    most = "none" if found.most is None else quantity(found.most)
    asked = "" if found.asked is None else quantity(found.asked)
    return (WORDS[found.field], most, asked, _gives_way(found))


def _memory_rows(pick: Pick, question: Question) -> Iterator[tuple[str, ...]]:
    memory, performance = pick.estimate.memory, pick.estimate.performance
    if memory.sequences_max is not None:
        held = memory.sequences_max * max(1, pick.estimate.plan.data_parallel)
        flying = None if performance is None else performance.concurrency
        now = "" if flying is None else quantity(flying)
        why = "the KV cache is full: further requests wait for room"
        yield ("requests held in memory at once", f"{int(held):,}", now, why)
    if memory.context_max is not None:
        window = None if question.model is None else question.model.max_context
        by_model = window is not None and window <= memory.context_max
        most = window if by_model and window is not None else memory.context_max
        why = "the model's own window ends" if by_model else "one sequence fills the KV cache"
        now = "" if question.workload.context is None else tokens(question.workload.context)
        yield ("tokens of one sequence", f"{most:,}", now, why)


def _machines_row(pick: Pick, question: Question, found: Growth) -> tuple[str, ...]:
    """Return what is left when one machine is lost."""
    now = f"{pick.instances} up"
    if pick.instances == 1:
        return ("machines lost", "0", now, "one machine: nothing is served while it is away")
    fewer = growth_without_one(pick, question, found.field)
    if fewer is None:
        return ("machines lost", "0", now, "each copy needs all its machines")
    if fewer.most is None or found.most is None:
        return ("machines lost", "0", now, "the rest carries no load within every limit")
    left = f"the rest carries {quantity(fewer.most)} {WORDS[found.field]}"
    if found.asked is None:
        return ("machines lost", "1", now, left)
    enough = fewer.most >= found.asked
    share = percent(min(1.0, fewer.most / found.asked))
    return ("machines lost", "1" if enough else "0", now, f"{left}, {share} of the load asked for")


def _growth_numbers(*every: Growth) -> Iterator[Number]:
    for found in every:
        if found.most is not None:
            yield Number(f"most {WORDS[found.field]}", found.most, "", found.asked)
        missed = None if found.breaks is None else found.breaks.missed
        if missed is not None:
            name, unit = UNIT[missed.field]
            yield Number(f"{name} above {WORDS[found.field]}", missed.value, unit, missed.limit)
