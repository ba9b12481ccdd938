"""The whole way with the real conversation: the same answer in Slack as in the terminal."""

import json

import pytest

from bot.cards import blocks
from bot.core.names import CHANGE
from bot.slack.posting.message import mrkdwn
from tests.slack.sender import BOT, mention

QUESTION = "inference 7B latency<100ms"


@pytest.fixture
def conversation(real_conversation):
    return real_conversation


def text_of(post):
    return json.dumps(post["blocks"], ensure_ascii=False)


def buttons(post):
    rows = [block for block in post["blocks"] if block["type"] == "actions"]
    return [element for row in rows for element in row["elements"]]


@pytest.mark.parametrize("typed", [QUESTION, "inference 7B latency&lt;100ms"])
def test_a_command_gets_the_terminals_answer_as_a_card(sender, work, slack, conversation, typed):
    sender.command(typed)
    work()

    (post,) = slack.posts
    expected = conversation(QUESTION, None)
    assert post["text"] == mrkdwn(expected.text)
    head = expected.recommendation.picks[0].instance.instance_type
    assert head in text_of(post)
    assert post["blocks"][:-1] == expected.blocks


def test_a_mention_and_what_follows_in_its_thread(sender, work, slack, conversation):
    sender.event(mention(f"<@{BOT}> {QUESTION}"))
    work()
    root = "1700000000.000100"
    sender.event(mention(f"<@{BOT}> on spot in Frankfurt", "1700000001.1", thread_ts=root))
    work()

    first, second = slack.posts
    amended = conversation("inference 7B latency<100ms on spot in Frankfurt", None).workload
    assert (amended.market, amended.region) == ("spot", "eu-central-1")
    assert "eu-central-1" in second["text"]
    assert "eu-central-1" not in first["text"]


@pytest.mark.parametrize(
    "typed", ["", "help", "asdf qwer", "llama-99 7T", "`${{7*7}}` <!channel> 7B"]
)
def test_whatever_is_typed_something_helpful_comes_back(sender, work, slack, database, typed):
    sender.command(typed)
    work()

    (post,) = slack.posts
    assert post["blocks"]
    assert "<!channel>" not in post["text"]
    assert "Sorry, I could not answer" not in post["text"]
    with database.read() as rows:
        assert rows.execute("SELECT * FROM dead_letters").fetchall() == []


def test_every_button_of_a_card_leads_somewhere(sender, work, slack):
    sender.event(mention(f"<@{BOT}> {QUESTION}"))
    work()
    shown = buttons(slack.posts[0])
    assert {button["action_id"] for button in shown} >= {
        blocks.DEPLOY,
        blocks.WHY,
        blocks.COMPARE,
        blocks.WATCH,
    }

    worded = [button for button in shown if button["action_id"] != CHANGE]  # that opens a form
    assert len(worded) == len(shown) - 1
    for n, button in enumerate(worded):
        before = len(slack.posts)
        sender.interaction(
            {
                "type": "block_actions",
                "trigger_id": f"9.{n}",
                "team": {"id": "T1"},
                "user": {"id": "U1"},
                "channel": {"id": "C1"},
                "message": {"ts": "1800000000.000001", "thread_ts": "1700000000.000100"},
                "actions": [{"block_id": "b", **button}],
            }
        )
        work()
        if button["action_id"].startswith((blocks.CHOICE, blocks.USE)):
            answered = slack.updates[-1]
            assert (answered["ts"], len(slack.posts)) == ("1800000000.000001", before)
        else:
            (answered,) = slack.posts[before:]
            assert answered["thread_ts"] == "1700000000.000100"
        assert "not understood" not in answered["text"].lower(), button
        if button["action_id"] == blocks.DEPLOY:
            (file,) = slack.shown
            assert b"kind: ClusterConfig" in file["content"]
