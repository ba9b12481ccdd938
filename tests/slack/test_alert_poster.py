"""An alert posted to the fake Slack over HTTP: once, whatever becomes of the first attempt."""

import json
import threading
from dataclasses import replace

import pytest

from bot.alerts.fan_out import BusyError, RefusedError, UnsureError
from bot.alerts.outbox import LEASE_S
from bot.slack.door.tokens import OneToken
from bot.slack.posting.alert_poster import AlertPoster
from bot.slack.posting.idempotency import MESSAGES_A_PAGE, PAGES_LOOKED, SKEW_S
from bot.slack.posting.post import web_client
from bot.store.sqlite import SqliteItems
from bot.store.subscriptions import add, owned, resume
from tests.alerts.channel import PLACE, at, subscribed, swept
from tests.alerts.test_alert_view import news
from tests.slack.fake_slack import DROPPED, TOKEN, UNAVAILABLE, Canned, error, limited

POST = "chat.postMessage"
LOOKED = "conversations.replies"
NOW = 1_800_000_000.0
KEY = "k" * 32
IN_CHANNEL = replace(PLACE, thread_ts=None)


@pytest.fixture
def poster(settings):
    return AlertPoster(web_client(settings), OneToken(TOKEN))


@pytest.fixture
def post(poster):
    def post(place=PLACE, key=KEY, **more):
        poster.post(place, (news(),), key, **more)

    return post


def test_an_alert_is_posted_where_it_was_set_and_names_its_owner(post, slack):
    post()
    (said,) = slack.posts
    assert (said["channel"], said["thread_ts"]) == ("C1", "1.1")
    assert said["metadata"] == {"event_type": "ec2_pick_alert", "event_payload": {"key": KEY}}
    assert "Alert for <@U1>" in json.dumps(said["blocks"])
    assert "$1.00/h → $0.90/h" in said["text"]
    assert slack.calls(LOOKED) == []  # nothing was tried before


@pytest.mark.parametrize("place", [PLACE, IN_CHANNEL], ids=["thread", "channel"])
def test_what_is_there_already_is_not_posted_again(post, slack, place):
    post(place)
    post(place, tried_since=NOW)
    post(place, key="another", tried_since=NOW)
    assert [said["metadata"]["event_payload"]["key"] for said in slack.posts] == [KEY, "another"]


def test_it_is_looked_for_since_the_first_attempt_clocks_apart(post, slack):
    post(tried_since=NOW)
    (looked,) = slack.calls(LOOKED)
    assert float(looked.body["oldest"]) == NOW - SKEW_S
    assert looked.body["ts"] == PLACE.thread_ts


def test_it_is_found_on_a_later_page(post, slack):
    message = {"channel": "C1", "thread_ts": "1.1"}
    for n in range(MESSAGES_A_PAGE + 5):
        slack.keep(message, f"{NOW + n:.6f}")
    metadata = {"event_type": "ec2_pick_alert", "event_payload": {"key": KEY}}
    slack.keep({**message, "metadata": metadata}, f"{NOW + 2000:.6f}")
    post(tried_since=NOW)
    assert slack.posts == []


def test_a_key_of_another_app_is_no_post_of_ours(post, slack):
    metadata = {"event_type": "somebody_elses", "event_payload": {"key": KEY}}
    slack.keep({"channel": "C1", "thread_ts": "1.1", "metadata": metadata}, f"{NOW + 1:.6f}")
    post(tried_since=NOW)
    assert len(slack.posts) == 1


def test_among_too_many_messages_a_double_is_rather_risked_than_silence(post, slack):
    more = {"ok": True, "messages": [], "response_metadata": {"next_cursor": "x"}}
    slack.script(LOOKED, *[Canned(body=more)] * PAGES_LOOKED)
    post(tried_since=NOW)
    assert len(slack.posts) == 1


@pytest.mark.parametrize(
    ("answer", "raised", "says"),
    [
        (limited(17), BusyError, "17 s"),
        (error("ratelimited"), BusyError, "30 s"),
        (UNAVAILABLE, UnsureError, "503"),
        (error("fatal_error"), UnsureError, "fatal_error"),
        (error("internal_error"), UnsureError, "internal_error"),
        (DROPPED, UnsureError, "Disconnected"),
        (error("token_revoked"), BusyError, "wait"),
        (error("invalid_auth"), BusyError, "wait"),
        (error("account_inactive"), BusyError, "wait"),
        (error("org_login_required"), BusyError, "wait"),
        (error("channel_not_found"), RefusedError, "channel is gone"),
        (error("is_archived"), RefusedError, "channel is archived"),
        (error("not_in_channel"), RefusedError, "invite it"),
        (error("missing_scope"), BusyError, "wait"),
        (error("a_word_slack_adds_later"), UnsureError, "a_word_slack_adds_later"),
        (Canned(404, "<html>a proxy</html>"), UnsureError, "non-JSON"),
    ],
)
@pytest.mark.parametrize("method", [POST, LOOKED])
def test_each_refusal_says_whether_a_later_try_can_help(post, slack, method, answer, raised, says):
    slack.script(method, answer)
    with pytest.raises(raised, match=says):
        post(tried_since=NOW)
    told = [post for post in slack.posts if post["channel"] == PLACE.channel]
    assert len(told) == (1 if method == POST else 0)


def test_without_a_token_of_the_workspace_nothing_is_called(settings, slack):
    class NoTokens:
        def of(self, _team):
            return None

    with pytest.raises(BusyError):
        AlertPoster(web_client(settings), NoTokens()).post(PLACE, (news(),), KEY)
    assert slack.log == []


def test_each_workspace_hears_its_alerts_by_its_own_token(settings, slack):
    class TokensByTeam:
        def of(self, team):
            return {"T1": TOKEN, "T2": "xoxb-of-t2"}.get(team)

    poster = AlertPoster(web_client(settings), TokensByTeam())
    poster.post(PLACE, (news(),), KEY)
    with pytest.raises(BusyError):  # the fake knows the first one only
        poster.post(replace(PLACE, team="T2"), (news(),), KEY)
    assert [call.token for call in slack.calls(POST)] == [TOKEN, "xoxb-of-t2"]


@pytest.mark.parametrize("answer", [error("invalid_auth"), UNAVAILABLE, DROPPED, limited(1)])
def test_no_attempt_leaves_the_token_in_the_log(database, clock, poster, slack, caplog, answer):
    caplog.set_level("DEBUG")
    items = SqliteItems(database, clock)
    add(items, subscribed())
    slack.script(POST, answer)
    swept(items, at(0.5), poster, clock)
    assert TOKEN not in caplog.text


def test_blocks_that_slack_refuses_are_told_as_text_with_the_same_key(post, slack):
    slack.script(POST, error("invalid_blocks"))
    post()
    assert "blocks" not in slack.posts[1]
    assert "→" in slack.posts[1]["text"]
    assert slack.posts[1]["metadata"] == slack.posts[0]["metadata"]


@pytest.mark.parametrize("lost", [DROPPED, UNAVAILABLE, Canned(drop=True, hold=threading.Event())])
def test_a_post_whose_answer_is_lost_is_heard_once(database, clock, poster, slack, lost):
    """Slack has posted, and the connection broke: the next sweep finds the post and settles."""
    clock.now = NOW
    items = SqliteItems(database, clock)
    add(items, subscribed())

    class Losing:
        def post(self, place, alerts, key, **more):
            poster.post(place, alerts, key, **more)
            raise UnsureError("the answer got lost")

    if lost.hold is not None:
        lost.hold.set()
    assert swept(items, at(0.5), Losing(), clock) == {"later": 1}
    clock.now += LEASE_S
    slack.script(LOOKED, lost)  # Slack is still away
    assert swept(items, at(0.5), poster, clock) == {"later": 1}
    clock.now += LEASE_S
    assert swept(items, at(0.5), poster, clock) == {"told": 1}
    assert len(slack.posts) == 1


@pytest.mark.parametrize("word", ["is_archived", "not_in_channel", "channel_not_found"])
def test_a_place_that_is_gone_pauses_and_resumed_is_told(database, clock, poster, slack, word):
    items = SqliteItems(database, clock)
    one = subscribed()
    add(items, one)
    slack.script(POST, error(word))
    assert swept(items, at(0.5), poster, clock) == {"paused": 1}
    (kept,) = owned(items, PLACE)
    assert kept.state == "paused"
    assert word in kept.why_paused
    direct = slack.posts[-1]
    assert direct["channel"] == PLACE.user
    assert "That alert is paused" in str(direct["blocks"])

    resume(items, one.id)
    assert swept(items, at(0.5), poster, clock) == {"told": 1}
    assert [post["channel"] for post in slack.posts].count(PLACE.channel) == 2


REVOKED = [
    "invalid_auth",
    "token_revoked",
    "account_inactive",
    "missing_scope",
    "ekm_access_denied",
]


@pytest.mark.parametrize("word", REVOKED)
def test_a_workspace_that_refuses_is_waited_for_and_told_once(database, clock, poster, slack, word):
    items = SqliteItems(database, clock)
    add(items, subscribed())
    slack.script(POST, error(word))
    assert swept(items, at(0.5), poster, clock) == {"later": 1}
    assert owned(items, PLACE)[0].state == "active"
    assert swept(items, at(0.5), poster, clock) == {"told": 1}
    assert swept(items, at(0.5), poster, clock) == {"quiet": 1}
    assert len(slack.standing) == 1


def test_the_owner_who_cannot_be_told_either_is_left_at_the_list(database, clock, poster, slack):
    items = SqliteItems(database, clock)
    add(items, subscribed())
    slack.script(POST, error("is_archived"), UNAVAILABLE)
    assert swept(items, at(0.5), poster, clock) == {"paused": 1}
    assert swept(items, at(0.5), poster, clock) == {"quiet": 1}


def test_a_busy_workspace_is_asked_no_more_in_a_page_and_told_later(database, clock, poster, slack):
    items = SqliteItems(database, clock)
    for user in ("U1", "U2", "U3"):
        add(items, subscribed(replace(PLACE, user=user)))
    slack.script(POST, limited(30))
    assert swept(items, at(0.5), poster, clock) == {"later": 3}
    assert len(slack.posts) == 1
    assert swept(items, at(0.5), poster, clock) == {"told": 3}
    assert len(slack.posts) == 4
