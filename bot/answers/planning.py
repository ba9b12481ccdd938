"""What the plan turns share: a plan, worded by its template, becomes a reply."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from bot.answers.question_asked import computed_reply, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.card_view import echo
from bot.cards.notices import plan_view
from bot.core.wording import assumed_view, price_note
from engine.core.result import Recommendation
from engine.core.workload import Workload
from engine.plans.sides import chosen

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DROPPED_NOTES = frozenset({"two_tasks"})  # a plan over several stages takes both tasks


def plan_reply(
    turn: Turn,
    kind: str,
    plan: "DataclassInstance",
    result: Recommendation,
    *others: Recommendation,
    **values: object,
) -> Reply:
    """Return a plan in words and as figures; `others` are answers the plan rests on as well."""
    view = plan_view(
        kind,
        notes=tuple(_plan_notes(turn, (*others, result))),
        plan=plan,
        model=short(result),
        workload=told(result),
        region=result.workload.region,
        chips=turn.world.catalog.accelerators,
        lines=turn.world.catalog.neuron_lines,
        **values,
    )
    figures: dict[str, Any] = {
        "kind": kind,
        **asdict(plan),
        "sections": [asdict(section) for section in view.sections],
    }
    return computed_reply(turn, view, result, plan=figures)


def about(turn: Turn, **changes: Any) -> Turn:  # noqa: ANN401 - fields of a workload, each typed
    """Return the turn with fields of its workload changed."""
    workload = replace(turn.workload, **changes)
    return replace(turn, understanding=replace(turn.understanding, workload=workload))


def one_model(workload: Workload) -> dict[str, Any]:
    """Return the changes that leave one model of several: plans are made for one at a time."""
    if workload.model is not None or not workload.models:
        return {}
    return {"model": workload.models[0], "models": None}


def _plan_notes(turn: Turn, results: tuple[Recommendation, ...]) -> Iterator[str]:
    """Yield what the text was read as, what was assumed, and where prices come from."""
    understood = turn.understanding
    for code, note in zip(understood.codes, understood.notes, strict=False):
        if code not in DROPPED_NOTES:
            yield note
    yield from map(echo, understood.not_understood)
    assumed = results[-1].assumptions
    if assumed:
        yield f"Assumed: {', '.join(assumed_view(a).value for a in assumed)}."
    picks = [pick for pick in map(chosen, results) if pick is not None]
    yield from dict.fromkeys(
        f"Price of {pick.instance.instance_type}: {price_note(pick.quote)}." for pick in picks
    )
    unmeasured = [
        pick.instance.instance_type
        for pick in picks
        if any(
            timed is not None and timed.basis == "not_measured"
            for timed in (pick.estimate.performance, pick.estimate.training)
        )
    ]
    if unmeasured:
        names = ", ".join(dict.fromkeys(unmeasured))
        yield f"Not measured, computed from specifications alone: {names}."
