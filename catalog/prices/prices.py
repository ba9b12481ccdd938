"""Dated prices and the one question asked of them: what does this type cost there?"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from catalog.facts.schema import Instance, Market, Quote

PriceKey = tuple[Market, str, str]  # (market, region, instance_type)
LiveKey = tuple[Market, str, str, int]  # … and the term in years, 0 where there is none
COMMITMENTS: Final = frozenset({"reserved", "savings_plan"})


@dataclass(frozen=True, slots=True)
class Prices:
    """Dated prices of one snapshot (or of one live look-up merged over it)."""

    on_demand: Mapping[tuple[str, str], Quote]  # (region, instance_type)
    other: Mapping[PriceKey, Quote]  # latest known; commitments: those of one year
    three_year: Mapping[PriceKey, Quote] = field(default_factory=dict)  # commitments of three years
    listed_regions: frozenset[str] = field(default_factory=frozenset)  # whose offerings are known
    live: Mapping[LiveKey, Quote] = field(default_factory=dict)  # looked up: decide alone
    discount_percent: float = 0.0  # off on-demand list prices: what somebody has agreed with AWS

    def with_live(self, quotes: Mapping[LiveKey, Quote]) -> "Prices":
        """Return these prices with looked-up quotes over them, an unpriced one included."""
        return replace(self, live={**self.live, **quotes})

    def quote(
        self, instance: Instance, region: str, market: Market = "on_demand", term_years: int = 1
    ) -> Quote:
        """Return the quote, priced or not; an unpriced one says why (never 0, never a guess).

        `term_years` (1 or 3) matters for reserved instances and savings plans only. A capacity
        block is quoted as its list price an hour, whatever its length. A discount is taken off
        on-demand prices alone; the quote then says the list price as well.
        """
        quote = self._listed(instance, region, market, term_years)
        return self._discounted(quote) if self.discount_percent else quote

    def _discounted(self, quote: Quote) -> Quote:
        usd = quote.usd_per_hour
        if quote.market != "on_demand" or usd is None:
            return quote
        off = usd * self.discount_percent / 100
        return replace(quote, usd_per_hour=usd - off, list_usd_per_hour=usd)

    def _listed(self, instance: Instance, region: str, market: Market, term_years: int) -> Quote:
        """Return the quote as published or looked up."""
        if self.live:
            looked_up = self.live.get(live_key(market, region, instance.instance_type, term_years))
            if looked_up is not None:
                return looked_up
        known = self._known(instance.instance_type, region, market, term_years)
        why = self._why_not_sold(instance, region, market)
        if why is None and known is not None:
            return known
        if why is None:
            why = f"no {_wording(market, term_years)} known in {region}"
        return Quote(
            instance_type=instance.instance_type,
            region=region,
            market=market,
            usd_per_hour=None,
            source="snapshot",
            as_of="" if known is None else known.as_of,
            why_unpriced=why,
        )

    def _known(self, name: str, region: str, market: Market, term_years: int) -> Quote | None:
        if market == "on_demand":
            return self.on_demand.get((region, name))
        table = self.three_year if term_years == 3 else self.other
        return table.get((market, region, name))

    def _why_not_sold(self, instance: Instance, region: str, market: Market) -> str | None:
        if instance.eol and not instance.regions:
            return "withdrawn by AWS: no region offers it any more"
        if market == "capacity_block":
            return None if instance.capacity_block else "not sold as capacity blocks"
        if market == "spot" and not instance.spot_sold:
            return "not sold on the spot market"
        if market != "spot" and not instance.on_demand_sold:
            return _without_on_demand(instance)
        if region in self.listed_regions and region not in instance.regions:
            return f"not offered in {region}"
        return None


def live_key(market: Market, region: str, instance_type: str, term_years: int) -> LiveKey:
    """Return what a looked-up quote is known by; a term counts for commitments only."""
    term = (3 if term_years == 3 else 1) if market in COMMITMENTS else 0
    return market, region, instance_type, term


def _without_on_demand(instance: Instance) -> str:
    if not instance.capacity_block:
        return "has no on-demand price anywhere"
    if instance.spot_sold:
        return "no on-demand price: sold as capacity blocks and on spot only"
    return "sold only as capacity blocks"


def _wording(market: Market, term_years: int) -> str:
    if market == "savings_plan":
        return f"Savings Plan rate of {term_years} year{'s' * (term_years > 1)}"
    words = {
        "on_demand": "published price",
        "spot": "spot figure",
        "reserved": f"{term_years}-year reserved price",
        "capacity_block": "capacity block price",
    }
    return words[market]


def published_quote(
    key: PriceKey, price: float, currency: str, *, as_of: str, source: str, note: str = ""
) -> Quote:
    """Return a published price as a quote; one in another currency than USD stays unpriced."""
    market, region, instance_type = key
    in_dollars = currency == "USD"
    return Quote(
        instance_type=instance_type,
        region=region,
        market=market,
        usd_per_hour=price if in_dollars else None,
        source="snapshot",
        as_of=as_of,
        why_unpriced=None if in_dollars else f"priced in {currency} only ({price:g} an hour)",
        source_key=source,
        note=note,
        currency=currency,
        local_price_per_hour=None if in_dollars else price,
    )
