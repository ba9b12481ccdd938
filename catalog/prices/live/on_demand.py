"""On-demand prices, from the Price List API."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.facts.schema import Quote, Region
from catalog.prices.live.aws import Clients, aws_errors, why
from catalog.prices.live.price_list import (
    ACTION,
    Listed,
    PriceListLocation,
    UnreadableListError,
    listed,
    the_product,
    why_none,
)
from catalog.prices.live.products import Product, on_demand_rates
from catalog.prices.live.quotes import live_quote, unpriced_quote
from catalog.prices.live.source import HOUR_S, Findings, PriceAsked

QUOTE_SOURCE = "pricing_api"


@dataclass(frozen=True, slots=True)
class OnDemand:
    """What a type costs by the hour; a type that is not sold here is found, without a price."""

    clients: Clients
    regions: Mapping[str, Region]
    now: Callable[[], datetime]
    name: str = "Pricing API"
    ttl_s: float = 12 * HOUR_S  # the list changes several times a week, a price once in years
    found_type: type[Quote] = Quote
    batch: int = 20

    def place(self, asked: PriceAsked) -> str:
        """See `Source.place`."""
        return asked.region

    def find(self, asked: Sequence[PriceAsked]) -> Findings[PriceAsked, Quote]:
        """See `Source.find`."""
        return found_in_list(self.clients, self.regions, asked, self._quote)

    def _quote(self, ask: PriceAsked, found: Listed, product: Product | None) -> Quote:
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


QuoteOf = Callable[[PriceAsked, Listed, Product | None], Quote]


def found_in_list(
    clients: Clients, regions: Mapping[str, Region], asked: Sequence[PriceAsked], quote_of: QuoteOf
) -> Findings[PriceAsked, Quote]:
    """Return a quote for each thing asked, made from its product in the price list."""
    place = PriceListLocation.of(asked[0].region, regions)
    types = list(dict.fromkeys(ask.instance_type for ask in asked))
    try:
        found = listed(clients, place, types)
    except aws_errors() as error:
        return Findings(failed=dict.fromkeys(asked, why(error, ACTION)))
    except UnreadableListError as error:
        return Findings(failed=dict.fromkeys(asked, str(error)))
    quotes: dict[PriceAsked, Quote] = {}
    failed: dict[PriceAsked, str] = {}
    for ask in asked:
        try:
            quotes[ask] = quote_of(ask, found, the_product(found, ask.instance_type))
        except UnreadableListError as error:
            failed[ask] = str(error)
    return Findings(quotes, failed)
