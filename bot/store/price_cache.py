"""Prices seen and their changes, kept as documents of the one state."""

import logging
from dataclasses import asdict
from typing import Final

from bot.store.store import Items, Payload
from catalog.prices.history import PriceChange
from catalog.prices.live.cache import CachedAnswer, by_day, change_id, found_of
from catalog.prices.prices import LiveKey

PRICES: Final = "live_answers"
CHANGES: Final = "price_changes"
KEPT_S: Final = 180 * 86_400.0  # an older figure says less than the snapshot of a newer release
PAGE: Final = 100

logger = logging.getLogger(__name__)


class ItemPriceCache:
    """`PriceCache` over documents, on SQLite or DynamoDB. State that fails is as good as empty."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def get(self, key: str) -> CachedAnswer | None:
        """See `PriceCache.get`."""
        try:
            item = self._items.get_item(PRICES, key)
        except Exception:
            logger.exception("the price cache cannot be read")
            return None
        if item is None or not isinstance(item.body.get("found"), dict):
            return None
        return CachedAnswer(item.body["found"], float(item.body.get("seen_at") or 0.0))

    def put(self, key: str, kept: CachedAnswer) -> None:
        """See `PriceCache.put`."""
        self._put(PRICES, key, {"found": kept.body, "seen_at": kept.seen_at}, KEPT_S)

    def record(self, change: PriceChange) -> None:
        """See `PriceCache.record`."""
        key = f"{_prefix(change.key)}{change_id(change)}"
        self._put(CHANGES, key, asdict(change), None)

    def changes(self, key: LiveKey) -> tuple[PriceChange, ...]:
        """See `PriceCache.changes`."""
        found: list[PriceChange] = []
        after: str | None = None
        try:
            while True:
                page = self._items.list_items(CHANGES, prefix=_prefix(key), after=after, limit=PAGE)
                read = (found_of(item.body, PriceChange) for item in page.items)
                found += [change for change in read if change is not None]
                if page.after is None:
                    return by_day(found)
                after = page.after
        except Exception:
            logger.exception("the price history cannot be read")
            return by_day(found)

    def _put(self, collection: str, key: str, body: Payload, kept_s: float | None) -> None:
        try:
            self._items.put_item(collection, key, body, kept_s=kept_s)
        except Exception:
            logger.exception("%s cannot be written", collection)


def _prefix(key: LiveKey) -> str:
    market, region, instance_type, term_years = key
    return f"{market}|{region}|{instance_type}|{term_years}|"
