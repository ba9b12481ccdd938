"""One page of one shard: every subscription on it is compared with now, and told once."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol

from bot.alerts.digest import Gatherer, due_alerts, emptied
from bot.alerts.outbox import claim, give_up, may_post, release, settle, take_over
from bot.core.subscription import Place, Subscription
from bot.store.alert_changes import Alert, PriceNow, alert_of, lacks_baseline, with_baseline
from bot.store.alert_record import COLLECTION, Pending, Record, record_of
from bot.store.store import Item, Items, Payload
from bot.store.subscriptions import write

PAGE: Final = 100  # subscriptions a message; at a post a third of a second, a page ends in time
SENT_PAGES: Final = "sweep_page"  # the collection that remembers which pages were sent on
SENT_KEPT_S: Final = 86_400.0

Look = Callable[[Subscription], PriceNow | None]  # what is true now; None where nothing is known
# "later": the page must come again. "paused": it was told nowhere, for a reason now kept with it.
AlertOutcome = Literal["quiet", "told", "paused", "later"]

logger = logging.getLogger(__name__)


class PosterError(Exception):
    """The alert is not known to have arrived."""


class RefusedError(PosterError):
    """It was not posted and will not be until somebody acts; the message says why."""


class BusyError(PosterError):
    """It was surely not posted: the other side asks to wait `retry_after_s` seconds."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"asked to wait {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class UnsureError(PosterError):
    """No answer came: it may have been posted or not."""


class AlertDelivery(Protocol):
    """Posts alerts, each key once."""

    def post(
        self, place: Place, alerts: tuple[Alert, ...], key: str, *, tried_since: float | None = None
    ) -> None:
        """Post the alerts as one message, unless one with this key is there already.

        `tried_since` (seconds since the epoch) is when the first attempt began that may have
        posted; None where there was none, so that nothing need be looked for.

        Raises:
            RefusedError, BusyError, UnsureError: it did not, or may not have arrived.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One message between sweep and fan-out: which page of which shard ("": all in one)."""

    sweep: str
    shard: str
    after: str | None = None

    @property
    def key(self) -> str:
        """What tells the message from every other of its sweep."""
        return f"{self.sweep}|{self.shard}|{self.after or ''}"

    @property
    def body(self) -> Payload:
        """The message as JSON holds it."""
        return {"sweep": self.sweep, "shard": self.shard, "after": self.after}


@dataclass(frozen=True, slots=True, kw_only=True)
class FanOut:
    """Handles pages. `send` queues the message for a next page."""

    items: Items
    look: Look
    poster: AlertDelivery
    send: Callable[[PageRequest], None]
    clock: Callable[[], float] = time.time
    has_time: Callable[[], bool] = lambda: True
    page: int = PAGE

    def handle(self, asked: PageRequest) -> dict[AlertOutcome, int]:
        """Work through a page and return how many subscriptions came to what.

        The next page is sent off first, so that nobody waits for this one. It may happen to be sent
        twice, and a page handled twice: whoever was told is not told again.
        """
        page = self.items.list_items(
            COLLECTION, prefix=asked.shard, after=asked.after, limit=self.page
        )
        if page.after is not None:
            self._send_once(replace(asked, after=page.after))
        turn = _Page(self)
        counts: dict[AlertOutcome, int] = {}
        for item in page.items:
            outcome = turn.outcome(item)
            counts[outcome] = counts.get(outcome, 0) + 1
        return counts

    def _send_once(self, asked: PageRequest) -> None:
        """Send a page on, unless an earlier delivery did: pages that come again would multiply."""
        if self.items.get_item(SENT_PAGES, asked.key) is None:
            self.send(asked)
            self.items.put_item(SENT_PAGES, asked.key, {}, kept_s=SENT_KEPT_S)


@dataclass(frozen=True, slots=True)
class _Page:
    """A page under way; `waiting` holds the workspaces that asked to be left alone for now."""

    house: FanOut
    waiting: set[str] = field(default_factory=set)

    def outcome(self, item: Item) -> AlertOutcome:
        """Return what came of one subscription; a failure of one is no failure of the others."""
        if not self.house.has_time():
            return "later"
        try:
            return self._outcome(record_of(item))
        except Exception:
            logger.exception("subscription %s could not be looked at", item.key)
            return "later"

    def _outcome(self, record: Record) -> AlertOutcome:
        subscription = record.subscription
        if subscription.state == "paused":
            return "quiet"
        if record.pending is None:
            is_digest = subscription.watches == "digest"
            return self._gathered(record) if is_digest else self._compared(record)
        if subscription.place.team in self.waiting:
            return "later"
        held = take_over(self.house.items, record, self.house.clock())
        return "later" if held is None else self._told(subscription, held)

    def _compared(self, record: Record) -> AlertOutcome:
        subscription = record.subscription
        seen = self.house.look(subscription)
        alert = alert_of(subscription, seen)
        if alert is None:
            return self._noted(record, seen)
        return self._claimed(record, (self._with_best(subscription, alert),))

    def _noted(self, record: Record, seen: PriceNow | None) -> AlertOutcome:
        """Keep the first price that is known as what changes are measured from."""
        subscription = record.subscription
        known = subscription.seen_usd_per_hour is not None and not lacks_baseline(subscription)
        if seen is None or known:
            return "quiet"
        noted = replace(record, subscription=with_baseline(subscription, seen))
        return "quiet" if write(self.house.items, noted) else "later"

    def _gathered(self, digest: Record) -> AlertOutcome:
        """Tell a digest that is due."""
        now = self.house.clock()
        alerts = due_alerts(digest, now)
        return self._claimed(emptied(digest, now), alerts) if alerts else "quiet"

    def _with_best(self, subscription: Subscription, alert: Alert) -> Alert:
        """Return the news with the best pick for the workload that a price was watched for."""
        if subscription.watches != "price" or not subscription.request:
            return alert
        best = self.house.look(replace(subscription, watches="pick"))
        return alert if best is None else replace(alert, new_best=best.instance_type)

    def _claimed(self, record: Record, alerts: tuple[Alert, ...]) -> AlertOutcome:
        """Tell alerts unless another is at it, or their workspace asked to wait."""
        subscription = record.subscription
        if subscription.place.team in self.waiting:
            return "later"
        held = claim(self.house.items, record, alerts, self.house.clock())
        return "later" if held is None else self._told(subscription, held)

    def _poster(self, subscription: Subscription) -> AlertDelivery:
        if subscription.watches == "digest" or not subscription.every:
            return self.house.poster
        return Gatherer(self.house.items, subscription.every, self.house.clock)

    def _told(self, subscription: Subscription, held: Pending) -> AlertOutcome:
        """Post an alert whose lease is ours, and write down what came of it."""
        items, place = self.house.items, subscription.place
        since = held.claimed_at if held.maybe_posted else None
        poster = self._poster(subscription)
        if not may_post(held, self.house.clock()):
            return "later"
        try:
            poster.post(place, held.alerts, held.key, tried_since=since)
        except RefusedError as error:
            give_up(items, subscription.id, held, str(error))
            return "paused"
        except BusyError:
            self.waiting.add(place.team)
            release(items, subscription.id, held)
            return "later"
        except UnsureError as error:  # the lease runs out first: Slack may still be at it
            logger.warning("an alert may or may not have arrived: %s", error)
            return "later"
        settle(items, subscription.id, held.key)
        return "told"
