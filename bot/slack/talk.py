"""A conversation in Slack: a turn is answered in the light of its thread, posted, remembered."""

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.alerts.subscription import Place
from bot.slack.memory import recall, remember, workload_of
from bot.slack.message import Message
from bot.slack.post import Poster
from bot.slack.turn import Turn
from bot.state.store import Store, ThreadKey
from bot.thread import Thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.alert_wishes import Act
    from bot.reply import Reply
    from engine.workload import Workload

    Answer = Callable[[str, Workload | None], Reply]

logger = logging.getLogger(__name__)

APOLOGY = (
    "Sorry, I could not answer this (reference {reference}, kept in the log). "
    "Please ask again; if it keeps failing, show the reference to whoever runs this bot."
)
NOT_DONE = "Sorry, this alert could not be kept or changed. Please say it again."


@dataclass(frozen=True, slots=True)
class Talk:
    """Answers turns. `answer` is the conversation that the terminal shares."""

    answer: "Answer"
    store: Store
    poster: Poster

    def take(self, turn: Turn) -> None:
        """Answer one turn where it was said.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        so_far = Thread() if turn.thread is None else recall(self.store, turn.thread)
        said_in = so_far.before(turn.text)
        # A form says the whole workload, whatever its thread was about.
        previous = None if said_in is None or turn.kind == "form" else said_in.now
        older = _card_before(turn, previous)
        reply, act = _prepared(self.answer(turn.text, older or previous), turn)
        thread = self.poster.post(turn, Message(reply.text, reply.blocks))
        if thread is not None:
            self._remember(thread, so_far if older else (said_in or so_far).after(reply))
        if act is not None:
            self._act(act, turn, thread)

    def apologise(self, turn: Turn, reference: str) -> None:
        """Tell the user that no answer will come; failing that, leave it at the log."""
        try:
            self.poster.post(turn, Message(APOLOGY.format(reference=reference)))
        except Exception:
            logger.exception("the apology %s could not be delivered either", reference)

    def _act(self, act: "Act", turn: Turn, thread: ThreadKey | None) -> None:
        """Do what the answer says is done. It is out by now: a failure is owned up to."""
        place = _place(turn) if thread is None else replace(_place(turn), thread_ts=thread.ts)
        try:
            act(place)
        except Exception:
            logger.exception("an alert could not be changed")
            self.poster.post(turn, Message(NOT_DONE))

    def _remember(self, key: ThreadKey, thread: Thread) -> None:
        """Keep what the thread is about. The answer is out: a failure must not repeat it."""
        try:
            remember(self.store, key, thread)
        except Exception:
            logger.exception("the thread's workload could not be kept")


def _card_before(turn: Turn, now: "Workload | None") -> "Workload | None":
    """Return the workload of a clicked card that the thread has moved on from, else None."""
    if turn.about is None:
        return None
    about = workload_of(turn.about)
    return None if now is None or about == now else about


def _prepared(reply: "Reply", turn: Turn) -> "tuple[Reply, Act | None]":
    """Return the reply as it is said here, and what it wishes done about alerts."""
    if reply.alert is None:
        return reply, None
    from bot.alert_wishes import prepared

    return prepared(reply, _place(turn))


def _place(turn: Turn) -> Place:
    """Return where alerts that are set in this turn are told."""
    return Place(team=turn.team, channel=turn.channel, user=turn.user, thread_ts=turn.thread_ts)
