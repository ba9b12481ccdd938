"""Showing a card to a channel that has not seen it: once, and saying whose wish it was."""

import logging
import os
from dataclasses import dataclass
from typing import Any, Final

from bot.conversation.thread import Thread, remember, workload_of
from bot.slack.posting.card_share import CardShare
from bot.slack.posting.message import Message, channel_line, naming, reason, with_note
from bot.slack.posting.post import NotDeliveredError, Poster
from bot.slack.talk.slack_turn import SlackTurn
from bot.store.store import DeliveryClaim, Store, ThreadKey

logger = logging.getLogger(__name__)

# Shorter than the wait before a job is tried again; settled once the card is out.
LEASE_S: Final = 1.0
SHARED: Final = "Shared."
ALREADY: Final = "This card is there already."
NOT_SHARED: Final = "I could not share it: {reason}."


@dataclass(frozen=True, slots=True)
class CardSharing:
    """Shares cards: one of a thread to its own channel, a direct one to the channel chosen."""

    store: Store
    poster: Poster

    def take(self, turn: SlackTurn, wish: CardShare) -> None:
        """Share the card, and tell who clicked what came of it.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        owner = os.urandom(16).hex()  # a claim is won again by who holds it
        if self.store.claim(wish.key, owner, LEASE_S) is not DeliveryClaim.WON:
            self._tell(turn, wish, ALREADY)
            return
        try:
            ts = self._posted(turn, wish)
        except NotDeliveredError as refusal:
            self._tell(turn, wish, NOT_SHARED.format(reason=reason(str(refusal))))
            return
        self.store.settle(wish.key, owner)
        if wish.channel != turn.channel:
            self._remember(turn, wish, ts)
            self._tell(turn, wish, SHARED)

    def _posted(self, turn: SlackTurn, wish: CardShare) -> str:
        place: dict[str, Any] = {"channel": wish.channel}
        if wish.channel == turn.channel:
            place |= {"thread_ts": turn.thread_ts, "reply_broadcast": True}
        card = with_note(Message(wish.text, wish.blocks), naming("Shared by", turn.user))
        return self.poster.post_at(turn.team, place, card)

    def _tell(self, turn: SlackTurn, wish: CardShare, text: str) -> None:
        self.poster.whisper(turn, Message(text, [channel_line(text, wish.channel)]))

    def _remember(self, turn: SlackTurn, wish: CardShare, ts: str) -> None:
        """Let the new thread go on from the card. It is out: a failure must not repeat it."""
        if turn.about is None:
            return
        try:
            thread = ThreadKey(turn.team, wish.channel, ts)
            remember(self.store, thread, Thread((workload_of(turn.about),)))
        except Exception:
            logger.exception("the workload of a shared card could not be kept")
