"""Slack's agent view: prompts for whoever opens it, and a status line while an answer is made.

Both are courtesies: whatever goes wrong with them is logged, once a reason, and left at that.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from bot.slack.post import (
    NotDeliveredError,
    RateLimitedError,
    SlackUnavailableError,
    called,
)

if TYPE_CHECKING:
    from slack_sdk import WebClient

    from bot.slack.tokens import Tokens
    from bot.slack.turn import Turn

logger = logging.getLogger(__name__)

TIMEOUT_S: Final = 3  # an answer that is ready waits for it
PATIENCE_S: Final = 1.0  # in a channel's thread, nobody is told of less
STATUS: Final = "is comparing EC2 instances…"  # Slack puts the app's name before it
# Title and message; the agent view shows the same four before anything was said.
PROMPTS: Final = (
    ("Serve a 7B model fast", "inference 7B latency<100ms"),
    ("Fine-tune Llama 3.1 8B", "finetune llama-3.1-8b lora tokens_total=50M budget<$200"),
    ("Cheapest at every load", "8B cheapest at every load"),
    ("Has p5 got cheaper?", "has p5.48xlarge got cheaper?"),
)


class Progress:
    """Says after a while that work is under way, from a thread of its own."""

    def __init__(self, show: Callable[[], bool], patience_s: float) -> None:
        self.shown = False
        self._show = show
        self._patience_s = patience_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._wait, name="status", daemon=True)

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def stop(self) -> None:
        """End it. Nothing is shown afterwards: a status set after its answer would stay."""
        self._done.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _wait(self) -> None:
        if self._patience_s <= 0 or not self._done.wait(self._patience_s):
            self.shown = self._show()


class Agent:
    """Speaks to the agent view as the bot."""

    def __init__(self, client: "WebClient", tokens: "Tokens") -> None:
        self._client = client
        self._tokens = tokens
        self._told: set[str] = set()

    def greet(self, turn: "Turn") -> None:
        """Suggest four things to ask to whoever opened the conversation."""
        prompts = [{"title": title, "message": message} for title, message in PROMPTS]
        # With thread_ts, which agents have none of, Slack takes the call and does nothing.
        self._call(
            turn.team,
            "assistant.threads.setSuggestedPrompts",
            {"channel_id": turn.channel, "title": "Try", "prompts": prompts},
        )

    @contextmanager
    def working(self, turn: "Turn") -> Iterator[Progress]:
        """Show that an answer is being made: at once in a direct conversation, else after a second.

        A command has no thread to show it in; it was acknowledged when it came.
        """
        patience_s = 0.0 if turn.channel.startswith("D") else PATIENCE_S
        progress = Progress(lambda: self._status(turn, STATUS), patience_s)
        if turn.thread_ts is not None:
            progress.start()
        try:
            yield progress
        finally:
            progress.stop()

    def rest(self, turn: "Turn", progress: Progress) -> None:
        """Clear the status where no message did: an update leaves it, as does a word in private."""
        if progress.shown:
            self._status(turn, "")

    def _status(self, turn: "Turn", status: str) -> bool:
        fields = {"channel_id": turn.channel, "thread_ts": turn.thread_ts, "status": status}
        return self._call(turn.team, "assistant.threads.setStatus", fields)

    def _call(self, team: str, method: str, fields: Mapping[str, object]) -> bool:
        """Return whether Slack did it."""
        try:
            token = self._tokens.of(team)
            if token is None:
                return False
            called(lambda: self._client.api_call(method, json={**fields, "token": token}))
        except (NotDeliveredError, RateLimitedError, SlackUnavailableError) as error:
            self._left_out(f"{method}: {error}")
            return False
        except Exception:
            logger.exception("%s failed", method)
            return False
        return True

    def _left_out(self, reason: str) -> None:
        if reason not in self._told:
            self._told.add(reason)
            logger.info("left out, %s", reason)
