"""Getting an alert to its channel or thread, once, though Slack posts twice what is sent twice."""

import logging
from dataclasses import dataclass
from typing import Final

from slack_sdk import WebClient

from bot.alerts.fan_out import BusyError, PosterError, RefusedError, UnsureError
from bot.cards.alert_card import alert_message, alert_view
from bot.core.subscription import Place
from bot.slack.door.tokens import BotTokens
from bot.slack.posting.idempotency import EarlierPost
from bot.slack.posting.message import (
    ALERT_EVENT,
    OF_WORKSPACE,
    Message,
    channel_line,
    is_of_place,
    key_fields,
    naming,
    reason,
    with_note,
)
from bot.slack.posting.post import (
    NotDeliveredError,
    RateLimitedError,
    SlackUnavailableError,
    plain_if_refused,
    posted,
    token_of,
)
from bot.store.alert_changes import Alert

logger = logging.getLogger(__name__)

WORKSPACE_WAIT_S: Final = 3600.0  # the next sweep asks again
PAUSED: Final = "That alert is paused, as it could not be told there: {why}. Say “my alerts”."


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
            raise self._refusal(place, alerts, str(error)) from error

    def _refusal(self, place: Place, alerts: tuple[Alert, ...], word: str) -> PosterError:
        """Return what a refusal means: of the place, of the whole workspace, or not known.

        Of the place its owner is told with the news, as the alert is paused until they act. A
        workspace is waited for: it is taken up when a token works again. A word that Slack may add,
        or another's, proves nothing.
        """
        if word in OF_WORKSPACE:
            logger.warning("workspace %s takes no alerts: %s", place.team, word)
            return BusyError(WORKSPACE_WAIT_S)
        if not is_of_place(word):
            return UnsureError(word)
        self._tell_owner(place, alerts, word)
        return RefusedError(reason(word))

    def _tell_owner(self, place: Place, alerts: tuple[Alert, ...], word: str) -> None:
        """Send the owner the news and why the alert is paused; a courtesy that may fail."""
        if not place.user or place.channel == place.user or place.channel.startswith("D"):
            return
        why = PAUSED.format(why=reason(word))
        shown = alert_message(alert_view(alerts))
        message = with_note(
            Message(shown["text"], shown["blocks"]), channel_line(why, place.channel)
        )
        try:
            token = token_of(self.tokens, place.team)
            plain_if_refused(
                message, lambda fields: posted(self.client, token, channel=place.user, **fields)
            )
        except (RateLimitedError, SlackUnavailableError, NotDeliveredError) as error:
            logger.warning("the owner of a paused alert could not be told: %s", error)

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
