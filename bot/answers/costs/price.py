"""What a type costs: quotes of the snapshot, with source and date."""

from typing import Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from bot.core.examples import example
from catalog.facts.schema import Instance, Quote
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.result import Number
from engine.pick.explain import Explanation
from engine.pick.reasons import quantity

SAME_PRICE: Final = 0.01  # rounding apart
COMMITTED: Final = frozenset({"reserved", "savings_plan"})
PLANS_PAGE: Final = "https://aws.amazon.com/savingsplans/compute-pricing/"


def price_turn(turn: Turn) -> Reply:
    """Return the quote of the type named, on the asked market and region."""
    from bot.cards.notices import notice_view

    instance = _priced_instance(turn)
    quote, live_notes = quote_of(turn, instance), tuple[str, ...]()
    if turn.live is not None:
        from bot.answers.live.repricing import live_quote_of

        quote, live_notes = live_quote_of(
            turn.world.catalog, turn.live, quote, turn.workload, turn.starts
        )
    notes = (*live_notes, *turn.understanding.notes)
    explanation = _price_explanation(instance, quote, _term_of(turn))
    return Reply(
        request=turn.request,
        intent="price",
        view=notice_view(explanation.subject, explanation.text, notes),
        workload=turn.workload,
        explanation=explanation,
        notes=notes,
        quotes=(quote,),
    )


def _priced_instance(turn: Turn) -> Instance:
    name = turn.workload.instance
    if name is None:
        raise RequestError(
            "not_understood",
            "A price question needs an instance type.",
            field="instance",
            example=example("price"),
        )
    return turn.world.catalog.instances[name]


def quote_of(turn: Turn, instance: Instance) -> Quote:
    """Return the quote for one type where and how the turn asks."""
    workload, world = turn.workload, turn.world
    region = workload.region or world.default_region
    market = workload.market or "on_demand"
    return world.catalog.prices.quote(instance, region, market, term_years=_term_of(turn))


def claim_words(turn: Turn) -> tuple[str, ...]:
    """Return whether a price in the question is that of the type it names, none without one."""
    claimed = turn.understanding.details.get("claimed_usd_per_hour")
    instance = turn.world.catalog.instances.get(turn.workload.instance or "")
    if claimed is None or instance is None:
        return ()
    quote = quote_of(turn, instance)
    if quote.usd_per_hour is None:
        return ()
    said, price = float(claimed), quantity(quote.usd_per_hour, "USD/h")
    is_it = abs(said / quote.usd_per_hour - 1) <= SAME_PRICE
    against = "as you say" if is_it else f"not {quantity(said, 'USD/h')}"
    where = f"{quote.market.replace('_', ' ')} in {quote.region}"
    return (f"One {instance.instance_type} is {price} {where}, {against}.",)


def _term_of(turn: Turn) -> int:
    return round(turn.workload.term_years or 1)


def _commitment(quote: Quote, term_years: int) -> str:
    """Return the kind of commitment behind a rate, where its list says it: class, term, payment."""
    if quote.market not in COMMITTED or not quote.note:
        return ""
    kind = ", ".join(reversed(quote.note.split("; ")))
    return f" Committed: {kind}, {term_years} year{'s' * (term_years > 1)}."


def _where_else(quote: Quote) -> str:
    """Return where a rate is found that is not kept here."""
    if quote.market != "savings_plan" or quote.local_price_per_hour is not None:
        return ""
    return f" That says nothing of AWS: it sells Savings Plans for most types, see {PLANS_PAGE}."


def _price_explanation(instance: Instance, quote: Quote, term_years: int) -> Explanation:
    subject = f"{instance.instance_type} in {quote.region}, {quote.market.replace('_', ' ')}"
    if quote.usd_per_hour is None:
        why = quote.why_unpriced or "no price is known"
        return Explanation(subject, "unpriced", (), f"{subject}: {why}.{_where_else(quote)}")
    monthly = quote.usd_per_hour * HOURS_PER_MONTH
    text = (
        f"{subject}: {quantity(quote.usd_per_hour, 'USD/h')}, {quantity(monthly, 'USD/month')} "
        f"at 730 h (source {quote.source}, as of {quote.as_of}). Whole instances are billed."
        f"{_commitment(quote, term_years)}"
    )
    numbers = (
        Number("price", quote.usd_per_hour, "USD/h"),
        Number("price", monthly, "USD/month"),
    )
    return Explanation(subject, "priced", numbers, text)
