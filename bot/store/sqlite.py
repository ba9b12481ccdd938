"""One SQLite file, opened so that only its owner can read it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
        with self._lock:
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
        with self._lock:
            yield self._connection

    def close(self) -> None:
        """Close the file; using it afterwards is an error."""
        with self._lock:
            self._connection.close()
