"""Claims and threads in DynamoDB."""

import time
from collections.abc import Callable

from bot.store.dynamodb import Attributes, Table, is_live, number, row_key, text
from bot.store.store import CLAIM_KEPT_S, THREAD_KEPT_S, DeliveryClaim, ThreadKey


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
        row = {**_thread(thread), "context": text(context), "expires_at": expires_at}
        self._table.call("PutItem", Item=row)

    def get_thread(self, thread: ThreadKey) -> str | None:
        """See `Store.get_thread`."""
        row = self._table.call("GetItem", Key=_thread(thread), ConsistentRead=True).get("Item")
        if row is None or not is_live(row, self._clock()):
            return None
        return str(row["context"]["S"])


def _thread(thread: ThreadKey) -> Attributes:
    return row_key("thread", thread.team, thread.channel, thread.ts)
