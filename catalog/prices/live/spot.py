"""Spot prices per zone: what is charged now, and over the last 90 days."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from statistics import median
from typing import Any, Final

from catalog.facts.schema import Quote
from catalog.prices.live.aws import Clients, pages
from catalog.prices.live.products import Rate
from catalog.prices.live.source import (
    HOUR_S,
    MINUTE_S,
    AwsSource,
    Findings,
    PriceQuery,
    UnusableAnswerError,
    live_quote,
    types_of,
    unpriced_quote,
)

ACTION: Final = "ec2:DescribeSpotPriceHistory"
QUOTE_SOURCE: Final = "spot_history"
PRODUCTS: Final = ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
HISTORY: Final = timedelta(days=90)  # AWS keeps no more
# The price in force began within the history; a much older date is not a spot market's.
OLDEST: Final = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class SpotRow:
    """One price of one type in one zone, in force since a moment."""

    instance_type: str
    zone: str  # zone id; names differ between accounts
    usd_per_hour: Decimal
    since: datetime


@dataclass(frozen=True, slots=True)
class Spot(AwsSource[PriceQuery, Quote]):
    """The spot price now: the median over the zones, with the zones in the note."""

    action = ACTION
    name = "spot prices"
    ttl_s = 15 * MINUTE_S
    found_type = Quote
    now: Callable[[], datetime]

    def _found(self, asked: Sequence[PriceQuery]) -> Findings[PriceQuery, Quote]:
        now = self.now()
        rows = spot_rows(self.clients, asked[0].region, types_of(asked), now, now)
        in_force = latest(row for row in rows if row.since > now - OLDEST)
        return Findings({ask: self._quote(ask, in_force, now) for ask in asked})

    def _quote(self, ask: PriceQuery, rows: Iterable[SpotRow], now: datetime) -> Quote:
        zones = {
            row.zone: row.usd_per_hour for row in rows if row.instance_type == ask.instance_type
        }
        if not zones:
            return unpriced_quote(ask, f"no spot price in {ask.region} now", QUOTE_SOURCE, now)
        rate = Rate(median(zones.values()), "USD")
        return live_quote(ask, rate, QUOTE_SOURCE, now, note=_zones_note(zones, now))


def _zones_note(zones: Mapping[str, Decimal], now: datetime) -> str:
    order = sorted(zones, key=lambda zone: (zones[zone], zone))
    each = ", ".join(f"{zone} ${zones[zone].normalize():f}" for zone in order)
    count = "1 zone" if len(zones) == 1 else f"median of {len(zones)} zones"
    return f"{count} at {now:%H:%M} UTC: {each}"


def spot_rows(
    clients: Clients, region: str, types: Sequence[str], start: datetime, end: datetime
) -> list[SpotRow]:
    """Return the Linux spot prices in force at some time between two moments.

    Raises:
        BotoCoreError, ClientError: as boto3 raises them.
    """
    client = clients.client("ec2", region)
    asked: dict[str, Any] = {
        "InstanceTypes": list(types),
        "ProductDescriptions": list(PRODUCTS),
        "StartTime": start,
        "EndTime": end,
    }
    rows: list[SpotRow] = []
    for answer in pages(client.describe_spot_price_history, asked):
        read = (_spot_row(item) for item in answer.get("SpotPriceHistory") or ())
        rows += [row for row in read if row is not None and row.instance_type in types]
    return rows


def _spot_row(item: Mapping[str, Any]) -> SpotRow | None:
    """Return one item as a row; None for another product, or one that makes no sense."""
    try:
        price = Decimal(str(item["SpotPrice"]))
        zone = item.get("AvailabilityZoneId") or item["AvailabilityZone"]
        since = item["Timestamp"].astimezone(UTC)
        known = item["ProductDescription"] in PRODUCTS
    except (AttributeError, InvalidOperation, KeyError):
        return None
    if not known or not price.is_finite() or price <= 0:
        return None
    return SpotRow(str(item.get("InstanceType")), str(zone), price, since)


def latest(rows: Iterable[SpotRow]) -> list[SpotRow]:
    """Return the newest row of each type and zone."""
    newest: dict[tuple[str, str], SpotRow] = {}
    for row in rows:
        key = (row.instance_type, row.zone)
        if key not in newest or row.since > newest[key].since:
            newest[key] = row
    return list(newest.values())


@dataclass(frozen=True, slots=True)
class SpotSpread:
    """What a type cost on spot over the days seen, all zones together, weighted by time."""

    days: float
    low: float
    p50: float
    p90: float
    high: float


@dataclass(frozen=True, slots=True)
class SpotQuery:
    """The spread wanted of one type in one region."""

    region: str
    instance_type: str


@dataclass(frozen=True, slots=True)
class SpotHistory(AwsSource[SpotQuery, SpotSpread]):
    """The spread of 90 days; hundreds of rows a type, so asked for the one type that matters."""

    action = ACTION
    name = "spot history"
    ttl_s = 6 * HOUR_S
    found_type = SpotSpread
    batch = 1
    now: Callable[[], datetime]

    def _answer(self, ask: SpotQuery) -> SpotSpread:
        now = self.now()
        rows = spot_rows(self.clients, ask.region, [ask.instance_type], now - HISTORY, now)
        spread = spread_of(rows, now)
        if spread is None:
            raise UnusableAnswerError(f"no spot price in {ask.region} in 90 days")
        return spread


def spread_of(rows: Sequence[SpotRow], now: datetime) -> SpotSpread | None:
    """Return the spread of the rows; a price weighs as long as it was in force in its zone."""
    held = sorted(pair for pair in _held_prices(rows, now) if pair[1] > 0)
    if not held:
        return None
    longest = max(now - row.since for row in rows)
    return SpotSpread(
        days=round(min(longest, HISTORY) / timedelta(days=1), 1),
        low=float(held[0][0]),
        p50=_weighted(held, 0.5),
        p90=_weighted(held, 0.9),
        high=float(held[-1][0]),
    )


def _held_prices(rows: Iterable[SpotRow], now: datetime) -> list[tuple[Decimal, float]]:
    zones: dict[str, list[SpotRow]] = {}
    for row in rows:
        zones.setdefault(row.zone, []).append(row)
    held: list[tuple[Decimal, float]] = []
    for changes in zones.values():
        changes.sort(key=lambda row: row.since)
        ends = [row.since for row in changes[1:]] + [now]
        for row, end in zip(changes, ends, strict=True):
            since = max(row.since, now - HISTORY)
            held.append((row.usd_per_hour, (end - since).total_seconds()))
    return held


def _weighted(held: Sequence[tuple[Decimal, float]], share: float) -> float:
    """Return the price not exceeded for this share of the time; `held` is sorted by price."""
    needed = share * sum(seconds for _, seconds in held)
    passed = 0.0
    for price, seconds in held:
        passed += seconds
        if passed >= needed:
            return float(price)
    return float(held[-1][0])
