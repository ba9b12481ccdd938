"""What would make a type the best: each lever with the figure at which the ranking flips."""

from dataclasses import asdict
from typing import Any

from bot.answers.pick import recommendation_of
from bot.answers.picks.explain import explain_turn
from bot.answers.planning import about
from bot.answers.question_asked import computed_reply, notes_of, question_of, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from engine.core.option import Option
from engine.core.result import Number
from engine.pick.explain import Explanation
from engine.pick.reasons import quantity
from engine.what_if.levers import Flip
from engine.what_if.what_would import HARDWARE_WISHES, WhatWould, what_would

LEVERS = {"price": "Price", "load": "Load", "dtype": "Number format", "limit": "Limit"}


def what_would_turn(turn: Turn) -> Reply:
    """Return the levers that would make the named hardware the best; a card where none is named."""
    subject = _flip_subject(turn)
    if subject is None:
        return explain_turn(turn)
    turn = about(turn, **dict.fromkeys((*HARDWARE_WISHES, "compare_family")))
    result = recommendation_of(turn)
    found = what_would(question_of(turn, result), subject)
    text = _flips_lead(found)
    view = table_view(
        f"What would make {subject} the best",
        f"{text} Asked: {told(result)}.",
        ("lever", "flips?", "where"),
        [(LEVERS[flip.lever], "yes" if flip.found else "no", flip.text) for flip in found.flips],
        notes_of(turn, result),
    )
    verdict = "is the best" if found.is_best else _flips_verdict(found)
    explanation = Explanation(
        subject, verdict, _flip_numbers(found), _flips_text(text, found.flips)
    )
    comparison = {"kind": "what_would", "subject": subject, "flips": list(map(asdict, found.flips))}
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _flip_subject(turn: Turn) -> str | None:
    """Return the hardware asked about, as type, family, group or accelerator."""
    workload = turn.workload
    named = (workload.compare_family, workload.instance, workload.gpu, *(workload.allow or ()))
    return next((name for name in named if name is not None), None)


def _flips_lead(found: WhatWould) -> str:
    best = found.best
    if best is None:
        return f"Nothing meets this today. {found.subject}: {found.why_not}."
    pick = f"{best.instances}x {best.instance.instance_type}{_at_price(best)}"
    if found.is_best:
        return f"{found.subject} is the best already: {pick}."
    return f"The pick is {pick}. {found.why_not}."


def _at_price(option: Option) -> str:
    price = option.usd_per_hour
    return " (unpriced)" if price is None else f" at {quantity(price, 'USD/h')}"


def _flips_verdict(found: WhatWould) -> str:
    levers = [flip.lever for flip in found.flips if flip.found]
    return f"flips by {', '.join(levers)}" if levers else "nothing within the bounds would"


def _flip_numbers(found: WhatWould) -> tuple[Number, ...]:
    """Return what every found flip needs beside what it is today, and the prices that decided."""
    flips = [
        Number(f"{flip.lever} at which it flips", flip.value, flip.unit, _number(flip.today))
        for flip in found.flips
        if flip.found and isinstance(flip.value, float)
    ]
    return (*flips, *_deciding_prices(found))


def _number(value: Any) -> float | None:  # noqa: ANN401 - a flip's value is a number or a name
    return value if isinstance(value, float) else None


def _deciding_prices(found: WhatWould) -> tuple[Number, ...]:
    nearest, best = found.nearest, found.best
    if nearest is None or best is None or nearest is best:
        return ()
    if nearest.usd_per_hour is None or best.usd_per_hour is None:
        return ()
    return (Number("price", nearest.usd_per_hour, "USD/h", best.usd_per_hour),)


def _flips_text(lead: str, flips: tuple[Flip, ...]) -> str:
    return " ".join([lead, *(f"{LEVERS[flip.lever]}: {flip.text}." for flip in flips)])
