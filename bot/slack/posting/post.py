"""Getting an answer to where it was asked for: chat.postMessage, or else the response_url."""

import http.client
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.web import SlackResponse

from bot.cards.slack_limits import clamped_message_text
from bot.slack.door import response_url
from bot.slack.door.settings import SlackSettings
from bot.slack.door.tokens import BotTokens
from bot.slack.posting.message import (
    ANSWER_EVENT,
    Message,
    body,
    key_fields,
    naming,
    only_you,
    plain_body,
    shareable,
    still_asked,
    with_note,
    without_buttons,
)
from bot.slack.talk.slack_turn import SlackTurn
from bot.store.store import ThreadKey

logger = logging.getLogger(__name__)
T = TypeVar("T")

TIMEOUT_S = 10
DEFAULT_RETRY_AFTER_S = 30.0
MAX_RETRY_AFTER_S = 900.0  # the longest delay SQS can give a message

# Slack's words for "not now": the same call may well work a little later.
TRANSIENT = frozenset(
    {"fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"}
)
NO_JSON = "non-JSON"  # the client's words for a page that is not Slack's: a proxy spoke
LIMITED = frozenset({"ratelimited", "rate_limited", "accesslimited"})
REFUSED_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})


class SlackUnavailableError(Exception):
    """Slack did not answer, or said that it cannot now; a later try can help."""


class RateLimitedError(Exception):
    """Slack asks to wait `retry_after_s` seconds."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"rate limited for {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class NotDeliveredError(Exception):
    """The user cannot be reached this way; the message is Slack's word for why."""


class RefusedBlocksError(NotDeliveredError):
    """Slack did not accept the blocks; the same answer without them may pass."""


@dataclass(frozen=True, slots=True)
class PostedAt:
    """Where a message is; its channel by id, also where it was sent to a user."""

    channel: str
    ts: str


def web_client(settings: SlackSettings, timeout_s: int = TIMEOUT_S) -> WebClient:
    """Return a Web API client without a token that tries once: the queue decides about a second."""
    client = WebClient(
        base_url=settings.api_url,
        timeout=timeout_s,
        retry_handlers=[],
        logger=logging.getLogger(f"{__name__}.client"),
    )
    if response_url.is_loopback(urlsplit(settings.api_url).hostname):
        client.proxy = None  # the client takes a proxy from the environment even for this machine
    return client


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts answers as the bot."""

    client: WebClient
    api_url: str
    tokens: BotTokens

    def post(
        self,
        turn: SlackTurn,
        message: Message,
        *,
        without_files: Message | None = None,
        instead_of: PostedAt | None = None,
    ) -> ThreadKey | None:
        """Deliver the message; return the thread it is in, or None for a new one nobody can name.

        A turn that replaces a card updates it; a card that is gone is answered below its place.
        A response_url reaches places the bot is not in, but gives no timestamp to thread on, so it
        comes second. A form has none, as they end within minutes: direct messages stand in for it.
        Delivery is at least once: a timeout leaves unknown whether Slack has posted.

        `without_files` is what is said instead where no thread could take the message's files.
        `instead_of` is the message that said that the answer is on its way.

        Raises:
            RateLimitedError, SlackUnavailableError: a later try can help.
            NotDeliveredError: neither way is open.
        """
        shown = shareable(message, turn)
        if turn.replaces is not None and self._replaced(turn, turn.replaces, shown):
            return turn.thread
        hidden = turn.kind in {"command", "shortcut", "form"}  # others do not see the question
        noted = with_note(shown, naming("Asked by", turn.user)) if hidden else shown
        if instead_of is not None and self._takes_the_place(turn, instead_of, noted):
            return ThreadKey(turn.team, instead_of.channel, turn.thread_ts or instead_of.ts)
        try:
            return plain_if_refused(noted, lambda fields: self._post_message(turn, fields))
        except NotDeliveredError as refusal:
            logger.info("chat.postMessage said %s", refusal)
            if turn.kind == "form" and turn.channel != turn.user:
                return self._post_directly(turn, message, str(refusal))
            url, word = self._usable_response_url(turn, refusal), str(refusal)
        noted = with_note(without_buttons(without_files or message), only_you(word))
        plain_if_refused(noted, lambda fields: _respond(url, _in_thread(turn) | fields))
        return turn.thread

    def _replaced(self, turn: SlackTurn, ts: str, shown: Message) -> bool:
        """Return whether the card of a click was there to be replaced."""
        try:
            self._update(turn, ts, with_note(still_asked(shown, turn), turn.signed))
        except NotDeliveredError as refusal:
            logger.info("chat.update said %s", refusal)
            return False
        return True

    def _takes_the_place(self, turn: SlackTurn, at: PostedAt, message: Message) -> bool:
        """Return whether the message took another's place: whole, and with that still there.

        Where not, what stood for it is removed, as the message is posted anew.
        """
        there = replace(turn, channel=at.channel)
        try:
            if clamped_message_text(message.text) == message.text:
                self._update(there, at.ts, message, metadata=answer_key(turn).get("metadata"))
                return True
            self._remove(there, at.ts)
        except NotDeliveredError as refusal:
            logger.info("the message that stood for an answer: %s", refusal)
        return False

    def _remove(self, turn: SlackTurn, ts: str) -> None:
        token = token_of(self.tokens, turn.team)
        called(lambda: self.client.chat_delete(token=token, channel=turn.channel, ts=ts))

    def post_to_one(self, turn: SlackTurn, message: Message) -> ThreadKey | None:
        """Deliver the message so that only who asked sees it: to the others it is nothing.

        Returns and raises what `post` does; what only one sees opens no thread.
        """
        if turn.channel.startswith("D"):  # nobody else is there
            return self.post(turn, message)
        try:
            plain_if_refused(message, lambda fields: self._post_ephemeral(turn, fields))
        except NotDeliveredError as refusal:
            logger.info("chat.postEphemeral said %s", refusal)
            url = self._usable_response_url(turn, refusal)
            plain_if_refused(message, lambda fields: _respond(url, _in_thread(turn) | fields))
        return turn.thread

    def _post_ephemeral(self, turn: SlackTurn, fields: dict[str, Any]) -> None:
        token = token_of(self.tokens, turn.team)
        called(
            lambda: self.client.chat_postEphemeral(
                token=token,
                channel=turn.channel,
                user=turn.user,
                thread_ts=turn.thread_ts,
                **fields,
            )
        )

    def post_at(self, team: str, place: dict[str, Any], message: Message) -> str:
        """Post the message at a place (channel, thread_ts, …) and return its timestamp.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `called`.
        """
        token = token_of(self.tokens, team)
        return plain_if_refused(
            message, lambda fields: posted(self.client, token, **place, **fields).ts
        )

    def whisper(self, turn: SlackTurn, message: Message) -> None:
        """Tell only whoever clicked, where Slack lends a way to; else say it in the thread.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `post`.
        """
        url = turn.response_url
        try:
            if url is not None and response_url.is_allowed(url, self.api_url):
                plain_if_refused(message, lambda fields: _respond(url, _in_thread(turn) | fields))
                return
        except NotDeliveredError as refusal:
            logger.info("the response_url said %s", refusal)
        self.post_at(turn.team, {"channel": turn.channel, "thread_ts": turn.thread_ts}, message)

    def _post_directly(self, turn: SlackTurn, message: Message, word: str) -> ThreadKey:
        direct = replace(turn, channel=turn.user, thread_ts=None)
        noted = with_note(shareable(message, direct), only_you(word))
        return plain_if_refused(noted, lambda fields: self._post_message(direct, fields))

    def _post_message(self, turn: SlackTurn, fields: dict[str, Any]) -> ThreadKey:
        token = token_of(self.tokens, turn.team)
        at = posted(
            self.client,
            token,
            channel=turn.channel,
            thread_ts=turn.thread_ts,
            **fields,
            **answer_key(turn),
        )
        return ThreadKey(turn.team, at.channel, turn.thread_ts or at.ts)

    def _update(
        self, turn: SlackTurn, ts: str, message: Message, metadata: dict[str, Any] | None = None
    ) -> str:
        token = token_of(self.tokens, turn.team)
        place = {"channel": turn.channel, "ts": ts, "metadata": metadata}
        return plain_if_refused(
            message, lambda fields: updated(self.client, token, **place, **fields)
        )

    def _usable_response_url(self, turn: SlackTurn, refusal: NotDeliveredError) -> str:
        if turn.response_url is None:
            raise refusal
        if not response_url.is_allowed(turn.response_url, self.api_url):
            logger.warning("a response_url outside Slack was left alone")
            raise refusal
        return turn.response_url


def answer_key(turn: SlackTurn) -> dict[str, Any]:
    """Return the fields that tell the answer to a job from every other message."""
    return {} if turn.delivery is None else key_fields(ANSWER_EVENT, turn.delivery.key)


def token_of(tokens: BotTokens, team: str) -> str:
    """Return the bot's token in a workspace: never that of another.

    Raises:
        NotDeliveredError: the app is not installed there.
    """
    token = tokens.of(team)
    if token is None:
        raise NotDeliveredError("not_installed")
    return token


def posted(client: WebClient, token: str, **fields: Any) -> PostedAt:  # noqa: ANN401 - Slack's own
    """Post a message by chat.postMessage and return where it is.

    Raises:
        RateLimitedError, SlackUnavailableError, NotDeliveredError: see `called`.
    """
    answer = called(
        lambda: client.chat_postMessage(
            token=token, unfurl_links=False, unfurl_media=False, **fields
        )
    )
    return PostedAt(str(answer.get("channel") or fields["channel"]), str(answer["ts"]))


def updated(client: WebClient, token: str, **fields: Any) -> str:  # noqa: ANN401 - Slack's own
    """Replace a message of ours by chat.update and return its timestamp.

    Raises:
        RateLimitedError, SlackUnavailableError, NotDeliveredError: see `called`.
    """
    text = clamped_message_text(fields.pop("text"))  # more is refused here, not cut
    answer = called(lambda: client.chat_update(token=token, **{"blocks": []} | fields, text=text))
    return str(answer["ts"])


def called(call: Callable[[], SlackResponse]) -> SlackResponse:
    """Return what a call of the Web API answers.

    Raises:
        RateLimitedError: Slack asks to wait; nothing was done.
        SlackUnavailableError: no answer, or none that says whether anything was done.
        NotDeliveredError: Slack refuses; the message is its word for why.
    """
    try:
        return call()
    except SlackApiError as error:
        answer = error.response
        retry_after = answer.headers.get("Retry-After")
        raise _error(answer.status_code, str(answer.get("error")), retry_after) from error
    except (OSError, http.client.HTTPException) as error:
        raise SlackUnavailableError(type(error).__name__) from error


def _in_thread(turn: SlackTurn) -> dict[str, Any]:
    """Return the fields by which a response_url answers in the thread, and leaves the card."""
    if turn.thread_ts is None:
        return {}
    return {"replace_original": False, "thread_ts": turn.thread_ts}


def _respond(url: str, fields: dict[str, Any]) -> None:
    try:
        answer = response_url.post(url, {"response_type": "ephemeral", **fields}, TIMEOUT_S)
    except (OSError, http.client.HTTPException) as error:
        # Not `from error`: its text may hold the URL, which is a capability.
        raise SlackUnavailableError(type(error).__name__) from None
    if answer.status != http.client.OK:
        raise _error(answer.status, answer.text, answer.retry_after)


def plain_if_refused(message: Message, send: Callable[[dict[str, Any]], T]) -> T:
    """Return what `send` returns for the message's fields; as text where its blocks are refused."""
    try:
        return send(body(message))
    except RefusedBlocksError as refusal:
        if not message.blocks:
            raise
        logger.warning("Slack refused the card's blocks (%s): sent as text", refusal)
    return send(plain_body(message))


def _error(status: int, word: str, retry_after: str | None) -> Exception:
    """Return what a refusal means: wait, try later, leave out the blocks, or give up."""
    if status == http.client.TOO_MANY_REQUESTS or word in LIMITED:
        return RateLimitedError(_retry_seconds(retry_after))
    if any(refused in word for refused in REFUSED_BLOCKS):
        return RefusedBlocksError(word)
    if status >= http.client.INTERNAL_SERVER_ERROR or word in TRANSIENT or NO_JSON in word:
        return SlackUnavailableError(f"{status} {word[:100]}")
    return NotDeliveredError(word[:100])


def _retry_seconds(retry_after: str | None) -> float:
    if retry_after is None or not retry_after.strip().isdecimal():
        return DEFAULT_RETRY_AFTER_S
    return min(float(retry_after), MAX_RETRY_AFTER_S)
