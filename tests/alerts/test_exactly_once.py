"""Crashes at every step, deliveries twice, sweeps side by side: each alert once, none missing.

The process dies where a `Crash` is raised: nothing after it runs, what was written stays. The queue
then delivers the page again, as SQS does. Chance is seeded: a failure repeats.
"""

import random
from collections import Counter

import pytest

from bot.alerts.fan_out import FanOut, PageRequest
from bot.alerts.outbox import LEASE_S
from bot.store.alert_record import COLLECTION, record_of
from bot.store.subscriptions import add
from tests.alerts.channel import Channel, at, of_user
from tests.state.racing import race

STEPS = ("before claim", "after claim", "before post", "after post", "before settle",
         "after settle")  # fmt: skip


class Crash(BaseException):
    """The end of a process: no handler of ours sees it."""


class Faults:
    """Calls `strike(step, subscription)` at every step boundary."""

    def __init__(self, strike):
        self.strike = strike

    def items(self, items):
        return _Items(items, self.strike)

    def poster(self, channel):
        return _Poster(channel, self.strike)


class _Items:
    def __init__(self, items, strike):
        self._items, self._strike = items, strike

    def __getattr__(self, name):
        return getattr(self._items, name)

    def put_item(self, collection, key, body, **more):
        if collection != COLLECTION:
            return self._items.put_item(collection, key, body, **more)
        step = "claim" if body["pending"] else "settle"
        self._strike(f"before {step}", key)
        version = self._items.put_item(collection, key, body, **more)
        self._strike(f"after {step}", key)
        return version


class _Poster:
    def __init__(self, channel, strike):
        self._channel, self._strike = channel, strike

    def post(self, place, alerts, key, **more):
        self._strike("before post", key)
        self._channel.post(place, alerts, key, **more)
        self._strike("after post", key)


def subscribers(items, count):
    """Add subscriptions of as many users; every other one is to hear of a drop."""
    for n in range(count):
        add(items, of_user(n, seen_usd_per_hour=0.5 if n % 2 else 1.0))
    return [f"U{n}" for n in range(0, count, 2)]


def house(items, channel, clock, faults, send=lambda _: None, page=10):
    return FanOut(
        items=faults.items(items), look=at(0.5), poster=faults.poster(channel), send=send,
        clock=clock, page=page,
    )  # fmt: skip


def delivered(fan_out, queue, clock, chance):
    """Deliver pages at least once, in any order, until each was handled to its end."""
    while queue:
        asked = queue.pop(chance.randrange(len(queue)))
        if chance.random() < 0.1:
            queue.append(asked)  # a second delivery of the same message
        try:
            counts = fan_out.handle(asked)
        except Crash:
            counts = {"later": 1}
        if "later" in counts:
            queue.append(asked)
            clock.now += LEASE_S / 3  # before the lease ends as well as after


def crashing(chance, share):
    """Return a strike that kills the process at a step of a subscription, once each."""
    struck = set()

    def strike(step, subscription):
        if (step, subscription) not in struck and chance.random() < share:
            struck.add((step, subscription))
            raise Crash

    strike.struck = struck
    return strike


def assert_each_once(items, channel, expected):
    assert Counter(channel.users) == Counter(expected)
    assert len({key for _, key, _ in channel.posts}) == len(expected)
    after, told = None, 0
    while True:
        page = items.list_items(COLLECTION, after=after)
        records = [record_of(item) for item in page.items]
        assert [one.pending for one in records] == [None] * len(records)
        assert {one.subscription.seen_usd_per_hour for one in records} <= {0.5}
        told += sum(one.told for one in records)
        after = page.after
        if after is None:
            break
    assert told == len(expected)


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_crash_loses_or_doubles_an_alert(unsynced, channel, clock, count):
    expected = subscribers(unsynced, count)
    chance = random.Random(count)  # noqa: S311
    strike = crashing(chance, share=0.2)
    queue = [PageRequest(sweep=sweep, shard="") for sweep in ("s1", "s2")]  # their pages mix
    fan_out = house(unsynced, channel, clock, Faults(strike), queue.append)
    delivered(fan_out, queue, clock, chance)

    assert_each_once(unsynced, channel, expected)
    assert {step for step, _ in strike.struck} == set(STEPS)
    assert channel.looked > count / 50


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_each_step_is_made_good(items, channel, clock, step):
    """Every subscription's process dies at this very step, the first time."""
    expected = subscribers(items, 6)
    chance, struck = random.Random(1), set()  # noqa: S311

    def strike(now, subscription):
        if now == step and subscription not in struck:
            struck.add(subscription)
            raise Crash

    queue = [PageRequest(sweep="s1", shard="")]
    fan_out = house(items, channel, clock, Faults(strike), queue.append, page=2)
    delivered(fan_out, queue, clock, chance)

    assert len(struck) == len(expected)
    assert_each_once(items, channel, expected)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("later_s", [0.0, 1.5 * LEASE_S])
def test_another_sweep_at_each_step_tells_nobody_twice(items, channel, clock, step, later_s):
    """At this step of one delivery a whole other one runs, at once or after the lease."""
    expected = subscribers(items, 4)
    page = PageRequest(sweep="s1", shard="")
    other = house(items, channel, clock, Faults(lambda *_: None))
    inside = []

    def strike(now, subscription):
        if now == step and subscription not in inside:
            inside.append(subscription)
            if step != "before post":  # a post that hangs beyond its lease is dead by then
                clock.now += later_s
            other.handle(page)

    one = house(items, channel, clock, Faults(strike))
    queue = [page]
    delivered(one, queue, clock, random.Random(2))  # noqa: S311

    assert inside
    assert_each_once(items, channel, expected)


@pytest.mark.parametrize("sweeps", [2, 4])
def test_sweeps_in_threads_tell_each_user_once(items, channel, clock, sweeps):
    expected = subscribers(items, 60)
    page = PageRequest(sweep="s1", shard="")
    houses = [house(items, channel, clock, Faults(lambda *_: None), page=60) for _ in range(sweeps)]
    race([lambda one=one: one.handle(page) for one in houses])
    clock.now += LEASE_S
    houses[0].handle(page)

    assert_each_once(items, channel, expected)


def test_a_channel_that_cannot_look_would_show_the_double(items, clock):
    """The proof has teeth: without the look-up a crash after the post is heard twice."""

    class Blind(Channel):
        def post(self, place, alerts, key, **_):
            super().post(place, alerts, key)

    expected, channel = subscribers(items, 6), Blind()
    strike = crashing(random.Random(3), share=0.5)  # noqa: S311
    queue = [PageRequest(sweep="s1", shard="")]
    fan_out = house(items, channel, clock, Faults(strike), queue.append)
    delivered(fan_out, queue, clock, random.Random(4))  # noqa: S311

    assert len(channel.users) > len(expected)
