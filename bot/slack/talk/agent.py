"""Slack's agent view: prompts for whoever opens it, and a sign that an answer is being made.

Both are courtesies: whatever goes wrong with them is logged, once a reason, and left at that.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from bot.core.examples import example
from bot.slack.posting import progress
from bot.slack.posting.post import (
    NotDeliveredError,
    PostedAt,
    RateLimitedError,
    SlackUnavailableError,
    called,
)
from bot.slack.posting.progress import Progress, ProgressStep

if TYPE_CHECKING:
    from slack_sdk import WebClient
    from slack_sdk.web import SlackResponse

    from bot.slack.door.tokens import BotTokens
    from bot.slack.talk.slack_turn import SlackTurn

logger = logging.getLogger(__name__)

TIMEOUT_S: Final = 3  # an answer that is ready waits for it
STATUS: Final = "is comparing EC2 instances…"  # Slack puts the app's name before it
UNDER_WAY: Final = "Working on it: comparing EC2 instances… The answer takes the place of this."
# Title and message; the agent view shows the same four before anything was said.
PROMPTS: Final = (
    ("Serve a 7B model fast", "inference 7B latency<100ms"),
    (example("agent"), example("notices_2")),
    ("Cheapest at every load", "8B cheapest at every load"),
    (example("agent_2"), example("agent_3")),
)


class Work:
    """An answer in the making, and what is shown of that; `end` once there is nothing to await."""

    def __init__(self, turn: "SlackTurn") -> None:
        self.turn = turn
        self.has_status = False
        self.placeholder: PostedAt | None = None  # the message that stands for the answer
        self.end: Callable[[], None] = lambda: None


class Agent:
    """Speaks to the agent view as the bot."""

    def __init__(self, client: "WebClient", tokens: "BotTokens") -> None:
        self._client = client
        self._tokens = tokens
        self._told: set[str] = set()

    def greet(self, turn: "SlackTurn") -> None:
        """Suggest four things to ask to whoever opened the conversation."""
        prompts = [{"title": title, "message": message} for title, message in PROMPTS]
        # With thread_ts, which agents have none of, Slack takes the call and does nothing.
        self._call(
            turn.team,
            "assistant.threads.setSuggestedPrompts",
            {"channel_id": turn.channel, "title": "Try", "prompts": prompts},
        )

    @contextmanager
    def working(self, turn: "SlackTurn") -> Iterator[Work]:
        """Show that an answer is being made: at once in a direct conversation, else after a second.

        A status line where Slack shows one, else a message for the answer to take the place of. A
        command has neither; it was acknowledged when it came.
        """
        work = Work(turn)
        try:
            with Progress(self._steps(work)) as shown:
                work.end = shown.end
                yield work
        except BaseException:
            self._remove(work)
            raise

    def rest(self, work: Work) -> None:
        """Clear what no new message did: an update leaves the status, as does a word in private."""
        if work.has_status:
            self._status(work, "")
        self._remove(work)

    def _steps(self, work: Work) -> Iterator[ProgressStep]:
        turn = work.turn
        if turn.thread_ts is not None:
            at_once = turn.channel.startswith("D") and turn.kind != "share"
            yield 0.0 if at_once else progress.PATIENCE_S, lambda: self._shows_status(work)
        # Not where the answer is for one person alone, changes a card, or may not come.
        told_anew = turn.kind in {"message", "click", "form"} and turn.replaces is None
        if told_anew and not turn.overheard:
            yield progress.PATIENCE_S, lambda: self._holds_a_place(work)

    def _shows_status(self, work: Work) -> bool:
        work.has_status = self._status(work, STATUS)
        return work.has_status

    def _status(self, work: Work, status: str) -> bool:
        turn = work.turn
        fields = {"channel_id": turn.channel, "thread_ts": turn.thread_ts, "status": status}
        return self._call(turn.team, "assistant.threads.setStatus", fields) is not None

    def _holds_a_place(self, work: Work) -> bool:
        turn = work.turn
        place = {"channel": turn.channel, "thread_ts": turn.thread_ts}
        answer = self._call(turn.team, "chat.postMessage", {**place, "text": UNDER_WAY})
        if answer is not None:
            channel = str(answer.get("channel") or turn.channel)
            work.placeholder = PostedAt(channel, str(answer["ts"]))
        return work.placeholder is not None

    def _remove(self, work: Work) -> None:
        if work.placeholder is not None:
            at, work.placeholder = work.placeholder, None
            self._call(work.turn.team, "chat.delete", {"channel": at.channel, "ts": at.ts})

    def _call(self, team: str, method: str, fields: Mapping[str, object]) -> "SlackResponse | None":
        """Return Slack's answer; None where it did not do it."""
        said = {name: value for name, value in fields.items() if value is not None}
        try:
            token = self._tokens.of(team)
            if token is None:
                return None
            return called(lambda: self._client.api_call(method, json={**said, "token": token}))
        except (NotDeliveredError, RateLimitedError, SlackUnavailableError) as error:
            self._left_out(f"{method}: {error}")
        except Exception:
            logger.exception("%s failed", method)
        return None

    def _left_out(self, reason: str) -> None:
        if reason not in self._told:
            self._told.add(reason)
            logger.info("left out, %s", reason)
