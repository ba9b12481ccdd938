"""What if prices change: the answer worked out again at the prices supposed, beside today's."""

from collections.abc import Callable
from typing import Any

from bot.answers.pick import recommendation_of
from bot.answers.planning import about
from bot.answers.question_asked import computed_reply, notes_of, question_of, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.errors import RequestError
from bot.core.figures import usd_estimated, usd_per_hour
from bot.core.wording import machines
from catalog.catalog import Catalog
from catalog.facts.schema import Quote
from engine.core.result import Number, Pick, Recommendation
from engine.pick.explain import Explanation
from engine.pick.groups import in_group
from engine.what_if.other_prices import with_prices_times
from engine.what_if.what_would import what_price_would

COLUMNS = ("", "today", "at the prices supposed")
MOST_PERCENT = 1000.0
SUPPOSED = "Nothing was changed: the prices supposed are nobody's offer."


def price_change_turn(turn: Turn) -> Reply:
    """Return today's answer beside the one at the prices supposed.

    Raises:
        RequestError: the change leaves no price, or is beyond anything that happens.
    """
    percent = _percent_supposed(turn)
    subject = _price_subject(turn)
    turn = _as_before(turn)
    today = recommendation_of(turn)
    changed = recommendation_of(turn, supposed=_supposed(turn, today, 1 + percent / 100, subject))
    lead = _price_change_lead(percent, subject, today, changed)
    view = table_view(
        f"If {subject or 'all'} prices {'fell' if percent < 0 else 'rose'} by {abs(percent):g} %",
        f"{lead} Asked: {told(today)}.",
        COLUMNS,
        _choice_rows(today, changed),
        notes_of(turn, today, _flips_at(turn, today, subject), SUPPOSED),
    )
    explanation = Explanation(
        subject or "prices", _change_verdict(today, changed), _price_numbers(today, changed), lead
    )
    comparison: dict[str, Any] = {
        "kind": "price_change",
        "percent": percent,
        "subject": subject,
        "today": _first_pick_json(today),
        "supposed": _first_pick_json(changed),
    }
    return computed_reply(turn, view, today, explanation=explanation, comparison=comparison)


def _percent_supposed(turn: Turn) -> float:
    percent = turn.understanding.asked.price_change_percent or 0.0
    if not -100 < percent <= MOST_PERCENT:
        raise RequestError(
            "out_of_range",
            f"A change of {percent:g} % leaves no price to work with: say less than 100 % down"
            f" or at most {MOST_PERCENT:g} % up.",
            example="what if prices drop 20 %?",
        )
    return percent


def _price_subject(turn: Turn) -> str | None:
    """Return whose price changes: the hardware that this text names; None: every price."""
    workload, before = turn.workload, turn.previous
    for name in ("compare_family", "instance", "gpu"):
        said = getattr(workload, name)
        if said is not None and (before is None or said != getattr(before, name)):
            return str(said)
    groups = workload.allow or ()
    new = [group for group in groups if before is None or group not in (before.allow or ())]
    return new[0] if new else None


def _as_before(turn: Turn) -> Turn:
    """Return the turn with the hardware of the answer it asks about, not what it names itself."""
    fields = ("compare_family", "instance", "gpu", "gpu_count", "gpu_memory_gb", "allow", "exclude")
    return about(turn, **{name: getattr(turn.previous, name, None) for name in fields})


def _supposed(
    turn: Turn, today: Recommendation, factor: float, subject: str | None
) -> Callable[[Catalog], Catalog]:
    question = question_of(turn, today)
    every = question.catalog.instances
    named = {n for n, one in every.items() if subject and in_group(one, subject, question.catalog)}

    def changes(quote: Quote) -> bool:
        return subject is None or quote.instance_type in named

    return lambda catalog: with_prices_times(catalog, factor, changes)


def _flips_at(turn: Turn, today: Recommendation, subject: str | None) -> str:
    """Return at which price the hardware named becomes the answer, or stops being it."""
    if subject is None:
        return ""
    flip = what_price_would(question_of(turn, today), subject)
    return "" if flip is None else f"{flip.text}."


def _first_choice(result: Recommendation) -> Pick | None:
    return next(iter((*result.picks, *result.closest)), None)


def _price_change_lead(
    percent: float, subject: str | None, today: Recommendation, changed: Recommendation
) -> str:
    whose = f"{subject} prices" if subject else "all prices"
    supposed = f"With {whose} {abs(percent):g} % {'lower' if percent < 0 else 'higher'}"
    old, new = _first_choice(today), _first_choice(changed)
    if old is None or new is None:
        return f"{supposed} nothing would fit either."
    met = "" if changed.picks else " (nothing would meet every limit)"
    if _same(old, new):
        beside = (
            "as today" if _pick_price(old) == _pick_price(new) else f"instead of {_pick_price(old)}"
        )
        return f"{supposed} the answer stays {_machines(new)}{met}: {_pick_price(new)}, {beside}."
    now = f"today it is {_machines(old)} at {_pick_price(old)}"
    return f"{supposed} the answer would be {_machines(new)}{met} at {_pick_price(new)}; {now}."


def _same(old: Pick, new: Pick) -> bool:
    return _machines(old) == _machines(new) and old.region == new.region


def _change_verdict(today: Recommendation, changed: Recommendation) -> str:
    old, new = _first_choice(today), _first_choice(changed)
    return "stays" if old and new and _same(old, new) else "changes"


def _machines(pick: Pick) -> str:
    return machines(pick.instance.instance_type, pick.instances)


def _pick_price(pick: Pick) -> str:
    if pick.cost.usd_total is not None:
        return f"{usd_estimated(pick.cost.usd_total)} in total"
    return "unpriced" if pick.cost.usd_per_hour is None else usd_per_hour(pick.cost.usd_per_hour)


def _choice_rows(today: Recommendation, changed: Recommendation) -> list[tuple[str, str, str]]:
    """Return the first choice and the next ones, each at both prices."""
    both = zip(_column(today), _column(changed), strict=True)
    return [
        (name, old, new)
        for name, (old, new) in zip(("first choice", "next", "next"), both, strict=True)
    ]


def _column(result: Recommendation) -> list[str]:
    shown = list(result.picks or result.closest)[:3]
    told = [f"{_machines(pick)} {_pick_price(pick)}" for pick in shown]
    return [*told, *[""] * (3 - len(told))]


def _first_pick_json(result: Recommendation) -> dict[str, Any] | None:
    pick = _first_choice(result)
    if pick is None:
        return None
    return {
        "instance_type": pick.instance.instance_type,
        "instances": pick.instances,
        "usd_per_hour": pick.cost.usd_per_hour,
    }


def _price_numbers(today: Recommendation, changed: Recommendation) -> tuple[Number, ...]:
    old, new = _first_choice(today), _first_choice(changed)
    if old is None or new is None or old.cost.usd_per_hour is None or new.cost.usd_per_hour is None:
        return ()
    return (Number("price", new.cost.usd_per_hour, "USD/h", old.cost.usd_per_hour),)
