"""On-demand and reserved prices, from the Price List API."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.facts.schema import Quote, Region
from catalog.prices.live.price_list import (
    ACTION,
    PriceListing,
    PriceListLocation,
    listed,
    the_product,
    why_none,
)
from catalog.prices.live.products import Product, Reservation, on_demand_rates, reservations
from catalog.prices.live.source import (
    HOUR_S,
    AwsSource,
    Findings,
    PriceQuery,
    UnusableAnswerError,
    live_quote,
    types_of,
    unpriced_quote,
)

QUOTE_SOURCE = "pricing_api"
# The offer quoted, best known first: the snapshot quotes standard ones without upfront payment.
PREFERRED = [
    (offering, payment)
    for offering in ("standard", "convertible")
    for payment in ("No Upfront", "Partial Upfront", "All Upfront")
]


@dataclass(frozen=True, slots=True)
class PriceListSource(AwsSource[PriceQuery, Quote]):
    """A quote for each thing asked, made from its product in the price list."""

    action = ACTION
    ttl_s = 12 * HOUR_S  # the list changes several times a week, a price once in years
    found_type = Quote
    regions: Mapping[str, Region]
    now: Callable[[], datetime]

    def _found(self, asked: Sequence[PriceQuery]) -> Findings[PriceQuery, Quote]:
        place = PriceListLocation.of(asked[0].region, self.regions)
        found = listed(self.clients, place, types_of(asked))
        quotes: dict[PriceQuery, Quote] = {}
        failed: dict[PriceQuery, str] = {}
        for ask in asked:
            try:
                quotes[ask] = self._quote(ask, found, the_product(found, ask.instance_type))
            except UnusableAnswerError as error:
                failed[ask] = str(error)
        return Findings(quotes, failed)

    @abstractmethod
    def _quote(self, ask: PriceQuery, found: PriceListing, product: Product | None) -> Quote:
        """Return the quote for one thing asked; `product` is None where the list sells none."""


@dataclass(frozen=True, slots=True)
class OnDemand(PriceListSource):
    """What a type costs by the hour; a type that is not sold here is found, without a price."""

    name = "Pricing API"

    def _quote(self, ask: PriceQuery, found: PriceListing, product: Product | None) -> Quote:
        if product is None:
            reason = why_none(found, ask.instance_type, ask.region)
            return unpriced_quote(ask, reason, QUOTE_SOURCE, self.now())
        return live_quote(
            ask,
            next(iter(on_demand_rates(product))),
            QUOTE_SOURCE,
            self.now(),
            note=f"price list of {product.published}" if product.published else "",
        )


@dataclass(frozen=True, slots=True)
class ReservedInstances(PriceListSource):
    """What an hour costs with a reservation of one or three years."""

    name = "Pricing API (reserved)"

    def _quote(self, ask: PriceQuery, found: PriceListing, product: Product | None) -> Quote:
        del found
        offer = None if product is None else _preferred(product, ask.term_years)
        if offer is None:
            reason = f"no {ask.term_years}-year reserved offer in {ask.region}"
            return unpriced_quote(ask, reason, QUOTE_SOURCE, self.now())
        note = f"{offer.offering}, {offer.payment.lower()}, upfront part spread over the term"
        return live_quote(ask, offer.effective, QUOTE_SOURCE, self.now(), note=note)


def _preferred(product: Product, years: int) -> Reservation | None:
    offers = {(o.offering, o.payment): o for o in reservations(product) if o.years == years}
    return next((offers[kind] for kind in PREFERRED if kind in offers), None)
