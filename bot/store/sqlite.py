"""One SQLite file for everything that is remembered, opened so that only its owner can read it."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bot.core.errors import StateAwayError
from bot.store.store import (
    ABSENT,
    ANY_VERSION,
    CLAIM_KEPT_S,
    THREAD_KEPT_S,
    DeadLetter,
    DeliveryClaim,
    Item,
    Job,
    Lease,
    Page,
    Payload,
    ThreadKey,
    collection_page,
    encoded,
    topic_page,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS claims (
  key TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0,
  lease_until REAL NOT NULL,
  expires_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_expiry ON claims (expires_at);

CREATE TABLE IF NOT EXISTS threads (
  team TEXT NOT NULL,
  channel TEXT NOT NULL,
  ts TEXT NOT NULL,
  context TEXT NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (team, channel, ts)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS threads_expiry ON threads (expires_at);

CREATE TABLE IF NOT EXISTS jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  grp TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  receipt TEXT,
  sent_at REAL NOT NULL,
  due_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS jobs_order ON jobs (grp, seq);
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (due_at);
-- The oldest job of each group: later ones wait until it is gone.
CREATE VIEW IF NOT EXISTS heads AS SELECT * FROM jobs j
  WHERE NOT EXISTS (SELECT 1 FROM jobs e WHERE e.grp = j.grp AND e.seq < j.seq);

CREATE TABLE IF NOT EXISTS items (
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  topic TEXT,
  version INTEGER NOT NULL,
  expires_at REAL,
  PRIMARY KEY (collection, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS items_topic ON items (topic, key, collection);
CREATE INDEX IF NOT EXISTS items_expiry ON items (expires_at);

CREATE TABLE IF NOT EXISTS dead_letters (
  key TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  died_at REAL NOT NULL
) WITHOUT ROWID;
"""
BUSY_TIMEOUT_S = 5.0  # how long a write waits for another process; Slack waits 3 s for the first


COLUMNS = "collection, key, body, version, topic"
LIVE = "(expires_at IS NULL OR expires_at > ?)"

DEAD_LETTER_KEPT_S = 14 * 86_400.0


class Database:
    """A SQLite file shared by the threads of this process and, through its locks, by others."""

    def __init__(self, path: Path) -> None:
        """Open or create `path` (mode 0600, its folder 0700 if it has to be made).

        Raises:
            OSError: the folder or file cannot be made.
            sqlite3.DatabaseError: the file is not a SQLite database.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.chmod(0o600)  # the journal files SQLite adds take the mode of this one
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            # An acknowledged delivery must survive a power cut: nobody sends it again.
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.executescript(SCHEMA)
        except sqlite3.Error:
            self._connection.close()
            raise

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one transaction that no other writer can interleave with."""
        with self._lock, _told_as_away():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:  # the block or the commit failed
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give the block the connection, and no other thread."""
        with self._lock, _told_as_away():
            yield self._connection

    def close(self) -> None:
        """Close the file; using it afterwards is an error."""
        with self._lock:
            self._connection.close()


@contextmanager
def _told_as_away() -> Iterator[None]:
    """Tell what SQLite says of a lock, a full disk or a file out of reach as what can pass."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StateAwayError(str(error)) from error


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


class SqliteQueue:
    """`Queue` over one SQLite file. `on_send` is called after each job that was added."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self.on_send: Callable[[], None] = lambda: None

    def send(self, job: Job) -> None:
        """See `Outbox.send`."""
        now = self._clock()
        with self._database.write() as rows:
            rows.execute(
                "INSERT INTO jobs (key, grp, body, sent_at, due_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO NOTHING",
                (job.key, job.group, json.dumps(job.body), now, now),
            )
        self.on_send()

    def receive(self, lease_s: float) -> Lease | None:
        """See `Inbox.receive`."""
        now = self._clock()
        receipt = os.urandom(16).hex()
        with self._database.write() as rows:
            row = rows.execute(
                "UPDATE jobs SET attempts = attempts + 1, receipt = ?, due_at = ? WHERE seq ="
                " (SELECT seq FROM heads WHERE due_at <= ? ORDER BY due_at, seq LIMIT 1)"
                " RETURNING key, grp, body, attempts, sent_at",
                (receipt, now + lease_s, now),
            ).fetchone()
        if row is None:
            return None
        key, group, body, attempts, sent_at = row
        job = Job(key=key, group=group, body=json.loads(body))
        return Lease(job=job, receipt=receipt, attempts=attempts, sent_at=sent_at)

    def finish(self, lease: Lease) -> None:
        """See `Inbox.finish`."""
        with self._database.write() as rows:
            rows.execute("DELETE FROM jobs WHERE receipt = ?", (lease.receipt,))

    def retry(self, lease: Lease, delay_s: float, *, counted: bool = True) -> None:
        """See `Inbox.retry`."""
        with self._database.write() as rows:
            rows.execute(
                "UPDATE jobs SET due_at = ?, attempts = attempts - ?, receipt = NULL"
                " WHERE receipt = ?",
                (self._clock() + delay_s, 0 if counted else 1, lease.receipt),
            )

    def bury(self, lease: Lease, reason: str) -> None:
        """See `Inbox.bury`."""
        now = self._clock()
        with self._database.write() as rows:
            rows.execute("DELETE FROM dead_letters WHERE died_at <= ?", (now - DEAD_LETTER_KEPT_S,))
            rows.execute(
                "INSERT OR REPLACE INTO dead_letters (key, body, reason, attempts, died_at)"
                " SELECT key, body, ?, attempts, ? FROM jobs WHERE receipt = ?",
                (reason, now, lease.receipt),
            )
            rows.execute("DELETE FROM jobs WHERE receipt = ?", (lease.receipt,))

    def dead_letters(self) -> tuple[DeadLetter, ...]:
        """Return the jobs that were given up, the latest first."""
        with self._database.read() as rows:
            found = rows.execute(
                "SELECT key, body, reason, died_at FROM dead_letters ORDER BY died_at DESC"
            ).fetchall()
        return tuple(
            DeadLetter(
                job=Job(key=key, group=key, body=json.loads(body)), reason=reason, died_at=died_at
            )
            for key, body, reason, died_at in found
        )

    def revive(self, letter: DeadLetter) -> None:
        """Put a job that was given up back, as one sent now."""
        self.send(letter.job)
        with self._database.write() as rows:
            rows.execute("DELETE FROM dead_letters WHERE key = ?", (letter.job.key,))

    def idle_s(self) -> float | None:
        """See `Outbox.idle_s`."""
        with self._database.read() as rows:
            due_at = rows.execute("SELECT MIN(due_at) FROM heads").fetchone()[0]
        return None if due_at is None else max(0.0, due_at - self._clock())
