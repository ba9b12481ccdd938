"""Choices on a card are answered in the card itself, once, and the thread goes on from them."""

import json

import pytest

from bot.cards import blocks
from bot.core.errors import RequestError
from bot.slack.door.ingress import DOUBLE_CLICK_S
from bot.slack.posting.message import ONLY_YOU, reason
from bot.store.sqlite import SqliteItems
from engine.core.workload import Workload
from tests.slack.conftest import StubReply, assembled
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, mention, message
from tests.slack.test_clicks import ROOT, click, of_card

CARD_TS = "1800000000.000001"  # the answer that the fake Slack posts first
USE = f"{blocks.USE}.0"
CHOSEN = Workload(params_b=7.0, instance="g6.2xlarge")


@pytest.fixture
def press(sender, work, conversation):
    """Click on a card about a 7B in a thread, where the next answer is about a type of it."""
    sender.event(mention())
    work()
    conversation.reply = StubReply("g6.2xlarge it is", workload=CHOSEN)
    return lambda *args, **fields: sender.interaction(click(*args, **fields))


@pytest.mark.parametrize("action", [USE, f"{blocks.CHOICE}.1"])
def test_a_choice_is_answered_in_the_card_it_is_on(press, work, slack, action):
    press(action)
    work()
    (update,) = slack.updates
    assert (update["channel"], update["ts"]) == ("C1", CARD_TS)
    assert update["text"] == "g6.2xlarge it is"
    assert update["blocks"]
    assert len(slack.posts) == 1


def last_asked(conversation):
    """Return the last text, and the workload it was about: a thread's, or that of a card alone."""
    text, context = conversation.asked[-1]
    return text, getattr(context, "now", context)


def test_the_thread_goes_on_from_the_type_chosen_and_can_go_back(press, sender, work, conversation):
    press(USE, of_card({"params_b": 7.0}))
    work()
    sender.event(message("on spot", "1700000002.0", thread_ts=ROOT))
    work()
    assert last_asked(conversation) == ("on spot", CHOSEN)
    sender.event(message("undo", "1700000003.0", thread_ts=ROOT))
    work()
    assert last_asked(conversation) == ("undo", Workload(params_b=7.0))


def test_a_choice_on_an_older_card_brings_the_thread_to_it(press, sender, work, conversation):
    """As the newest thing somebody settled is what they go on from."""
    press(USE, of_card({"params_b": 70.0}))
    work()
    assert conversation.asked[-1][1] == Workload(params_b=70.0)
    sender.event(message("on spot", "1700000002.0", thread_ts=ROOT))
    work()
    assert last_asked(conversation) == ("on spot", CHOSEN)


def test_a_card_whose_thread_is_forgotten_still_knows_what_it_is_about(sender, work, conversation):
    sender.interaction(click(blocks.WHY, of_card({"params_b": 70.0})))
    work()
    assert conversation.asked == [
        ("why instance=g6.xlarge region=us-east-1", Workload(params_b=70.0))
    ]


@pytest.mark.parametrize("word", ["message_not_found", "cant_update_message", "edit_window_closed"])
def test_a_card_that_cannot_be_changed_is_answered_below_it(press, work, slack, word):
    slack.script("chat.update", error(word))
    press(USE)
    work()
    assert slack.posts[1]["thread_ts"] == ROOT


def test_blocks_that_slack_refuses_leave_the_text_in_the_card(press, work, slack):
    slack.script("chat.update", error("invalid_blocks"))
    press(USE)
    work()
    assert slack.updates[1]["blocks"] == []
    assert "g6.2xlarge it is" in slack.updates[1]["text"]


def test_a_long_answer_is_cut_to_what_an_update_may_say(press, work, slack, conversation):
    conversation.reply.text = "é" * 5000
    press(USE)
    work()
    assert len(slack.updates[0]["text"].encode()) <= 4000
    assert len(slack.posts) == 1


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Asked by <@U7>", "Asked by <@U7>"),
        ("Shared by <@W7>", "Shared by <@W7>"),
        ("Alert for <@U7>", None),
        ("Asked by nobody <!channel>", None),
    ],
)
def test_who_asked_stays_on_the_card(press, work, slack, line, kept):
    note = {"type": "context", "elements": [{"type": "mrkdwn", "text": line}], "block_id": "b9"}
    shown = {"ts": CARD_TS, "thread_ts": ROOT, "blocks": [note]}
    press(USE, message=shown)
    work()
    last = slack.updates[0]["blocks"][-1]
    texts = [element["text"] for element in last.get("elements", [])]
    assert texts == ([kept] if kept else [])
    assert "block_id" not in last


@pytest.mark.parametrize("action", [USE, blocks.DEPLOY, blocks.WATCH])
def test_a_double_click_has_one_effect(press, work, conversation, clock, action):
    for n in range(3):
        assert press(action, trigger=f"9.{n}").status == 200
        clock.now += 1
    work()
    assert len(conversation.asked) == 2
    clock.now += DOUBLE_CLICK_S
    press(action, trigger="9.9")
    work()
    assert len(conversation.asked) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"action_id": blocks.COMPARE},
        {"value": of_card({"params_b": 70.0})},
        {"user": {"id": "U2"}},
        {"message": {"ts": "1800000000.000009", "thread_ts": ROOT}},
    ],
)
def test_two_different_clicks_are_two(press, work, conversation, other):
    press(blocks.WATCH)
    press(**{"action_id": blocks.WATCH, "trigger": "9.2", **other})
    work()
    assert len(conversation.asked) == 3


def test_a_runner_up_becomes_the_pick_of_the_real_card(settings, database, clock, slack):
    from bot.answers.world import load_world
    from bot.slack.serve import conversation as embedded

    service = assembled(settings, database, embedded(load_world(), SqliteItems(database)), clock)
    event = {"event": mention(f"<@{BOT}> inference 7B latency<100ms"), "team_id": "T1"}
    service.worker.run(event | {"type": "event_callback", "authorizations": [{"user_id": BOT}]})
    (post,) = slack.posts
    rows = [block["elements"] for block in post["blocks"] if block["type"] == "actions"]
    use = [button for row in rows for button in row if button["action_id"].startswith(blocks.USE)]
    assert [button["text"]["text"] for button in use] == [
        "Use p5.4xlarge",
        "Use inf2.24xlarge",
        "Use g6.xlarge",
    ]

    service.worker.run(click(use[2]["action_id"], use[2]["value"]))
    (update,) = slack.updates
    assert update["text"].startswith(
        "No on one g6.xlarge: first token 135 ms, at worst 345 ms, against 100 ms. "
        "One g6e.xlarge would at $1.861/h."
    )
    assert update["blocks"][0]["text"]["text"].startswith("g6.xlarge")
    back = json.dumps(update["blocks"])
    assert "Use g6e.xlarge" in back
    assert "Use g6.xlarge" not in back


@pytest.mark.parametrize("failed", [ValueError("a defect"), RequestError("unknown_model", "gone")])
def test_a_choice_that_cannot_be_answered_leaves_the_card(press, work, slack, conversation, failed):
    """A card is older than the release that is asked about it."""
    if isinstance(failed, RequestError):
        conversation.reply = StubReply("it is gone", workload=None, error=failed)
    else:
        conversation.reply = failed
    press(USE)
    work()
    assert slack.updates == []
    assert slack.posts[1]["thread_ts"] == ROOT


@pytest.mark.parametrize(
    "word", ["is_archived", "restricted_action_thread_locked", "missing_scope"]
)
def test_where_the_thread_takes_no_answer_whoever_clicked_gets_it_there_and_is_told_why(
    press, work, slack, word
):
    slack.script("chat.update", error("message_not_found"))
    slack.script("chat.postMessage", error(word))
    press(USE, response_url=slack.response_url())
    work()
    (answer,) = slack.responses
    assert (answer["thread_ts"], answer["replace_original"]) == (ROOT, False)
    assert answer["blocks"][-1]["elements"][0]["text"] == f"{ONLY_YOU}{reason(word)}."
