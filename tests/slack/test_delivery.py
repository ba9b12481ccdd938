"""Getting the answer through: every way Slack can say no, and what the user then sees."""

import threading

import pytest

from bot.slack.door.response_url import HookAnswer, is_allowed, post
from bot.slack.door.settings import SlackSettings
from bot.slack.door.worker import APOLOGY_MAX_AGE_S, MAX_ATTEMPTS, MAX_RETRY_S
from bot.slack.posting.message import NOT_HERE, ONLY_YOU, reason
from tests.slack.conftest import CARD, StubReply, assembled
from tests.slack.fake_slack import DROPPED, TOKEN, UNAVAILABLE, Canned, error, limited
from tests.slack.sender import SECRET, mention

POST = "chat.postMessage"


def dead_letters(database):
    with database.read() as rows:
        return rows.execute("SELECT reason, attempts FROM dead_letters").fetchall()


@pytest.mark.parametrize(
    "word", ["not_in_channel", "channel_not_found", "is_archived", "restricted_action",
             "invalid_auth", "token_revoked", "missing_scope", "a_word_slack_adds_later"],
)  # fmt: skip
def test_where_the_bot_may_not_post_the_answer_takes_the_response_url(
    sender, work, slack, database, word
):
    slack.script(POST, error(word))
    sender.command("7B", response_url=slack.response_url())
    work()

    (answer,) = slack.responses
    assert answer["response_type"] == "ephemeral"
    assert answer["text"] == "g6.xlarge at $0.805/h"
    assert answer["blocks"][:-1] == CARD
    absent = word in {"not_in_channel", "channel_not_found"}
    why = NOT_HERE if absent else f"{reason(word)}."
    assert answer["blocks"][-1]["elements"][0]["text"] == ONLY_YOU + why
    assert dead_letters(database) == []


def test_a_wrong_token_is_noticed_by_the_api_and_the_user_still_answered(
    sender, work, slack, monkeypatch
):
    monkeypatch.setattr("tests.slack.fake_slack.TOKEN", "xoxb-another")
    sender.command("7B", response_url=slack.response_url())
    work()

    assert len(slack.responses) == 1


def test_without_a_response_url_an_answer_that_cannot_be_posted_is_a_dead_letter(
    sender, work, slack, database
):
    slack.script(POST, error("is_archived"))
    sender.event(mention())
    work()

    assert dead_letters(database) == [("not delivered: is_archived", 1)]
    assert work() == 0


API = "https://slack.example.com/api/"
LOCAL = "http://127.0.0.1:8080/api/"


@pytest.mark.parametrize(
    ("url", "api_url", "allowed"),
    [
        ("https://hooks.slack.com/commands/T1/2/x", API, True),
        ("https://HOOKS.slack.com/commands/T1/2/x", API, True),
        ("https://hooks.slack.com:443/commands/T1/2/x", API, True),
        ("https://slack.example.com/hook/1", API, True),
        ("http://127.0.0.1:9999/commands/1", LOCAL, True),
        ("http://localhost:9999/commands/1", "http://localhost:1/api/", True),
        ("http://[::1]:9999/commands/1", "http://[::1]:1/api/", True),
        ("http://hooks.slack.com/commands/T1/2/x", API, False),
        ("http://slack.example.com/hook/1", API, False),
        ("http://127.0.0.1:9999/commands/1", API, False),
        ("http://localhost:9999/commands/1", LOCAL, False),
        ("https://slack.com/api/x", API, False),
        ("https://evil.example/commands", API, False),
        ("https://hooks.slack.com.evil.example/x", API, False),
        ("https://evil.example/hooks.slack.com", API, False),
        ("https://evil.example#hooks.slack.com", API, False),
        ("https://evil.example?hooks.slack.com", API, False),
        ("https://hooks.slack.com@evil.example/x", API, False),
        ("https://user:word@hooks.slack.com/x", API, False),
        ("https://evil.example\\@hooks.slack.com/x", API, False),
        ("https://evil.example\\.hooks.slack.com/x", API, False),
        ("https://hooks.slack.com\t.evil.example/x", API, False),
        ("https://hooks.slack.com\n/x", API, False),
        ("https://hooks.slack.com:port/x", API, False),
        ("https://[hooks.slack.com/x", API, False),
        ("https://hooks。slack。com/x", API, False),
        ("https://169.254.169.254/latest/meta-data", API, False),
        ("https://0x7f000001/x", LOCAL, False),
        ("file:///etc/passwd", API, False),
        ("ftp://hooks.slack.com/x", API, False),
        ("javascript:alert(1)", API, False),
        ("//hooks.slack.com/x", API, False),
        ("hooks.slack.com/x", API, False),
        ("", API, False),
    ],
)  # fmt: skip
def test_a_response_url_leads_to_slack_or_nowhere(url, api_url, allowed):
    assert is_allowed(url, api_url) is allowed


def test_a_response_url_elsewhere_is_left_alone(sender, work, slack, database, caplog):
    elsewhere = slack.response_url().replace("127.0.0.1", "localhost")
    slack.script(POST, error("not_in_channel"))
    sender.command("7B", response_url=elsewhere)
    work()

    assert slack.responses == []
    assert dead_letters(database) == [("not delivered: not_in_channel", 1)]
    assert elsewhere not in caplog.text


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_the_hook_is_not_followed(slack, status):
    target = slack.response_url("elsewhere")
    slack.script("response_url", Canned(status, "moved", {"Location": target}))

    assert post(slack.response_url(), {"text": "x"}, timeout_s=5) == HookAnswer(status, "moved")
    assert len(slack.log) == 1


def test_this_machine_is_reached_past_any_proxy(slack, database, conversation, monkeypatch):
    """A proxy for the world does not know this machine's loopback."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    settings = SlackSettings(signing_secret=SECRET, bot_token=TOKEN, api_url=slack.api_url)
    service = assembled(settings, database, conversation)
    slack.script(POST, error("not_in_channel"))
    command = {"command": "/ec2-pick", "channel_id": "C1", "response_url": slack.response_url()}
    service.worker.run(command)

    assert [call.name for call in slack.log] == [POST, "response_url"]


@pytest.mark.parametrize("word", ["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"])
def test_refused_blocks_are_left_out_once(sender, work, slack, conversation, word):
    conversation.reply = StubReply(text="g6.xlarge ```fence``` <!here>")
    slack.script(POST, error(word))
    sender.event(mention())
    work()

    first, second = slack.posts
    assert first["blocks"] == CARD
    assert "blocks" not in second
    assert second["text"] == "```\ng6.xlarge '''fence''' &lt;!here&gt;\n```"
    assert second["thread_ts"] == first["thread_ts"]


def test_blocks_that_slack_would_refuse_still_reach_the_user(sender, work, slack, conversation):
    header = {"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}
    conversation.reply = StubReply(blocks=[header])
    slack.script(POST, error("not_in_channel"))
    sender.command("7B", response_url=slack.response_url())
    work()

    assert ["blocks" in answer for answer in slack.responses] == [True, False]


def test_refused_twice_is_the_end_of_it(sender, work, slack, database):
    slack.script(POST, error("invalid_blocks"), error("invalid_blocks"))
    sender.event(mention())
    work()

    assert len(slack.posts) == 2
    assert dead_letters(database) == [("not delivered: invalid_blocks", 1)]


def test_a_full_card_is_not_pushed_over_the_limit_by_our_notes(sender, work, slack, conversation):
    conversation.reply = StubReply(blocks=CARD * 50)
    sender.command("7B")
    work()

    assert [len(post["blocks"]) for post in slack.posts] == [50]


def test_a_rate_limit_is_waited_for_as_long_as_slack_asks(sender, work, slack, clock):
    slack.script(POST, limited(7))
    sender.event(mention())

    assert work() == 1
    clock.now += 6.9
    assert work() == 0
    clock.now += 0.1
    assert work() == 1
    assert len(slack.posts) == 2


def test_being_rate_limited_does_not_use_up_the_attempts(sender, work, slack, clock):
    slack.script(POST, *[limited(60)] * (MAX_ATTEMPTS + 3))
    sender.event(mention())
    for _ in range(MAX_ATTEMPTS + 4):
        assert work() == 1
        clock.now += 60

    assert len(slack.posts) == MAX_ATTEMPTS + 4
    assert work() == 0


def test_a_rate_limit_without_end_is_given_up(sender, work, slack, clock, database):
    slack.script(POST, *[limited(900)] * 9)
    sender.event(mention())
    while work():
        clock.now += 900

    assert clock.now - 1_700_000_000 <= APOLOGY_MAX_AGE_S + 900
    assert dead_letters(database)[0][0] == "no answer within 30 min"


@pytest.mark.parametrize("header", ["soon", "-5", "", "١٢"])
def test_a_senseless_retry_after_is_half_a_minute(sender, work, slack, clock, header):
    slack.script(POST, Canned(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": "x"}))
    slack.script(
        POST, Canned(429, {"ok": False}, {"Retry-After": header.encode("ascii", "ignore").decode()})
    )
    sender.event(mention())
    for _ in range(3):
        work()
        clock.now += 30

    assert len(slack.posts) == 3


@pytest.mark.parametrize(
    "failure", [UNAVAILABLE, DROPPED, error("internal_error"), Canned(500, {"ok": False})],
    ids=["503", "dropped", "internal_error", "500"],
)  # fmt: skip
def test_slack_being_down_is_waited_out_with_growing_patience(
    sender, work, slack, clock, failure, database
):
    slack.script(POST, *[failure] * (MAX_ATTEMPTS - 1))
    sender.event(mention())
    assert work() == 1
    for delay in (2, 2, 4, 8):
        clock.now += delay - 0.1
        assert work() == 0
        clock.now += 0.1
        assert work() == 1

    assert len(slack.posts) == MAX_ATTEMPTS
    assert dead_letters(database) == []
    assert work() == 0


def test_after_the_last_attempt_the_user_is_told(sender, work, slack, clock, database):
    sender.event(mention())
    while not dead_letters(database):
        slack.script(POST, UNAVAILABLE)
        assert work() == 1
        clock.now += MAX_RETRY_S + 1

    assert "Sorry, I could not answer this (reference " in slack.posts[-1]["text"]
    ((reason, attempts),) = dead_letters(database)
    assert reason.startswith("still 503")
    assert attempts == 1


def test_a_fault_of_ours_is_owned_up_to_at_once(
    sender, work, slack, conversation, database, caplog
):
    conversation.reply = ZeroDivisionError("xoxb-1-secret in the message")
    sender.command("7B")
    assert work() == 1

    (apology,) = slack.posts
    assert apology["channel"] == "C1"
    reference = apology["text"].split("reference ")[1][:8]
    assert f"job {reference} failed" in caplog.text
    assert dead_letters(database) == [("ZeroDivisionError: (redacted) in the message", 1)]


def test_an_apology_that_cannot_be_delivered_is_only_logged(
    sender, work, slack, conversation, database, caplog
):
    conversation.reply = ZeroDivisionError()
    slack.script(POST, error("not_in_channel"))
    sender.event(mention())
    assert work() == 1

    assert "could not be delivered" in caplog.text
    assert len(dead_letters(database)) == 1


def test_a_job_that_takes_the_worker_down_each_time_ends_in_an_apology(
    sender, service, work, slack, conversation, clock, database
):
    sender.event(mention())
    for _ in range(MAX_ATTEMPTS):
        service.worker.queue.receive(60)  # the process dies here
        clock.now += 60
    assert work() == 1

    assert conversation.asked == []
    assert "Sorry" in slack.posts[0]["text"]
    assert dead_letters(database) == [("no answer after 5 attempts", MAX_ATTEMPTS + 1)]


def test_an_answer_is_not_posted_twice_because_remembering_it_failed(
    sender, work, slack, database, caplog
):
    with database.write() as rows:
        rows.execute(
            "CREATE TRIGGER full BEFORE INSERT ON threads"
            " BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
    sender.event(mention())
    work()

    assert len(slack.posts) == 1
    assert dead_letters(database) == []
    assert "could not be kept" in caplog.text


@pytest.mark.parametrize(
    ("answer", "retried"),
    [(UNAVAILABLE, True), (DROPPED, True), (limited(3), True), (Canned(404, "used_url"), False),
     (Canned(404, "expired_url"), False), (Canned(403, "action_prohibited"), False)],
    ids=["503", "dropped", "429", "used", "expired", "prohibited"],
)  # fmt: skip
def test_what_the_hook_says_is_understood_too(
    sender, work, slack, clock, database, answer, retried
):
    slack.script(POST, *[error("not_in_channel")] * 3)
    slack.script("response_url", answer)
    sender.command("7B", response_url=slack.response_url())
    work()
    clock.now += 60
    work()

    assert len(slack.responses) == (2 if retried else 1)
    assert len(dead_letters(database)) == (0 if retried else 1)


def test_a_slow_slack_holds_up_one_worker_only(sender, service, slack):
    release = threading.Event()
    slow = Canned(body={"ok": True, "ts": "1.1"}, hold=release)
    slack.script(POST, slow)
    service.pool.start()
    sender.event(mention(ts="1.000001"))
    slack.wait_for(POST, 1)
    sender.event(mention(ts="2.000001"))
    slack.wait_for(POST, 2)  # answered while the first is still held
    release.set()

    assert service.pool.stop(timeout_s=10)
    assert service.worker.queue.idle_s() is None


def test_text_too_long_for_slack_is_cut_where_we_say(sender, work, slack, conversation):
    conversation.reply = StubReply(text="&" * 50_000, blocks=None)
    sender.event(mention())
    work()

    assert len(slack.posts[0]["text"]) <= 40_000
    assert slack.posts[0]["text"].endswith("&amp;…")
