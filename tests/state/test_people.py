"""What is kept of people, asked of SQLite and of DynamoDB alike."""

from dataclasses import replace

import pytest

from bot.core.subscription import Place, Subscription
from bot.store import kept_of_people
from bot.store.defaults import Defaults, defaults_of, lay_down
from bot.store.kept_of_people import (
    MOST_THREADS,
    RecentThread,
    SavedPick,
    forget,
    save,
    saved_by,
    spoke_in,
    threads_of,
)
from bot.store.owner import Owner
from bot.store.store import ABSENT, THREAD_KEPT_S
from bot.store.subscriptions import MOST_CHANNELS, add, alerts_of, identified, note_channel
from tests.state.racing import race

ADA = Owner("T1", "U1")
PLACE = Place(team="T1", channel="C1", user="U1", thread_ts="1.1")
PICK = SavedPick(
    instance_type="g6e.xlarge",
    instances=1,
    region="us-east-1",
    market="on_demand",
    term_years=0,
    usd_per_hour=1.861,
    priced_on="2026-11-01",
    workload="naïve ✓",
    request="inference params_b=7.0",
    saved_on="2026-11-02",
    place=PLACE,
)


def numbered(n):
    return replace(PICK, request=f"inference params_b={n}.0")


def test_a_saved_pick_comes_back_as_it_was_and_once(items):
    assert saved_by(items, ADA) == ()
    assert save(items, ADA, replace(PICK, place=None))
    assert save(items, ADA, PICK)
    assert save(items, ADA, numbered(70))
    assert saved_by(items, ADA) == (numbered(70), PICK)  # the latest first

    assert forget(items, ADA, PICK.id)
    assert not forget(items, ADA, PICK.id)
    assert saved_by(items, ADA) == (numbered(70),)


@pytest.mark.parametrize(
    "other",
    [Owner("T1", "U2"), Owner("T2", "U1"), Owner("T1"), Owner('T1","U1', ""), Owner("", "T1")],
)
def test_nobody_sees_what_another_saved(items, other):
    save(items, ADA, PICK)
    lay_down(items, ADA, Defaults(region="eu-west-1"))
    assert saved_by(items, other) == ()
    assert defaults_of(items, other) == Defaults()
    assert not forget(items, other, PICK.id)


def test_of_racing_saves_none_is_lost_and_none_is_too_many(items, monkeypatch):
    monkeypatch.setattr(kept_of_people, "MOST_SAVED", 5)
    done = race([lambda n=n: save(items, ADA, numbered(n)) for n in range(8)])
    assert sorted(done) == [False] * 3 + [True] * 5
    assert len({pick.id for pick in saved_by(items, ADA)}) == 5
    (kept, *_) = saved_by(items, ADA)
    assert save(items, ADA, kept)  # the same again is no more
    forget(items, ADA, kept.id)
    assert save(items, ADA, numbered(99))


LAID = Defaults(
    region="eu-central-1",
    market="spot",
    allow=("g6e", "graviton"),
    discount_percent=12.5,
    currency="EUR",
    per_usd=0.92,
    rate_set_on="2026-11-01",
    set_by="U1",
    set_on="2026-11-02",
)


def test_defaults_come_back_and_a_version_guards_them(items):
    assert lay_down(items, ADA, LAID)
    assert defaults_of(items, ADA) == replace(LAID, version=1)
    assert not lay_down(items, ADA, replace(LAID, version=ABSENT))
    assert lay_down(items, ADA, Defaults(version=1))
    assert defaults_of(items, ADA) == Defaults(version=2)


def test_of_racing_defaults_one_is_laid_down(items):
    done = race(
        [lambda n=n: lay_down(items, Owner("T1"), Defaults(set_by=f"U{n}")) for n in range(8)]
    )
    assert sorted(done) == [False] * 7 + [True]


def thread(n, asked="7B"):
    return RecentThread(
        channel="C1", ts=f"1.{n}", asked=asked, answered="g6", spoken_on="2026-11-02"
    )


def test_recent_threads_are_the_latest_each_once_and_go_with_their_threads(items, clock):
    for n in range(MOST_THREADS + 2):
        spoke_in(items, ADA, thread(n))
    spoke_in(items, ADA, thread(5, "in Frankfurt"))
    found = threads_of(items, ADA)
    assert len(found) == MOST_THREADS
    assert found[:2] == (thread(5, "in Frankfurt"), thread(MOST_THREADS + 1))
    assert [one.ts for one in found].count("1.5") == 1
    clock.now += THREAD_KEPT_S
    assert threads_of(items, ADA) == ()


def test_of_racing_threads_none_is_lost(items):
    race([lambda n=n: spoke_in(items, ADA, thread(n)) for n in range(MOST_THREADS)])
    assert {one.ts for one in threads_of(items, ADA)} == {f"1.{n}" for n in range(MOST_THREADS)}


def test_alerts_are_found_in_all_channels_they_were_set_in(items):
    for channel, user in (("C1", "U1"), ("C2", "U1"), ("C2", "U2")):
        place = Place(team="T1", channel=channel, user=user)
        note_channel(items, Owner("T1", user), channel)
        add(items, identified(Subscription(id="", place=place, watches="price", region="us-east-1",
            instance_type="g5.xlarge", market="on_demand")))  # fmt: skip
    found = alerts_of(items, ADA)
    assert [(one.place.channel, one.place.user) for one in found] == [("C2", "U1"), ("C1", "U1")]
    assert alerts_of(items, Owner("T2", "U1")) == ()


def test_only_the_latest_channels_are_remembered(items):
    for n in range(MOST_CHANNELS + 3):
        note_channel(items, ADA, f"C{n}")
        note_channel(items, ADA, f"C{n}")
    kept = items.get_item(ADA.collection, "alert_channels").body["channels"]
    assert kept == [f"C{n}" for n in reversed(range(3, MOST_CHANNELS + 3))]
