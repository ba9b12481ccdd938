"""Recorded conversations: signed requests in, what was posted out, held against goldens."""

import threading
from dataclasses import replace
from datetime import date

import pytest

from bot.answers.world import load_world
from bot.slack.door.settings import SlackSettings
from bot.slack.door.wsgi import HttpServer, wsgi_app
from bot.slack.serve import conversation as embedded_conversation
from bot.store.sqlite import Database, SqliteItems
from tests.conversations.recording import Recorder, recorded_threads
from tests.golden import golden_names
from tests.slack.conftest import Clock, assembled
from tests.slack.fake_slack import TOKEN, FakeSlack
from tests.slack.sender import SECRET, Sender

RECORDED = recorded_threads()
TODAY = date(2026, 11, 28)  # the day of every turn: prices have an age


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    """The app over one state and one world, behind its real HTTP server."""
    database, clock = Database(tmp_path_factory.mktemp("state") / "state.db"), Clock()
    with pytest.MonkeyPatch.context() as patch, FakeSlack() as slack:
        patch.setattr("bot.slack.posting.progress.PATIENCE_S", 3600.0)  # however busy the machine
        settings = SlackSettings(signing_secret=SECRET, bot_token=TOKEN, api_url=slack.api_url)
        patch.setattr("bot.answers.world.as_of_today", lambda world: replace(world, today=TODAY))
        world = replace(load_world(), today=TODAY)
        answer = embedded_conversation(world, SqliteItems(database))
        service = assembled(settings, database, answer, clock)
        server = HttpServer(wsgi_app(service.ingress), "127.0.0.1", 0)
        server.start()

        def work():
            while service.worker.run_once():
                pass

        yield Recorder(Sender(server.port, clock), work, slack)
        server.stop()
    database.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "http"]


@pytest.mark.parametrize("thread", RECORDED, ids=lambda thread: thread.name)
def test_a_recorded_conversation(recorder, thread, golden):
    golden(f"conversations/{thread.name}.txt", recorder.hold(thread))


def test_there_are_enough_of_them():
    assert len(RECORDED) >= 30
    assert sum(len(thread.turns) for thread in RECORDED) >= 150
    assert len({thread.name for thread in RECORDED}) == len(RECORDED)


def test_every_golden_is_of_a_thread():
    kept = golden_names("conversations")
    assert kept == sorted(f"conversations/{thread.name}.txt" for thread in RECORDED)
