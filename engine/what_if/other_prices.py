"""The same question in a world with other prices: of all types, of some, or of one."""

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from catalog.catalog import Catalog
from catalog.facts.schema import Instance, Market, Quote
from catalog.prices.prices import Prices
from engine.core.question import Question

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


def priced_at(
    question: Question, instance: Instance, usd_per_hour: float
) -> tuple[Question, Instance]:
    """Return the question and the type as they were if the type cost `usd_per_hour` an hour.

    A type that the market does not sell today is sold in that world.
    """
    market = question.market
    sold = replace(instance, on_demand_sold=True, spot_sold=True, capacity_block=True)
    if market in {"on_demand", "reserved", "savings_plan"}:
        sold = replace(sold, capacity_block=instance.capacity_block)
    quote = Quote(
        instance_type=instance.instance_type,
        region=question.region,
        market=market,
        usd_per_hour=usd_per_hour,
        source="hypothetical",
        as_of="",
    )
    catalog = question.catalog
    prices = _with_quote(catalog.prices, market, question.region, quote)
    instances = ChainMap({instance.instance_type: sold}, catalog.instances)  # type: ignore[arg-type]
    return replace(question, catalog=replace(catalog, prices=prices, instances=instances)), sold


def _with_quote(prices: Prices, market: Market, region: str, quote: Quote) -> Prices:
    name = quote.instance_type
    if market == "on_demand":
        found = ChainMap({(region, name): quote}, prices.on_demand)  # type: ignore[arg-type]
        return replace(prices, on_demand=found)
    key = (market, region, name)
    return replace(
        prices,
        other=ChainMap({key: quote}, prices.other),  # type: ignore[arg-type]
        three_year=ChainMap({key: quote}, prices.three_year),  # type: ignore[arg-type]
    )
