import pytest

from bot.store.sqlite import Database, SqliteItems
from tests.alerts.channel import Channel
from tests.state.conftest import clock, database, items, table

__all__ = ["clock", "database", "items", "table"]


@pytest.fixture
def channel():
    return Channel()


@pytest.fixture
def unsynced(tmp_path, clock):
    """SQLite that need not survive a power cut: no write waits for the disk."""
    opened = Database(tmp_path / "many.db")
    with opened.read() as rows:
        rows.execute("PRAGMA synchronous=OFF")
    yield SqliteItems(opened, clock)
    opened.close()
