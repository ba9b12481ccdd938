"""Waiting jobs in SQLite: a lease is a due time in the future and a receipt that proves it."""

import json
import os
import time
from collections.abc import Callable

from bot.store.sqlite import Database
from bot.store.store import Job, Lease

DEAD_LETTER_KEPT_S = 14 * 86_400.0


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

    def idle_s(self) -> float | None:
        """See `Outbox.idle_s`."""
        with self._database.read() as rows:
            due_at = rows.execute("SELECT MIN(due_at) FROM heads").fetchone()[0]
        return None if due_at is None else max(0.0, due_at - self._clock())
