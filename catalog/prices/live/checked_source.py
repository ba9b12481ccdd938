"""Not every live figure is to be believed, and every believed one is compared with the last.

The list itself has been ten times too high for a week, test servers price spot at $0.00001: a
figure far from every earlier one is a failure, so that the last good one stands. One that is only
unusual is believed when it is read again some hours later; until then it is in no history.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from catalog.facts.schema import Market, Quote
from catalog.prices.history import price_change
from catalog.prices.live.cache import CachedAnswer, PriceCache, found_of
from catalog.prices.live.lookup import cache_key
from catalog.prices.live.source import HOUR_S, Findings, PriceQuery, Source

# Times the known price of the same market: the largest real change seen is -44 %, the largest
# error of the list was x10.
BELIEVABLE: Final = (0.2, 5.0)
# Outside this a second read must agree; the largest real fall seen leaves 56 % of a price.
BELIEVABLE_AT_ONCE: Final = (0.4, 2.5)
SECOND_READ_S: Final = 3 * HOUR_S
UNUSUAL: Final = "unusual_usd_per_hour"  # what was read once
SAME: Final = 0.005  # of a price: two reads agree
# Times the on-demand price: spot has been seen from 10 % of it to exactly as much; commitments
# and blocks from 20 % to about as much. Where the on-demand price itself has changed since, wider.
BELIEVABLE_BESIDE_ON_DEMAND: Final[Mapping[Market, tuple[float, float]]] = {
    "spot": (0.03, 2.0),
    "reserved": (0.1, 2.0),
    "savings_plan": (0.1, 2.0),
    "capacity_block": (0.05, 4.0),
}

KinPrice = Callable[[PriceQuery], float | None]  # $/h by what its kin cost; None without kin
KnownQuote = Callable[[PriceQuery], Quote | None]  # the snapshot's quote; None for no such type


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """A price source whose figures are held against what was known, and whose changes are kept."""

    source: Source[PriceQuery, Quote]
    known: KnownQuote
    cache: PriceCache
    kin: KinPrice = lambda _: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def name(self) -> str:
        """See `Source.name`."""
        return self.source.name

    @property
    def ttl_s(self) -> float:
        """See `Source.ttl_s`."""
        return self.source.ttl_s

    @property
    def found_type(self) -> type[Quote]:
        """See `Source.found_type`."""
        return Quote

    @property
    def batch(self) -> int:
        """See `Source.batch`."""
        return self.source.batch

    def place(self, asked: PriceQuery) -> str:
        """See `Source.place`."""
        return self.source.place(asked)

    def find(self, asked: Sequence[PriceQuery]) -> Findings[PriceQuery, Quote]:
        """See `Source.find`."""
        findings = self.source.find(asked)
        doubts = {ask: self._doubt(ask, quote) for ask, quote in findings.found.items()}
        believed = {ask: quote for ask, quote in findings.found.items() if not doubts[ask]}
        for ask, quote in believed.items():
            self._compare(ask, quote)
        doubted = {ask: doubt for ask, doubt in doubts.items() if doubt}
        return Findings(believed, {**findings.failed, **doubted})

    def _doubt(self, ask: PriceQuery, quote: Quote) -> str:
        """Return why a figure is not believed; empty where it is."""
        if quote.usd_per_hour is None:
            return self._doubt_of_none(ask, quote)
        on_demand = PriceQuery("on_demand", ask.region, ask.instance_type)
        bounds = BELIEVABLE_BESIDE_ON_DEMAND.get(ask.market)
        if bounds is not None:
            known = self.known(on_demand)
            reference = None if known is None else known.usd_per_hour
            return self._doubt_beside(ask, quote.usd_per_hour, reference, bounds)
        return self._doubt_of_list(ask, quote.usd_per_hour)

    def _doubt_of_list(self, ask: PriceQuery, usd: float) -> str:
        """Return why a list price is not believed: far off, or unusual and read for the first time.

        It is held against what was believed last, for a type that never had one what its kin cost.
        """
        before = self._before(ask)
        reference = (None if before is None else before.usd_per_hour) or self.kin(ask)
        doubt = self._doubt_beside(ask, usd, reference, BELIEVABLE)
        unusual = self._doubt_beside(ask, usd, reference, BELIEVABLE_AT_ONCE)
        return doubt or (unusual if unusual and not self._was_read(ask, usd) else "")

    def _doubt_beside(
        self, ask: PriceQuery, usd: float, reference: float | None, bounds: tuple[float, float]
    ) -> str:
        low, high = bounds
        if not reference or low <= usd / reference <= high:
            return ""
        return (
            f"{self.name} says ${usd:.6g} for {ask.instance_type}, beside "
            f"${reference:.6g} known: not believed"
        )

    def _was_read(self, ask: PriceQuery, usd: float) -> bool:
        """Return whether the same figure was read some hours ago; else remember that it is now."""
        key, now = f"{cache_key(self, ask)}|{UNUSUAL}", self.now().timestamp()
        kept = self.cache.get(key)
        if kept is not None and abs(kept.body[UNUSUAL] / usd - 1) <= SAME:
            return now - kept.seen_at >= SECOND_READ_S
        self.cache.put(key, CachedAnswer({UNUSUAL: usd}, now))
        return False

    def _doubt_of_none(self, ask: PriceQuery, quote: Quote) -> str:
        """Return why "no price" is not the last word: it would hide a published one.

        A price list with a gap looks like one without the type, and no capacity block to buy now
        is no end of sale. On the other markets having no offer is ordinary.
        """
        known = self.known(ask) if ask.market in {"on_demand", "capacity_block"} else None
        if known is None or known.usd_per_hour is None:
            return ""
        return f"{ask.instance_type}: {quote.why_unpriced}, where it had a price"

    def _compare(self, ask: PriceQuery, quote: Quote) -> None:
        before = self._before(ask)
        change = None if before is None else price_change(before, quote, ask.term_years)
        if change is not None:
            self.cache.record(change)

    def _before(self, ask: PriceQuery) -> Quote | None:
        """Return the last quote of the same thing; the snapshot's where nothing was asked before.

        A spot price or a block of the snapshot is another day's or another length's, no change.
        """
        kept = self.cache.get(cache_key(self, ask))
        last = None if kept is None else found_of(kept.body, Quote)
        if last is not None:
            return last
        return None if ask.market in {"spot", "capacity_block"} else self.known(ask)
