"""Getting an alert to its channel or thread, once, though Slack posts twice what is sent twice."""

from dataclasses import dataclass

from slack_sdk import WebClient

from bot.alerts.fan_out import BusyError, RefusedError, UnsureError
from bot.cards.alert_card import alert_message, alert_view
from bot.core.subscription import Place
from bot.slack.door.tokens import BotTokens
from bot.slack.posting.idempotency import EarlierPost
from bot.slack.posting.message import ALERT_EVENT, Message, key_fields, naming, reason, with_note
from bot.slack.posting.post import (
    NotDeliveredError,
    RateLimitedError,
    SlackUnavailableError,
    plain_if_refused,
    posted,
    token_of,
)
from bot.store.alert_changes import Alert


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
        plain_if_refused(
            message,
            lambda fields: posted(
                self.client,
                token,
                channel=place.channel,
                thread_ts=place.thread_ts,
                **key_fields(ALERT_EVENT, key),
                **fields,
            ),
        )

    def _is_there(self, token: str, place: Place, key: str, since: float) -> bool:
        """Return whether a message with this key was posted since the first attempt began."""
        post = EarlierPost(
            channel=place.channel,
            thread_ts=place.thread_ts,
            event_type=ALERT_EVENT,
            key=key,
            since=since,
        )
        return post.found(self.client, token) is not None
