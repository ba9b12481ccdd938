"""Another pick than the first: "the second one", "the safest", "something bigger"."""

from dataclasses import replace
from typing import Final

from bot.answers.pick import numbered_picks, pick_turn, recommendation_of, shown_picks
from bot.answers.planning import about
from bot.answers.question_asked import question_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from catalog.names import resolve_model
from engine.core.result import Pick
from engine.pick.recommend import evaluate, with_workload
from engine.what_if.sizing import next_in_size

ORDINALS: Final = {1: "first", 2: "second", 3: "third"}
SIZED: Final = frozenset({"bigger", "smaller"})


def choose_turn(turn: Turn) -> Reply:
    """Return the card of the pick that was chosen; the thread goes on with it.

    Where no bigger or smaller machine meets the limits the answer stays, and says so.

    Raises:
        RequestError: there is no such pick.
    """
    asked = turn.understanding.asked.choice or "1"
    if turn.previous is not None and turn.previous.models:
        return _model_chosen(turn, turn.previous.models, asked)
    before = turn if turn.previous is None else about(turn, **_fields_of(turn))
    if asked in SIZED:
        return _sized(turn, before, asked)
    name = _type_listed(before, asked)
    if name is None:
        example = "more options"
        message = f"The answer before has no {_choice_words(asked).removeprefix('the ')} pick."
        if asked == "safest":
            message = "No pick here has its whole range within the limits: any may miss one."
        raise RequestError("invalid_value", message, example=example)
    return _reply_with(turn, f"Read “{_choice_words(asked)}” as {name}.", instance=name)


def _model_chosen(turn: Turn, models: tuple[str, ...], asked: str) -> Reply:
    """Return the card of one of the models that were compared: by its place, or by its size."""
    catalog = turn.world.catalog

    def size_b(name: str) -> float:
        model = resolve_model(catalog, name)
        return 0.0 if model is None else model.total_params_b

    by_size = sorted(models, key=size_b)
    if asked in SIZED:
        name = by_size[-1] if asked == "bigger" else by_size[0]
    else:
        place = int(asked) - 1 if asked.isdigit() else len(models) - 1
        name = models[min(place, len(models) - 1)]
    one = about(turn, model=name, models=None)
    note = f"Read “{_choice_words(asked)}” as {name}."
    understood = replace(one.understanding, notes=(*turn.understanding.notes, note))
    return pick_turn(replace(one, understanding=understood))


def _reply_with(turn: Turn, note: str, **changes: str) -> Reply:
    """Return the card of the turn's workload with another instance, and a note of what was done."""
    turn = about(turn, **changes)
    understood = replace(turn.understanding, notes=(*turn.understanding.notes, note))
    return pick_turn(replace(turn, understanding=understood))


def _fields_of(turn: Turn) -> dict[str, object]:
    """Return the fields of the answer before: what was shown is chosen from, not what is new."""
    previous = turn.previous
    names = turn.workload.said() | ({} if previous is None else previous.said())
    return {name: getattr(previous, name) for name in names}


def _type_listed(turn: Turn, asked: str) -> str | None:
    """Return the type that stands at a place on the card before, or that is the safest on it."""
    if asked.isdigit():
        _, picks = numbered_picks(turn, int(asked))
        return _type_name(picks[int(asked) - 1]) if len(picks) >= int(asked) else None
    shown = shown_picks(recommendation_of(turn))
    if asked == "safest":
        return next((_type_name(pick) for pick in shown if _is_safe(pick)), None)
    place = len(shown) - 1 if asked == "last" else 1
    return _type_name(shown[place]) if 0 < place < len(shown) else None


def _type_name(pick: Pick) -> str:
    return pick.instance.instance_type


def _is_safe(pick: Pick) -> bool:
    return all(check.verdict == "meets" for check in pick.limits)


def _sized(turn: Turn, before: Turn, asked: str) -> Reply:
    """Return the card of the best of the types that are bigger (smaller) than the pick before."""
    result = recommendation_of(before)
    shown = shown_picks(result)
    if not shown:
        return pick_turn(turn)
    question = with_workload(question_of(before, result), instance=None)
    found = next_in_size(evaluate(question), shown[0].instance, bigger=asked == "bigger")
    name = None if found is None else found.instance.instance_type
    if name is None or found is None:
        return _reply_with(turn, f"Nothing {asked} than {_type_name(shown[0])} runs this.")
    if not found.meets_limits:
        return _reply_with(
            turn, f"Nothing {asked} meets every limit: “use {name}” shows what comes nearest."
        )
    return _reply_with(turn, f"Read “{asked}” as {name}.", instance=name)


def _choice_words(asked: str) -> str:
    return f"the {ORDINALS.get(int(asked), f'{asked}th')}" if asked.isdigit() else f"the {asked}"
