"""One turn of a conversation in Slack: who said what where, and where the answer goes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from bot.core.names import CALLBACK, DELIVERY
from bot.slack.door.payload import bot_user_ids, is_overheard, message_thread, part, team
from bot.slack.form.form_words import request_of, typed_in
from bot.slack.form.place import Opener
from bot.slack.posting.card_share import CardShare, share_of
from bot.slack.talk.clicks import (
    ClickedCard,
    as_typed,
    card_to_replace,
    clicked_card,
    naming_line,
    said_of_click,
    words_of_click,
)
from bot.slack.talk.overheard import SIZE_THIS, words_of_message
from bot.store.store import Payload, ThreadKey

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.conversation.thread import Thread
    from bot.store.owner import Owner
    from engine.core.workload import Workload

    # What was said, what the thread is about, who said it.
    Answer = Callable[[str, Thread | Workload | None, Owner], Reply]

LEADING_MENTION = re.compile(r"^\s*<@[A-Z0-9]+(?:\|[^>]*)?>[:,]?")


@dataclass(frozen=True, slots=True)
class Delivery:
    """The job that a turn came with: what tells it from others, and how long it has waited."""

    key: str
    sent_at: float  # seconds since the epoch
    late_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackTurn:
    """What somebody said. A command has no thread yet: its answer opens one."""

    kind: Literal["command", "message", "click", "share", "shortcut", "form", "opened"]
    team: str
    channel: str
    user: str
    text: str  # as typed: what Slack escaped is undone, a mention of this bot taken out
    thread_ts: str | None
    response_url: str | None = None
    about: Payload | None = None  # a click: the workload of its card, as said
    replaces: str | None = None  # a click: the message that the answer takes the place of
    signed: Payload | None = None  # a click: the line of its card that names a person
    card: ClickedCard | None = None  # a click: the card as it was then
    share: CardShare | None = None  # a click: the card to show to a channel
    overheard: bool = False  # a message in a thread of ours that does not name us
    delivery: Delivery | None = None  # None for what no job asked for

    @property
    def thread(self) -> ThreadKey | None:
        """The thread the words were said in, or that the answer to them starts."""
        if self.thread_ts is None:
            return None
        return ThreadKey(self.team, self.channel, self.thread_ts)


def turn_of(payload: Payload) -> SlackTurn | None:
    """Return the turn a payload holds; None for those that say nothing (a join, a shortcut)."""
    turn, job = _turn_read(payload), part(payload, DELIVERY)
    return turn if turn is None or not job else replace(turn, delivery=Delivery(**job))


def _turn_read(payload: Payload) -> SlackTurn | None:
    if "command" in payload:
        return _command_turn(payload)
    event = part(payload, "event")
    if event:
        read_event = EVENTS.get(str(event.get("type")))
        return None if read_event is None else read_event(payload, event)
    read = INTERACTIONS.get(str(payload.get("type")))
    return None if read is None else read(payload)


def _command_turn(payload: Payload) -> SlackTurn:
    return SlackTurn(
        kind="command",
        team=team(payload),
        channel=str(payload.get("channel_id") or ""),
        user=str(payload.get("user_id") or ""),
        text=as_typed(str(payload.get("text") or "")),
        thread_ts=None,
        response_url=str(payload["response_url"]) if payload.get("response_url") else None,
    )


def _message(payload: Payload, event: Payload) -> SlackTurn:
    return SlackTurn(
        kind="message",
        team=team(payload),
        channel=str(event["channel"]),
        user=str(event["user"]),
        text=as_typed(_without_mention(str(event.get("text") or ""), bot_user_ids(payload))),
        thread_ts=str(event.get("thread_ts") or event["ts"]),
        overheard=is_overheard(event, bot_user_ids(payload)),
    )


def _opened(payload: Payload, event: Payload) -> SlackTurn | None:
    """Return that somebody opened the conversation with the app; None for its Home tab."""
    if event.get("tab") != "messages":
        return None
    return SlackTurn(
        kind="opened",
        team=team(payload),
        channel=str(event.get("channel") or ""),
        user=str(event.get("user") or ""),
        text="",
        thread_ts=None,
    )


def _shortcut(payload: Payload) -> SlackTurn | None:
    """Return the message that somebody wants sized, said in its own thread."""
    thread = message_thread(payload)
    if thread is None or payload.get("callback_id") != SIZE_THIS:
        return None
    return SlackTurn(
        kind="shortcut",
        team=thread.team,
        channel=thread.channel,
        user=str(payload.get("user", {}).get("id") or ""),
        text=as_typed(words_of_message(str(payload["message"].get("text") or ""))),
        thread_ts=thread.ts,
        response_url=str(payload["response_url"]) if payload.get("response_url") else None,
    )


def _click(payload: Payload) -> SlackTurn | None:
    """Return what the button says, said in the thread of the card it is on."""
    thread = message_thread(payload)
    words, share = words_of_click(payload), share_of(payload)
    if thread is None or (words is None and share is None):
        return None
    return SlackTurn(
        kind="click" if share is None else "share",
        team=thread.team,
        channel=thread.channel,
        user=str(payload.get("user", {}).get("id") or ""),
        text=words or "",
        thread_ts=thread.ts,
        response_url=str(payload["response_url"]) if payload.get("response_url") else None,
        about=said_of_click(payload),
        card=clicked_card(payload),
        share=share,
        replaces=card_to_replace(payload),
        signed=naming_line(payload),
    )


def _form(payload: Payload) -> SlackTurn | None:
    """Return what a filled form says, where it was opened; None for one that is not ours."""
    view = part(payload, "view")
    opener = Opener.read(view.get("private_metadata"))
    if view.get("callback_id") != CALLBACK or opener is None or not opener.is_sender_of(payload):
        return None
    return SlackTurn(
        kind="form",
        team=opener.team,
        channel=opener.channel,
        user=opener.user,
        text=request_of(typed_in(view)),
        thread_ts=opener.thread_ts,
    )


def _without_mention(text: str, bots: frozenset[str]) -> str:
    """Take out the mentions of this bot, or a leading one when Slack did not say who we are."""
    if not bots:
        return LEADING_MENTION.sub("", text).strip()
    ours = "|".join(re.escape(bot) for bot in sorted(bots))
    return re.sub(rf"<@(?:{ours})(?:\|[^>]*)?>[:,]?", " ", text).strip()


EVENTS: dict[str, Callable[[Payload, Payload], SlackTurn | None]] = {
    "app_mention": _message,
    "message": _message,
    "app_home_opened": _opened,
}
INTERACTIONS: dict[str, Callable[[Payload], SlackTurn | None]] = {
    "block_actions": _click,
    "message_action": _shortcut,
    "view_submission": _form,
}
