"""What Slack would send the app for a person's words and clicks: signed, over HTTP."""

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlencode

from bot.core.names import SHORTCUT
from bot.playground.workspace import APP, DIRECT, USER, YOU, Json, Post
from bot.slack.door.ingress import signature
from bot.slack.talk.overheard import SIZE_THIS

COMMAND = "/ec2-pick"
TEAM, APP_USER, APP_ID = "TPLAY", "UAPP", "APLAY"
MENTION = f"@{APP}"
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
            self._command(post)
            return
        self._message("message", post)
        if MENTION in post.text and post.channel != DIRECT:
            self._message("app_mention", post)  # Slack tells of a mention twice

    def clicked(self, post: Post, action: Json) -> None:
        """Deliver a click on a button of a message, or a choice in one of its menus."""
        self._interact(
            {
                "type": "block_actions",
                "container": {
                    "type": "message",
                    "message_ts": post.ts,
                    "channel_id": post.channel,
                },
                **self._at(post),
                "actions": [self._acted(action)],
            }
        )

    def sized(self, post: Post) -> None:
        """Deliver a use of the message shortcut *Size this*."""
        self._interact({"type": "message_action", "callback_id": SIZE_THIS, **self._at(post)})

    def home_opened(self) -> None:
        """Deliver that the person has opened the app's Home tab."""
        self._event({"type": "app_home_opened", "user": USER, "channel": DIRECT, "tab": "home"})

    def home_clicked(self, view: Json, action: Json) -> None:
        """Deliver a click on a button of the Home tab."""
        acted = {"view": view, "actions": [self._acted(action)]}
        self._interact({"type": "block_actions", **acted, **self._person()})

    def shortcut(self) -> None:
        """Deliver a use of the app's shortcut, which has no conversation around it."""
        self._interact({"type": "shortcut", "callback_id": SHORTCUT, **self._person()})

    def changed(self, view: Json, action: Json) -> None:
        """Deliver a change of a field of the open form."""
        acted = {"view": view, "actions": [self._acted(action)]}
        self._interact({"type": "block_actions", **acted, **self._person()})

    def suggestions(self, view: Json, action: Json) -> Json:
        """Return the choices that the app has for what is being typed into a menu."""
        payload = {"type": "block_suggestion", "view": view, **action, **self._person()}
        return self._interact(payload)

    def submitted(self, view: Json) -> Json:
        """Deliver the filled form; return what the app says about it, nothing if it is taken."""
        return self._interact({"type": "view_submission", "view": view, **self._person()})

    def _person(self) -> Json:
        person = {"id": USER, "team_id": TEAM}
        return {
            "team": {"id": TEAM},
            "user": person,
            "api_app_id": APP_ID,
            "trigger_id": self._new("view"),
        }

    def _at(self, post: Post) -> Json:
        """Return who does something to a message, and the message as Slack sends it along."""
        message = {
            "ts": post.ts,
            "thread_ts": post.thread_ts or post.ts,
            "text": _escaped(post.text) if post.blocks is None else post.text,
            "blocks": post.blocks or [],
        }
        place = {"channel": {"id": post.channel}, "response_url": self._hook(post.channel)}
        return {**self._person(), **place, "message": message}

    def _acted(self, action: Json) -> Json:
        return {**action, "action_ts": f"{self.clock():.6f}"}

    def _interact(self, payload: Json) -> Json:
        """Deliver a click, a choice or a form; return the app's answer, empty without one."""
        answer = self._deliver(urlencode({"payload": json.dumps(payload)}), FORM)
        found: Json = json.loads(answer) if answer else {}
        return found

    def _command(self, post: Post) -> None:
        form = {
            "command": COMMAND,
            "text": post.text.removeprefix(COMMAND).strip(),
            "team_id": TEAM,
            "channel_id": post.channel,
            "user_id": USER,
            "trigger_id": self._new("command"),
            "response_url": self._hook(post.channel),
        }
        self._deliver(urlencode(form), FORM)

    def _message(self, kind: str, post: Post) -> None:
        event = {
            "type": kind,
            "channel_type": "im" if post.channel == DIRECT else "channel",
            "channel": post.channel,
            "user": USER if post.author == YOU else post.author,
            "text": _escaped(post.text).replace(MENTION, f"<@{APP_USER}>"),
            "ts": post.ts,
            **({"thread_ts": post.thread_ts} if post.thread_ts else {}),
        }
        self._event(event)

    def _event(self, event: Json) -> None:
        envelope = {
            "type": "event_callback",
            "team_id": TEAM,
            "api_app_id": APP_ID,
            "event_id": self._new("Ev"),
            "authorizations": [{"team_id": TEAM, "user_id": APP_USER, "is_bot": True}],
            "event": event,
        }
        self._deliver(json.dumps(envelope), "application/json")

    def _new(self, what: str) -> str:
        return f"{what}.{next(self._numbers)}"

    def _hook(self, channel: str) -> str:
        return f"{self.hooks_url}{channel}/{next(self._numbers)}"

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


def _escaped(text: str) -> str:
    """Return typed words as Slack sends them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


FORM = "application/x-www-form-urlencoded"
