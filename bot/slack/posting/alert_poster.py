"""Getting an alert to its channel or thread, once, though Slack posts twice what is sent twice."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from slack_sdk import WebClient

from bot.alerts.fan_out import BusyError, RefusedError, UnsureError
from bot.cards.alert_card import alert_message, alert_view
from bot.core.subscription import Place
from bot.slack.door.tokens import BotTokens
from bot.slack.posting.message import Message, naming, reason, with_note
from bot.slack.posting.post import (
    NotDeliveredError,
    RateLimitedError,
    SlackUnavailableError,
    called,
    plain_if_refused,
    posted,
    token_of,
)
from bot.store.alert_changes import Alert

# https://docs.slack.dev/messaging/message-metadata: the key comes back with the message.
EVENT_TYPE: Final = "ec2_pick_alert"
KEY: Final = "key"
# How far the clocks of Slack and of this machine may differ when an earlier post is looked for.
SKEW_S: Final = 60.0
PAGES_LOOKED: Final = 3
MESSAGES_A_PAGE: Final = 999  # the most that Slack allows

# Slack's words for "not until somebody acts", as the owner of the alert reads them.
TOO_MANY: Final = "it cannot be told whether the last alert arrived, among so many messages"


@dataclass(frozen=True, slots=True)
class AlertPoster:
    """`Poster` over the Web API."""

    client: WebClient
    tokens: BotTokens

    def post(
        self, place: Place, alerts: tuple[Alert, ...], key: str, *, tried_since: float | None = None
    ) -> None:
        """See `bot.alerts.fan_out.AlertDelivery.post`."""
        try:
            token = token_of(self.tokens, place.team)
            if tried_since is None or not self._is_there(token, place, key, tried_since):
                self._send(token, place, alerts, key)
        except RateLimitedError as error:
            raise BusyError(error.retry_after_s) from error
        except SlackUnavailableError as error:
            raise UnsureError(str(error)) from error
        except NotDeliveredError as error:
            word = str(error)
            raise RefusedError(reason(word)) from error

    def _send(self, token: str, place: Place, alerts: tuple[Alert, ...], key: str) -> None:
        shown = alert_message(alert_view(alerts))
        message = with_note(
            Message(shown["text"], shown["blocks"]), naming("Alert for", place.user)
        )
        metadata = {"event_type": EVENT_TYPE, "event_payload": {KEY: key}}
        plain_if_refused(
            message,
            lambda fields: posted(
                self.client,
                token,
                channel=place.channel,
                thread_ts=place.thread_ts,
                metadata=metadata,
                **fields,
            ),
        )

    def _is_there(self, token: str, place: Place, key: str, since: float) -> bool:
        """Return whether a message with this key was posted since the first attempt began."""
        return any(_key_of(message) == key for message in self._messages(token, place, since))

    def _messages(self, token: str, place: Place, since: float) -> Iterator[dict[str, Any]]:
        """Return what was posted in the thread, or outside threads, since then.

        Raises:
            RefusedError: it is more than can be looked through before the lease ends.
        """
        wanted = {
            "token": token,
            "channel": place.channel,
            "oldest": f"{since - SKEW_S:.6f}",
            "include_all_metadata": True,
            "limit": MESSAGES_A_PAGE,
        }
        cursor: str | None = None
        for _ in range(PAGES_LOOKED):
            page = self._page(place, {**wanted, "cursor": cursor})
            yield from page.get("messages") or []
            cursor = (page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
        raise RefusedError(TOO_MANY)

    def _page(self, place: Place, wanted: dict[str, Any]) -> Any:  # noqa: ANN401 - Slack's JSON
        thread_ts = place.thread_ts
        if thread_ts is None:
            return called(lambda: self.client.conversations_history(**wanted))
        return called(lambda: self.client.conversations_replies(ts=thread_ts, **wanted))


def _key_of(message: dict[str, Any]) -> object:
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") != EVENT_TYPE:
        return None
    return (metadata.get("event_payload") or {}).get(KEY)
