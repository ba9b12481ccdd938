"""The alternatives: each with the difference a person would pay for."""

from collections.abc import Iterator

from bot.cards import limits_met
from bot.core.figures import hours, ms, ms_range, plain_line, quantity, usd_estimated, usd_per_hour
from bot.core.views import RunnerUp
from bot.core.wording import MARKET_WORDS, hardware, machines
from engine.core.result import Pick, Recommendation

RUNNERS_SHOWN = 3
# Below this the price is called the same: nobody moves a service for it.
SAME_PRICE_SHARE = 0.02


def runner_ups(recommendation: Recommendation, head: Pick | None) -> tuple[RunnerUp, ...]:
    """Return the picks after the head, then what misses a limit but is cheaper; three at most."""
    return tuple(runner_up(pick, head) for pick in others_shown(recommendation, head))


def others_shown(recommendation: Recommendation, head: Pick | None) -> list[Pick]:
    """Return the picks that a card shows after its head, in their order."""
    others = [p for p in (*recommendation.picks, *recommendation.closest) if p is not head]
    if head is not None:
        others = [p for p in others if _identity(p) != _identity(head)]
    return others[:RUNNERS_SHOWN]


def _identity(pick: Pick) -> tuple[str, int, str]:
    return pick.instance.instance_type, pick.instances, pick.estimate.plan.weights_dtype


def runner_up(pick: Pick, head: Pick | None) -> RunnerUp:
    """Return one alternative as a line; `head` is what it is compared with."""
    return RunnerUp(
        instance_type=pick.instance.instance_type,
        machines=machines(pick.instance.instance_type, pick.instances),
        hardware=hardware(pick.instance, pick.instances),
        price=_runner_price(pick),
        figures=_deciding_figures(pick, head),
        difference=", ".join(_differences(pick, head)),
    )


def price_of(priced: Pick | float) -> str:
    """Return a price an hour; a pick without one says so."""
    if isinstance(priced, float | int):
        return usd_per_hour(priced)
    if priced.cost.usd_per_hour is None:
        return f"no {MARKET_WORDS[priced.quote.market]} price"
    return usd_per_hour(priced.cost.usd_per_hour)


def _runner_price(pick: Pick) -> str:
    if pick.estimate.training is not None and pick.cost.usd_total is not None:
        return f"{usd_estimated(pick.cost.usd_total)} in total"
    return price_of(pick)


def _deciding_figures(pick: Pick, head: Pick | None) -> str:
    """Return the limited figures of a runner-up; without limits the one people compare."""
    dtype = pick.estimate.plan.weights_dtype
    other_dtype = head is not None and dtype != head.estimate.plan.weights_dtype
    texts = [
        f"{limits_met.FIELD_WORDS.get(c.field, c.field)} {limits_met.limit_value(c.field, c.value)}"
        for c in pick.limits[:2]
        if not c.field.startswith("usd")
    ]
    figures = ", ".join(texts or _usual_figures(pick))
    return f"{dtype}, {figures}" if other_dtype else figures


def _usual_figures(pick: Pick) -> Iterator[str]:
    training, performance = pick.estimate.training, pick.estimate.performance
    if training is not None and training.time_h is not None:
        yield hours(training.time_h.value)
    if performance is None:
        return
    if performance.ttft_ms is not None:
        yield f"first token {ms(performance.ttft_ms.value)}"
    elif performance.e2e_ms is not None:
        yield f"{ms(performance.e2e_ms.value)} {ms_range(performance.e2e_ms)}"
    if performance.tpot_ms is not None and performance.tpot_ms.value > 0:
        yield f"{quantity(1000 / performance.tpot_ms.value)} tok/s per user"


def _differences(pick: Pick, head: Pick | None) -> Iterator[str]:
    misses = misses_words(pick)
    label = "" if misses else plain_line(pick.label, 120)  # by how much says more
    if label:
        yield label
    price = _price_difference(pick, head)
    if price and not any(word in label for word in ("cheap", "price", "cost", "%")):
        yield price
    if misses:
        yield misses
    if pick.may_miss and not any(word in label for word in ("tight", "may miss")):
        yield "tight: may miss"


def compared_words(pick: Pick, best: Pick) -> str:
    """Return how a type somebody chose stands to the first choice; empty where they are alike."""
    found = (_price_difference(pick, best), misses_words(pick))
    return ", ".join(words for words in found if words)


def misses_words(pick: Pick) -> str:
    """Return by how much a pick misses: its memory first, else each missed limit."""
    if not pick.estimate.fits:
        return plain_line(pick.estimate.memory.why_not or "does not fit in memory")
    return ", ".join(
        limits_met.verdict_words(check).replace(
            " by", f" the {limits_met.FIELD_WORDS.get(check.field, check.field)} limit by", 1
        )
        for check in pick.limits
        if check.verdict == "misses"
    )


def _price_difference(pick: Pick, head: Pick | None) -> str:
    """Return how the price compares with the head's, in the measure the card leads with."""
    if head is None:
        return ""
    ours, theirs = pick.cost.usd_total, head.cost.usd_total
    if ours is None or theirs is None:
        ours, theirs = pick.cost.usd_per_hour, head.cost.usd_per_hour
    if not ours or not theirs:
        return ""
    ratio = ours / theirs
    if abs(ratio - 1) < SAME_PRICE_SHARE:
        return "the same price"
    if ratio >= 2:
        return f"{quantity(ratio)}× the price"
    return f"{abs(1 - ratio):.0%} {'cheaper' if ratio < 1 else 'dearer'}"
