"""A conversation in Slack: a turn is answered in the light of its thread, posted, remembered."""

import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from bot.conversation.thread import Thread, recall, remember, workload_of
from bot.core.errors import passes
from bot.core.subscription import Place
from bot.slack.posting.answer_once import AnswerOnce
from bot.slack.posting.card_sharing import CardSharing
from bot.slack.posting.files import Files, beside_files, uploads_of
from bot.slack.posting.message import Message, with_lead
from bot.slack.posting.post import Poster
from bot.slack.talk.agent import Agent
from bot.slack.talk.fresh import fresh_share, news_of, refresh_card
from bot.slack.talk.overheard import UNREAD, is_for_us, is_sized
from bot.slack.talk.slack_turn import SlackTurn
from bot.store.owner import Owner
from bot.store.store import Store, ThreadKey

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.cards.pictures.drawing import Draw
    from bot.conversation.alert_wishes import Act
    from bot.slack.home.at_home import AtHome
    from bot.slack.posting.card_share import CardShare
    from bot.slack.posting.files import UploadedFiles
    from bot.slack.posting.post import PostedAt
    from bot.slack.talk.slack_turn import Answer
    from engine.core.workload import Workload

logger = logging.getLogger(__name__)

APOLOGY = (
    "Sorry, I could not answer this (reference {reference}, kept in the log). "
    "Please ask again; if it keeps failing, show the reference to whoever runs this bot."
)
THREAD_AWAY = (
    "What was said in this thread before cannot be read just now: answered from these words alone."
)
LATE = "Asked at {asked:%H:%M} UTC and answered late, at prices as of now."
LATE_S = 60.0  # nobody wonders before
NOT_DONE = "Sorry, what this answer promises could not be kept or changed. Please say it again."


class TurnInThread(NamedTuple):
    """A turn in the light of its thread."""

    so_far: Thread
    said_in: Thread | None  # what it is said in: one step back to undo, None at the start
    previous: "Workload | None"  # what it amends
    card: "Workload | None"  # what the clicked card is about
    away: tuple[str, ...] = ()  # what could not be read, in words

    @property
    def context(self) -> "Thread | Workload | None":
        """What it is said after."""
        alone = self.previous is None or self.said_in is None
        return None if alone or self.said_in is None else self.said_in.context

    @property
    def is_aside(self) -> bool:
        """Whether it is about a card that the thread has moved on from."""
        return bool(self.card not in (None, self.previous) and self.previous)


class TurnReply(NamedTuple):
    """What a turn is answered with."""

    reply: "Reply"
    act: "Act | None"  # what the reply promises
    news: str  # what it knows of the clicked card that the card does not
    files: "UploadedFiles"
    is_private: bool  # for whoever asked alone


@dataclass(frozen=True, slots=True)
class Talk:
    """Answers turns. `answer` is the conversation that the terminal shares.

    `at_home` is where what people save is kept; None: nowhere.
    """

    answer: "Answer"
    store: Store
    poster: Poster
    agent: Agent
    files: Files
    draw: "Draw"
    at_home: "AtHome | None" = None

    @property
    def _once(self) -> AnswerOnce:
        return AnswerOnce(self.store, self.poster)

    def take(self, turn: SlackTurn) -> None:
        """Answer one turn where it was said.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        if turn.kind == "opened":
            self.agent.greet(turn)
        elif turn.share is not None:
            self._share(turn, turn.share)
        else:
            self._answer(turn, self._heard(turn))

    def apologise(self, turn: SlackTurn, reference: str) -> None:
        """Tell the user that no answer will come.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        apology = Message(APOLOGY.format(reference=reference))
        self.poster.post(replace(turn, replaces=None, delivery=None), apology)

    def _share(self, turn: SlackTurn, share: "CardShare") -> None:
        with self.agent.working(turn) as work:
            wish, news = fresh_share(turn, share, self.answer)
        self.agent.rest(work)
        CardSharing(self.store, self.poster).take(turn, wish)
        refresh_card(turn, news, self.answer, self.poster)

    def _heard(self, turn: SlackTurn) -> TurnInThread:
        so_far, away = self._recalled(turn)
        if turn.kind not in {"click", "share"}:
            so_far = so_far.joined_by(turn.user)
        said_in = so_far.before(turn.text)
        # A shortcut is about that message, a form says the whole workload: not about the thread.
        alone = said_in is None or turn.kind in {"shortcut", "form"}
        previous = None if alone or said_in is None else said_in.now
        card = None if turn.about is None else workload_of(turn.about)
        return TurnInThread(so_far, said_in, previous, card, away)

    def _recalled(self, turn: SlackTurn) -> tuple[Thread, tuple[str, ...]]:
        """Return the thread so far, and what is to be said where it cannot be read just now."""
        if turn.thread is None:
            return Thread(), ()
        try:
            return recall(self.store, turn.thread), ()
        except Exception as error:
            if not passes(error):
                raise
            logger.warning("a thread cannot be read: %s", error)
            return Thread(), (THREAD_AWAY,)

    def _answer(self, turn: SlackTurn, heard: TurnInThread) -> None:
        with self.agent.working(turn) as work:
            said = self._said(turn, heard)
            work.end()
            if self._is_left(turn, heard, said.reply):
                self.agent.rest(work)
                if turn.overheard and turn.thread is not None:
                    self._remember(turn.thread, heard.so_far)  # somebody joined
                return
            if said.reply.error is not None:
                turn = replace(turn, replaces=None)  # a choice that fails does not cost the card
            thread = self._told(turn, heard, said, work.placeholder)
        if turn.replaces is not None or said.is_private:
            self.agent.rest(work)
        if said.act is not None:
            self._act(said.act, turn, thread)
        refresh_card(turn, said.news, self.answer, self.poster)

    def _is_left(self, turn: SlackTurn, heard: TurnInThread, reply: "Reply") -> bool:
        """Return whether words of people to each other get no answer, or a whisper."""
        if turn.overheard:
            return not is_for_us(turn.text, reply, heard.so_far)
        if turn.kind != "shortcut" or is_sized(reply):
            return False
        self.poster.whisper(turn, Message(UNREAD))
        return True

    def _said(self, turn: SlackTurn, heard: TurnInThread) -> TurnReply:
        """Return the answer to a turn, its files uploaded."""
        person = Owner(turn.team, turn.user)
        answered = self.answer(turn.text, heard.card or heard.context, person)
        reply, act = self._prepared(answered, turn)
        private = answered.saving is not None and answered.saving.is_private
        files = [] if private else self._uploaded(turn, reply)
        return TurnReply(reply, act, news_of(turn, reply), files, private)

    def _told(
        self, turn: SlackTurn, heard: TurnInThread, said: TurnReply, placeholder: "PostedAt | None"
    ) -> ThreadKey | None:
        """Post the reply with its files and remember it; return the thread that it is in."""
        reply, files = said.reply, said.files
        lead = "\n".join(filter(None, (late_words(turn), *heard.away, said.news)))
        whole = with_lead(Message(reply.text, reply.blocks), lead)
        if said.is_private:
            thread = self.poster.post_to_one(turn, whole)
        else:
            beside = with_lead(beside_files(reply), lead) if files else whole
            thread = self._once.posted(
                turn,
                lambda: self.poster.post(turn, beside, without_files=whole, instead_of=placeholder),
            )
        if thread is not None:
            self._remember(thread, _thread_after(turn, heard, reply))
            self._note(turn, thread, reply)
            if files and not self.files.shown(thread, files):
                self.poster.post(replace(turn, thread_ts=thread.ts, delivery=None), whole)
        return thread

    def _uploaded(self, turn: SlackTurn, reply: "Reply") -> "UploadedFiles":
        """Return the files of the reply, where it has any and Slack takes them."""
        if reply.manifest is None and not reply.draws:
            return []
        return self.files.uploaded(turn.team, uploads_of(reply, self.draw))

    def _act(self, act: "Act", turn: SlackTurn, thread: ThreadKey | None) -> None:
        """Do what the answer says is done. It is out by now: a failure is owned up to."""
        place = _place_of(turn) if thread is None else replace(_place_of(turn), thread_ts=thread.ts)
        try:
            act(place)
        except Exception:
            logger.exception("what an answer promised could not be done")
            self.poster.post(replace(turn, delivery=None), Message(NOT_DONE))

    def _prepared(self, reply: "Reply", turn: SlackTurn) -> "tuple[Reply, Act | None]":
        """Return the reply as it is said here, and what it wishes done once it was."""
        if reply.alert is not None:
            from bot.conversation.alert_wishes import prepared

            return prepared(reply, _place_of(turn))
        if reply.saving is not None and self.at_home is not None and turn.user:
            return self.at_home.prepared(reply, _place_of(turn))
        return reply, None

    def _note(self, turn: SlackTurn, thread: ThreadKey, reply: "Reply") -> None:
        """Let the thread be found at home. The answer is out: a failure must not repeat it.

        By what was asked in it last: "save this pick" would tell nobody what it is about.
        """
        if self.at_home is None or turn.kind == "click" or not turn.user or reply.saving:
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


def _thread_after(turn: SlackTurn, heard: TurnInThread, reply: "Reply") -> Thread:
    """Return the thread after a reply.

    A question about a card that it has moved on from does not take it back; a choice made on one
    does.
    """
    if heard.is_aside and turn.replaces is None:
        return heard.so_far
    return (heard.said_in or heard.so_far).after(reply)


def late_words(turn: SlackTurn) -> str:
    """Return when it was asked, where the answer comes late; else nothing."""
    if turn.delivery is None or turn.delivery.late_s < LATE_S:
        return ""
    return LATE.format(asked=datetime.fromtimestamp(turn.delivery.sent_at, UTC))


def _place_of(turn: SlackTurn) -> Place:
    """Return where this turn was said: alerts set in it are told there."""
    return Place(team=turn.team, channel=turn.channel, user=turn.user, thread_ts=turn.thread_ts)
