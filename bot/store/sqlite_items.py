"""Documents in SQLite."""

import json
import time
from collections.abc import Callable, Iterable, Sequence

from bot.store.items import ABSENT, ANY_VERSION, Item, Page, collection_page, encoded, topic_page
from bot.store.sqlite import Database
from bot.store.store import Payload

COLUMNS = "collection, key, body, version, topic"
LIVE = "(expires_at IS NULL OR expires_at > ?)"


class SqliteItems:
    """`Items` over one SQLite file. Expired rows count as absent and are cleared on the way."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def put_item(
        self,
        collection: str,
        key: str,
        body: Payload,
        *,
        topic: str | None = None,
        kept_s: float | None = None,
        version: int | None = ANY_VERSION,
    ) -> int | None:
        """See `Items.put_item`."""
        text, now = encoded(body), self._clock()
        expires_at = None if kept_s is None else now + kept_s
        with self._database.write() as rows:
            rows.execute("DELETE FROM items WHERE expires_at <= ?", (now,))
            row = rows.execute(
                "SELECT version FROM items WHERE collection = ? AND key = ?", (collection, key)
            ).fetchone()
            there = ABSENT if row is None else int(row[0])
            if version not in (ANY_VERSION, there):
                return None
            rows.execute(
                "INSERT OR REPLACE INTO items (collection, key, body, topic, version, expires_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (collection, key, text, topic, there + 1, expires_at),
            )
        return there + 1

    def get_item(self, collection: str, key: str) -> Item | None:
        """See `Items.get_item`."""
        found = self._select("collection = ? AND key = ?", (collection, key), "key", 1)
        return found[0] if found else None

    def get_items(self, places: Sequence[tuple[str, str]]) -> tuple[Item | None, ...]:
        """See `Items.get_items`."""
        found = [self.get_item(*place) for place in places]  # a read here costs no round trip
        return tuple(found)

    def delete_item(self, collection: str, key: str, *, version: int | None = ANY_VERSION) -> bool:
        """See `Items.delete_item`."""
        with self._database.write() as rows:
            gone = rows.execute(
                f"DELETE FROM items WHERE collection = ? AND key = ? AND {LIVE}"  # noqa: S608
                " AND version = coalesce(?, version)",
                (collection, key, self._clock(), version),
            )
            return gone.rowcount > 0

    def list_items(
        self, collection: str, *, prefix: str = "", after: str | None = None, limit: int = 100
    ) -> Page:
        """See `Items.list_items`."""
        where = "collection = ? AND substr(key, 1, ?) = ? AND key > ?"
        values = (collection, len(prefix), prefix, after or "")
        found = self._select(where, values, "key", limit + 1)
        return collection_page(found, limit)

    def list_topic(self, topic: str, *, after: str | None = None, limit: int = 100) -> Page:
        """See `Items.list_topic`."""
        key, collection = json.loads(after) if after else ("", "")
        where = "topic = ? AND (key, collection) > (?, ?)"
        found = self._select(where, (topic, key, collection), "key, collection", limit + 1)
        return topic_page(found, limit)

    def _select(
        self, where: str, values: Iterable[object], order: str, limit: int
    ) -> tuple[Item, ...]:
        with self._database.read() as rows:
            found = rows.execute(
                f"SELECT {COLUMNS} FROM items WHERE {where} AND {LIVE}"  # noqa: S608 - all ours
                f" ORDER BY {order} LIMIT ?",
                (*values, self._clock(), limit),
            ).fetchall()
        return tuple(
            Item(collection=c, key=k, body=json.loads(text), version=version, topic=topic)
            for c, k, text, version, topic in found
        )
