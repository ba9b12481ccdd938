"""What Slack would send the app for a person's words and clicks: signed, over HTTP."""

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlencode

from bot.form.names import SHORTCUT
from bot.playground.workspace import CHANNEL, USER, Json, Post
from bot.slack.signature import signature

COMMAND = "/ec2-pick"
TEAM, APP_USER = "TPLAY", "UAPP"
PATH = "/slack/events"
TIMEOUT_S = 10.0


@dataclass(slots=True)
class Deliveries:
    """Posts to the app at `app_url`; `hooks_url` is where its response_urls lead."""

    app_url: str
    hooks_url: str
    signing_secret: str
    clock: Callable[[], float] = time.time
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def said(self, post: Post) -> None:
        """Deliver typed words: a slash command, or a message (Slack has no commands in threads)."""
        if post.text.startswith(COMMAND) and post.thread_ts is None:
            self._command(post.text.removeprefix(COMMAND).strip())
        else:
            self._message(post)

    def clicked(self, post: Post, action: Json) -> None:
        """Deliver a click on a button of a message."""
        thread_ts = post.thread_ts or post.ts
        payload = {
            "type": "block_actions",
            "team": {"id": TEAM},
            "user": {"id": USER},
            "channel": {"id": CHANNEL},
            "container": {"type": "message", "message_ts": post.ts, "channel_id": CHANNEL},
            "message": {
                "ts": post.ts,
                "thread_ts": thread_ts,
                "text": post.text,
                "blocks": post.blocks,
            },
            "trigger_id": self._new("click"),
            "response_url": self._hook(),
            "actions": [{**action, "action_ts": f"{self.clock():.6f}"}],
        }
        self._interact(payload)

    def shortcut(self) -> None:
        """Deliver a use of the app's shortcut, which has no conversation around it."""
        self._interact({"type": "shortcut", "callback_id": SHORTCUT, **self._person()})

    def changed(self, view: Json, action: Json) -> None:
        """Deliver a change of a field of the open form."""
        acted = {**action, "action_ts": f"{self.clock():.6f}"}
        self._interact(
            {"type": "block_actions", "view": view, "actions": [acted], **self._person()}
        )

    def suggestions(self, view: Json, action: Json) -> Json:
        """Return the choices that the app has for what is being typed into a menu."""
        payload = {"type": "block_suggestion", "view": view, **action, **self._person()}
        return self._interact(payload)

    def submitted(self, view: Json) -> Json:
        """Deliver the filled form; return what the app says about it, nothing if it is taken."""
        return self._interact({"type": "view_submission", "view": view, **self._person()})

    def _person(self) -> Json:
        person = {"id": USER, "team_id": TEAM}
        return {"team": {"id": TEAM}, "user": person, "trigger_id": self._new("view")}

    def _interact(self, payload: Json) -> Json:
        """Deliver a click, a choice or a form; return the app's answer, empty without one."""
        answer = self._deliver(urlencode({"payload": json.dumps(payload)}), FORM)
        found: Json = json.loads(answer) if answer else {}
        return found

    def _command(self, text: str) -> None:
        form = {
            "command": COMMAND,
            "text": text,
            "team_id": TEAM,
            "channel_id": CHANNEL,
            "user_id": USER,
            "trigger_id": self._new("command"),
            "response_url": self._hook(),
        }
        self._deliver(urlencode(form), FORM)

    def _message(self, post: Post) -> None:
        event = {
            "type": "message",
            "channel_type": "im",
            "channel": CHANNEL,
            "user": USER,
            "text": post.text,
            "ts": post.ts,
            **({"thread_ts": post.thread_ts} if post.thread_ts else {}),
        }
        envelope = {
            "type": "event_callback",
            "team_id": TEAM,
            "event_id": self._new("Ev"),
            "authorizations": [{"team_id": TEAM, "user_id": APP_USER, "is_bot": True}],
            "event": event,
        }
        self._deliver(json.dumps(envelope), "application/json")

    def _new(self, what: str) -> str:
        return f"{what}.{next(self._numbers)}"

    def _hook(self) -> str:
        return f"{self.hooks_url}{next(self._numbers)}"

    def _deliver(self, body: str, content_type: str) -> bytes:
        raw, timestamp = body.encode(), str(int(self.clock()))
        request = urllib.request.Request(  # noqa: S310 - the app that runs beside us
            self.app_url + PATH,
            data=raw,
            headers={
                "content-type": content_type,
                "x-slack-request-timestamp": timestamp,
                "x-slack-signature": signature(self.signing_secret, timestamp, raw),
            },
            method="POST",
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            read: bytes = answer.read()
            return read


FORM = "application/x-www-form-urlencoded"
