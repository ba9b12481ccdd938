"""A live figure as a quote, dated by the day it was seen."""

from datetime import datetime

from catalog.facts.schema import Quote
from catalog.prices.live.products import Rate
from catalog.prices.live.source import PriceAsked


def live_quote(
    asked: PriceAsked, rate: Rate, source: str, seen: datetime, *, note: str = ""
) -> Quote:
    """Return what AWS charges now; an amount in another currency than USD stays unpriced in USD."""
    in_dollars = rate.currency == "USD"
    amount = float(rate.amount)
    return Quote(
        instance_type=asked.instance_type,
        region=asked.region,
        market=asked.market,
        usd_per_hour=amount if in_dollars else None,
        source=source,
        as_of=seen.date().isoformat(),
        why_unpriced=None if in_dollars else f"priced in {rate.currency} only ({amount:g} an hour)",
        note=note,
        currency=rate.currency,
        local_price_per_hour=None if in_dollars else amount,
    )


def unpriced_quote(asked: PriceAsked, why: str, source: str, seen: datetime) -> Quote:
    """Return that AWS, asked now, sells this here for no price, and why."""
    return Quote(
        instance_type=asked.instance_type,
        region=asked.region,
        market=asked.market,
        usd_per_hour=None,
        source=source,
        as_of=seen.date().isoformat(),
        why_unpriced=why,
    )
