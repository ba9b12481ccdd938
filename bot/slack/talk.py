"""A conversation in Slack: a turn is answered in the light of its thread, posted, remembered."""

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.alerts.subscription import Place
from bot.people.owner import Owner
from bot.slack.memory import recall, remember, workload_of
from bot.slack.message import Message
from bot.slack.post import Poster
from bot.slack.turn import Turn
from bot.state.store import Store, ThreadKey
from bot.thread import Thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.alert_wishes import Act
    from bot.people.at_home import AtHome
    from bot.reply import Reply
    from engine.workload import Workload

    # What was said, what the thread is about, who said it.
    Answer = Callable[[str, Workload | None, Owner], Reply]

logger = logging.getLogger(__name__)

APOLOGY = (
    "Sorry, I could not answer this (reference {reference}, kept in the log). "
    "Please ask again; if it keeps failing, show the reference to whoever runs this bot."
)
NOT_DONE = "Sorry, what this answer promises could not be kept or changed. Please say it again."


@dataclass(frozen=True, slots=True)
class Talk:
    """Answers turns. `answer` is the conversation that the terminal shares.

    `at_home` is where what people save is kept; None: nowhere.
    """

    answer: "Answer"
    store: Store
    poster: Poster
    at_home: "AtHome | None" = None

    def take(self, turn: Turn) -> None:
        """Answer one turn where it was said.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        so_far = Thread() if turn.thread is None else recall(self.store, turn.thread)
        said_in = so_far.before(turn.text)
        previous = None if said_in is None else said_in.now
        older = _card_before(turn, previous)
        person = Owner(turn.team, turn.user)
        answered = self.answer(turn.text, older or previous, person)
        reply, act = self._prepared(answered, turn)
        private = answered.saving is not None and answered.saving.is_private
        post = self.poster.post_to_one if private else self.poster.post
        ts = post(turn, Message(reply.text, reply.blocks))
        thread = turn.thread
        if thread is None and ts is not None:
            thread = ThreadKey(turn.team, turn.channel, ts)
        if thread is not None:
            self._remember(thread, so_far if older else (said_in or so_far).after(reply))
            self._note(turn, thread, reply)
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
            logger.exception("what an answer promised could not be done")
            self.poster.post(turn, Message(NOT_DONE))

    def _prepared(self, reply: "Reply", turn: Turn) -> "tuple[Reply, Act | None]":
        """Return the reply as it is said here, and what it wishes done once it was."""
        if reply.alert is not None:
            from bot.alert_wishes import prepared

            return prepared(reply, _place(turn))
        if reply.saving is not None and self.at_home is not None and turn.user:
            return self.at_home.prepared(reply, _place(turn))
        return reply, None

    def _note(self, turn: Turn, thread: ThreadKey, reply: "Reply") -> None:
        """Let the thread be found at home. The answer is out: a failure must not repeat it."""
        if self.at_home is None or turn.kind == "click" or not turn.user:
            return
        try:
            person = Owner(turn.team, turn.user)
            self.at_home.spoke(person, thread.channel, thread.ts, (turn.text, reply.text))
        except Exception:
            logger.exception("the thread could not be noted for the Home tab")

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


def _place(turn: Turn) -> Place:
    """Return where this turn was said: alerts set in it are told there."""
    return Place(team=turn.team, channel=turn.channel, user=turn.user, thread_ts=turn.thread_ts)
