"""Reserved-instance prices, from the terms beside the on-demand price."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.facts.schema import Quote, Region
from catalog.prices.live.aws import Clients
from catalog.prices.live.on_demand import found_in_list
from catalog.prices.live.price_list import Listed
from catalog.prices.live.products import Product, Reservation, reservations
from catalog.prices.live.quotes import live_quote, unpriced_quote
from catalog.prices.live.source import HOUR_S, Findings, PriceAsked

QUOTE_SOURCE = "pricing_api"
# The offer quoted, best known first: the snapshot quotes standard ones without upfront payment.
PREFERRED = [
    (offering, payment)
    for offering in ("standard", "convertible")
    for payment in ("No Upfront", "Partial Upfront", "All Upfront")
]


@dataclass(frozen=True, slots=True)
class Reserved:
    """What an hour costs with a reservation of one or three years."""

    clients: Clients
    regions: Mapping[str, Region]
    now: Callable[[], datetime]
    name: str = "Pricing API (reserved)"
    ttl_s: float = 12 * HOUR_S
    found_type: type[Quote] = Quote
    batch: int = 20

    def place(self, asked: PriceAsked) -> str:
        """See `Source.place`."""
        return asked.region

    def find(self, asked: Sequence[PriceAsked]) -> Findings[PriceAsked, Quote]:
        """See `Source.find`."""
        return found_in_list(self.clients, self.regions, asked, self._quote)

    def _quote(self, ask: PriceAsked, found: Listed, product: Product | None) -> Quote:
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
