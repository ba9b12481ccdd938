"""The shape of what is posted: text that cannot ping anybody, blocks, and the plain rendering."""

import re
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from bot.slack.posting.card_share import with_share
from bot.slack.talk.clicks import request_line
from bot.slack.talk.slack_turn import SlackTurn

MAX_TEXT = 8_000  # each sign escapes to at most five, and Slack cuts text at 40,000 without a word
MAX_BLOCKS = 50
USER_ID = re.compile(r"[UW][A-Z0-9]+")
CHANNEL_ID = re.compile(r"[CG][A-Z0-9]+")

ONLY_YOU = "Only you see this: "
NOT_HERE = "I am not in this conversation. Invite me for answers in a thread."
# Slack's words for why the app may not post where it was asked, as a person reads them.
REASONS: Final = {
    "not_installed": "the app is not installed in this workspace",
    "token_revoked": "the app's access was revoked; install it again",
    "token_expired": "the app's access has expired; install it again",
    "invalid_auth": "the app's token is not valid; install it again",
    "account_inactive": "the app was removed from this workspace; install it again",
    "channel_not_found": "the channel is gone, or closed to the app",
    "not_in_channel": "the app is not in the channel; invite it",
    "is_archived": "the channel is archived",
    "restricted_action": "the workspace does not let the app post there",
    "restricted_action_read_only_channel": "the channel is read-only for the app",
    "restricted_action_thread_locked": "the thread is locked",
    "restricted_action_thread_only_channel": "the channel takes replies in threads alone",
    "restricted_action_non_threadable_channel": "the channel takes no replies in threads",
    "thread_not_found": "the thread is gone",
    "cannot_reply_to_message": "that message takes no replies",
    "messages_tab_disabled": "the app takes no direct messages",
    "missing_scope": "the app lacks a permission; install it again",
    "not_authed": "the app has no token here; install it again",
    "org_login_required": "the workspace is being moved to an organisation",
    "team_access_not_granted": "the organisation has not let the app into this workspace",
    "ekm_access_denied": "the organisation has closed the app's access for now",
    "two_factor_setup_required": "whoever installed the app must set up two-factor sign-in",
}
# The workspace as a whole does not let the app speak; another token, or somebody's consent, mends
# every place of it at once (https://docs.slack.dev/reference/methods/chat.postMessage).
OF_WORKSPACE: Final = frozenset(
    {
        "not_installed",
        "token_revoked",
        "token_expired",
        "invalid_auth",
        "account_inactive",
        "missing_scope",
        "not_authed",
        "org_login_required",
        "team_access_not_granted",
        "ekm_access_denied",
        "two_factor_setup_required",
    }
)


KEY: Final = "key"
ANSWER_EVENT: Final = "ec2_pick_answer"
ALERT_EVENT: Final = "ec2_pick_alert"


def key_fields(event_type: str, key: str) -> dict[str, Any]:
    """Return the fields of a post that tell it from every other.

    The key comes back with the message (https://docs.slack.dev/messaging/message-metadata).
    `client_msg_id` is made of it, as Slack's errors of chat.postMessage know a duplicate message
    "associated with client_msg_id" (https://docs.slack.dev/reference/methods/chat.postMessage).
    """
    metadata = {"event_type": event_type, "event_payload": {KEY: key}}
    return {"metadata": metadata, "client_msg_id": str(uuid5(NAMESPACE_URL, key))}


@dataclass(frozen=True, slots=True)
class Message:
    """An answer: plain text (read aloud, shown in notifications) and its blocks, if it has any."""

    text: str
    blocks: list[dict[str, Any]] | None = None


def mrkdwn(text: str) -> str:
    """Return plain text so that Slack shows it as it is: no mention, link or ping can form."""
    cut = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    return cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def body(message: Message) -> dict[str, Any]:
    """Return the fields both ways of posting share."""
    fields: dict[str, Any] = {"text": mrkdwn(message.text)}
    if message.blocks:
        fields["blocks"] = message.blocks
    return fields


def plain_body(message: Message) -> dict[str, Any]:
    """Return the rendering for when Slack refuses the blocks: the text, its columns kept."""
    # An accent in the answer must not close the code block early.
    return {"text": "```\n" + mrkdwn(message.text).replace("```", "'''") + "\n```"}


def with_note(message: Message, note: dict[str, Any] | None) -> Message:
    """Return the message with one more context line, where there is room for it."""
    if note is None or not message.blocks or len(message.blocks) >= MAX_BLOCKS:
        return message
    return replace(message, blocks=[*message.blocks, note])


def with_lead(message: Message, line: str) -> Message:
    """Return the message that says `line` first; as it is where there is nothing to say."""
    if not line:
        return message
    blocks = [_line(mrkdwn(line)), *message.blocks][:MAX_BLOCKS] if message.blocks else None
    return Message(f"{line}\n{message.text}", blocks)


def still_asked(message: Message, turn: SlackTurn) -> Message:
    """Return what takes a card's place, still saying what was asked for the card in words."""
    request = None if turn.card is None else turn.card.request
    if request is None or not message.blocks:
        return message
    return replace(
        message, blocks=[request if request_line(block) else block for block in message.blocks]
    )


def without_buttons(message: Message) -> Message:
    """Return the message for a place that has no thread for a button's answer to go to."""
    kept = [block for block in message.blocks or [] if block.get("type") != "actions"]
    return replace(message, blocks=kept)


def shareable(message: Message, turn: SlackTurn) -> Message:
    """Return the message as it is said here: a card that the channel does not see can be shared."""
    in_thread = turn.thread_ts is not None and turn.thread_ts != turn.replaces
    blocks = with_share(message.blocks or [], turn.channel, in_thread=in_thread)
    return replace(message, blocks=blocks)


def naming(what: str, user: str) -> dict[str, Any] | None:
    """Return the line "Asked by", "Shared by" or "Alert for" somebody, whom Slack may notify."""
    return _line(f"{what} <@{user}>") if USER_ID.fullmatch(user) else None


def channel_line(text: str, channel: str) -> dict[str, Any]:
    """Return a line about a channel, which Slack shows by its name."""
    named = f"<#{channel}> {mrkdwn(text)}" if CHANNEL_ID.fullmatch(channel) else mrkdwn(text)
    return _line(named)


def file_line(text: str) -> dict[str, Any]:
    """Return the line that names a file which is shown beside the message."""
    return _line(text, "plain_text")


def _line(text: str, kind: str = "mrkdwn") -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": kind, "text": text}]}


def is_of_place(word: str) -> bool:
    """Return whether a refusal is of one channel or thread: then a person must act there."""
    return word in REASONS and word not in OF_WORKSPACE


def reason(word: str) -> str:
    """Return Slack's word for why it refuses, as a person reads it."""
    return f"{REASONS.get(word, 'Slack refuses it')} ({word})"


def only_you(word: str) -> dict[str, Any]:
    """Return the line that says why an answer is not visible to the others."""
    why = NOT_HERE if word in {"not_in_channel", "channel_not_found"} else f"{reason(word)}."
    return _line(ONLY_YOU + why, "plain_text")
