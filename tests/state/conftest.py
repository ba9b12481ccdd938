import pytest

from bot.store.dynamodb import DynamoDbStore, Table
from bot.store.dynamodb_items import DynamoDbItems
from bot.store.sqlite import Database, SqliteItems, SqliteStore
from tests.aws_server import fresh_name, make_queue, make_table
from tests.slack.conftest import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def database(tmp_path):
    opened = Database(tmp_path / "state.db")
    yield opened
    opened.close()


@pytest.fixture
def table(aws_url):
    name = fresh_name("state")
    return Table(make_table(aws_url, name), name)


@pytest.fixture(params=["sqlite", "dynamodb"])
def store(request, clock):
    """The same promises are asked of each place to keep state."""
    if request.param == "sqlite":
        return SqliteStore(request.getfixturevalue("database"), clock)
    return DynamoDbStore(request.getfixturevalue("table"), clock)


@pytest.fixture(params=["sqlite", "dynamodb"])
def items(request, clock):
    if request.param == "sqlite":
        return SqliteItems(request.getfixturevalue("database"), clock)
    return DynamoDbItems(request.getfixturevalue("table"), clock)


@pytest.fixture
def queues(aws_url):
    """A client, a FIFO queue and its dead letters."""
    return make_queue(aws_url, fresh_name("jobs"))
