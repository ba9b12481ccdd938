"""The promises of the store, asked of SQLite and of DynamoDB alike."""

import pytest

from bot.store.store import CLAIM_KEPT_S, THREAD_KEPT_S, DeliveryClaim, ThreadKey
from tests.state.racing import race

THREAD = ThreadKey("T1", "C1", "1.1")


@pytest.mark.parametrize(
    ("settled_by", "later_s", "expected"),
    [
        (None, 0, DeliveryClaim.BUSY),
        (None, 9.9, DeliveryClaim.BUSY),
        (None, 10, DeliveryClaim.WON),  # the lease is over: whoever held it died
        ("a", 0, DeliveryClaim.DONE),
        ("a", 3600, DeliveryClaim.DONE),
        ("a", CLAIM_KEPT_S, DeliveryClaim.WON),  # forgotten
        ("somebody else", 0, DeliveryClaim.BUSY),
    ],
)
def test_a_claim_is_won_once_until_its_lease_or_memory_ends(
    store, clock, settled_by, later_s, expected
):
    assert store.claim("k", "a", lease_s=10) is DeliveryClaim.WON
    if settled_by:
        store.settle("k", settled_by)
    clock.now += later_s

    assert store.claim("k", "b", lease_s=10) is expected
    assert store.claim("another", "b", lease_s=10) is DeliveryClaim.WON


def test_who_lost_the_claim_cannot_settle_it(store, clock):
    store.claim("k", "a", lease_s=10)
    clock.now += 10
    store.claim("k", "b", lease_s=10)
    store.settle("k", "a")

    assert store.claim("k", "c", lease_s=10) is DeliveryClaim.BUSY


def test_one_of_many_racing_claims_wins(store):
    claims = race([lambda n=n: store.claim("k", str(n), 10) for n in range(16)])

    assert sorted(claim.name for claim in claims) == ["BUSY"] * 15 + ["WON"]


def test_threads_are_kept_replaced_and_forgotten(store, clock):
    assert store.get_thread(THREAD) is None
    store.put_thread(THREAD, "one")
    store.put_thread(THREAD, "two")
    assert store.get_thread(THREAD) == "two"
    for other in (
        ThreadKey("T2", "C1", "1.1"),
        ThreadKey("T1", "C2", "1.1"),
        ThreadKey("T1", "C1", "1.2"),
    ):
        assert store.get_thread(other) is None
    clock.now += THREAD_KEPT_S - 1
    assert store.get_thread(THREAD) == "two"
    clock.now += 1
    assert store.get_thread(THREAD) is None


@pytest.mark.parametrize(
    "thread",
    [ThreadKey("T|1", "C", "1.1"), ThreadKey("T", "1|C", "1.1"), ThreadKey('T","C', "x", "ü✓")],
)
def test_odd_ids_stay_apart_and_keep_their_context(store, thread):
    store.put_thread(thread, "naïve ✓ \n")
    store.put_thread(THREAD, "other")

    assert store.get_thread(thread) == "naïve ✓ \n"
