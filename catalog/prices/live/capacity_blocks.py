"""Capacity blocks on offer: accelerators reserved ahead for a time, paid upfront."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from math import ceil
from typing import Any, Final

from catalog.facts.instances import family_name
from catalog.facts.schema import Family, Quote
from catalog.prices.live.aws import pages
from catalog.prices.live.products import Rate
from catalog.prices.live.source import (
    MINUTE_S,
    AwsSource,
    BlockQuery,
    PriceQuery,
    live_quote,
    unpriced_quote,
)

QUOTE_SOURCE: Final = "capacity_block"
# Sold by the day for two weeks, then by the week for half a year (EC2 Capacity Blocks user guide).
DAY_H, WEEK_H, BY_DAY_H, LONGEST_H = 24, 168, 336, 4368
AHEAD: Final = timedelta(weeks=8)  # a block starts within eight weeks
MOST_PAGES: Final = 10


@dataclass(frozen=True, slots=True)
class Offering:
    """One block that can be bought: its fee is for all machines and the whole time."""

    zone: str
    machines: int
    start: datetime
    end: datetime
    fee: Rate

    @property
    def hours(self) -> Decimal:
        """Length in hours: end less start (AWS's own hours field leaves the minutes out)."""
        return Decimal((self.end - self.start).total_seconds()) / 3600

    @property
    def hourly(self) -> Rate:
        """Price of one machine for one hour."""
        return Rate(self.fee.amount / self.machines / self.hours, self.fee.currency)


def block_hours(hours: float) -> int:
    """Return the shortest length sold that covers the hours wanted, at most half a year."""
    step = DAY_H if hours <= BY_DAY_H else WEEK_H
    return min(LONGEST_H, max(1, ceil(hours / step)) * step)


@dataclass(frozen=True, slots=True)
class CapacityBlocks(AwsSource[PriceQuery, Quote]):
    """The cheapest block long enough; an empty list means nothing to buy now, not no such type."""

    action = "ec2:DescribeCapacityBlockOfferings"
    name = "capacity blocks"
    ttl_s = 10 * MINUTE_S  # offers come and go
    found_type = Quote
    batch = 1
    now: Callable[[], datetime]
    families: Mapping[str, Family]  # which types are sold by the UltraServer

    def _answer(self, ask: PriceQuery) -> Quote:
        return self._quote(ask, list(self._offerings(ask)))

    def _offerings(self, ask: PriceQuery) -> Iterable[Offering]:
        client = self.clients.client("ec2", ask.region)
        block, now = ask.block or BlockQuery(), self.now()
        begin = now
        if block.starts is not None:
            begin = max(now, datetime.combine(block.starts, time(), UTC))
        asked: dict[str, Any] = {
            "CapacityDurationHours": block_hours(block.hours),
            "StartDateRange": begin,
            "EndDateRange": max(begin, now + AHEAD) + timedelta(hours=block_hours(block.hours)),
            **self._machines(ask.instance_type, block.instances),
        }
        call = client.describe_capacity_block_offerings
        whole = self._ultra_machines(ask.instance_type)
        for answer in pages(call, asked, most=MOST_PAGES):
            offered = answer.get("CapacityBlockOfferings") or ()
            read = (_offering(item, ask, whole) for item in offered)
            yield from (offering for offering in read if offering is not None)

    def _quote(self, ask: PriceQuery, offerings: Sequence[Offering]) -> Quote:
        wanted = block_hours((ask.block or BlockQuery()).hours)
        if not offerings:
            reason = f"no capacity block of {wanted} h on offer in {ask.region} now"
            return unpriced_quote(ask, reason, QUOTE_SOURCE, self.now())
        chosen = _chosen(offerings, wanted)
        fee = f"{chosen.fee.amount.normalize():f} {chosen.fee.currency}"
        note = (
            f"{float(chosen.hours):.4g} h from {chosen.start:%Y-%m-%d %H:%M} UTC in {chosen.zone}, "
            f"{fee} upfront for {chosen.machines}"
        )
        return live_quote(ask, chosen.hourly, QUOTE_SOURCE, self.now(), note=note)

    def _ultra_machines(self, instance_type: str) -> int | None:
        family = self.families.get(family_name(instance_type))
        return None if family is None else family.ultra_server_machines

    def _machines(self, instance_type: str, instances: int) -> dict[str, Any]:
        machines = self._ultra_machines(instance_type)
        if machines is None:
            return {"InstanceType": instance_type, "InstanceCount": instances}
        name = self.families[family_name(instance_type)].ultra_server
        return {"UltraserverType": name, "UltraserverCount": ceil(instances / machines)}


def _chosen(offerings: Sequence[Offering], wanted_h: int) -> Offering:
    """Return the cheapest block long enough; the longest where none is.

    A block that starts at once may be shorter than asked.
    """
    enough = [offering for offering in offerings if offering.hours >= wanted_h]
    if enough:
        return min(enough, key=lambda o: (o.fee.amount, o.start, o.zone))
    return max(offerings, key=lambda o: (o.hours, -o.fee.amount, o.zone))


def _offering(
    item: Mapping[str, Any], ask: PriceQuery, ultra_server: int | None
) -> Offering | None:
    """Return one item; None where it is of another type, costs nothing or makes no sense.

    `ultra_server`: how many machines one UltraServer of the type is, where it is sold so.
    """
    try:
        amount = Decimal(str(item["UpfrontFee"]))
        count, size = item.get("InstanceCount"), 1
        if ultra_server is not None and item.get("UltraserverType"):
            count, size = item.get("UltraserverCount"), ultra_server
        elif item["InstanceType"] != ask.instance_type:
            return None
        offering = Offering(
            zone=str(item.get("AvailabilityZone", ask.region)),
            machines=int(count or 0) * size,
            start=item["StartDate"].astimezone(UTC),
            end=item["EndDate"].astimezone(UTC),
            fee=Rate(amount, str(item.get("CurrencyCode") or "USD")),
        )
    except (AttributeError, InvalidOperation, KeyError, TypeError, ValueError):
        return None
    sensible = amount.is_finite() and amount > 0 and offering.machines > 0 and offering.hours > 0
    return offering if sensible else None
