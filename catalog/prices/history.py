"""What prices were before: published changes, and the ones this installation saw itself."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, cast

from catalog.facts.schema import Market, Quote
from catalog.load import DATA_DIR
from catalog.prices.prices import LiveKey, live_key

FILE: Final = "prices_history.csv"
# Two reads of one price may differ in the seventh decimal; AWS prices to the fifth.
SAME_PRICE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class PriceChange:
    """One change of one price; it happened between the two days. No old price: first listed."""

    market: Market
    region: str
    instance_type: str
    term_years: int  # 1 or 3 for commitments, else 0
    old_usd_per_hour: float | None
    new_usd_per_hour: float
    last_seen_old: str  # ISO date
    first_seen_new: str  # ISO date
    source: str

    @property
    def key(self) -> LiveKey:
        """Return what price changed."""
        return live_key(self.market, self.region, self.instance_type, self.term_years)

    @property
    def percent(self) -> float | None:
        """Return the change in percent of the old price; None where it was first listed."""
        if self.old_usd_per_hour is None:
            return None
        return 100.0 * (self.new_usd_per_hour / self.old_usd_per_hour - 1.0)


@dataclass(frozen=True, slots=True)
class PricePoint:
    """What a price was on a day it was seen."""

    day: str  # ISO date
    usd_per_hour: float
    source: str


def price_change(before: Quote, now: Quote, term_years: int) -> PriceChange | None:
    """Return the change between two quotes of one price; None where there is none to speak of."""
    old, new = before.usd_per_hour, now.usd_per_hour
    if old is None or new is None or abs(new - old) <= SAME_PRICE * old:
        return None
    if not before.as_of <= now.as_of:
        return None
    return PriceChange(
        market=now.market,
        region=now.region,
        instance_type=now.instance_type,
        term_years=term_years,
        old_usd_per_hour=old,
        new_usd_per_hour=new,
        last_seen_old=before.as_of,
        first_seen_new=now.as_of,
        source=now.source,
    )


@cache
def published_changes(data_dir: Path = DATA_DIR) -> tuple[PriceChange, ...]:
    """Return the published changes of prices_history.csv, in the order of the file.

    Read as it is: a test holds every row to `PriceHistoryRow`.
    """
    with (data_dir / FILE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return tuple(
        PriceChange(
            market=cast("Market", row["market"]),
            region=row["region"],
            instance_type=row["instance_type"],
            term_years=0,
            old_usd_per_hour=float(row["old_usd_per_hour"]) if row["old_usd_per_hour"] else None,
            new_usd_per_hour=float(row["new_usd_per_hour"]),
            last_seen_old=row["last_seen_old"],
            first_seen_new=row["first_seen_new"],
            source=row["source"],
        )
        for row in rows
    )


def history(
    key: LiveKey, quote: Quote | None, changes: Iterable[PriceChange]
) -> tuple[PricePoint, ...]:
    """Return what one price was, oldest first, ending with the quote given.

    A change gives two points: the old price on the last day it was seen, the new one on the first.
    Days between two points are not known; nothing is drawn between them but a step.
    """
    mine = sorted(
        (change for change in changes if change.key == key),
        key=lambda change: (change.first_seen_new, change.last_seen_old),
    )
    points: list[PricePoint] = []
    for change in mine:
        if change.old_usd_per_hour is not None:
            old = PricePoint(change.last_seen_old, change.old_usd_per_hour, change.source)
            points.append(old)
        points.append(PricePoint(change.first_seen_new, change.new_usd_per_hour, change.source))
    if quote is not None and quote.usd_per_hour is not None:
        points.append(PricePoint(quote.as_of, quote.usd_per_hour, quote.source))
    return _one_a_day(points)


def _one_a_day(points: Sequence[PricePoint]) -> tuple[PricePoint, ...]:
    """Return the points by day; of one day the last told counts."""
    days = {point.day: point for point in points}
    return tuple(days[day] for day in sorted(days))
