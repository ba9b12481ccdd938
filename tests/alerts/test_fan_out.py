"""What a sweep makes of each subscription, on SQLite and on DynamoDB alike."""

from dataclasses import replace

import pytest

from bot.alerts.fan_out import BusyError, FanOut, PageRequest, RefusedError, UnsureError
from bot.alerts.outbox import LEASE_S
from bot.alerts.sweep import SHARDS, first_pages
from bot.store.alert_record import COLLECTION, shard_of
from bot.store.subscriptions import add, pause, read, remove, resume
from tests.alerts.channel import G5, G6, at, of_user, subscribed, swept

DROP = at(0.5)


def test_a_change_is_told_once_and_counts_from_there(items, channel, clock):
    one = subscribed(threshold_percent=10)
    add(items, one)
    prices = [1.0, 0.95, 0.9, 0.9, 0.85, 0.8, 1.0]
    outcomes = [swept(items, at(price), channel, clock) for price in prices]

    assert [next(iter(counts)) for counts in outcomes] == [
        "quiet", "quiet", "told", "quiet", "quiet", "told", "told"]  # fmt: skip
    told = [(alert.old_usd_per_hour, alert.new_usd_per_hour) for alert in channel.alerts]
    assert told == [(1.0, 0.9), (0.9, 0.8), (0.8, 1.0)]
    assert read(items, one.id).told == 3
    assert channel.looked == 0  # nothing failed: there was nothing to look for


def test_a_price_that_comes_back_is_another_alert_each_time(items, channel, clock):
    add(items, subscribed())
    for price in (0.5, 1.0, 0.5, 1.0):
        swept(items, at(price), channel, clock)
    assert len({key for _, key, _ in channel.posts}) == 4


def test_a_new_pick_is_told_with_both_names_and_kept(items, channel, clock):
    one = subscribed(watches="pick", request="inference 7B", threshold_percent=10)
    add(items, one)
    swept(items, at(0.7, G5, instances=2), channel, clock)

    (alert,) = channel.alerts
    assert (alert.old_type, alert.new_type, alert.new_instances) == (G6, G5, 2)
    kept = read(items, one.id).subscription
    assert (kept.instance_type, kept.seen_usd_per_hour, kept.instances) == (G5, 0.7, 2)


def test_what_is_unknown_is_no_change(items, channel, clock):
    one = subscribed()
    add(items, one)
    assert swept(items, lambda _: None, channel, clock) == {"quiet": 1}
    assert read(items, one.id).subscription == one


def test_the_first_price_known_is_noted_and_not_told(items, channel, clock):
    one = subscribed(seen_usd_per_hour=None)
    add(items, one)
    assert swept(items, DROP, channel, clock) == {"quiet": 1}
    assert read(items, one.id).subscription.seen_usd_per_hour == 0.5
    assert channel.posts == []


def test_a_pick_whose_price_was_not_known_is_measured_from_the_first_sweep_on(
    items, channel, clock
):
    one = subscribed(
        watches="pick", request="7B", instance_type=G6, seen_usd_per_hour=None, threshold_percent=10
    )
    add(items, one)
    assert swept(items, at(1.0), channel, clock) == {"quiet": 1}
    assert swept(items, at(0.8), channel, clock) == {"told": 1}
    assert [round(alert.percent) for alert in channel.alerts] == [-20]


def test_who_paused_hears_nothing_until_resumed(items, channel, clock):
    one = subscribed()
    add(items, one)
    pause(items, one.id)
    assert swept(items, DROP, channel, clock) == {"quiet": 1}
    resume(items, one.id)
    assert swept(items, DROP, channel, clock) == {"told": 1}


@pytest.mark.parametrize("word", ["token_revoked", "is_archived", "not_in_channel"])
def test_who_cannot_be_reached_is_paused_with_the_reason(items, channel, clock, word):
    one = subscribed()
    add(items, one)
    channel.fails = RefusedError(word)
    assert swept(items, DROP, channel, clock) == {"paused": 1}
    kept = read(items, one.id)
    assert (kept.subscription.state, kept.subscription.why_paused) == ("paused", word)
    assert (kept.subscription.seen_usd_per_hour, kept.pending) == (1.0, None)

    channel.fails = None
    resume(items, one.id)
    swept(items, DROP, channel, clock)
    assert channel.users == ["U1"]


def test_a_workspace_that_asks_to_wait_is_left_alone_and_told_later(items, channel, clock):
    for n in range(9):
        add(items, of_user(n))
    channel.fails = BusyError(30)
    assert swept(items, DROP, channel, clock) == {"later": 9}
    pending = [item for item in items.list_items(COLLECTION).items if item.body["pending"]]
    assert len(pending) == 3  # one try for each of the three workspaces
    channel.fails = None

    assert swept(items, DROP, channel, clock) == {"told": 9}
    assert sorted(channel.users) == sorted(f"U{n}" for n in range(9))
    assert channel.looked == 0  # a refusal is sure: nothing was posted


def test_what_may_have_arrived_is_looked_for_once_the_lease_is_over(items, channel, clock):
    add(items, subscribed())
    channel.fails = UnsureError("timeout")
    assert swept(items, DROP, channel, clock) == {"later": 1}
    channel.fails = None
    assert swept(items, DROP, channel, clock) == {"later": 1}  # Slack may still be at it
    clock.now += LEASE_S

    assert swept(items, DROP, channel, clock) == {"told": 1}
    assert (channel.looked, channel.users) == (1, ["U1"])


def test_a_doubt_outlives_a_wait(items, channel, clock):
    """Unsure first, then told to wait: the next attempt still looks before it posts."""
    add(items, subscribed())
    for failure in (UnsureError("timeout"), BusyError(1)):
        channel.fails = failure
        swept(items, DROP, channel, clock)
        clock.now += LEASE_S
    channel.fails = None

    swept(items, DROP, channel, clock)
    assert (channel.looked, channel.users) == (2, ["U1"])


def test_one_that_fails_leaves_the_others_alone(items, channel, clock):
    bad = subscribed(region="nowhere")
    for one in (bad, of_user(1), of_user(2)):
        add(items, one)

    def look(subscription):
        if subscription.id == bad.id:
            raise ValueError("boom")
        return DROP(subscription)

    assert swept(items, look, channel, clock) == {"told": 2, "later": 1}


def test_who_runs_out_of_time_leaves_the_rest_for_later(items, channel, clock):
    for n in range(5):
        add(items, of_user(n))
    left = iter([True, True])
    counts = swept(items, DROP, channel, clock, has_time=lambda: next(left, False))
    assert counts == {"told": 2, "later": 3}


@pytest.mark.parametrize("meanwhile", [pause, remove])
def test_what_its_owner_does_while_it_is_told_stands(items, channel, clock, meanwhile):
    one = subscribed()
    add(items, one)

    class Slow:
        def post(self, *args, **more):
            channel.post(*args, **more)
            meanwhile(items, one.id)

    assert swept(items, DROP, Slow(), clock) == {"told": 1}
    kept = read(items, one.id)
    if meanwhile is remove:
        assert kept is None
    else:
        assert kept.subscription == replace(one, state="paused", seen_usd_per_hour=0.5)


def test_a_lease_that_ends_before_the_post_posts_nothing(items, channel, clock):
    """A process stopped between claim and post wakes up when another may have taken over."""
    one = subscribed()
    add(items, one)

    class Stopped:
        def __getattr__(self, name):
            return getattr(items, name)

        def put_item(self, *args, **more):
            version = items.put_item(*args, **more)
            clock.now += LEASE_S
            return version

    assert swept(Stopped(), DROP, channel, clock) == {"later": 1}
    assert channel.posts == []
    assert swept(items, DROP, channel, clock) == {"told": 1}


def test_pages_and_shards_hold_every_subscription_once(items, channel, clock):
    ones = [of_user(n) for n in range(45)]
    for one in ones:
        add(items, one)
    waiting = list(first_pages("s1"))
    assert len(waiting) == len(SHARDS) == 256
    taken = {shard_of(one.id) for one in ones}
    waiting = [asked for asked in waiting if asked.shard in taken]
    house = FanOut(items=items, look=DROP, poster=channel, send=waiting.append, clock=clock, page=1)
    for asked in waiting:
        house.handle(asked)

    assert len(waiting) == len({asked.key for asked in waiting}) == 45
    assert sorted(channel.users) == sorted(one.place.user for one in ones)
    assert PageRequest(**waiting[-1].body) == waiting[-1]


def test_a_page_that_comes_again_sends_the_next_one_no_more(items, channel, clock):
    for n in range(5):
        add(items, of_user(n))
    sent, page = [], PageRequest(sweep="s1", shard="")
    house = FanOut(items=items, look=DROP, poster=channel, send=sent.append, clock=clock, page=2)
    for asked in (page, page, replace(page, sweep="s2")):
        house.handle(asked)
    assert [asked.sweep for asked in sent] == ["s1", "s2"]


def test_an_id_of_any_form_has_a_shard():
    assert {shard_of(f"s{n}") for n in range(5000)} == set(SHARDS)


def test_a_subscription_may_be_added_again_while_an_old_alert_is_under_way(items, channel, clock):
    one = subscribed()
    again = replace(one, created_at="2026-11-02")
    add(items, one)

    class Slow:
        def post(self, *args, **more):
            remove(items, one.id)
            add(items, again)
            channel.post(*args, **more)

    swept(items, DROP, Slow(), clock)
    assert read(items, one.id).subscription == again


def test_a_record_of_a_newer_release_is_told_all_the_same(items, channel, clock):
    one = subscribed()
    add(items, one)
    (item,) = items.list_items(COLLECTION).items
    item.body["subscription"]["a_field_of_tomorrow"] = 1
    item.body["subscription"]["place"]["another"] = "x"
    items.put_item(COLLECTION, item.key, item.body, topic=item.topic)

    assert swept(items, DROP, channel, clock) == {"told": 1}
    (kept,) = items.list_items(COLLECTION).items
    assert kept.body["subscription"]["a_field_of_tomorrow"] == 1  # for the newer one to read
    assert kept.body["subscription"]["seen_usd_per_hour"] == 0.5
