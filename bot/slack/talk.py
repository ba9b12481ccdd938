"""A conversation in Slack: a turn is answered in the light of its thread, posted, remembered."""

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.alerts.subscription import Place
from bot.slack.agent import Agent
from bot.slack.attached import beside_files, uploads_of
from bot.slack.files import Files
from bot.slack.fresh import fresh_share, news_of, refresh_card
from bot.slack.memory import recall, remember, workload_of
from bot.slack.message import Message, with_lead
from bot.slack.post import Poster
from bot.slack.sharing import Sharing
from bot.slack.size_this import UNREAD, is_sized
from bot.slack.turn import Turn
from bot.state.store import Store, ThreadKey
from bot.thread import Thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.alert_wishes import Act
    from bot.reply import Reply
    from bot.slack.files import Uploaded
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
    agent: Agent
    files: Files

    def take(self, turn: Turn) -> None:
        """Answer one turn where it was said.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        if turn.kind == "opened":
            self.agent.greet(turn)
            return
        if turn.share is not None:
            wish, news = fresh_share(turn, turn.share, self.answer)
            Sharing(self.store, self.poster).take(turn, wish)
            refresh_card(turn, news, self.answer, self.poster)
            return
        so_far = Thread() if turn.thread is None else recall(self.store, turn.thread)
        said_in = so_far.before(turn.text)
        alone = said_in is None or turn.kind == "shortcut"  # that message, not its thread
        previous = None if alone or said_in is None else said_in.now
        card = None if turn.about is None else workload_of(turn.about)
        with self.agent.working(turn) as progress:
            reply, act = _prepared(self.answer(turn.text, card or previous), turn)
        if turn.kind == "shortcut" and not is_sized(reply):
            self.poster.whisper(turn, Message(UNREAD))
            self.agent.rest(turn, progress)
            return
        news = news_of(turn, reply)
        whole = with_lead(Message(reply.text, reply.blocks), news)
        files = self._uploaded(turn, reply)
        beside = with_lead(beside_files(reply), news) if files else whole
        ts = self.poster.post(turn, beside, without_files=whole)
        if turn.replaces is not None:
            self.agent.rest(turn, progress)
        thread = turn.thread
        if thread is None and ts is not None:
            thread = ThreadKey(turn.team, turn.channel, ts)
        if thread is not None:
            # A question about a card that the thread has moved on from does not take it back;
            # a choice made on one does.
            aside = card not in (None, previous) and previous and turn.replaces is None
            self._remember(thread, so_far if aside else (said_in or so_far).after(reply))
        if files and thread is not None and not self.files.shown(thread, files):
            self.poster.post(replace(turn, thread_ts=thread.ts), whole)
        if act is not None:
            self._act(act, turn, thread)
        refresh_card(turn, news, self.answer, self.poster)

    def apologise(self, turn: Turn, reference: str) -> None:
        """Tell the user that no answer will come; failing that, leave it at the log."""
        try:
            self.poster.post(turn, Message(APOLOGY.format(reference=reference)))
        except Exception:
            logger.exception("the apology %s could not be delivered either", reference)

    def _uploaded(self, turn: Turn, reply: "Reply") -> "Uploaded":
        """Return the files of the reply, where it has any and Slack takes them."""
        if reply.manifest is None and not reply.draws:
            return []
        return self.files.uploaded(turn.team, uploads_of(reply))

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


def _prepared(reply: "Reply", turn: Turn) -> "tuple[Reply, Act | None]":
    """Return the reply as it is said here, and what it wishes done about alerts."""
    if reply.alert is None:
        return reply, None
    from bot.alert_wishes import prepared

    return prepared(reply, _place(turn))


def _place(turn: Turn) -> Place:
    """Return where alerts that are set in this turn are told."""
    return Place(team=turn.team, channel=turn.channel, user=turn.user, thread_ts=turn.thread_ts)
