"""The door: who is let in, and what each kind of delivery is told at once."""

import json
import os
import subprocess
import sys

import pytest
from slack_sdk.signature import SignatureVerifier

from bot.core.errors import AwsError
from bot.slack.door.ingress import MAX_BODY_BYTES, Ingress, signature, trusted_headers
from tests.slack.sender import SECRET, direct, mention

NOW = 1_700_000_000
SENT_NOW = {"X-Slack-Request-Timestamp": str(NOW)}
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def signed_at(timestamp, body, secret=SECRET):
    value = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": value}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (lambda body: signed_at(str(NOW), body), 200),
        (lambda body: signed_at(str(NOW - 300), body), 200),
        (lambda body: signed_at(str(NOW + 300), body), 200),
        (lambda body: signed_at(str(NOW - 301), body), 401),
        (lambda body: signed_at(str(NOW + 301), body), 401),
        (lambda body: signed_at(str(NOW), body, secret="another"), 401),
        (lambda body: signed_at(str(NOW), body + b" "), 401),
        (lambda _: {}, 401),
        (lambda body: {**signed_at(str(NOW), body), "X-Slack-Signature": ""}, 401),
        (lambda body: {**signed_at(str(NOW), body), "X-Slack-Signature": "v0=\xe9"}, 401),
        (lambda body: {**signed_at(str(NOW - 1), body), **SENT_NOW}, 401),
        (lambda body: signed_at("soon", body), 401),
        (lambda body: signed_at(f"{NOW}.5", body), 401),
        (lambda body: signed_at(f"+{NOW}", body), 401),
        (lambda body: signed_at("1_700_000_000", body), 401),
        (lambda body: signed_at("", body), 401),
        (lambda body: signed_at("9" * 5000, body), 401),
    ],
)  # fmt: skip
def test_only_what_slack_signed_lately_is_let_in(sender, work, headers, status):
    body, content_type = sender.command_request("7B")
    sent = {"Content-Type": content_type, **headers(body)}

    assert sender.request("POST", "/slack/events", body, sent).status == status
    assert work() == (1 if status == 200 else 0)


def test_the_signature_is_over_the_raw_bytes():
    body = "text=7B+caf%C3%A9+é".encode()
    expected = SignatureVerifier(SECRET).generate_signature(timestamp="12", body=body)
    assert signature(SECRET, "12", body) == expected


@pytest.mark.parametrize("secret", ["", "  \n"])
def test_no_door_without_a_secret(service, secret):
    with pytest.raises(ValueError, match="secret is empty"):
        Ingress(
            signing_secret=secret,
            store=service.ingress.store,
            queue=service.ingress.queue,
            answer_at_once=service.ingress.answer_at_once,
            open_form=service.ingress.open_form,
        )


def test_the_challenge_is_echoed_only_when_signed(sender):
    body = json.dumps({"type": "url_verification", "challenge": "3eZbrw1a", "token": "x"}).encode()

    assert sender.post(body, "application/json").json == {"challenge": "3eZbrw1a"}
    unsigned = sender.request("POST", "/slack/events", body, {"Content-Type": "application/json"})
    assert unsigned.status == 401
    assert b"3eZbrw1a" not in unsigned.body


def test_a_certificate_check_needs_no_signature_and_tells_nothing(sender, work):
    answer = sender.request("POST", "/slack/events", b"ssl_check=1&token=x", {"Content-Type": FORM})
    assert (answer.status, answer.body) == (200, b"")
    assert sender.post(b"ssl_check=1&token=x", FORM).status == 200
    assert work() == 0


@pytest.mark.parametrize(
    ("size", "status"), [(MAX_BODY_BYTES, 200), (MAX_BODY_BYTES + 1, 413), (3 << 20, 413)]
)
def test_a_body_over_a_mebibyte_is_refused(sender, size, status):
    start = b'{"type": "unheard_of", "filler": "'
    body = start + b"x" * (size - len(start) - 2) + b'"}'
    assert len(body) == size
    try:
        assert sender.post(body, "application/json").status == status
    except (BrokenPipeError, ConnectionResetError):
        assert status == 413  # the server may hang up before the whole body is sent


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/healthz", 200),
        ("GET", "/slack/events", 405),
        ("PUT", "/slack/events", 405),
        ("POST", "/", 404),
        ("GET", "/slack/events/../../etc/passwd", 404),
        ("POST", "/slack/eventsx", 404),
    ],
)
def test_paths_and_methods(sender, method, path, status):
    assert sender.request(method, path).status == status


def test_health_fails_where_the_state_cannot_be_read(sender, database):
    assert sender.request("GET", "/healthz").json == {"ok": True, "jobs_wait": False}
    assert sender.request("GET", "/healthz").status == 200
    with database.write() as rows:
        rows.execute("DROP VIEW heads")
    assert sender.request("GET", "/healthz").status == 500


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"[" * 200_000, "application/json", 400),
        (b'"\xff"', "application/json", 400),
        (b"\xff=1", FORM, 400),
        (b"payload=%7B", FORM, 400),
        (b"payload=7", FORM, 400),
        (b"&".join(b"a%d=1" % n for n in range(200)), FORM, 400),
        (b"", FORM, 200),
        (b"{}", "application/json; charset=utf-8", 200),
        (b'{"event": 7}', "application/json", 200),
        (b'{"event": {}}', "application/json", 200),
        (b'{"event": {"type": ["message"]}}', "application/json", 200),
        (b'{"event": {"type": "message", "user": {"a": 1}, "ts": 5}}', "application/json", 200),
        (b'{"event": {"type": "app_mention", "user": 1, "ts": 5, "channel": 7}}', JSON, 200),
        (b'{"event": {"type": "message"}, "authorizations": {"a": 1}}', "application/json", 200),
        (b'{"event": {"type": "app_mention"}, "authorizations": [7]}', "application/json", 200),
        (b'{"team": "T1", "command": "/x"}', "application/json", 200),
        (b'{"type": "app_rate_limited"}', "application/json", 200),
    ],
)  # fmt: skip
def test_odd_bodies_are_told_apart_without_a_crash(sender, work, body, content_type, status):
    assert sender.post(body, content_type).status == status
    work()


EVENTS = [
    "app_home_opened",
    "member_joined_channel",
    "reaction_added",
    "never_heard_of",
    "tokens_revoked",
]


@pytest.mark.parametrize("kind", EVENTS)
def test_an_event_without_a_purpose_is_acknowledged_and_has_a_listener(
    sender, service, slack, kind
):
    assert sender.event({"type": kind, "user": "U1", "event_ts": "1.2"}).status == 200
    lease = service.worker.queue.receive(60)

    assert service.worker.run(lease.job.body).status == 200
    assert slack.log == []


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            {"type": "view_submission", "view": {"type": "modal", "id": "V1", "callback_id": "x"}},
            b"",
        ),
        (
            {"type": "block_suggestion", "action_id": "m", "block_id": "b", "value": "q"},
            b'{"options": []}',
        ),
    ],
)
def test_what_slack_shows_from_the_response_is_answered_in_it(sender, work, payload, expected):
    whole = {"team": {"id": "T1"}, "user": {"id": "U1"}, "trigger_id": "1.2", **payload}
    answer = sender.interaction(whole)

    assert answer.status == 200
    assert answer.body.replace(b" ", b"") == expected.replace(b" ", b"")
    assert work() == 0


@pytest.mark.parametrize("kind", ["block_actions", "shortcut", "message_action"])
def test_a_click_or_shortcut_is_acknowledged_and_queued_once(sender, work, kind):
    payload = {
        "type": kind, "team": {"id": "T1"}, "user": {"id": "U1"}, "trigger_id": "9.1",
        "callback_id": "c", "actions": [{"type": "button", "action_id": "a", "block_id": "b"}],
    }  # fmt: skip
    assert [sender.interaction(payload).status for _ in range(2)] == [200, 200]
    assert work() == 1


def test_bolts_own_headers_do_not_come_through(sender, work, slack):
    """They are outside Slack's signature and would make Bolt skip the listener."""
    sent = {"X-Slack-Bolt-Lazy-Only": "1", "x-slack-bolt-lazy-function-name": "answer"}
    body, content_type = sender.command_request("7B")
    assert sender.post(body, content_type, sent).status == 200
    work()

    assert len(slack.posts) == 1
    assert trusted_headers({**sent, "Content-Type": FORM}) == {"content-type": FORM}


def test_neither_the_verification_token_nor_a_header_is_kept(sender, service):
    sender.command("7B")
    sender.event(direct())
    kept = [service.worker.queue.receive(60).job.body for _ in range(2)]

    assert not any("token" in body for body in kept)
    assert "legacy-verification-token" not in json.dumps(kept)


HEAVY = ["slack_bolt", "slack_sdk", "pydantic", "jinja2", "boto3", "botocore", "yaml", "rich",
         "rapidfuzz", "waitress", "engine", "catalog", "asyncio", "http.server"]  # fmt: skip


@pytest.mark.parametrize(
    "modules",
    [
        ["bot.slack.door.ingress"],
        ["bot.slack.door.ingress", "bot.store.sqlite", "bot.store.sqlite"],
    ],
)
def test_the_door_opens_without_waiting_for_the_house(modules):
    """Each import is waited for by Slack on a cold start."""
    script = f"""
import sys
before = set(sys.modules)
import {", ".join(modules)}
print(*sorted(set(sys.modules) - before))
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": "."},
    )  # fmt: skip
    loaded = run.stdout.split()

    assert modules[0] in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_events_of_the_same_thing_carry_the_same_key(sender, service):
    sender.event(mention())
    lease = service.worker.queue.receive(60)

    assert lease.job.key == "message|T1|C1|1700000000.000100"
    assert lease.job.group == "thread|T1|C1|1700000000.000100"


def away(*_):
    raise AwsError("PutItem", 500, "InternalServerError", {})


def test_a_command_that_cannot_be_kept_is_told_in_words(sender, service, monkeypatch):
    """Slack never sends a command again; an event it does."""
    monkeypatch.setattr(type(service.ingress.store), "claim", away)
    told = sender.command("inference 7B")
    assert (told.status, told.json["response_type"]) == (200, "ephemeral")
    assert "say it again" in told.json["text"]
    assert sender.event(mention()).status == 500
    assert sender.request("GET", "/healthz").status == 500


def test_what_was_sent_is_acknowledged_though_it_cannot_be_settled(
    sender, service, work, monkeypatch
):
    monkeypatch.setattr(type(service.ingress.store), "settle", away)
    assert sender.event(mention()).status == 200
    monkeypatch.undo()
    assert work() == 1


@pytest.mark.parametrize("off_s", [-3600, 3600])
def test_a_clock_that_is_off_is_logged(sender, clock, caplog, off_s):
    body, content_type = sender.command_request("7B")
    assert sender.post(body, content_type, at=clock() + off_s).status == 401
    assert "is the clock right" in caplog.text


def test_a_wrong_signature_says_nothing_of_the_clock(sender, caplog):
    body, content_type = sender.command_request("7B")
    sender.post(body, content_type, headers={"X-Slack-Signature": "v0=00"})
    assert "clock" not in caplog.text
