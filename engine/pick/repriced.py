"""The same catalog in a world where prices are others: all of them, or those of some types."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from catalog.catalog import Catalog
from catalog.facts.schema import Quote

Key = TypeVar("Key")


def with_prices_times(
    catalog: Catalog, factor: float, of: Callable[[Quote], bool] = lambda _: True
) -> Catalog:
    """Return the catalog with the known prices that `of` picks out multiplied by `factor`.

    What has no price has none there either.
    """

    def changed(quotes: Mapping[Key, Quote]) -> dict[Key, Quote]:
        return {key: _times(quote, factor) if of(quote) else quote for key, quote in quotes.items()}

    prices = catalog.prices
    return replace(
        catalog,
        prices=replace(
            prices,
            on_demand=changed(prices.on_demand),
            other=changed(prices.other),
            three_year=changed(prices.three_year),
            live=changed(prices.live),
        ),
    )


def _times(quote: Quote, factor: float) -> Quote:
    if quote.usd_per_hour is None:
        return quote
    return replace(quote, usd_per_hour=quote.usd_per_hour * factor, source="hypothetical")
