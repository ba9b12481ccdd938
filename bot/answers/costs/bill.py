"""What the pick costs over time: by the hour to the year, for several of it, part of the week."""

from collections.abc import Iterator
from typing import Final

from bot.answers.pick import numbered_picks, recommendation_of, shown_picks
from bot.answers.question_asked import compared, computed_reply, notes_of, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.asked import HOURS_PER_WEEK
from bot.core.errors import RequestError
from bot.core.figures import usd, usd_estimated, usd_per_hour
from bot.core.wording import MARKET_WORDS, machines
from catalog.facts.schema import Instance, Market, Quote
from catalog.facts.units import HOURS_PER_MONTH
from catalog.prices.prices import Prices
from engine.core.result import Number, Pick, Recommendation
from engine.pick.cost import SET_UP_H
from engine.pick.explain import Explanation

COLUMNS: Final = ("bought", "an hour", "a day", "a month", "a year")
# How else the same machines are bought, beside how they were asked for.
WAYS: Final[tuple[tuple[Market, int], ...]] = (
    ("on_demand", 0),
    ("spot", 0),
    ("reserved", 1),
    ("reserved", 3),
    ("savings_plan", 1),
    ("savings_plan", 3),
)
COMMITTED: Final = frozenset({"reserved", "savings_plan"})


def bill_turn(turn: Turn) -> Reply:
    """Return what the pick costs an hour, a day, a month and a year, in every way it is bought.

    Raises:
        RequestError: nothing was picked whose price could be told.
    """
    result, pick = _asked_about(turn)
    if pick is None:
        raise RequestError("invalid_value", "Nothing fits, so there is no bill to work out.")
    runs_once = pick.estimate.training is not None and pick.cost.usd_total is not None
    if pick.estimate.job is not None or runs_once:
        return _job_bill(turn, result, pick)
    count = turn.understanding.asked.copies
    hours = turn.understanding.asked.hours_per_week
    boxes = count * pick.instances
    quotes = list(_ways_of_pick(turn, pick))
    rows = [_bill_row(quote, term, boxes, hours) for quote, term in quotes if quote.usd_per_hour]
    unpriced = [bought_words(quote, term) for quote, term in quotes if not quote.usd_per_hour]
    lead = f"{machines(pick.instance.instance_type, boxes)} in {pick.region}: {told(result)}."
    text = f"{lead} {_bill_aloud(rows)}"
    view = table_view(
        f"What {machines(pick.instance.instance_type, boxes)} costs",
        lead,
        COLUMNS,
        rows,
        notes_of(
            turn,
            result,
            *_cost_per_user(turn, pick, boxes, hours),
            *_bill_notes(count, pick, hours, unpriced),
        ),
    )
    explanation = Explanation(
        pick.instance.instance_type, "priced", _bill_numbers(pick, boxes), text
    )
    comparison = compared("bill", COLUMNS[1:], ((row[0], row[1:]) for row in rows))
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _asked_about(turn: Turn) -> tuple[Recommendation, Pick | None]:
    """Return the answer and its first pick, or the one that the text names by its place.

    Raises:
        RequestError: the answer has no pick at that place.
    """
    asked = turn.understanding.asked.choice or "1"
    if asked == "last":
        result = recommendation_of(turn)
        return result, next(reversed(shown_picks(result)), None)
    result, picks = numbered_picks(turn, int(asked))
    if picks and int(asked) > len(picks):
        raise RequestError(
            "invalid_value", f"The answer before has no pick {asked}.", example="more options"
        )
    return result, picks[int(asked) - 1] if picks else None


def _bill_row(quote: Quote, term: int, boxes: int, hours: float) -> tuple[str, ...]:
    an_hour = (quote.usd_per_hour or 0.0) * boxes
    runs = 1.0 if quote.market in COMMITTED else hours / HOURS_PER_WEEK
    month = an_hour * HOURS_PER_MONTH * runs
    times = usd(an_hour * 24 * runs), usd(month), usd(12 * month)
    return bought_words(quote, term), usd_per_hour(an_hour), *times


def bought_words(quote: Quote, term: int) -> str:
    """Return how it is bought: `on-demand`, `reserved, 3 years`."""
    words = MARKET_WORDS[quote.market]
    return f"{words}, {term} year{'s'[: term > 1]}" if term else words


def ways_to_buy(prices: Prices, instance: Instance, region: str) -> Iterator[tuple[Quote, int]]:
    """Yield the quote of one machine in every way it may be bought, with the term in years."""
    for market, term in WAYS:
        yield prices.quote(instance, region, market, term_years=term or 1), term


def _ways_of_pick(turn: Turn, pick: Pick) -> Iterator[tuple[Quote, int]]:
    """Yield the pick's own quote, then the other ways to buy the same machine."""
    own = pick.quote
    own_term = round(turn.workload.term_years or 1) if own.market in COMMITTED else 0
    yield own, own_term
    for quote, term in ways_to_buy(turn.world.catalog.prices, pick.instance, pick.region):
        if (quote.market, term) != (own.market, own_term):
            yield quote, term


def _bill_aloud(rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return "No price is known."
    said = [f"{row[0]} {row[1]}, {row[3]} a month, {row[4]} a year" for row in rows]
    return f"{'; '.join(said)}."


def _cost_per_user(turn: Turn, pick: Pick, boxes: int, hours: float) -> Iterator[str]:
    """Yield what it comes to for one of those who use it at once, where that is asked."""
    who, people = (
        turn.understanding.asked.per_whom,
        turn.workload.users or turn.workload.concurrency,
    )
    if who is None or pick.quote.usd_per_hour is None:
        return
    if people is None:
        yield f"Per {who}: say how many there are, as in “for 200 users”."
        return
    month = pick.quote.usd_per_hour * boxes * HOURS_PER_MONTH * hours / HOURS_PER_WEEK
    whose = "users" if turn.workload.users is not None else "who use it at once"
    yield f"{usd(month / people)} a month for each of the {people:,.0f} {whose}."


def _bill_notes(count: int, pick: Pick, hours: float, unpriced: list[str]) -> Iterator[str]:
    if unpriced:
        yield f"No price is known: {'; '.join(unpriced)}."
    if count > 1 and pick.instances > 1:
        yield f"{count} times the pick of {pick.instances} machines."
    if hours < HOURS_PER_WEEK:
        yield (
            f"For {hours:g} of the week's {HOURS_PER_WEEK:g} hours; what is committed to is paid"
            " for all of them."
        )
    yield f"A month has {HOURS_PER_MONTH:g} hours. Storage and traffic are not in."


def _bill_numbers(pick: Pick, boxes: int) -> tuple[Number, ...]:
    price = pick.quote.usd_per_hour
    return () if price is None else (Number("price", price * boxes, "USD/h"),)


def _job_bill(turn: Turn, result: Recommendation, pick: Pick) -> Reply:
    """Return what a job costs, once, as often as was asked, and in a month where it comes again."""
    from bot.cards.notices import notice_view

    count = turn.understanding.asked.copies
    once, at_most = _run_usd(pick)
    name = machines(pick.instance.instance_type, pick.instances)
    if once is None:
        text = f"{told(result)}: no price is known for {name}."
        numbers: tuple[Number, ...] = ()
    else:
        run = f"{told(result)}: {_run_words(pick, once, at_most=at_most)}."
        text = " ".join((run, *_runs_words(pick, once, count)))
        numbers = (Number("job cost", count * once, "USD"),)
    view = notice_view(f"What the run on {name} costs", text, notes_of(turn, result))
    explanation = Explanation(pick.instance.instance_type, "priced", numbers, text)
    return computed_reply(turn, view, result, explanation=explanation)


def _run_usd(pick: Pick) -> tuple[float | None, bool]:
    """Return what one run costs, in USD, and whether that is its most, at an unknown price."""
    job, ceiling = pick.estimate.job, pick.ceiling
    if pick.cost.usd_total is not None or job is None or ceiling is None:
        return pick.cost.usd_total, False
    rate = ceiling.usd_per_hour
    return (None if rate is None else rate * pick.instances * (job.time_h.value + SET_UP_H)), True


def _run_words(pick: Pick, once: float, *, at_most: bool) -> str:
    name = machines(pick.instance.instance_type, pick.instances)
    how = MARKET_WORDS[pick.quote.market]
    if at_most:
        return f"at most {usd_estimated(once)} a run on {name}, on-demand: no {how} price is known"
    return f"{usd_estimated(once)} a run on {name}, {how}"


def _runs_words(pick: Pick, once: float, count: int) -> Iterator[str]:
    if count > 1:
        yield f"{count} runs cost {usd_estimated(count * once)}."
    runs = pick.cost.runs_per_month
    if runs is None:
        yield "A job is paid by the run, not by the month."
    else:
        yield f"{runs:.3g} runs a month come to {usd_estimated(runs * once)}."
