"""The live quote of types that were asked for by name."""

from datetime import date

from bot.answers.live.price_words import is_live, unavailable
from bot.answers.live.repricing import block_of
from bot.aws.live_session import LiveAnswer
from catalog.catalog import Catalog
from catalog.facts.schema import Quote
from catalog.prices.live.desk import DeskQuestion, price_asked
from catalog.prices.live.spot import SpotQuery
from engine.core.workload import Workload
from engine.pick.reasons import quantity


def live_quote_of(
    catalog: Catalog,
    live: LiveAnswer,
    quote: Quote,
    workload: Workload,
    starts: date | None = None,
) -> tuple[Quote, tuple[str, ...]]:
    """Return the live quote for what the embedded one prices, and what must be said with it.

    `starts` is the first day of a capacity block.
    """
    ask = price_asked(
        quote.market,
        quote.region,
        quote.instance_type,
        term_years=workload.term_years,
        block=block_of(workload, starts),
    )
    spot = SpotQuery(quote.region, quote.instance_type)
    told = live.ask(DeskQuestion(prices=[ask], spreads=[spot] if quote.market == "spot" else []))
    prices = catalog.prices.with_live(told.quotes)
    found = prices.quote(
        catalog.instances[quote.instance_type], quote.region, quote.market, ask.term_years or 1
    )
    notes = [found.note] if found.note and found.source != "snapshot" else []
    if not is_live(found) and told.failures:
        notes.append(unavailable(told.failures, [found]))
    spread = told.spreads.get(spot)
    if spread is not None:
        notes.append(
            f"over {spread.days:g} days: {quantity(spread.low, 'USD/h')} to "
            f"{quantity(spread.high, 'USD/h')}, median {quantity(spread.p50, 'USD/h')}, "
            f"90 % of the time at most {quantity(spread.p90, 'USD/h')}"
        )
    return found, tuple(notes)
