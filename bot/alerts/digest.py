"""Alerts gathered for a day or a week: a document that takes each alert once, then is told itself.

To the subscriptions it is a `Poster`, so that what keeps them from being told twice keeps them from
being gathered twice; to the sweep it is one more subscription, told when it is due.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from bot.core.subscription import Every, Place
from bot.store.alert_changes import NOISE_PERCENT, Alert, is_another, merged
from bot.store.alert_record import DigestEntry, Record
from bot.store.store import ABSENT, Items
from bot.store.subscriptions import digest_of, read, write

PERIOD_S: Final[Mapping[Every, float]] = {"daily": 86_400.0, "weekly": 7 * 86_400.0}


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Puts alerts into the digest of their place: a `Poster` that never fails half-way."""

    items: Items
    every: Every
    clock: Callable[[], float]

    def post(
        self,
        place: Place,
        alerts: tuple[Alert, ...],
        key: str,
        *,
        tried_since: float | None = None,  # noqa: ARG002 - the key is always looked for
    ) -> None:
        """See `Poster.post`. A later change of a subscription joins the one not told yet.

        A subscription has one alert under way at a time, so its latest key is all that can come
        again.
        """
        (alert,) = alerts
        while True:
            digest = self._digest(place)
            known = digest.gathered.get(alert.subscription)
            if known is not None and known.key == key:
                return
            earlier = None if known is None else known.alert
            change = alert if earlier is None else merged(earlier, alert)
            gathered = {**digest.gathered, alert.subscription: DigestEntry(key, change)}
            if write(self.items, replace(digest, gathered=gathered)):
                return

    def _digest(self, place: Place) -> Record:
        """Return the digest; a new one, not written yet, where the place has none."""
        empty = digest_of(place, self.every)
        known = read(self.items, empty.id)
        if known is not None:
            return known
        now = self.clock()
        begun = replace(empty, created_at=datetime.fromtimestamp(now, UTC).isoformat())
        return Record(subscription=begun, due=now + PERIOD_S[self.every], version=ABSENT)


def due_alerts(digest: Record, now: float) -> tuple[Alert, ...]:
    """Return what a digest has to tell now: nothing before its time, or where all came back."""
    if now < digest.due:
        return ()
    alerts = (one.alert for one in digest.gathered.values())
    return tuple(alert for alert in alerts if alert is not None and _is_price_change(alert))


def emptied(digest: Record, now: float) -> Record:
    """Return the digest once its alerts are on their way: keys kept for one more period."""
    told = {of: DigestEntry(one.key, None) for of, one in digest.gathered.items() if one.alert}
    return replace(digest, gathered=told, due=now + PERIOD_S[digest.subscription.every])


def _is_price_change(alert: Alert) -> bool:
    moved = alert.percent is None or abs(alert.percent) > NOISE_PERCENT
    return moved or is_another(alert)
