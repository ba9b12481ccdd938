"""Alerts gathered for a day or a week and told in one message, on SQLite and on DynamoDB alike."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from bot.alerts.digest import PERIOD_S
from bot.alerts.fan_out import PageRequest, RefusedError
from bot.alerts.outbox import LEASE_S
from bot.store.subscriptions import add, digest_of, owned, read, resume
from tests.alerts.channel import G5, G6, PLACE, at, subscribed, swept
from tests.alerts.test_exactly_once import STEPS, Crash, Faults, delivered, house

DAY_S = PERIOD_S["daily"]


def daily(instance_type=G6, thread_ts="1.1", **fields):
    place = replace(PLACE, thread_ts=thread_ts)
    return subscribed(place, instance_type=instance_type, every="daily", **fields)


def priced(prices):
    """Return a look that sees a price by type; nothing for the others."""
    looks = {name: at(price, name) for name, price in prices.items()}
    return lambda one: looks[one.instance_type](one) if one.instance_type in looks else None


def test_changes_of_a_day_are_one_message(items, channel, clock):
    for one in (daily(G6), daily(G5, thread_ts="2.2")):  # set in two threads
        add(items, one)
    for prices in ({G6: 0.9, G5: 1.2}, {G6: 0.8, G5: 1.2}, {G6: 0.5, G5: 1.2}):
        swept(items, priced(prices), channel, clock)
    assert channel.posts == []

    clock.now += DAY_S
    swept(items, priced({}), channel, clock)
    swept(items, priced({}), channel, clock)
    ((_, _, alerts),) = channel.posts
    told = {one.new_type: (one.old_usd_per_hour, one.new_usd_per_hour) for one in alerts}
    assert told == {G6: (1.0, 0.5), G5: (1.0, 1.2)}
    assert [round(one.percent) for one in sorted(alerts, key=lambda a: a.new_type)] == [20, -50]


def test_the_next_digest_starts_where_the_last_one_ended(items, channel, clock):
    add(items, daily())
    for price in (0.5, 0.25):
        swept(items, at(price), channel, clock)
        clock.now += DAY_S
        swept(items, at(price), channel, clock)
    told = [(one.old_usd_per_hour, one.new_usd_per_hour) for one in channel.alerts]
    assert told == [(1.0, 0.5), (0.5, 0.25)]


def test_nothing_is_told_of_a_price_that_came_back(items, channel, clock):
    add(items, daily())
    for price in (0.5, 1.0):
        swept(items, at(price), channel, clock)
    clock.now += DAY_S
    swept(items, at(1.0), channel, clock)
    assert channel.posts == []


def test_a_day_and_a_week_are_digests_of_their_own(items, channel, clock):
    add(items, daily())
    add(items, replace(daily(G5), every="weekly"))
    swept(items, priced({G6: 0.5, G5: 0.5}), channel, clock)
    clock.now += DAY_S
    swept(items, priced({}), channel, clock)
    assert [one.new_type for one in channel.alerts] == [G6]
    clock.now += PERIOD_S["weekly"] - DAY_S
    swept(items, priced({}), channel, clock)
    assert [one.new_type for one in channel.alerts] == [G6, G5]


def test_a_digest_that_cannot_be_told_is_kept_until_resumed(items, channel, clock):
    one = daily()
    add(items, one)
    swept(items, at(0.5), channel, clock)
    channel.fails, clock.now = RefusedError("is_archived"), clock.now + DAY_S
    assert swept(items, at(0.5), channel, clock)["paused"] == 1
    (listed,) = owned(items, PLACE)
    assert (listed.state, listed.why_paused) == ("paused", "is_archived")

    channel.fails = None
    resume(items, one.id)
    swept(items, at(0.5), channel, clock)
    assert [one.new_usd_per_hour for one in channel.alerts] == [0.5]
    assert owned(items, PLACE)[0].state == "active"


def test_a_digest_is_no_question_of_anybodys(items, channel, clock):
    add(items, daily())
    swept(items, at(0.5), channel, clock)
    assert [one.watches for one in owned(items, PLACE)] == ["price"]


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_each_step_gathers_and_tells_each_change_once(items, channel, clock, step):
    ones = [daily(thread_ts=f"{n}.0", region=f"r{n}") for n in range(4)]
    for one in ones:
        add(items, one)
    struck = Counter()

    def strike(now, key):
        if now == step and struck[key] < 2:  # when it is gathered, and when it is told
            struck[key] += 1
            raise Crash

    chance = random.Random(7)  # noqa: S311
    fan_out = house(items, channel, clock, Faults(strike), page=2)
    for sweep in ("s1", "s2"):
        queue = [PageRequest(sweep=sweep, shard="")]
        delivered(replace(fan_out, send=queue.append), queue, clock, chance)
        clock.now += DAY_S + LEASE_S

    assert struck
    assert Counter(one.region for one in channel.alerts) == Counter(one.region for one in ones)
    digest = read(items, digest_of(PLACE, "daily").id)
    assert (digest.pending, digest.told) == (None, len(channel.posts))
