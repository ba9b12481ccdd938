"""How to buy the machines: is spot worth it, does a commitment pay, and from how many hours on."""

from collections.abc import Iterator, Sequence
from typing import Final

from bot.answers.costs.bill import COMMITTED, bought_words, ways_to_buy
from bot.answers.facts.startup import start_of, time_words
from bot.answers.facts.subject import Subject, prices_now, subject_of, table_reply
from bot.answers.planning import about
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.asked import HOURS_PER_WEEK
from bot.core.figures import hours as hours_words
from bot.core.figures import percent, usd, usd_per_hour
from bot.core.wording import machines
from catalog.facts.schema import Quote
from catalog.facts.units import HOURS_PER_MONTH
from catalog.prices.interruptions import interruptions
from engine.core.result import Number
from engine.performance.spot import spot_restart_factor

COLUMNS: Final = ("bought", "an hour", "a month", "a year", "against on-demand", "pays from")
NOT_KNOWN: Final = "not known"
SPOT_AND_BEFORE: Final = 2  # of the ways to buy: on demand, spot
WORTH_THE_RISK: Final = 0.1  # for less nobody takes machines that are taken back
PAID_ANYWAY: Final = (
    "A commitment is paid every hour of its term, whether anything runs or not, and holds no"
    " capacity; reserved prices are those without upfront payment where published."
)


def commit_turn(turn: Turn) -> Reply:
    """Return whether a commitment pays: the bill under every way to buy, and from which hours."""
    turn = _open_market(turn)
    subject, hours = subject_of(turn), turn.understanding.asked.hours_per_week
    quotes = _quotes(turn, subject)
    list_price = quotes[0][0].usd_per_hour
    rows = [_bought_row(quote, term, subject.count, hours, list_price) for quote, term in quotes]
    return table_reply(
        turn,
        subject,
        title=f"Ways to buy {machines(subject.name, subject.count)}",
        line=_commit_line(subject, quotes, hours),
        columns=COLUMNS,
        rows=rows,
        notes=(PAID_ANYWAY, *_ages_of_ways(quotes), f"A month has {HOURS_PER_MONTH:g} hours."),
        numbers=_way_prices(quotes, subject.count),
        verdict="computed",
        sized=True,
    )


def _quotes(turn: Turn, subject: Subject) -> list[tuple[Quote, int]]:
    """Return every way to buy the machines, on demand first, as each is priced today."""
    prices = prices_now(turn, subject.instance, subject.region)
    return list(ways_to_buy(prices, subject.instance, subject.region))


def _open_market(turn: Turn) -> Turn:
    """Return the turn bought as before: the way to buy that is asked about is no wish yet."""
    before = turn.previous
    market = None if before is None else before.market
    return about(turn, market=market, term_years=None if before is None else before.term_years)


def _runs(quote: Quote, hours: float) -> float:
    """Return the share of the week that is paid for."""
    return 1.0 if quote.market in COMMITTED else hours / HOURS_PER_WEEK


def month_usd(quote: Quote, count: int, hours: float = HOURS_PER_WEEK) -> float | None:
    """Return a month's bill of so many machines; None without a price."""
    price = quote.usd_per_hour
    return None if price is None else price * count * HOURS_PER_MONTH * _runs(quote, hours)


def _bought_row(
    quote: Quote, term: int, count: int, hours: float, list_price: float | None
) -> tuple[str, ...]:
    month, price = month_usd(quote, count, hours), quote.usd_per_hour
    bought = _with_payment(bought_words(quote, term), quote)
    if month is None or price is None:
        return bought, NOT_KNOWN, "", "", quote.why_unpriced or "", ""
    listed = None if list_price is None else list_price * count * HOURS_PER_MONTH * hours
    less = "" if listed is None else _less_words(1 - month * HOURS_PER_WEEK / listed)
    pays = ""
    if quote.market in COMMITTED and list_price:
        from_hours = HOURS_PER_WEEK * price / list_price
        pays = f"{from_hours:.0f} h a week" if from_hours < HOURS_PER_WEEK else "never"
    an_hour = usd_per_hour(price * count)
    return bought, an_hour, usd(month), usd(12 * month), less, pays


def _with_payment(bought: str, quote: Quote) -> str:
    """Return the way to buy with what its list says of class and payment, where it says it."""
    kind = ", ".join(reversed(quote.note.split("; "))) if quote.note else ""
    return f"{bought} ({kind.lower()})" if kind and quote.market in COMMITTED else bought


def _less_words(share: float) -> str:
    if abs(share) < 0.005:
        return "-"
    return f"{percent(abs(share))} {'less' if share > 0 else 'more'}"


def _commit_line(subject: Subject, quotes: Sequence[tuple[Quote, int]], hours: float) -> str:
    """Return whether to commit, with the hours from which it pays; unknown prices are said."""
    name, listed = machines(subject.name, subject.count), quotes[0][0]
    trained = None if subject.pick is None else subject.pick.estimate.training
    if trained is not None and trained.time_h is not None:
        return (
            f"No: the run takes {hours_words(trained.time_h.value)}, and a commitment is paid for"
            " a year at least."
        )
    on_demand = month_usd(listed, subject.count, hours)
    known = [
        (month, quote, term)
        for quote, term in quotes
        if quote.market in COMMITTED
        and (month := month_usd(quote, subject.count, hours)) is not None
    ]
    if not known or on_demand is None or not listed.usd_per_hour:
        what = "commitment" if on_demand is not None else "on-demand"
        return f"{name}: no {what} price is known in {subject.region}, so nothing can be compared."
    month, quote, term = min(known, key=lambda way: way[0])
    from_hours = HOURS_PER_WEEK * (quote.usd_per_hour or 0.0) / listed.usd_per_hour
    bought = bought_words(quote, term)
    bills = f"{usd(month)} against {usd(on_demand)} a month on demand"
    pays = f"it pays from {from_hours:.0f} hours a week on"
    if month < on_demand:
        less = percent(1 - month / on_demand)
        return f"Yes, if it stays: {name} {bought} costs {bills}, {less} less; {pays}."
    return f"No: {name} {bought} costs {bills}; {pays}."


def _way_prices(quotes: Sequence[tuple[Quote, int]], count: int) -> tuple[Number, ...]:
    return tuple(
        Number(bought_words(quote, term), quote.usd_per_hour * count, "USD/h")
        for quote, term in quotes
        if quote.usd_per_hour is not None
    )


def _ages_of_ways(quotes: Sequence[tuple[Quote, int]]) -> Iterator[str]:
    dated = [f"{bought_words(q, t)} of {q.as_of}" for q, t in quotes if q.usd_per_hour is not None]
    if dated:
        yield f"Prices: {', '.join(dated)}."


def spot_worth_turn(turn: Turn) -> Reply:
    """Return whether spot is worth it: both prices, how often it is taken back, what is risked."""
    turn = _open_market(turn)
    subject = subject_of(turn)
    quotes = _quotes(turn, subject)[:SPOT_AND_BEFORE]
    (listed, _), (spot, _) = quotes
    rows = [
        _bought_row(quote, term, subject.count, HOURS_PER_WEEK, listed.usd_per_hour)[:-1]
        for quote, term in quotes
    ]
    return table_reply(
        turn,
        subject,
        title=f"{machines(subject.name, subject.count)} on spot",
        line=_spot_line(subject, listed, spot),
        columns=COLUMNS[:-1],
        rows=rows,
        notes=(*_spot_risks(subject), *_ages_of_ways(quotes)),
        numbers=_way_prices(quotes, subject.count),
        verdict="computed",
        sized=True,
    )


def _spot_line(subject: Subject, listed: Quote, spot: Quote) -> str:
    """Return the verdict with both bills; without a spot price that alone is told."""
    name = machines(subject.name, subject.count)
    before, after = month_usd(listed, subject.count), month_usd(spot, subject.count)
    if after is None:
        return f"Not known: {name} has no spot price here ({spot.why_unpriced or NOT_KNOWN})."
    if before is None:
        return f"{name} on spot costs {usd(after)} a month; no on-demand price is known."
    verdict = _verdict(subject) if 1 - after / before >= WORTH_THE_RISK else "Hardly worth it:"
    return (
        f"{verdict} {name} on spot costs {usd(after)} a month against {usd(before)} on"
        f" demand, {_less_words(1 - after / before)}."
    )


def _verdict(subject: Subject) -> str:
    """Return for what spot does: not for one interactive replica alone."""
    pick, result = subject.pick, subject.result
    if pick is None or result is None:
        return "For what may be interrupted."
    if pick.estimate.training is not None:
        longer = spot_restart_factor(subject.count) - 1
        return f"Yes, with a checkpoint an hour: interruptions add about {longer:.1%} of the time."
    if result.workload.mode == "batch":
        return "Yes: batch work waits for the next machine."
    if pick.estimate.plan.data_parallel == 1 or subject.count == 1:
        return "Not for this alone: nothing answers while it is replaced."
    return "For part of it: keep enough on demand to answer while others are replaced."


def _spot_risks(subject: Subject) -> Iterator[str]:
    """Yield how often it is taken back, and how long the next one takes."""
    seen = interruptions(subject.name, subject.region)
    if seen is None:
        yield f"How often {subject.name} is taken back in {subject.region} is not known."
    else:
        yield (
            f"Taken back in a month: {seen.band} of {subject.name} in {subject.region}"
            f" (AWS Spot Advisor, {seen.as_of})."
        )
    again = time_words(start_of(subject).first.seconds)
    yield f"Notice is two minutes; the next machine serves after about {again}, if there is one."
    code = subject.instance.quota_code_spot
    if code is not None:
        yield f"It counts against quota {code}, apart from the one on demand."
