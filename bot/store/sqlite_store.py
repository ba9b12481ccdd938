"""Claims and threads in SQLite."""

import time
from collections.abc import Callable

from bot.store.sqlite import Database
from bot.store.store import CLAIM_KEPT_S, THREAD_KEPT_S, DeliveryClaim, ThreadKey


class SqliteStore:
    """`Store` over one SQLite file. Expired rows count as absent and are cleared on the way."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def claim(self, key: str, owner: str, lease_s: float) -> DeliveryClaim:
        """See `Store.claim`."""
        now = self._clock()
        with self._database.write() as rows:
            rows.execute("DELETE FROM claims WHERE expires_at <= ?", (now,))
            # The condition DynamoDB would be given: absent, or unsettled with its lease over.
            won = rows.execute(
                "INSERT INTO claims (key, owner, lease_until, expires_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET owner = excluded.owner,"
                " lease_until = excluded.lease_until, expires_at = excluded.expires_at"
                " WHERE claims.settled = 0 AND claims.lease_until <= ?",
                (key, owner, now + lease_s, now + CLAIM_KEPT_S, now),
            ).rowcount
            if won:
                return DeliveryClaim.WON
            settled = rows.execute("SELECT settled FROM claims WHERE key = ?", (key,)).fetchone()
        return DeliveryClaim.DONE if settled[0] else DeliveryClaim.BUSY

    def settle(self, key: str, owner: str) -> None:
        """See `Store.settle`."""
        with self._database.write() as rows:
            rows.execute("UPDATE claims SET settled = 1 WHERE key = ? AND owner = ?", (key, owner))

    def put_thread(self, thread: ThreadKey, context: str) -> None:
        """See `Store.put_thread`."""
        now = self._clock()
        with self._database.write() as rows:
            rows.execute("DELETE FROM threads WHERE expires_at <= ?", (now,))
            rows.execute(
                "INSERT OR REPLACE INTO threads (team, channel, ts, context, expires_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (thread.team, thread.channel, thread.ts, context, now + THREAD_KEPT_S),
            )

    def get_thread(self, thread: ThreadKey) -> str | None:
        """See `Store.get_thread`."""
        with self._database.read() as rows:
            row = rows.execute(
                "SELECT context FROM threads"
                " WHERE team = ? AND channel = ? AND ts = ? AND expires_at > ?",
                (thread.team, thread.channel, thread.ts, self._clock()),
            ).fetchone()
        return None if row is None else str(row[0])
