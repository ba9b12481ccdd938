"""Slack's side of the wire: signed deliveries over real HTTP, in the shapes Slack sends."""

import hmac
import http.client
import json
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlencode

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
TEAM, CHANNEL, USER, BOT = "T1", "C1", "U1", "UBOT"


@dataclass(frozen=True)
class Received:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Sender:
    """Signs and posts to the app on `port` at the time `clock` shows."""

    def __init__(self, port, clock):
        self._port = port
        self._clock = clock
        self._numbers = count(1)

    def command(self, text, **fields):
        return self.post(*self.command_request(text, **fields))

    def event(self, event, retry=None, **envelope):
        headers = {}
        if retry is not None:
            headers = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        return self.post(*self.event_request(event, **envelope), headers=headers)

    def command_request(self, text, **fields):
        form = {
            "token": "legacy-verification-token",
            "team_id": TEAM,
            "team_domain": "acme",
            "channel_id": CHANNEL,
            "channel_name": "ml",
            "user_id": USER,
            "user_name": "ada",
            "command": "/ec2-pick",
            "text": text,
            "api_app_id": "A1",
            "is_enterprise_install": "false",
            "trigger_id": f"13345224609.{next(self._numbers)}",
            **fields,
        }
        return urlencode(form).encode(), "application/x-www-form-urlencoded"

    def event_request(self, event, **envelope):
        body = {
            "token": "legacy-verification-token",
            "team_id": TEAM,
            "api_app_id": "A1",
            "type": "event_callback",
            "event_id": f"Ev{next(self._numbers)}",
            "event_time": int(self._clock()),
            "authorizations": [{"team_id": TEAM, "user_id": BOT, "is_bot": True}],
            "event": event,
            **envelope,
        }
        return json.dumps(body).encode(), "application/json"

    def interaction(self, payload):
        form = urlencode({"payload": json.dumps(payload)}).encode()
        return self.post(form, "application/x-www-form-urlencoded")

    def signed(self, body, at=None):
        timestamp = str(int(self._clock() if at is None else at))
        base = b"v0:" + timestamp.encode() + b":" + body
        digest = hmac.new(SECRET.encode(), base, "sha256").hexdigest()
        return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"}

    def post(self, body, content_type, headers=None, *, at=None):
        sent = {"Content-Type": content_type, **self.signed(body, at), **(headers or {})}
        return self.request("POST", "/slack/events", body, sent)

    def request(self, method, path, body=b"", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return Received(answer.status, dict(answer.headers.items()), answer.read())
        finally:
            connection.close()


def mention(text=f"<@{BOT}> inference 7B", ts="1700000000.000100", **fields):
    return {"type": "app_mention", "user": USER, "text": text, "ts": ts, "channel": CHANNEL,
            "event_ts": ts, **fields}  # fmt: skip


def message(text="in Frankfurt on spot", ts="1700000000.000100", **fields):
    return {"type": "message", "user": USER, "text": text, "ts": ts, "channel": CHANNEL,
            "channel_type": "channel", "event_ts": ts, **fields}  # fmt: skip


def direct(text="inference 7B", ts="1700000000.000100", **fields):
    return message(text, ts, **{"channel": "D1", "channel_type": "im", **fields})


def opened(tab="messages"):
    return {"type": "app_home_opened", "user": USER, "channel": "D1", "tab": tab,
            "event_ts": "1700000000.000100"}  # fmt: skip
