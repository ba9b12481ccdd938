"""The promises of documents, asked of SQLite and of DynamoDB alike."""

import math

import pytest

from bot.store.dynamodb import Table
from bot.store.dynamodb_items import DynamoDbItems
from bot.store.store import ABSENT, MAX_BODY_BYTES, TooLargeError
from tests.state.racing import race

BODIES = [
    {},
    {"usd_per_hour": 0.1 + 0.2, "count": 3, "big": 2**60, "tiny": 5e-324, "none": None},
    {"text": "naïve ✓ \x00 \" '", "nested": [{"a": [1, 2.5, True]}], "": ""},
]


@pytest.mark.parametrize("body", BODIES)
def test_a_document_comes_back_as_it_was_written(items, body):
    assert items.get_item("picks", "a") is None
    assert items.put_item("picks", "a", body, topic="t") == 1
    item = items.get_item("picks", "a")

    assert (item.collection, item.key, item.body, item.version, item.topic) == (
        "picks", "a", body, 1, "t")  # fmt: skip
    assert type(item.body.get("usd_per_hour", 0.5)) is float
    assert items.get_item("other", "a") is None


def test_several_documents_are_read_at_once_each_in_its_place(items, clock):
    items.put_item("a", "k", {"n": 1})
    items.put_item("b", "k", {"n": 2}, kept_s=10)
    items.put_item("a", "l", {"n": 3}, topic="t")
    places = [("b", "k"), ("nowhere", "k"), ("a", "l"), ("a", "k"), ("b", "k")]

    def read():
        return [item and item.body["n"] for item in items.get_items(places)]

    assert read() == [2, None, 3, 1, 2]
    assert items.get_items([("a", "l")]) == (items.get_item("a", "l"),)
    clock.now += 10
    assert read() == [None, None, 3, 1, None]


def test_what_dynamodb_left_out_of_a_read_is_asked_for_again():
    """Under load it answers a part, and names the rest."""
    asked = []

    class Partly:
        def call(self, action, request):
            asked.append((action, request["RequestItems"]["t"]["Keys"]))
            first, *others = asked[-1][1]
            row = {**first, "body": {"S": "{}"}, "version": {"N": "1"}}
            rest = {"t": {"Keys": others, "ConsistentRead": True}} if others else {}
            return {"Responses": {"t": [row]}, "UnprocessedKeys": rest}

    found = DynamoDbItems(Table(Partly(), "t")).get_items([("a", "k"), ("b", "k")])
    assert [item.collection for item in found] == ["a", "b"]
    assert [action for action, _ in asked] == ["BatchGetItem"] * 2


@pytest.mark.parametrize(
    ("versions", "outcomes"),
    [
        ([None, None, None], [1, 2, 3]),
        ([ABSENT, ABSENT], [1, None]),
        ([ABSENT, 1, 2, 2], [1, 2, 3, None]),
        ([1], [None]),
        ([ABSENT, 5], [1, None]),
    ],
)
def test_a_version_guards_the_write(items, versions, outcomes):
    assert [items.put_item("c", "k", {"n": 1}, version=v) for v in versions] == outcomes


def test_of_racing_writers_with_one_version_one_wins(items):
    items.put_item("c", "k", {"n": 0})
    won = race([lambda n=n: items.put_item("c", "k", {"n": n}, version=1) for n in range(12)])

    assert sorted(won, key=str) == [2] + [None] * 11


def test_a_write_replaces_topic_and_expiry(items, clock):
    items.put_item("c", "k", {}, topic="old", kept_s=10)
    items.put_item("c", "k", {})
    clock.now += 10

    assert items.get_item("c", "k").topic is None
    assert items.list_topic("old").items == ()


@pytest.mark.parametrize(("later_s", "there"), [(0, True), (9.5, True), (10, False), (1e6, False)])
def test_what_expired_counts_as_absent_everywhere(items, clock, later_s, there):
    items.put_item("c", "k", {}, topic="t", kept_s=10)
    clock.now += later_s

    assert (items.get_item("c", "k") is not None) is there
    assert bool(items.list_items("c").items) is there
    assert bool(items.list_topic("t").items) is there
    assert items.delete_item("c", "k") is there


def test_an_expired_document_can_be_written_as_new_but_not_changed(items, clock):
    items.put_item("c", "k", {"n": 1}, kept_s=10)
    clock.now += 10

    assert items.put_item("c", "k", {"n": 2}, version=1) is None
    assert items.put_item("c", "k", {"n": 3}, version=ABSENT) is not None
    assert items.get_item("c", "k").body == {"n": 3}


@pytest.mark.parametrize(
    ("version", "gone"), [(None, True), (2, True), (1, False), (ABSENT, False), (3, False)]
)
def test_deleting_heeds_the_version(items, version, gone):
    items.put_item("c", "k", {})
    items.put_item("c", "k", {})

    assert items.delete_item("c", "k", version=version) is gone
    assert (items.get_item("c", "k") is None) is gone
    assert items.delete_item("c", "never") is False


def pages(read, limit):
    after, found = None, []
    while True:
        page = read(after=after, limit=limit)
        assert len(page.items) <= limit
        found.append([item.key for item in page.items])
        if page.after is None:
            return found
        after = page.after


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (1, [["a1"], ["a2"], ["a_"], ["aé"]]),
        (2, [["a1", "a2"], ["a_", "aé"]]),
        (3, [["a1", "a2", "a_"], ["aé"]]),
        (9, [["a1", "a2", "a_", "aé"]]),
    ],
)
def test_a_collection_is_listed_by_prefix_in_pages(items, clock, limit, expected):
    items.put_item("c", "a3", {}, kept_s=1)
    for key in ("b1", "aé", "a_", "a2", "a1"):
        items.put_item("c", key, {})
    items.put_item("other", "a9", {})
    clock.now += 1

    assert pages(lambda **p: items.list_items("c", prefix="a", **p), limit) == expected
    assert pages(lambda **p: items.list_items("c", prefix="A", **p), limit) == [[]]


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_a_topic_is_listed_across_collections_in_pages(items, limit):
    for n in range(6):
        items.put_item(f"team{n % 2}", f"k{n // 2}", {"n": n}, topic="us-east-2 p5.48xlarge")
    items.put_item("team0", "k9", {}, topic="another")
    found = pages(lambda **p: items.list_topic("us-east-2 p5.48xlarge", **p), limit)

    assert sorted(key for page in found for key in page) == ["k0", "k0", "k1", "k1", "k2", "k2"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"x": "a" * MAX_BODY_BYTES}, TooLargeError),
        ({"x": "é" * (MAX_BODY_BYTES // 6)}, TooLargeError),
        ({"x": math.nan}, ValueError),
        ({"x": math.inf}, ValueError),
    ],
)
def test_what_cannot_be_kept_is_refused_alike(items, body, error):
    with pytest.raises(error):
        items.put_item("c", "k", body)
    assert items.get_item("c", "k") is None


def test_the_largest_body_is_kept(items):
    body = {"x": "a" * (MAX_BODY_BYTES - 8)}
    items.put_item("c", "k", body, topic="t")
    assert items.get_item("c", "k").body == body
