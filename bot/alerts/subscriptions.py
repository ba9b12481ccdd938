"""Subscriptions as documents: added, listed, paused and removed by those who own them."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

from bot.alerts.record import COLLECTION, Record, body_of, key_of, record_of, topic_of
from bot.alerts.subscription import Place, State, Subscription, Watches
from bot.state.items import ABSENT, Items
from catalog.schema import Market


def subscription_id(  # noqa: PLR0917 - a question has six parts
    place: Place, watches: Watches, instance_type: str, region: str, market: Market, request: str
) -> str:
    """Return the id of a question asked in a place: the same for the same question.

    A pick is known by its request, as the type will change; a price by the type.
    """
    asked = " ".join(request.split()).casefold() if watches == "pick" else instance_type
    where = (place.team, place.channel, place.user, place.thread_ts)
    text = json.dumps([*where, watches, asked, region, market])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def add(items: Items, subscription: Subscription) -> bool:
    """Keep a subscription; return False where the same question is already watched there."""
    return write(items, Record(subscription=subscription, version=ABSENT))


def owned(items: Items, place: Place) -> tuple[Subscription, ...]:
    """Return what a person watches in a channel, all threads of it; oldest first."""
    found: list[Subscription] = []
    after: str | None = None
    while True:
        page = items.list_topic(topic_of(place), after=after)
        found += [
            record_of(item).subscription for item in page.items if item.collection == COLLECTION
        ]
        if page.after is None:
            return tuple(sorted(found, key=lambda one: (one.created_at, one.id)))
        after = page.after


def remove(items: Items, subscription_id: str) -> bool:
    """Forget a subscription; return whether there was one."""
    return items.delete_item(COLLECTION, key_of(subscription_id))


def pause(items: Items, subscription_id: str, why: str = "") -> bool:
    """Stop telling, for `why`; return whether there is such a subscription."""
    return change(items, subscription_id, lambda record: _in_state(record, "paused", why))


def resume(items: Items, subscription_id: str) -> bool:
    """Tell again, what changed meanwhile included; return whether there is such a subscription."""
    return change(items, subscription_id, lambda record: _in_state(record, "active", ""))


def read(items: Items, subscription_id: str) -> Record | None:
    """Return the record of a subscription; None where there is none."""
    item = items.get_item(COLLECTION, key_of(subscription_id))
    return None if item is None else record_of(item)


def write(items: Items, record: Record) -> bool:
    """Write a record over the version that was read; return False where another was first."""
    subscription = record.subscription
    written = items.put_item(
        COLLECTION,
        key_of(subscription.id),
        body_of(record),
        topic=topic_of(subscription.place),
        version=record.version,
    )
    return written is not None


def change(items: Items, subscription_id: str, changed: Callable[[Record], Record | None]) -> bool:
    """Change a record, on what another writer left where one was first.

    `changed` returns None where nothing is left to do. Returns whether the subscription is there.
    Ends, as of writers that race one always gets through.
    """
    while (record := read(items, subscription_id)) is not None:
        new = changed(record)
        if new is None or write(items, new):
            return True
    return False


def _in_state(record: Record, state: State, why: str) -> Record:
    subscription = replace(record.subscription, state=state, why_paused=why)
    return replace(record, subscription=subscription)
