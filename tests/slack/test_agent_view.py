"""Slack's agent view: prompts when it is opened, a status line while an answer is made."""

import logging
from itertools import count

import pytest

from bot.answers.world import load_world
from bot.slack.serve import conversation as embedded_conversation
from bot.slack.talk.agent import PROMPTS, STATUS
from bot.slack.talk.overheard import UNREAD
from bot.store.sqlite import SqliteItems
from tests.slack.conftest import StubReply
from tests.slack.fake_slack import DROPPED, error, limited
from tests.slack.sender import direct, mention, opened
from tests.slack.test_same_message import USE, click
from tests.slack.test_size_this import sizing

SET_STATUS, SET_PROMPTS = "assistant.threads.setStatus", "assistant.threads.setSuggestedPrompts"


def test_whoever_opens_the_conversation_is_suggested_four_things(sender, work, slack):
    assert sender.event(opened()).status == 200
    work()
    (call,) = slack.log
    assert call.name == SET_PROMPTS
    assert call.body["channel_id"] == "D1"
    assert "thread_ts" not in call.body  # with it Slack does nothing and says it did
    assert len(call.body["prompts"]) == len(PROMPTS) == 4


def test_the_home_tab_is_no_conversation(sender, work, slack):
    sender.event(opened(tab="home"))
    work()
    assert slack.calls(SET_PROMPTS) == []


@pytest.mark.parametrize("message", [message for _, message in PROMPTS])
def test_what_is_suggested_is_answered(database, message):
    reply = embedded_conversation(load_world(), SqliteItems(database))(message, None)
    assert reply.error is None
    assert "not understood" not in reply.text.lower()


def test_a_direct_message_shows_that_it_is_worked_on_and_the_answer_clears_it(sender, work, slack):
    sender.event(direct())
    work()
    status, post = slack.log
    assert (status.name, post.name) == (SET_STATUS, "chat.postMessage")
    assert status.body["status"] == STATUS
    assert (status.body["channel_id"], status.body["thread_ts"]) == ("D1", "1700000000.000100")


@pytest.mark.parametrize("answer", [error("missing_scope"), limited(30), DROPPED, error("new")])
@pytest.mark.parametrize("method", [SET_STATUS, SET_PROMPTS])
def test_what_slack_does_not_let_us_show_stops_nothing_and_is_logged_once(
    sender, work, slack, caplog, answer, method
):
    caplog.set_level(logging.INFO, "bot.slack.talk.agent")
    slack.script(method, answer, answer)
    for n in (1, 2):
        sender.event(opened(), event_id=f"Ev0{n}")
        sender.event(direct(ts=f"1700000000.00020{n}"))
        work()
    assert len(slack.posts) == 2
    assert len([record for record in caplog.records if method in record.message]) == 1


def test_a_quick_answer_in_a_channel_needs_no_status(sender, work, slack):
    sender.event(mention())
    work()
    assert slack.statuses == []


@pytest.fixture
def slow(conversation, slack, monkeypatch):
    """Let answers in channels take until somebody is told that they are worked on."""
    monkeypatch.setattr("bot.slack.posting.progress.PATIENCE_S", 0.001)
    answer = type(conversation).__call__

    signs = count(1)

    def slowly(self, text, previous, person):
        told = next(signs)
        slack.wait_until(lambda: slack.statuses.count(STATUS) >= told)
        return answer(self, text, previous, person)

    monkeypatch.setattr(type(conversation), "__call__", slowly)


@pytest.mark.usefixtures("slow")
def test_a_slow_answer_in_a_channel_shows_that_it_is_worked_on(sender, work, slack):
    sender.event(mention())
    work()
    assert slack.statuses == [STATUS]
    assert [call.name for call in slack.log] == [SET_STATUS, "chat.postMessage"]


@pytest.mark.usefixtures("slow")
def test_an_answer_that_is_no_new_message_clears_the_status_itself(
    sender, work, slack, conversation
):
    sender.event(mention())
    work()
    sender.interaction(click(USE))
    work()
    assert slack.statuses == [STATUS, STATUS, ""]
    conversation.reply = StubReply(workload=None)
    url = slack.response_url()
    sender.interaction(sizing("lunch?", response_url=url))
    work()
    assert slack.statuses[-2:] == [STATUS, ""]
    assert slack.responses[0]["text"] == UNREAD.replace("<", "&lt;")


def test_an_answer_that_fails_leaves_no_thread_behind(sender, work, slack, conversation):
    conversation.reply = ValueError("a defect")
    sender.event(direct())
    work()
    assert slack.statuses == [STATUS]
    assert "Sorry" in slack.posts[0]["text"]
