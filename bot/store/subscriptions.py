"""Subscriptions as documents: added, listed, paused and removed by those who own them.

They are kept by channel; the channels a person set alerts in are noted, as a person asks for all.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from bot.core.subscription import AlertState, Every, Place, Subscription
from bot.store.alert_record import COLLECTION, Record, body_of, key_of, record_of, topic_of
from bot.store.owner import Owner, changed, kept
from bot.store.store import ABSENT, Items, Payload

CHANNELS: Final = "alert_channels"
MOST_CHANNELS: Final = 20  # the latest; each is one look-up when all alerts are asked for


def identified(subscription: Subscription) -> Subscription:
    """Return the subscription with its id: the same for the same question asked in a place.

    A pick is known by its request, as its type and region will change; a price by both.
    """
    one, place = subscription, subscription.place
    asked = {
        "pick": (" ".join(one.request.split()).casefold(),),
        "price": (one.instance_type, one.region),
        "digest": (one.every,),
    }[one.watches]
    where = (place.team, place.channel, place.user, place.thread_ts)
    text = json.dumps([*where, one.watches, *asked, one.market, one.term_years])
    return replace(one, id=hashlib.sha256(text.encode()).hexdigest()[:32])


def digest_of(place: Place, every: Every) -> Subscription:
    """Return what gathers a person's alerts in a channel, whatever thread they were set in."""
    digest = Subscription(
        id="",
        place=replace(place, thread_ts=None),
        watches="digest",
        instance_type="",
        region="",
        market="on_demand",
        every=every,
    )
    return identified(digest)


def add(items: Items, subscription: Subscription) -> bool:
    """Keep a subscription; return False where the same question is already watched there."""
    return write(items, Record(subscription=subscription, version=ABSENT))


def owned(items: Items, place: Place) -> tuple[Subscription, ...]:
    """Return what a person watches in a channel, all threads of it; oldest first.

    One whose digest is paused counts as paused.
    """
    every = tuple(_in_channel(items, place))
    stopped = {one.every: one for one in every if one.watches == "digest" and one.why_paused}
    asked = (
        replace(one, state="paused", why_paused=stopped[one.every].why_paused)
        if one.state == "active" and one.every in stopped
        else one
        for one in every
        if one.watches != "digest"
    )
    return tuple(sorted(asked, key=lambda one: (one.created_at, one.id)))


def _in_channel(items: Items, place: Place) -> Iterator[Subscription]:
    after: str | None = None
    while True:
        page = items.list_topic(topic_of(place), after=after)
        yield from (
            record_of(item).subscription for item in page.items if item.collection == COLLECTION
        )
        if page.after is None:
            return
        after = page.after


def remove(items: Items, subscription_id: str) -> bool:
    """Forget a subscription; return whether there was one."""
    return items.delete_item(COLLECTION, key_of(subscription_id))


def pause(items: Items, subscription_id: str, why: str = "") -> bool:
    """Stop telling, for `why`; return whether there is such a subscription."""
    return change(items, subscription_id, lambda record: _in_state(record, "paused", why))


def resume(items: Items, subscription_id: str) -> bool:
    """Tell again, what changed meanwhile included; return whether there is such a subscription."""
    record = read(items, subscription_id)
    if record is not None and record.subscription.every:
        digest = digest_of(record.subscription.place, record.subscription.every)
        change(items, digest.id, lambda record: _in_state(record, "active", ""))
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


def _in_state(record: Record, state: AlertState, why: str) -> Record:
    subscription = replace(record.subscription, state=state, why_paused=why)
    return replace(record, subscription=subscription)


def note_channel(items: Items, person: Owner, channel: str) -> None:
    """Remember that a person has alerts in a channel."""

    def with_channel(body: Payload) -> Payload | None:
        known = body.get("channels", [])
        if known[:1] == [channel]:
            return None
        others = [one for one in known if one != channel]
        return {"channels": [channel, *others][:MOST_CHANNELS]}

    changed(items, person, CHANNELS, with_channel)


def alerts_of(items: Items, person: Owner) -> tuple[Subscription, ...]:
    """Return the alerts of a person in all channels, by channel and oldest first."""
    channels = kept(items, person, CHANNELS).get("channels", ())
    return tuple(
        alert
        for channel in channels
        for alert in owned(items, Place(team=person.team, channel=channel, user=person.user))
    )
