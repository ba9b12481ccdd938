"""A submitted form is one more turn, where the form was opened."""

import json

import pytest

from bot.conversation.thread import recall
from bot.slack.form.door import FOREIGN
from bot.slack.posting.card_share import SHARE_TO
from bot.store.store import ThreadKey
from engine.core.workload import Workload
from tests.slack.fake_slack import error
from tests.slack.form_person import (
    FILLED,
    ROOT,
    ask_and_click_change,
    changed,
    initial,
    opened,
    shortcut,
    submission,
    view_of,
)
from tests.slack.sender import BOT, CHANNEL, TEAM, USER, mention


def test_a_submission_is_answered_where_the_form_was_opened(
    sender, work, slack, service, conversation
):
    view = opened(sender, work, slack)
    answered = sender.interaction(submission(view, FILLED))
    assert (answered.status, answered.body) == (200, b"")
    work()

    (post,) = slack.posts
    expected = conversation("inference llama-3-8b ttft<100ms in Frankfurt", None)
    assert post["channel"] == CHANNEL
    assert "thread_ts" not in post
    assert (
        post["blocks"][:-1]
        == conversation(
            "task=inference model=llama-3-8b latency=100ms latency_kind=ttft region=Frankfurt", None
        ).blocks
    )
    assert post["blocks"][-1]["elements"][0]["text"] == f"Asked by <@{USER}>"

    (ts,) = [kept["ts"] for _, _, kept in slack._posted]
    thread = recall(service.ingress.store, ThreadKey(TEAM, CHANNEL, ts))
    assert thread.now == expected.workload


def test_a_form_in_a_thread_says_the_whole_workload_again(sender, work, slack, service):
    """What a field no longer holds is gone: the form does not amend the thread."""
    view = ask_and_click_change(sender, work, slack, "inference llama-3-8b spot in Frankfurt")
    typed = {name: text for name, text in initial(view).items() if name != "market"}
    sender.interaction(submission(view, typed))
    work()

    assert slack.posts[1]["thread_ts"] == ROOT
    now = recall(service.ingress.store, ThreadKey(TEAM, CHANNEL, ROOT)).now
    assert now == Workload(model="llama-3-8b", region="eu-central-1")

    sender.event(mention(f"<@{BOT}> on spot", "1700000001.1", thread_ts=ROOT))
    work()
    now = recall(service.ingress.store, ThreadKey(TEAM, CHANNEL, ROOT)).now
    assert (now.market, now.region) == ("spot", "eu-central-1")


def test_a_form_submitted_twice_is_one_card(sender, work, slack):
    view = opened(sender, work, slack)
    for _ in range(2):
        assert sender.interaction(submission(view, FILLED)).status == 200
    sender.interaction(submission({**view, "hash": "9.V1"}, FILLED))  # after a late preview
    work()
    assert len(slack.posts) == 1


def test_a_shortcut_is_answered_in_direct_messages(sender, work, slack, service):
    sender.interaction(shortcut())
    sender.interaction(submission(view_of(slack), FILLED))
    work()
    (post,) = slack.posts
    assert post["channel"] == USER
    assert SHARE_TO in json.dumps(post["blocks"])

    (ts,) = [kept["ts"] for _, _, kept in slack._posted]
    thread = recall(service.ingress.store, ThreadKey(TEAM, f"D{USER}", ts))
    assert thread.now.model == "llama-3-8b"  # a reply there goes on from here


def test_where_the_bot_may_not_post_the_card_comes_directly(sender, work, slack):
    view = opened(sender, work, slack)
    slack.script("chat.postMessage", error("not_in_channel"))
    sender.interaction(submission(view, FILLED))
    work()
    assert [post["channel"] for post in slack.posts] == [CHANNEL, USER]
    assert SHARE_TO in json.dumps(slack.posts[1]["blocks"])  # the channel has not seen it
    assert "Only you see this" in json.dumps(slack.posts[1]["blocks"])


@pytest.mark.parametrize(
    "metadata",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"team":"T1","user":"U1"}',
        '{"team":"T1","user":"U1","channel":"C1","response_url":"https://hooks.slack.com/x"}',
        '{"team":"T1","user":"U1","channel":"#general","thread_ts":null}',
        '{"team":"T1","user":"U1","channel":"C1","thread_ts":"x"}',
        '{"team":"T1","user":"U1","channel":["C1"],"thread_ts":null}',
        '{"team":"T2","user":"U1","channel":"C1","thread_ts":null}',
        '{"team":"T1","user":"U2","channel":"C1","thread_ts":null}',
        "[" * 2000,
        "x" * 3001,
    ],
)
def test_a_form_that_is_not_the_senders_is_refused(sender, work, slack, metadata):
    view = {**opened(sender, work, slack), "private_metadata": metadata}
    answered = sender.interaction(submission(view, FILLED))
    assert answered.json == {"response_action": "errors", "errors": {"task": FOREIGN}}

    before = view_of(slack)
    sender.interaction(changed(view, FILLED))
    work()
    assert view_of(slack) == before
    assert slack.posts == []


def test_somebody_elses_view_is_only_acknowledged(sender, work, slack):
    view = {**opened(sender, work, slack), "callback_id": "somebody_elses"}
    assert sender.interaction(submission(view, FILLED)).status == 200
    work()
    assert slack.posts == []


def test_a_state_that_is_no_state_is_an_empty_form(sender, work, slack):
    view = opened(sender, work, slack)
    for state in (None, [], {"values": []}, {"values": {"model": {"form.model": "x"}}}):
        payload = submission(view, {})
        payload["view"]["state"] = state
        assert "errors" in sender.interaction(payload).json
