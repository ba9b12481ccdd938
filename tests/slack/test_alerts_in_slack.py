"""Alerts in a thread of Slack, over signed HTTP: set, listed, paused, deleted."""

import json

import pytest

from bot.answers.world import load_world
from bot.cards.blocks import WATCH
from bot.core.subscription import Place
from bot.slack.serve import conversation as embedded_conversation
from bot.store.sqlite import SqliteItems
from bot.store.subscriptions import owned, pause
from tests.slack.conftest import assembled
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, CHANNEL, TEAM, USER, mention
from tests.slack.test_clicks import click

ROOT = "1700000000.000100"


@pytest.fixture
def items(database):
    return SqliteItems(database)


@pytest.fixture
def service(settings, database, items, clock):
    return assembled(settings, database, embedded_conversation(load_world(), items), clock)


@pytest.fixture
def say(sender, work, slack):
    """Say a text in the thread; returns what is posted last."""
    number = iter(range(1, 100))

    def say(text, **fields):
        at = f"17000000{next(number):02}.1"
        sender.event(mention(f"<@{BOT}> {text}", at, thread_ts=ROOT, **fields))
        work()
        return slack.posts[-1]

    return say


@pytest.fixture
def kept(items):
    def kept(user=USER):
        return owned(items, Place(team=TEAM, channel=CHANNEL, user=user))

    return kept


def blocks_of(post):
    return json.dumps(post["blocks"], ensure_ascii=False)


def test_an_alert_from_its_setting_to_its_end(say, kept):
    assert "You will be told here" in say("tell me if p5.48xlarge drops 10 % in Ohio")["text"]
    (one,) = kept()
    assert one.place == Place(team=TEAM, channel=CHANNEL, user=USER, thread_ts=ROOT)
    assert (one.threshold_percent, one.direction, one.state) == (10, "down", "active")

    say("alert me when g6e.xlarge gets cheaper")
    listed = say("list my alerts")
    assert listed["thread_ts"] == ROOT
    assert all(word in blocks_of(listed) for word in ("p5.48xlarge", "us-east-2", "g6e.xlarge"))

    assert "Paused: p5.48xlarge" in say("pause alert 1")["text"]
    assert [one.state for one in kept()] == ["paused", "active"]
    assert "paused" in blocks_of(say("my alerts"))
    say("resume alert 1")
    assert [one.state for one in kept()] == ["active", "active"]

    assert "Deleted: p5.48xlarge" in say("delete alert 1")["text"]
    say("stop watching g6e")
    assert kept() == ()
    assert "no alerts" in say("list my alerts")["text"].lower()


def test_a_thread_is_watched_for_a_better_pick(say, kept):
    say("inference llama-3.1-8b latency<100ms")
    assert "another type beats it" in say("watch this thread")["text"]
    (one,) = kept()
    assert one.watches == "pick"
    assert "llama-3.1-8b" in one.request
    assert "fp8" in say("what about fp8?")["text"]  # the thread is still about its model


def test_the_button_on_a_card_watches_its_price_for_the_workload(say, sender, work, slack, kept):
    card = say("inference llama-3.1-8b latency<100ms")
    buttons = [e for block in card["blocks"] for e in block.get("elements", ())]
    (watch,) = [one for one in buttons if one.get("action_id") == WATCH]
    sender.interaction(click(WATCH, watch["value"]))
    work()
    (one,) = kept()
    assert one.watches == "price"
    assert one.instance_type == json.loads(watch["value"])["instance_type"] == one.best_type
    assert "llama-3.1-8b" in one.request
    assert "It counts for this thread" in slack.posts[-1]["text"]


def test_a_digest_is_listed_as_one(say, kept):
    say("alert p5.48xlarge 3-year savings plan drops 5 % weekly digest")
    (one,) = kept()
    assert (one.every, one.market, one.term_years) == ("weekly", "savings_plan", 3)
    listed = say("list my alerts")["text"]
    assert all(words in listed for words in ("drops 5 % or more, weekly digest", "3 years"))


def test_why_a_paused_alert_is_paused_is_listed(say, kept, items):
    say("alert p5.48xlarge drops 10%")
    pause(items, kept()[0].id, "the channel is archived (is_archived)")
    assert "the channel is archived" in say("list my alerts")["text"]


def test_the_answer_to_a_command_is_the_thread_that_is_told(sender, work, slack, kept):
    sender.command("alert p5.48xlarge drops 10% in us-east-2")
    work()
    (post,) = slack.calls("chat.postMessage")
    assert kept()[0].place.thread_ts == f"1800000000.{slack.log.index(post) + 1:06d}"


def test_asked_again_an_alert_takes_the_place_of_the_first(say, kept):
    say("alert p5.48xlarge drops 10%")
    assert "takes the place of alert 1" in say("alert p5.48xlarge changes 5%")["text"]
    (one,) = kept()
    assert (one.threshold_percent, one.direction) == (5, "either")


def test_alerts_are_their_owners(say, kept):
    say("alert p5.48xlarge drops 10%")
    assert "no alerts" in say("delete alert 1", user="U2")["text"]
    assert len(kept()) == 1


def test_another_workspace_sees_and_changes_nothing(say, sender, work, slack, kept):
    """Ids of channels and users mean nothing outside their workspace."""
    say("alert p5.48xlarge drops 10%")
    for n, text in enumerate(("list my alerts", "delete alert 1")):
        sender.event(mention(f"<@{BOT}> {text}", f"17000001{n:02}.1"), team_id="T2")
        work()
        assert "no alerts" in slack.posts[-1]["text"].lower()
    assert len(kept()) == 1


@pytest.mark.parametrize("text", ["delete alert 3", "delete alert", "stop watching inf2"])
def test_an_alert_that_is_not_there_is_asked_for_again(say, kept, text):
    say("alert p5.48xlarge drops 10%")
    say("alert g5.xlarge drops 10%")
    answer = say(text)["text"]
    assert "For example" in answer
    assert len(kept()) == 2


def test_a_post_that_is_tried_again_deletes_one_alert_only(say, slack, clock, work, kept):
    say("alert p5.48xlarge drops 10%")
    say("alert g5.xlarge drops 10%")
    slack.script("chat.postMessage", error("internal_error"))
    say("delete alert 1")
    clock.now += 60
    work()
    assert [one.instance_type for one in kept()] == ["g5.xlarge"]
