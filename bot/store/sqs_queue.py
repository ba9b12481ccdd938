"""Waiting jobs in an SQS FIFO queue: message groups keep a thread's turns in order.

SQS itself hands a message out again when its lease (visibility) ends, keeps later ones of its group
back meanwhile, and moves what is received too often to the dead-letter queue.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.errors import AwsError
from bot.store.dynamodb import Client
from bot.store.store import Items, Job, Lease

if TYPE_CHECKING:
    from collections.abc import Callable

UNCOUNTED = "uncounted-receives"  # the collection that remembers tries which count as none
UNCOUNTED_KEPT_S = 3_600.0
REASON = "reason"
MAX_REASON = 1_000
GONE = frozenset({"ReceiptHandleIsInvalid", "InvalidParameterValue", "MessageNotInflight"})


def sqs_message(job: Job) -> dict[str, Any]:
    """Return the message for a job. Deduplication by SQS covers five minutes; the claim, days."""
    body = {"key": job.key, "group": job.group, "body": job.body}
    return {
        "MessageBody": json.dumps(body, separators=(",", ":")),
        "MessageGroupId": _sqs_id(job.group),
        "MessageDeduplicationId": _sqs_id(job.key),
    }


def _sqs_id(name: str) -> str:
    """Return a name that SQS allows (128 characters at most), whatever `name` holds."""
    return hashlib.sha256(name.encode()).hexdigest()


def job_of(body: str) -> Job:
    """Return the job in a message.

    Raises:
        ValueError: the message is none of ours.
    """
    try:
        written = json.loads(body)
        return Job(key=written["key"], group=written["group"], body=written["body"])
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError("the message holds no job") from error


@dataclass(frozen=True, slots=True)
class SqsSender:
    """Sends jobs: all of the queue that the ingress needs."""

    client: Client
    url: str

    def send(self, job: Job) -> None:
        """See `Outbox.send`."""
        self.client.call("SendMessage", {"QueueUrl": self.url, **sqs_message(job)})

    def idle_s(self) -> float | None:
        """See `Outbox.idle_s`; SQS tells only whether a message waits, and that approximately."""
        wanted = ["ApproximateNumberOfMessages"]
        request = {"QueueUrl": self.url, "AttributeNames": wanted}
        waiting = self.client.call("GetQueueAttributes", request)["Attributes"][wanted[0]]
        return 0.0 if int(waiting) else None


class SqsLeases:
    """What may be done to a message in hand, whoever received it."""

    def __init__(self, client: Client, url: str, dead_letter_url: str, items: Items) -> None:
        self._client = client
        self._url = url
        self._dead_letter_url = dead_letter_url
        self._items = items

    def lease(self, body: str, receipt: str, attributes: dict[str, str]) -> Lease:
        """Return the lease for a received message.

        Raises:
            ValueError: the message is none of ours.
        """
        job = job_of(body)
        received = int(attributes["ApproximateReceiveCount"])
        attempts = received if received == 1 else max(1, received - self._uncounted(job))
        sent_at = int(attributes["SentTimestamp"]) / 1000
        return Lease(job=job, receipt=receipt, attempts=attempts, sent_at=sent_at)

    def finish(self, lease: Lease) -> None:
        """See `Inbox.finish`."""
        self._on_message("DeleteMessage", lease)

    def retry(self, lease: Lease, delay_s: float, *, counted: bool = True) -> None:
        """See `Inbox.retry`."""
        if not counted:
            self._items.put_item(
                UNCOUNTED,
                _sqs_id(lease.job.key),
                {"receives": self._uncounted(lease.job) + 1},
                kept_s=UNCOUNTED_KEPT_S,
            )
        self._on_message("ChangeMessageVisibility", lease, VisibilityTimeout=int(delay_s + 0.999))

    def bury(self, lease: Lease, reason: str) -> None:
        """See `Inbox.bury`."""
        message = sqs_message(lease.job)
        message["MessageAttributes"] = {
            REASON: {"DataType": "String", "StringValue": reason[:MAX_REASON] or "unknown"}
        }
        self._client.call("SendMessage", {"QueueUrl": self._dead_letter_url, **message})
        self.finish(lease)

    def _uncounted(self, job: Job) -> int:
        item = self._items.get_item(UNCOUNTED, _sqs_id(job.key))
        return 0 if item is None else int(item.body["receives"])

    def _on_message(self, action: str, lease: Lease, **request: object) -> None:
        """Act on the message while the lease is ours; a lease that ended changes nothing."""
        called = {"QueueUrl": self._url, "ReceiptHandle": lease.receipt, **request}
        try:
            self._client.call(action, called)
        except AwsError as error:
            if error.code not in GONE:
                raise


class SqsQueue(SqsLeases):
    """`Queue` over SQS for a process that fetches its own jobs. `on_send` is called on a send."""

    def __init__(self, client: Client, url: str, dead_letter_url: str, items: Items) -> None:
        super().__init__(client, url, dead_letter_url, items)
        self._sender = SqsSender(client, url)
        self.on_send: Callable[[], None] = lambda: None

    def send(self, job: Job) -> None:
        """See `Outbox.send`."""
        self._sender.send(job)
        self.on_send()

    def receive(self, lease_s: float) -> Lease | None:
        """See `Inbox.receive`."""
        answer = self._client.call(
            "ReceiveMessage",
            {
                "QueueUrl": self._url,
                "MaxNumberOfMessages": 1,
                "VisibilityTimeout": int(lease_s),
                "WaitTimeSeconds": 0,
                "MessageSystemAttributeNames": ["ApproximateReceiveCount", "SentTimestamp"],
                "AttributeNames": ["ApproximateReceiveCount", "SentTimestamp"],
            },
        )
        messages = answer.get("Messages") or []
        if not messages:
            return None
        message = messages[0]
        return self.lease(message["Body"], message["ReceiptHandle"], message["Attributes"])

    def idle_s(self) -> float | None:
        """See `Outbox.idle_s`."""
        return self._sender.idle_s()
