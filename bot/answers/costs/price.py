"""What a type costs: quotes of the snapshot, with source and date."""

from typing import Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.figures import usd_per_hour
from bot.core.wording import MARKET_WORDS
from catalog.facts.schema import Instance, Quote
from catalog.facts.units import HOURS_PER_MONTH
from catalog.names import chip_words
from engine.core.result import Number
from engine.pick.explain import Explanation
from engine.pick.reasons import quantity

SAME_PRICE: Final = 0.01  # rounding apart
COMMITTED: Final = frozenset({"reserved", "savings_plan"})
PLANS_PAGE: Final = "https://aws.amazon.com/savingsplans/compute-pricing/"
COLUMNS: Final = ("type", "devices", "an hour", "a month", "as of")


def price_turn(turn: Turn) -> Reply:
    """Return the quote of the type named, on the asked market and region."""
    from bot.answers.facts.subject import types_named
    from bot.cards.notices import notice_view

    if turn.workload.instance is None and (types := types_named(turn)):
        return _prices_of(turn, types)
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


def _prices_of(turn: Turn, types: list[Instance]) -> Reply:
    """Return the price of every type that carries a chip, or is of a family, that was named."""
    from bot.cards.table import table_view

    quotes = [quote_of(turn, one) for one in types]
    region, market = quotes[0].region, MARKET_WORDS[quotes[0].market]
    known = [(i, q, q.usd_per_hour) for i, q in zip(types, quotes, strict=True) if q.usd_per_hour]
    least = min(known, key=lambda one: one[2], default=None)
    lead = (
        f"No {market} price is known in {region} for {_types_of(types)}{_instead(turn, types[0])}."
    )
    if least is not None:
        instance, quote, usd = least
        each = usd / max(1, instance.accelerators)
        lead = (
            f"From {usd_per_hour(usd)} {market} in {region}, as of {quote.as_of}:"
            f" {instance.instance_type}, {usd_per_hour(each)} for each {_device(instance)}."
        )
    missing = [i for i, q in zip(types, quotes, strict=True) if not q.usd_per_hour]
    unknown = f"No {market} price is known in {region}: {_types_of(missing)}." if missing else ""
    notes = tuple(filter(None, (unknown if known else "", *turn.understanding.notes)))
    rows = [_price_row(instance, quote, usd) for instance, quote, usd in known]
    numbers = tuple(Number("price", usd, "USD/h") for _, _, usd in known)
    subject = f"{market} prices in {region}"
    return Reply(
        request=turn.request,
        intent="price",
        view=table_view(subject, lead, COLUMNS, rows, notes),
        workload=turn.workload,
        explanation=Explanation(subject, "priced" if known else "unpriced", numbers, lead),
        notes=notes,
        quotes=tuple(quotes),
    )


def _instead(turn: Turn, instance: Instance) -> str:
    """Return what the smallest type costs on demand, where that is known and not asked for."""
    region = turn.workload.region or turn.world.default_region
    usd = turn.world.catalog.prices.quote(instance, region, "on_demand").usd_per_hour
    if usd is None or turn.workload.market in {None, "on_demand"}:
        return ""
    return f": on demand {instance.instance_type} is {usd_per_hour(usd)}"


def _price_row(instance: Instance, quote: Quote, usd: float) -> tuple[str, ...]:
    devices = f"{instance.accelerators}× {_device(instance)}"
    month = quantity(usd * HOURS_PER_MONTH, "USD/month")
    return instance.instance_type, devices, usd_per_hour(usd), month, f"{quote.as_of}"


def _device(instance: Instance) -> str:
    return chip_words(instance.accelerator_id) if instance.accelerator_id else "machine"


def _types_of(types: list[Instance]) -> str:
    return ", ".join(one.instance_type for one in types)


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
