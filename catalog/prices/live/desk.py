"""Everything live that one answer may ask, behind one call. The door for `bot`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median
from typing import Any, Final

from catalog.catalog import Catalog
from catalog.facts.schema import Market, Quote
from catalog.prices.live.aws import Clients
from catalog.prices.live.cache import MemoryCache, PriceCache
from catalog.prices.live.capacity import (
    Availability,
    Placement,
    PlacementQuery,
    PlacementScores,
    Quota,
    QuotaQuery,
    Quotas,
    Zones,
    ZonesQuery,
)
from catalog.prices.live.capacity_blocks import CapacityBlocks
from catalog.prices.live.checked_source import CheckedSource
from catalog.prices.live.lookup import BUDGET_S, AnySource, Lookup, LookupResult
from catalog.prices.live.price_list_sources import OnDemand, ReservedInstances
from catalog.prices.live.savings_plans import SavingsPlans
from catalog.prices.live.source import BlockQuery, PriceQuery
from catalog.prices.live.spot import Spot, SpotHistory, SpotQuery, SpotSpread
from catalog.prices.prices import COMMITMENTS, LiveKey

NOT_ASKED: Final = LookupResult({}, {})
LISTED: Final = frozenset({"on_demand", "reserved"})  # markets of the price list


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskQuestion:
    """What an answer would like to know; everything in it is asked at once."""

    prices: Sequence[PriceQuery] = ()
    quotas: Sequence[QuotaQuery] = ()
    zones: Sequence[ZonesQuery] = ()
    placement: Sequence[PlacementQuery] = ()
    spreads: Sequence[SpotQuery] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskAnswer:
    """What came of it. `quotes` are live or cached ones; `failed` says which are not live, why."""

    quotes: Mapping[LiveKey, Quote] = field(default_factory=dict)
    failed: Mapping[PriceQuery, str] = field(default_factory=dict)
    quotas: Mapping[QuotaQuery, Quota] = field(default_factory=dict)
    zones: Mapping[ZonesQuery, Zones] = field(default_factory=dict)
    placement: Mapping[PlacementQuery, PlacementScores] = field(default_factory=dict)
    spreads: Mapping[SpotQuery, SpotSpread] = field(default_factory=dict)

    @property
    def failures(self) -> tuple[str, ...]:
        """The reasons for which prices are not live, each once."""
        return tuple(dict.fromkeys(self.failed.values()))


def price_asked(
    market: Market,
    region: str,
    instance_type: str,
    *,
    term_years: float | None = None,
    block: BlockQuery | None = None,
) -> PriceQuery:
    """Return one price as sources are asked for it; a term or a block only where it counts."""
    term = (3 if round(term_years or 1) == 3 else 1) if market in COMMITMENTS else 0
    length = (block or BlockQuery()) if market == "capacity_block" else None
    return PriceQuery(market, region, instance_type, term, length)


class LiveDesk:
    """Looks up prices and offers for one answer after the other."""

    def __init__(
        self, catalog: Catalog, lookup: Lookup, sources: Mapping[str, AnySource], cache: PriceCache
    ) -> None:
        """Take the snapshot, how to look up, and the source of each market and of each offer."""
        self._catalog = catalog
        self._lookup = lookup
        self._sources = sources
        self.cache = cache

    def ask(
        self, wanted: DeskQuestion, *, fresh: bool = False, budget_s: float = BUDGET_S
    ) -> DeskAnswer:
        """Return what AWS, or the cache where AWS does not answer, says; within the budget.

        `fresh` asks AWS even for what the cache holds as current.
        """
        questions: list[tuple[str, Sequence[Any]]] = [
            *_by_market(wanted.prices).items(),
            ("quotas", wanted.quotas),
            ("zones", wanted.zones),
            ("placement", wanted.placement),
            ("spreads", wanted.spreads),
        ]
        questions = [(name, self._answerable(name, asked)) for name, asked in questions]
        questions = [(name, asked) for name, asked in questions if asked]
        looked = self._lookup.look_up(
            [(self._sources[name], asked) for name, asked in questions],
            fresh=fresh,
            budget_s=budget_s,
        )
        answers = {name: one for (name, _), one in zip(questions, looked, strict=True)}
        priced = [answers[market] for market in _by_market(wanted.prices) if market in answers]
        return DeskAnswer(
            quotes={
                ask.key: quote
                for one in priced
                for ask, quote in one.found.items()
                if not self._superseded(ask, quote)
            },
            failed={ask: why for one in priced for ask, why in one.failed.items()},
            quotas=answers.get("quotas", NOT_ASKED).found,
            zones=answers.get("zones", NOT_ASKED).found,
            placement=answers.get("placement", NOT_ASKED).found,
            spreads=answers.get("spreads", NOT_ASKED).found,
        )

    def _answerable(self, name: str, asked: Sequence[Any]) -> list[Any]:
        """Return what a source can be asked: the list holds zone groups, EC2's endpoints regions.

        A Local Zone's parent region would answer for itself instead.
        """
        regions = self._catalog.regions
        return [
            ask
            for ask in asked
            if name in LISTED
            or ask.region not in regions
            or regions[ask.region].location_type == "region"
        ]

    def _superseded(self, ask: PriceQuery, quote: Quote) -> bool:
        """Return whether a newer release of this product knows better than an old cached figure."""
        snapshot = snapshot_quote(self._catalog, ask)
        return quote.cached and snapshot is not None and snapshot.as_of > quote.as_of


def _by_market(prices: Iterable[PriceQuery]) -> dict[str, list[PriceQuery]]:
    markets: dict[str, list[PriceQuery]] = {}
    for ask in prices:
        markets.setdefault(ask.market, []).append(ask)
    return markets


def snapshot_quote(catalog: Catalog, ask: PriceQuery) -> Quote | None:
    """Return the embedded quote for a price asked; None for a type the catalog does not know."""
    instance = catalog.instances.get(ask.instance_type)
    if instance is None:
        return None
    return catalog.prices.quote(instance, ask.region, ask.market, ask.term_years or 1)


def kin_price(catalog: Catalog, ask: PriceQuery) -> float | None:
    """Return the $/h of a type by what its kin cost: a chip of the same kind, else a vCPU.

    The middle of the on-demand prices of other types in that region, per chip or per vCPU of the
    same family; None where none is known.
    """
    asked = catalog.instances.get(ask.instance_type)
    if asked is None:
        return None
    by_chip = asked.accelerator_id is not None
    rates = []
    for one in catalog.instances.values():
        alike = (
            one.accelerator_id == asked.accelerator_id if by_chip else one.family == asked.family
        )
        usd = catalog.prices.quote(one, ask.region).usd_per_hour if alike and one != asked else None
        if usd is not None:
            rates.append(usd / (one.accelerators if by_chip else one.vcpus))
    size = asked.accelerators if by_chip else asked.vcpus
    return size * median(rates) if rates else None


def live_desk(
    catalog: Catalog,
    cache: PriceCache | None = None,
    *,
    pricing_region: str | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    revalidates: bool = False,
) -> LiveDesk:
    """Return the desk over every source of AWS; `catalog` is the embedded one.

    Raises:
        ValueError: when the price list has no endpoint in `pricing_region`.
    """
    clients = Clients(catalog.endpoints, pricing_region)
    kept = cache or MemoryCache()

    def known(ask: PriceQuery) -> Quote | None:
        return snapshot_quote(catalog, ask)

    priced: dict[str, AnySource] = {
        "on_demand": OnDemand(clients, catalog.regions, now),
        "reserved": ReservedInstances(clients, catalog.regions, now),
        "spot": Spot(clients, now),
        "savings_plan": SavingsPlans(clients, now),
        "capacity_block": CapacityBlocks(clients, now, catalog.families),
    }
    sources: dict[str, AnySource] = {
        **{
            market: CheckedSource(source, known, kept, lambda ask: kin_price(catalog, ask), now)
            for market, source in priced.items()
        },
        "quotas": Quotas(clients),
        "zones": Availability(clients),
        "placement": Placement(clients),
        "spreads": SpotHistory(clients, now),
    }
    lookup = Lookup(kept, now, revalidates=revalidates)
    return LiveDesk(catalog, lookup, sources, kept)
