"""The app with the real conversation behind it."""

import pytest

from bot.serve import conversation as embedded_conversation
from bot.state.sqlite_items import SqliteItems
from bot.world import load_world
from tests.slack.conftest import assembled


@pytest.fixture
def answer(database):
    return embedded_conversation(load_world(), SqliteItems(database))


@pytest.fixture
def service(settings, database, answer, clock):
    return assembled(settings, database, answer, clock)
