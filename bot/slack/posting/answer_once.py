"""An answer is posted once, however often its job is handed out: a record, and a look before."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bot.core.errors import passes
from bot.slack.posting.idempotency import EarlierPost
from bot.slack.posting.message import ANSWER_EVENT
from bot.slack.posting.post import NotDeliveredError, Poster, token_of
from bot.slack.talk.slack_turn import Delivery, SlackTurn
from bot.store.store import CLAIM_KEPT_S, DeliveryClaim, Store, ThreadKey

logger = logging.getLogger(__name__)

POST: Final = "post:"  # what the key of a claim on an answer begins with


@dataclass(frozen=True, slots=True)
class AnswerOnce:
    """Keeps, per job, that a post was begun and that it was made."""

    store: Store
    poster: Poster

    def posted(self, turn: SlackTurn, post: Callable[[], ThreadKey | None]) -> ThreadKey | None:
        """Return the thread of the answer, posted by `post` unless an earlier try did.

        A turn without a job (an apology) and one that replaces its card are safe to repeat.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `Poster.post`.
        """
        delivery = turn.delivery
        if delivery is None or turn.replaces is not None:
            return post()
        begun = self._begun(delivery)
        if begun is DeliveryClaim.DONE:
            return turn.thread
        thread = self._earlier(turn, delivery) if begun is DeliveryClaim.BUSY else None
        thread = thread or post()
        self._settle(delivery)
        return thread

    def _begun(self, delivery: Delivery) -> DeliveryClaim:
        """Return WON to the first try, BUSY after one that may have posted, DONE after the post."""
        try:
            return self.store.claim(POST + delivery.key, _owner_of(delivery), CLAIM_KEPT_S)
        except Exception as error:
            if not passes(error):
                raise
            logger.warning("whether an answer was posted before cannot be read: %s", error)
            return DeliveryClaim.BUSY if delivery.late_s else DeliveryClaim.WON

    def _settle(self, delivery: Delivery) -> None:
        try:
            self.store.settle(POST + delivery.key, _owner_of(delivery))
        except Exception as error:
            if not passes(error):
                raise
            logger.warning("that an answer is posted could not be kept: %s", error)

    def _earlier(self, turn: SlackTurn, delivery: Delivery) -> ThreadKey | None:
        """Return the thread of a post that an earlier try made; None where none is seen."""
        post = EarlierPost(
            channel=turn.channel,
            thread_ts=turn.thread_ts,
            event_type=ANSWER_EVENT,
            key=delivery.key,
            since=delivery.sent_at,
        )
        try:
            ts = post.found(self.poster.client, token_of(self.poster.tokens, turn.team))
        except NotDeliveredError as refusal:  # what cannot be read was mostly not posted to
            logger.info("an earlier post cannot be looked for: %s", refusal)
            return None
        return None if ts is None else ThreadKey(turn.team, turn.channel, turn.thread_ts or ts)


def _owner_of(delivery: Delivery) -> str:
    """Return who holds the claim: every try of a job, so that any of them may settle it."""
    return hashlib.sha256(delivery.key.encode()).hexdigest()
