"""An alert from news to told: each step a conditional write, so no crash loses or doubles it.

    idle ──claim──► pending, leased ──post──► (posted) ──settle──► idle, baseline moved
                      │  ▲                       │
          release ◄───┘  └── lease ran out ◄─────┘ crash: the next holder looks for the post first

Slack's chat.postMessage can be called twice and posts twice. So an alert is written down with its
key before it is posted, only the lease's holder posts, and whoever takes over a lease that ran out
asks the poster to look for the key. A holder must be dead or done when its lease ends: the lease is
longer than a function may run, and it is compared with the clock right before the post.
"""

import hashlib
import json
from dataclasses import replace
from typing import Final

from bot.store.alert_changes import Alert, after
from bot.store.alert_record import Pending, Record
from bot.store.store import Items
from bot.store.subscriptions import change, write

LEASE_S: Final = 120.0  # a fan-out function ends within 60 s
# Of the lease that must be left when a post begins: it may look for an earlier one on three pages
# and be sent once more as text, each at ten seconds at most.
MARGIN_S: Final = 60.0


def key_of_alerts(record: Record, alerts: tuple[Alert, ...]) -> str:
    """Return the name of one message: the same however often it is made from the same state."""
    subscription = record.subscription
    changes = [
        (one.old_type, one.old_usd_per_hour, one.new_type, one.new_usd_per_hour) for one in alerts
    ]
    # `created_at`: a subscription removed and added again starts its count of alerts anew.
    text = json.dumps([subscription.id, subscription.created_at, record.told, changes])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def claim(items: Items, record: Record, alerts: tuple[Alert, ...], now: float) -> Pending | None:
    """Write down that alerts are about to be posted as one; None where another was first."""
    key = key_of_alerts(record, alerts)
    pending = Pending(key=key, alerts=alerts, claimed_at=now, lease_until=now + LEASE_S)
    return pending if write(items, replace(record, pending=pending)) else None


def take_over(items: Items, record: Record, now: float) -> Pending | None:
    """Take the lease of an alert left pending; None while another holds it, or was first."""
    pending = record.pending
    if pending is None or now < pending.lease_until:
        return None
    taken = replace(pending, maybe_posted=pending.unsure, lease_until=now + LEASE_S)
    return taken if write(items, replace(record, pending=taken)) else None


def may_post(pending: Pending, now: float) -> bool:
    """Return whether the lease is long enough for one more call."""
    return now < pending.lease_until - MARGIN_S


def settle(items: Items, subscription_id: str, key: str) -> None:
    """Mark the alert as told: the baseline moves. A pause or a removal meanwhile stands."""

    def told(record: Record) -> Record | None:
        pending = record.pending
        if pending is None or pending.key != key:
            return None  # settled by another, or the subscription was removed and added again
        subscription = record.subscription
        if subscription.watches != "digest":
            subscription = after(subscription, pending.alerts[0])
        return replace(record, subscription=subscription, pending=None, told=record.told + 1)

    change(items, subscription_id, told)


def release(items: Items, subscription_id: str, held: Pending) -> None:
    """Give the lease back: this attempt posted nothing, and the next may begin at once."""

    def released(record: Record) -> Record | None:
        if record.pending != held:
            return None
        return replace(record, pending=replace(held, lease_until=0.0))

    change(items, subscription_id, released)


def give_up(items: Items, subscription_id: str, held: Pending, why: str) -> None:
    """Pause the subscription, as its place cannot be reached.

    Resumed, it is compared afresh; a digest tells what it had gathered.
    """

    def paused(record: Record) -> Record | None:
        if record.pending != held:
            return None
        subscription = replace(record.subscription, state="paused", why_paused=why)
        left = replace(held, lease_until=0.0) if subscription.watches == "digest" else None
        return replace(record, subscription=subscription, pending=left)

    change(items, subscription_id, paused)
