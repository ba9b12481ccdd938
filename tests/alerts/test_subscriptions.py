"""Keeping subscriptions, on SQLite and on DynamoDB alike."""

from dataclasses import replace

import pytest

from bot.store.subscriptions import add, identified, owned, pause, read, remove, resume
from tests.alerts.channel import G5, PLACE, of_user, subscribed
from tests.state.racing import race

ONE = subscribed(
    watches="pick", request="inference 7B", threshold_percent=2.5, direction="down", instances=3
)


def test_a_subscription_comes_back_as_it_was_added(items):
    assert add(items, ONE) is True
    assert owned(items, PLACE) == (ONE,)
    assert read(items, ONE.id).subscription == ONE


def test_the_same_question_is_watched_once(items):
    assert [add(items, ONE), add(items, replace(ONE, threshold_percent=50.0))] == [True, False]
    assert owned(items, PLACE) == (ONE,)


def test_of_racing_adds_one_wins(items):
    won = race([lambda: add(items, ONE) for _ in range(8)])
    assert sorted(won) == [False] * 7 + [True]


ASKED = subscribed()


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({}, {}, True),
        ({}, {"instance_type": G5}, False),
        ({}, {"region": "eu-central-1"}, False),
        ({}, {"market": "spot"}, False),
        ({"term_years": 1}, {"term_years": 3}, False),
        ({}, {"place": replace(PLACE, user="U2")}, False),
        ({}, {"place": replace(PLACE, thread_ts=None)}, False),
        ({}, {"request": "said in other words"}, True),
        ({"watches": "pick", "request": "7B"}, {"watches": "pick", "request": "70B"}, False),
        ({"watches": "pick", "request": "7B  fast"}, {"watches": "pick", "request": "7b fast"},
         True),
        ({"watches": "pick", "request": "7B"},
         {"watches": "pick", "request": "7B", "instance_type": G5, "region": "r2"}, True),
    ],
)  # fmt: skip
def test_an_id_stands_for_the_question_and_its_place(first, second, same):
    ids = [identified(replace(ASKED, **fields)).id for fields in (first, second)]
    assert (ids[0] == ids[1]) is same


def test_a_list_holds_what_one_person_watches_in_one_channel(items):
    mine = [
        replace(subscribed(region=f"r{n}"), created_at=f"2026-11-{30 - n % 28:02}")
        for n in range(120)
    ]
    others = [of_user(2), subscribed(replace(PLACE, channel="C2")),
              subscribed(replace(PLACE, team="T2"))]  # fmt: skip
    for one in [*mine, *others]:
        add(items, one)

    found = owned(items, PLACE)
    assert sorted(one.id for one in found) == sorted(one.id for one in mine)
    assert [one.created_at for one in found] == sorted(one.created_at for one in mine)


def test_pausing_and_resuming_keep_everything_else(items):
    add(items, ONE)
    assert pause(items, ONE.id, "is_archived") is True
    assert owned(items, PLACE) == (replace(ONE, state="paused", why_paused="is_archived"),)
    assert resume(items, ONE.id) is True
    assert owned(items, PLACE) == (ONE,)


def test_what_is_not_there_cannot_be_changed(items):
    assert [change(items, "never") for change in (pause, resume, remove)] == [False] * 3
    add(items, ONE)
    assert [remove(items, ONE.id), remove(items, ONE.id)] == [True, False]
    assert owned(items, PLACE) == ()
    assert add(items, ONE) is True


def test_racing_changes_lose_nothing(items):
    add(items, ONE)
    changes = [lambda: pause(items, ONE.id), lambda: resume(items, ONE.id)] * 4
    assert race(changes) == [True] * 8
    assert read(items, ONE.id).version == 9
