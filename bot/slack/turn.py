"""One turn of a conversation in Slack: who said what where, and where the answer goes."""

import re
from dataclasses import dataclass
from typing import Literal

from bot.form.names import CALLBACK
from bot.form.place import Opener
from bot.form.state import typed_in
from bot.form.words import request_of
from bot.language.normalise import ENTITIES, ENTITY
from bot.slack.clicks import said_of_click, words_of_click
from bot.slack.payload import bot_user_ids, message_thread, team
from bot.state.store import Payload, ThreadKey

LEADING_MENTION = re.compile(r"^\s*<@[A-Z0-9]+(?:\|[^>]*)?>[:,]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What somebody said. A command has no thread yet: its answer opens one."""

    kind: Literal["command", "message", "click", "form"]
    team: str
    channel: str
    user: str
    text: str  # as typed: what Slack escaped is undone, a mention of this bot taken out
    thread_ts: str | None
    response_url: str | None = None
    about: Payload | None = None  # a click: the workload of its card, as said

    @property
    def thread(self) -> ThreadKey | None:
        """The thread the words were said in, or that the answer to them starts."""
        if self.thread_ts is None:
            return None
        return ThreadKey(self.team, self.channel, self.thread_ts)


def turn_of(payload: Payload) -> Turn | None:
    """Return the turn a payload holds; None for those that say nothing (a join, a shortcut)."""
    if "command" in payload:
        return _command(payload)
    event = payload.get("event")
    if isinstance(event, dict) and event.get("type") in ("app_mention", "message"):
        return _message(payload, event)
    if payload.get("type") == "block_actions":
        return _click(payload)
    if payload.get("type") == "view_submission":
        return _form(payload)
    return None


def _command(payload: Payload) -> Turn:
    return Turn(
        kind="command",
        team=team(payload),
        channel=str(payload.get("channel_id") or ""),
        user=str(payload.get("user_id") or ""),
        text=_as_typed(str(payload.get("text") or "")),
        thread_ts=None,
        response_url=str(payload["response_url"]) if payload.get("response_url") else None,
    )


def _message(payload: Payload, event: Payload) -> Turn:
    return Turn(
        kind="message",
        team=team(payload),
        channel=str(event["channel"]),
        user=str(event["user"]),
        text=_as_typed(_without_mention(str(event.get("text") or ""), bot_user_ids(payload))),
        thread_ts=str(event.get("thread_ts") or event["ts"]),
    )


def _click(payload: Payload) -> Turn | None:
    """Return what the button says, said in the thread of the card it is on."""
    thread = message_thread(payload)
    words = words_of_click(payload)
    if thread is None or words is None:
        return None
    return Turn(
        kind="click",
        team=thread.team,
        channel=thread.channel,
        user=str(payload.get("user", {}).get("id") or ""),
        text=words,
        thread_ts=thread.ts,
        response_url=str(payload["response_url"]) if payload.get("response_url") else None,
        about=said_of_click(payload),
    )


def _form(payload: Payload) -> Turn | None:
    """Return what a filled form says, where it was opened; None for one that is not ours."""
    view = payload.get("view")
    if not isinstance(view, dict) or view.get("callback_id") != CALLBACK:
        return None
    opener = Opener.read(view.get("private_metadata"))
    if opener is None or not opener.is_sender_of(payload):
        return None
    return Turn(
        kind="form",
        team=opener.team,
        channel=opener.channel,
        user=opener.user,
        text=request_of(typed_in(view)),
        thread_ts=opener.thread_ts,
    )


def _as_typed(text: str) -> str:
    """Undo Slack's escaping, once. The answer shows these words again, so they must be the user's.

    Messages always come escaped, commands by the manifest do not, but have been seen to.
    """
    return ENTITY.sub(lambda entity: ENTITIES[entity[0]], text)


def _without_mention(text: str, bots: frozenset[str]) -> str:
    """Take out the mentions of this bot, or a leading one when Slack did not say who we are."""
    if not bots:
        return LEADING_MENTION.sub("", text).strip()
    ours = "|".join(re.escape(bot) for bot in sorted(bots))
    return re.sub(rf"<@(?:{ours})(?:\|[^>]*)?>[:,]?", " ", text).strip()
