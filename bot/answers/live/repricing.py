"""Live prices: of types named, and a recommendation re-ranked: rank, look up, rank again."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from bot.answers.live.price_words import is_live, unavailable, with_live_words
from bot.aws.live_session import LiveAnswer
from catalog.catalog import Catalog
from catalog.facts.schema import Instance, Market, Quote
from catalog.facts.units import HOURS_PER_YEAR
from catalog.prices.live.capacity import FEWEST_TYPES, PlacementQuery, QuotaQuery, ZonesQuery
from catalog.prices.live.desk import DeskAnswer, DeskQuestion, price_asked
from catalog.prices.live.source import BlockQuery
from catalog.prices.live.spot import SpotQuery
from engine.core.result import Recommendation
from engine.core.workload import Workload
from engine.pick.leading import leading
from engine.pick.reasons import quantity

CANDIDATES: Final = 12
# A live price may bring up a type that nobody looked up: once more for those, then it stands.
ROUNDS: Final = 2

Recommend = Callable[[Catalog, Market | None], Recommendation]


def repriced(
    ranked: Recommend, catalog: Catalog, live: LiveAnswer, starts: date | None = None
) -> Recommendation:
    """Return the recommendation at live prices where they are to be had.

    `ranked` answers the request from a catalog, on another market where one is given. `starts` is
    the first day of the capacity block asked for.
    """
    result = ranked(catalog, None)
    names = _candidate_types(ranked, catalog, result)
    told = DeskAnswer()
    for _ in range(ROUNDS):
        told = live.ask(_prices_wanted(result, catalog, names, starts))
        priced = replace(catalog, prices=catalog.prices.with_live(told.quotes))
        result = ranked(priced, None)
        asked = {ask.instance_type for ask in told.failed} | {key[2] for key in told.quotes}
        names = [name for name in _shown_types(result) if name not in asked]
        if not names:
            break
    return with_live_words(result, told)


def _candidate_types(ranked: Recommend, catalog: Catalog, result: Recommendation) -> Sequence[str]:
    """Return the types to look up; those cheap on demand are candidates on every market."""
    market = result.workload.market or "on_demand"
    names = leading(result, CANDIDATES)
    if market == "capacity_block":
        return [name for name in names if catalog.instances[name].capacity_block]
    if market == "on_demand":
        return names
    cheap = leading(ranked(catalog, "on_demand"), CANDIDATES)
    mixed = [name for pair in zip(names, cheap, strict=False) for name in pair]
    return list(dict.fromkeys([*_shown_types(result), *mixed, *names, *cheap]))[:CANDIDATES]


def _shown_types(result: Recommendation) -> list[str]:
    return [pick.instance.instance_type for pick in (*result.picks, *result.closest)]


def _prices_wanted(
    result: Recommendation, catalog: Catalog, names: Sequence[str], starts: date | None
) -> DeskQuestion:
    workload = result.workload
    region, market = workload.region or catalog.default_region, workload.market or "on_demand"
    block = block_of(workload, starts, _hours_needed(result))
    # On another market the on-demand price is the ceiling.
    markets: list[Market] = [market] if market == "on_demand" else [market, "on_demand"]
    head = result.picks[0] if result.picks else None
    instances = [catalog.instances[name] for name in names]
    return DeskQuestion(
        prices=[
            price_asked(one, region, name, term_years=workload.term_years, block=block)
            for one in markets
            for name in names
        ],
        quotas=[QuotaQuery(region, code) for code in _quota_codes(instances, market)],
        zones=[ZonesQuery(region, name) for name in names],
        placement=[PlacementQuery(region, tuple(sorted(names)), head.instances)]
        if market == "spot" and head is not None and len(names) >= FEWEST_TYPES
        else [],
        spreads=[SpotQuery(region, head.instance.instance_type)]
        if market == "spot" and head is not None
        else [],
    )


def _hours_needed(result: Recommendation) -> float | None:
    """Return how long the best pick's job takes; None for work without an end."""
    training = result.picks[0].estimate.training if result.picks else None
    return None if training is None or training.time_h is None else training.time_h.value


def block_of(
    workload: Workload, starts: date | None, hours_needed: float | None = None
) -> BlockQuery:
    """Return the capacity block that a workload asks for: its term, the job's length, or a day."""
    hours = hours_needed or 24.0
    if workload.term_years is not None:
        hours = workload.term_years * HOURS_PER_YEAR
    return BlockQuery(hours=max(1, round(hours)), instances=workload.nodes or 1, starts=starts)


def _quota_codes(instances: Sequence[Instance], market: Market) -> list[str]:
    if market == "capacity_block":
        return []
    codes = [
        instance.quota_code_spot if market == "spot" else instance.quota_code_on_demand
        for instance in instances
    ]
    return [code for code in dict.fromkeys(codes) if code is not None]


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
