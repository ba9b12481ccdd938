"""What the turns that compute beyond a pick share: the question as filled in, and the reply."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.card_view import echo
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.wording import assumed_view, model_words, workload_words
from engine.core.question import Question
from engine.core.result import Recommendation
from engine.pick.explain import Explanation

if TYPE_CHECKING:
    from bot.core.views import View

PER_MILLION = "tokens_ambiguous"  # "per 1M tokens" is a unit here, not a load


def question_of(turn: Turn, result: Recommendation) -> Question:
    """Return the question behind a recommendation: what was said with what was assumed."""
    return Question(
        workload=result.workload,
        said=result.said,
        model=result.model,
        catalog=turn.world.catalog,
        coefficients=turn.world.coefficients,
    )


def serving_question(turn: Turn, result: Recommendation, subject: str) -> Question:
    """Return the question, of a service with a model.

    Raises:
        RequestError: it is about training, or about no model at all.
    """
    question = question_of(turn, result)
    if question.trains or question.model is None:
        raise RequestError(
            "invalid_value",
            f"{subject} is worked out for a model that serves requests.",
            field="task",
            example=f"{subject.lower()} {example('a_load')}",
        )
    return question


def computed_reply(
    turn: Turn,
    view: "View",
    result: Recommendation,
    *,
    explanation: Explanation | None = None,
    comparison: dict[str, Any] | None = None,
    plan: dict[str, Any] | None = None,
) -> Reply:
    """Return the reply of a computed answer; the thread goes on from its workload."""
    return Reply(
        request=turn.request,
        intent=turn.understanding.intent,
        view=view,
        workload=turn.workload,
        recommendation=result,
        explanation=explanation,
        comparison=comparison,
        plan=plan,
        notes=turn.understanding.notes,
    )


def compared(
    kind: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[object]]],
    **figures: object,
) -> dict[str, Any]:
    """Return a comparison as JSON: `figures`, then each row's name and values under `columns`."""
    named = [{"name": name, "values": list(values)} for name, values in rows]
    return {"kind": kind, **figures, "columns": list(columns), "rows": named}


def told(result: Recommendation) -> str:
    """Return the workload in words, as the answer took it."""
    return workload_words(result.model, result.workload)


def short(result: Recommendation) -> str:
    """Return what runs, in a few words for a title."""
    return model_words(result.model, result.workload)


def notes_of(turn: Turn, result: Recommendation, *more: str) -> tuple[str, ...]:
    """Return the readings and assumptions that an answer must state, after its own notes."""
    assumed = ", ".join(assumed_view(assumption).value for assumption in result.assumptions)
    understood = turn.understanding
    read = (
        note
        for code, note in zip(understood.codes, understood.notes, strict=False)
        if code != PER_MILLION
    )
    left = (echo(span) for span in understood.not_understood)
    return (*more, *read, *left, f"Assumed: {assumed}." if assumed else "")
