"""What somebody types in Slack, over the wire, to what arrives at Slack's Web API."""

import pytest

from engine.core.workload import Workload
from tests.slack.conftest import CARD, StubReply
from tests.slack.fake_slack import TOKEN
from tests.slack.sender import BOT, direct, mention, message

COMMAND = "inference 7B latency<100ms"


def test_a_command_is_acknowledged_then_answered_in_a_new_message(
    sender, work, slack, conversation
):
    acknowledged = sender.command(COMMAND, response_url=slack.response_url())

    assert acknowledged.status == 200
    assert acknowledged.json["response_type"] == "ephemeral"
    assert slack.log == []  # nothing was waited for
    assert work() == 1
    assert conversation.asked == [(COMMAND, None)]
    (call,) = slack.log
    assert (call.name, call.token) == ("chat.postMessage", TOKEN)
    assert call.body["channel"] == "C1"
    assert "thread_ts" not in call.body
    assert call.body["text"] == "g6.xlarge at $0.805/h"
    assert call.body["blocks"][:-1] == CARD
    assert call.body["unfurl_links"] is False
    assert call.body["unfurl_media"] is False


@pytest.mark.parametrize(
    ("user", "note"), [("U1", ["Asked by <@U1>"]), ("", []), ("U1> <!channel", [])]
)
def test_the_answer_to_a_command_names_who_asked(sender, work, slack, user, note):
    sender.command("7B", user_id=user)
    work()

    notes = slack.posts[0]["blocks"][len(CARD) :]
    assert [element["text"] for line in notes for element in line["elements"]] == note


@pytest.mark.parametrize("typed", ["tpot<50ms & cost<$2", "tpot&lt;50ms &amp; cost&lt;$2"])
def test_a_command_is_understood_escaped_or_not(sender, work, conversation, typed):
    sender.command(typed)
    work()
    assert conversation.texts == ["tpot<50ms & cost<$2"]


def test_a_mention_is_answered_in_its_thread(sender, work, slack, conversation):
    assert sender.event(mention(f"<@{BOT}> inference 7B")).status == 200
    work()

    assert conversation.asked == [("inference 7B", None)]
    assert slack.posts[0]["thread_ts"] == "1700000000.000100"
    assert slack.posts[0]["blocks"] == CARD


@pytest.mark.parametrize(
    ("typed", "authorizations", "heard"),
    [
        (f"<@{BOT}> 7B", [{"user_id": BOT}], "7B"),
        (f"<@{BOT}|ec2-pick>: 7B", [{"user_id": BOT}], "7B"),
        (f"hey <@{BOT}> 7B on <@U2>'s account", [{"user_id": BOT}], "hey   7B on <@U2>'s account"),
        ("<@UANY> 7B", [], "7B"),
        (f"<@{BOT}>", [{"user_id": BOT}], ""),
        ("latency&lt;100ms &amp;lt;", [{"user_id": BOT}], "latency<100ms &lt;"),
    ],
)
def test_the_bots_name_is_not_part_of_the_request(
    sender, work, conversation, typed, authorizations, heard
):
    sender.event(mention(typed), authorizations=authorizations)
    work()

    assert conversation.texts == [heard]


def test_a_direct_message_is_answered_in_its_thread(sender, work, slack, conversation):
    sender.event(direct("inference 7B"))
    work()

    assert conversation.texts == ["inference 7B"]
    assert (slack.posts[0]["channel"], slack.posts[0]["thread_ts"]) == ("D1", "1700000000.000100")


@pytest.mark.parametrize(
    "follow_up",
    [
        lambda ts: message("on spot", "1700000050.000100", thread_ts=ts),
        lambda ts: mention(f"<@{BOT}> on spot", "1700000050.000100", thread_ts=ts),
    ],
    ids=["plain", "mention"],
)
def test_a_reply_amends_the_workload_of_the_thread(sender, work, slack, conversation, follow_up):
    asked = Workload(params_b=7.0, allow=("nvidia", "g6"), latency_ms=100.0)
    conversation.reply = StubReply(workload=asked)
    sender.command(COMMAND)
    work()
    root = "1800000000.000001"  # the timestamp that Slack gave the answer to the command

    sender.event(follow_up(root))
    work()

    assert conversation.asked[1] == ("on spot", asked)
    assert slack.posts[1]["thread_ts"] == root


def test_a_reply_that_says_nothing_of_a_workload_leaves_the_thread_as_it_was(
    sender, work, conversation
):
    sender.event(mention())
    work()
    conversation.reply = StubReply(intent="help", workload=None)
    for n in (2, 3):
        ts = f"1700000000.00020{n}"
        sender.event(mention(f"<@{BOT}> hm?", ts, thread_ts="1700000000.000100"))
        work()

    assert [previous for _, previous in conversation.asked[1:]] == [Workload(params_b=7.0)] * 2


def test_after_a_reset_the_thread_is_known_but_starts_afresh(sender, work, conversation):
    sender.event(mention())
    work()
    conversation.reply = StubReply(intent="reset", workload=None)
    sender.event(message("start over", "1700000001.0", thread_ts="1700000000.000100"))
    work()
    sender.event(message("train 7B", "1700000002.0", thread_ts="1700000000.000100"))
    work()

    assert conversation.asked[2] == ("train 7B", None)


def test_what_the_answer_echoes_cannot_ping_anybody(sender, work, slack, conversation):
    conversation.reply = StubReply(text="<!channel> & <@U2> is not a model", blocks=None)
    sender.event(mention())
    work()

    (post,) = slack.posts
    assert post["text"] == "&lt;!channel&gt; &amp; &lt;@U2&gt; is not a model"
    assert "blocks" not in post


NOISE = {
    "our own words": direct(user=BOT),
    "another bot's": mention(bot_id="B9"),
    "an edit": message(subtype="message_changed", thread_ts="1700000000.000100", hidden=True),
    "a join": message(subtype="channel_join"),
    "a message of a channel": message("who has a spare GPU?"),
    "a thread we know nothing of": message("on spot", thread_ts="1600000000.000001"),
    "an unfurl": direct(hidden=True),
    "a message of nobody": direct(user=None),
}


@pytest.mark.parametrize("event", NOISE.values(), ids=NOISE)
def test_noise_is_acknowledged_and_left(sender, work, slack, service, event):
    assert sender.event(event).status == 200
    assert service.worker.queue.idle_s() is None
    assert work() == 0
    assert slack.log == []


def test_turns_of_one_thread_are_answered_in_order(service, sender, conversation):
    """A second worker must not overtake the first within a thread."""
    sender.event(direct("inference 7B"))
    sender.event(direct("on spot", "1700000009.0", thread_ts="1700000000.000100"))
    first = service.worker.queue.receive(60)

    assert service.worker.run_once() is False  # the second turn waits for the first
    service.worker.run(first.job.body)
    service.worker.queue.finish(first)
    assert service.worker.run_once() is True
    assert conversation.asked[1] == ("on spot", Workload(params_b=7.0))


def test_the_worker_threads_answer_without_being_asked(sender, service, slack, monkeypatch):
    monkeypatch.setattr("bot.slack.door.worker.POLL_S", 3600)  # the hand-over wakes them
    service.pool.start()
    sender.command(COMMAND)
    (call,) = slack.wait_for("chat.postMessage")

    assert call.body["channel"] == "C1"
    assert service.pool.stop(timeout_s=10)
    assert service.worker.queue.idle_s() is None
