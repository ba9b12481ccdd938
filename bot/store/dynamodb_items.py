"""Documents in DynamoDB."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bot.store.dynamodb import BY_TOPIC, Attributes, Table, is_live, number, row_key, text
from bot.store.store import (
    ABSENT,
    ANY_VERSION,
    Item,
    Page,
    Payload,
    collection_page,
    encoded,
    topic_page,
)

LIVE = "(attribute_not_exists(expires_at) OR expires_at > :now)"


class DynamoDbItems:
    """`Items` over one table: each write is one conditional call."""

    def __init__(self, table: Table, clock: Callable[[], float] = time.time) -> None:
        self._table = table
        self._clock = clock

    def put_item(
        self,
        collection: str,
        key: str,
        body: Payload,
        *,
        topic: str | None = None,
        kept_s: float | None = None,
        version: int | None = ANY_VERSION,
    ) -> int | None:
        """See `Items.put_item`."""
        now = self._clock()
        writer = text(os.urandom(12).hex())
        values = {":body": text(encoded(body)), ":one": number(1), ":writer": writer}
        changes, removed = ["body = :body", "writer = :writer"], []
        for name, value in (
            ("topic", None if topic is None else text(topic)),
            ("expires_at", None if kept_s is None else number(now + kept_s)),
        ):
            if value is None:
                removed.append(name)
            else:
                changes.append(f"{name} = :{name}")
                values[f":{name}"] = value
        update = f"SET {', '.join(changes)} ADD version :one"
        return self._updated(
            _item_key(collection, key),
            update + (f" REMOVE {', '.join(removed)}" if removed else ""),
            values,
            _expecting(version, now),
        )

    def _updated(
        self,
        key: Attributes,
        update: str,
        values: Attributes,
        expecting: tuple[str, Attributes] | None,
    ) -> int | None:
        """Return the version after the update; None where the expectation is not met."""
        condition = {} if expecting is None else {"ConditionExpression": expecting[0]}
        written, row = self._table.attempt(
            "UpdateItem",
            Key=key,
            UpdateExpression=update,
            ExpressionAttributeValues={**values, **(expecting[1] if expecting else {})},
            ReturnValues="ALL_NEW",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
            **condition,
        )
        # Ours already: the call was made twice as the first answer got lost.
        ours = written or row.get("writer") == values[":writer"]
        return int(row["version"]["N"]) if ours else None

    def get_item(self, collection: str, key: str) -> Item | None:
        """See `Items.get_item`."""
        answer = self._table.call("GetItem", Key=_item_key(collection, key), ConsistentRead=True)
        row = answer.get("Item")
        return _item_of(row) if row is not None and is_live(row, self._clock()) else None

    def get_items(self, places: Sequence[tuple[str, str]]) -> tuple[Item | None, ...]:
        """See `Items.get_items`."""
        once = dict.fromkeys(places)  # DynamoDB refuses a key that is named twice
        rows = self._table.rows([_item_key(*place) for place in once])
        live = [_item_of(row) for row in rows if is_live(row, self._clock())]
        found = {(item.collection, item.key): item for item in live}
        return tuple(found.get(place) for place in places)

    def delete_item(self, collection: str, key: str, *, version: int | None = ANY_VERSION) -> bool:
        """See `Items.delete_item`."""
        if version == ABSENT:
            return False
        now = self._clock()
        condition, values = _expecting(version, now) or (
            f"attribute_exists(pk) AND {LIVE}",
            {":now": number(now)},
        )
        deleted, _ = self._table.attempt(
            "DeleteItem",
            Key=_item_key(collection, key),
            ConditionExpression=condition,
            ExpressionAttributeValues=values,
        )
        return deleted

    def list_items(
        self, collection: str, *, prefix: str = "", after: str | None = None, limit: int = 100
    ) -> Page:
        """See `Items.list_items`."""
        partition = _item_key(collection, "-")["pk"]
        condition, values = "pk = :pk", {":pk": partition}
        if prefix:
            condition += " AND begins_with(sk, :prefix)"
            values[":prefix"] = text(prefix)
        query = {"KeyConditionExpression": condition, "ConsistentRead": True}
        start = None if after is None else _item_key(collection, after)
        found = self._first(query, values, start, limit + 1)
        return collection_page(found, limit)

    def list_topic(self, topic: str, *, after: str | None = None, limit: int = 100) -> Page:
        """See `Items.list_topic`."""
        query = {"KeyConditionExpression": "topic = :topic", "IndexName": BY_TOPIC}
        start = None
        if after is not None:
            key, collection = json.loads(after)
            start = {**_item_key(collection, key), "topic": text(topic)}
        found = self._first(query, {":topic": text(topic)}, start, limit + 1)
        return topic_page(found, limit)

    def _first(
        self, query: dict[str, Any], values: Attributes, start: Attributes | None, count: int
    ) -> tuple[Item, ...]:
        """Return the first `count` live documents: a page of DynamoDB may hold none of them."""
        found: list[Item] = []
        for row in self._rows(query, values, start, count):
            found.append(_item_of(row))
            if len(found) == count:
                break
        return tuple(found)

    def _rows(
        self, query: dict[str, Any], values: Attributes, start: Attributes | None, count: int
    ) -> Iterator[Attributes]:
        request = {
            **query,
            "FilterExpression": LIVE,
            "ExpressionAttributeValues": {**values, ":now": number(self._clock())},
            "Limit": count,
        }
        if start is not None:
            request["ExclusiveStartKey"] = start
        while True:
            answer = self._table.call("Query", **request)
            yield from answer.get("Items", [])
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _item_key(collection: str, key: str) -> Attributes:
    return row_key("items", collection, sort=key)


def _expecting(version: int | None, now: float) -> tuple[str, Attributes] | None:
    """Return the condition, with its values, under which a write may replace what is there."""
    if version is ANY_VERSION:
        return None
    if version == ABSENT:
        return "attribute_not_exists(pk) OR expires_at <= :now", {":now": number(now)}
    return f"version = :version AND {LIVE}", {":version": number(version), ":now": number(now)}


def _item_of(row: Attributes) -> Item:
    _, collection = json.loads(row["pk"]["S"])
    return Item(
        collection=collection,
        key=row["sk"]["S"],
        body=json.loads(row["body"]["S"]),
        version=int(row["version"]["N"]),
        topic=row["topic"]["S"] if "topic" in row else None,
    )
