"""The worker on Lambda: jobs from SQS, each seen to an answer, a later try or the dead letters."""

import logging
import os
import time
from typing import Any

from bot.aws.client import Patience
from bot.lambdas import sandbox
from bot.lambdas.log import emit, log_as_json
from bot.store.dynamodb_items import DynamoDbItems
from bot.store.location import DEAD_LETTER_URL
from bot.store.sqs_queue import SqsLeases
from bot.store.store import Lease

PATIENCE = Patience()
SECRETS = sandbox.secrets(PATIENCE)
TABLE = sandbox.table(PATIENCE)
log_as_json(SECRETS.values)
HOUSE = sandbox.house(SECRETS, TABLE)
SQS, QUEUE = sandbox.queue_client(PATIENCE)

# Two posts and two tries of the response_url at ten seconds each, and room for the pick.
NEEDED_MS = 45_000

logger = logging.getLogger(__name__)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's own
    """Handle a batch and return the messages that SQS shall hand out again.

    A message after a failed one of its group waits with it: the turns of a thread keep their order.
    """
    failed: list[str] = []
    held: set[str] = set()
    for record in event["Records"]:
        group = record["attributes"].get("MessageGroupId", record["messageId"])
        late = failed and context.get_remaining_time_in_millis() < NEEDED_MS
        if late or group in held or not _message_handled(record):
            failed.append(record["messageId"])
            held.add(group)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _message_handled(record: dict[str, Any]) -> bool:
    """Return whether the message is done with, so that SQS may delete it."""
    start = time.time()
    queue = OneMessage(record)
    try:
        HOUSE.worker(queue).run_once()
    except Exception:
        logger.exception("a message could not be handled")
        queue.outcome = "Failed"
    waited_s = start - int(record["attributes"]["SentTimestamp"]) / 1000
    spent = {"WaitedMs": 1000 * waited_s, "AnswerMs": 1000 * (time.time() - start)}
    emit("worker", {queue.outcome: 1}, spent)
    return queue.outcome in ("Answered", "Buried")


class OneMessage(SqsLeases):
    """`Inbox` of the one message that Lambda has received, and will delete if we are done."""

    def __init__(self, record: dict[str, Any]) -> None:
        dead_letters = os.environ[DEAD_LETTER_URL]
        super().__init__(SQS, QUEUE, dead_letters, DynamoDbItems(TABLE))
        self._record = record
        self.outcome = "Failed"

    def receive(self, lease_s: float) -> Lease | None:  # noqa: ARG002 - the queue's own visibility
        """See `Inbox.receive`."""
        record = self._record
        return self.lease(record["body"], record["receiptHandle"], record["attributes"])

    def finish(self, lease: Lease) -> None:  # noqa: ARG002 - Lambda deletes it
        """See `Inbox.finish`."""
        self.outcome = "Answered"

    def retry(self, lease: Lease, delay_s: float, *, counted: bool = True) -> None:
        """See `Inbox.retry`."""
        super().retry(lease, delay_s, counted=counted)
        self.outcome = "Retried"

    def bury(self, lease: Lease, reason: str) -> None:
        """See `Inbox.bury`."""
        super().bury(lease, reason)
        self.outcome = "Buried"

    def idle_s(self) -> float | None:
        """See `Inbox.idle_s`."""
        return 0.0
