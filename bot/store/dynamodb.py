"""One DynamoDB table for everything that is remembered.

Key schema (all strings, as `serverless.yml` makes the table; `tests/state` makes it from there):

| what     | pk                               | sk  | attributes besides `expires_at`    |
|----------|----------------------------------|-----|------------------------------------|
| claim    | ["claim", key]                   | "-" | owner, lease_until, settled        |
| thread   | ["thread", team, channel, ts]    | "-" | context                            |
| document | ["items", collection]            | key | body (JSON text), version, topic   |

The index `by_topic` (topic, sk) lists documents across collections. `expires_at` (seconds since the
epoch) is the table's TTL attribute; DynamoDB deletes days late, so every read and every condition
compares it as well. The table is encrypted at rest with a KMS key; see `docs/deploy.md`.
"""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from bot.core.errors import AwsError
from bot.store.store import CLAIM_KEPT_S, THREAD_KEPT_S, DeliveryClaim, ThreadKey

if TYPE_CHECKING:
    from collections.abc import Sequence

AttributeValue = dict[str, Any]
Attributes = dict[str, AttributeValue]

ONLY = "-"  # the sort key where there is one row to a partition
BY_TOPIC = "by_topic"
CONDITION_FAILED = "ConditionalCheckFailedException"


class Client(Protocol):
    """What calls DynamoDB: `AwsClient`, or a stand-in for one that fails."""

    def call(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one action."""


class Table:
    """One table and the calls that the stores make on it."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name

    def call(self, action: str, **request: object) -> dict[str, Any]:
        """Return the answer to an action on this table."""
        return self._client.call(action, {"TableName": self._name, **request})

    def rows(self, keys: "Sequence[Attributes]") -> list[Attributes]:
        """Return those rows of the keys that are there, in any order, by one call as a rule."""
        found: list[Attributes] = []
        wanted = {self._name: {"Keys": list(keys), "ConsistentRead": True}}
        while wanted:  # DynamoDB answers at least a part, or refuses all
            answer = self._client.call("BatchGetItem", {"RequestItems": wanted})
            found += answer["Responses"].get(self._name, [])
            wanted = answer.get("UnprocessedKeys") or {}
        return found

    def attempt(self, action: str, **request: object) -> tuple[bool, Attributes]:
        """Return whether a conditional write happened, and what it returned or ran into."""
        try:
            return True, self.call(action, **request).get("Attributes", {})
        except AwsError as error:
            if error.code != CONDITION_FAILED:
                raise
            return False, error.body.get("Item", {})


def row_key(*partition: str, sort: str = ONLY) -> Attributes:
    """Return a primary key. The parts are kept apart whatever they hold."""
    return {"pk": text(json.dumps(partition, separators=(",", ":"))), "sk": text(sort)}


def text(value: str) -> AttributeValue:
    """Return a string as DynamoDB writes it."""
    return {"S": value}


def number(value: float) -> AttributeValue:
    """Return a number as DynamoDB writes it: decimal digits, exactly those of the float."""
    return {"N": repr(value)}


def is_live(row: Attributes, now: float) -> bool:
    """Return whether a row that was read still counts."""
    expires_at = row.get("expires_at")
    return expires_at is None or float(expires_at["N"]) > now


class DynamoDbStore:
    """`Store` over one table: each method is one call."""

    def __init__(self, table: Table, clock: Callable[[], float] = time.time) -> None:
        self._table = table
        self._clock = clock

    def claim(self, key: str, owner: str, lease_s: float) -> DeliveryClaim:
        """See `Store.claim`."""
        now = self._clock()
        won, row = self._table.attempt(
            "PutItem",
            Item={
                **row_key("claim", key),
                "owner": text(owner),
                "settled": {"BOOL": False},
                "lease_until": number(now + lease_s),
                "expires_at": number(now + CLAIM_KEPT_S),
            },
            ConditionExpression=(
                "attribute_not_exists(pk) OR expires_at <= :now"
                " OR (settled = :no AND lease_until <= :now)"
            ),
            ExpressionAttributeValues={":now": number(now), ":no": {"BOOL": False}},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        # Ours already: the call was made twice as the first answer got lost.
        if won or row.get("owner") == text(owner):
            return DeliveryClaim.WON
        return DeliveryClaim.DONE if row.get("settled") == {"BOOL": True} else DeliveryClaim.BUSY

    def settle(self, key: str, owner: str) -> None:
        """See `Store.settle`."""
        self._table.attempt(
            "UpdateItem",
            Key=row_key("claim", key),
            UpdateExpression="SET settled = :yes",
            ConditionExpression="#owner = :owner",
            ExpressionAttributeNames={"#owner": "owner"},
            ExpressionAttributeValues={":yes": {"BOOL": True}, ":owner": text(owner)},
        )

    def put_thread(self, thread: ThreadKey, context: str) -> None:
        """See `Store.put_thread`."""
        expires_at = number(self._clock() + THREAD_KEPT_S)
        row = {**_thread_key(thread), "context": text(context), "expires_at": expires_at}
        self._table.call("PutItem", Item=row)

    def get_thread(self, thread: ThreadKey) -> str | None:
        """See `Store.get_thread`."""
        row = self._table.call("GetItem", Key=_thread_key(thread), ConsistentRead=True).get("Item")
        if row is None or not is_live(row, self._clock()):
            return None
        return str(row["context"]["S"])


def _thread_key(thread: ThreadKey) -> Attributes:
    return row_key("thread", thread.team, thread.channel, thread.ts)
