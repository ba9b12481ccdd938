"""Posting once: a key goes with each message, and is looked for before it is posted again.

chat.postMessage can be called twice and posts twice, and a call without a reply may have posted.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from slack_sdk import WebClient

from bot.slack.posting.message import KEY
from bot.slack.posting.post import called

logger = logging.getLogger(__name__)

# How far the clocks of Slack and of this machine may differ when an earlier post is looked for.
SKEW_S: Final = 60.0
PAGES_LOOKED: Final = 3
MESSAGES_A_PAGE: Final = 999  # the most that Slack allows


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierPost:
    """A post that may have been made: in which place, with which key, and not before when."""

    channel: str
    thread_ts: str | None
    event_type: str
    key: str
    since: float  # seconds since the epoch

    def found(self, client: WebClient, token: str) -> str | None:
        """Return its timestamp; None where it is not among the messages that can be looked at.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `called`.
        """
        for message in self._messages(client, token):
            metadata = message.get("metadata") or {}
            carried = (metadata.get("event_payload") or {}).get(KEY)
            if metadata.get("event_type") == self.event_type and carried == self.key:
                return str(message["ts"])
        return None

    def _messages(self, client: WebClient, token: str) -> Iterator[dict[str, Any]]:
        """Yield what was posted in the thread, or outside threads, since then: three pages of it.

        What is further back was followed by thousands of messages: a double is then the smaller
        harm than silence.
        """
        wanted = {
            "token": token,
            "channel": self.channel,
            "oldest": f"{self.since - SKEW_S:.6f}",
            "include_all_metadata": True,
            "limit": MESSAGES_A_PAGE,
        }
        cursor: str | None = None
        for _ in range(PAGES_LOOKED):
            page = self._page(client, {**wanted, "cursor": cursor})
            yield from page.get("messages") or []
            cursor = (page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
        logger.warning("an earlier post is not in the %d pages looked at", PAGES_LOOKED)

    def _page(self, client: WebClient, wanted: dict[str, Any]) -> Any:  # noqa: ANN401 - Slack's JSON
        thread_ts = self.thread_ts
        if thread_ts is None:
            return called(lambda: client.conversations_history(**wanted))
        return called(lambda: client.conversations_replies(ts=thread_ts, **wanted))
