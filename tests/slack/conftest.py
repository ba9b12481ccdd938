import threading
import time
from dataclasses import dataclass, field

import pytest

from bot.answers.world import load_world
from bot.slack.door.settings import SlackSettings
from bot.slack.door.wsgi import HttpServer, wsgi_app
from bot.slack.serve import conversation as embedded_conversation
from bot.slack.service import Service
from bot.store.sqlite import Database, SqliteItems, SqliteQueue, SqliteStore
from engine.core.workload import Workload
from tests.slack.fake_slack import TOKEN, FakeSlack
from tests.slack.sender import SECRET, Sender

CARD = [{"type": "section", "text": {"type": "mrkdwn", "text": "*g6.xlarge*"}}]


class Clock:
    """Time that stands still until it is told to move."""

    def __init__(self, now=1_700_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


@dataclass
class StubReply:
    """The part of a reply that Slack's side reads."""

    text: str = "g6.xlarge at $0.805/h"
    blocks: list = field(default_factory=lambda: list(CARD))
    intent: str = "pick"
    workload: Workload | None = field(default_factory=lambda: Workload(params_b=7.0))
    alert: None = None
    saving: None = None
    prices_shown: tuple = ()
    manifest: None = None
    draws: tuple = ()
    error: object = None
    recommendation: object = "picks"
    unread: tuple = ()
    filled: None = None
    begins: bool = False
    is_step: bool = False
    comparison: None = None


class StubConversation:
    """Answers with `reply` (raises it if it is an error) and keeps what it was asked."""

    def __init__(self):
        self.reply = StubReply()
        self.asked = []

    def __call__(self, text, previous, _person):
        self.asked.append((text, previous))
        if isinstance(self.reply, BaseException):
            raise self.reply
        return self.reply

    @property
    def texts(self):
        return [text for text, _ in self.asked]


def assembled(settings, database, answer, clock=time.time, at_home=None):
    """Return the app over one SQLite file."""
    store, queue = SqliteStore(database, clock), SqliteQueue(database, clock)
    return Service.assembled(settings, store, queue, answer, clock, at_home=at_home)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def conversation():
    return StubConversation()


@pytest.fixture
def real_conversation(database):
    """The conversation that `serve` has, over the embedded facts."""
    return embedded_conversation(load_world(), SqliteItems(database))


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """No machine is so slow that an answer here is said to be on its way."""
    monkeypatch.setattr("bot.slack.posting.progress.PATIENCE_S", 3600.0)


@pytest.fixture
def slack():
    with FakeSlack() as fake:
        yield fake


@pytest.fixture
def database(tmp_path):
    opened = Database(tmp_path / "state.db")
    yield opened
    opened.close()


@pytest.fixture
def settings(slack):
    return SlackSettings(signing_secret=SECRET, bot_token=TOKEN, api_url=slack.api_url)


@pytest.fixture
def service(settings, database, conversation, clock):
    """The app as `serve` puts it together, its worker threads not started."""
    return assembled(settings, database, conversation, clock)


@pytest.fixture
def sender(service, clock):
    """Slack, posting to the app's real HTTP server."""
    server = HttpServer(wsgi_app(service.ingress), "127.0.0.1", 0)
    server.start()
    yield Sender(server.port, clock)
    server.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "http"]


@pytest.fixture
def work(service):
    """Do what the worker threads would: every job that is due; returns how many there were."""

    def work():
        done = 0
        while service.worker.run_once():
            done += 1
        return done

    return work
