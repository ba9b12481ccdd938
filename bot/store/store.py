"""What a place to remember things must offer, in terms a conditional write can keep.

Every method is one item read or one conditional write, so the same promises hold on SQLite (one
machine) and on DynamoDB with SQS (many). Nothing here needs a transaction over two items.

Documents are small and outlive a request: saved picks, subscriptions, prices seen, installations.
One is found by collection and key, or with others of the same topic; a version guards each write.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

Payload = dict[str, Any]

DAY_S = 86_400.0
CLAIM_KEPT_S = 2 * DAY_S  # Slack's delayed retries end within a day
THREAD_KEPT_S = 90 * DAY_S

MAX_BODY_BYTES = 350_000  # as JSON; DynamoDB holds items of 400 KB, keys included
ANY_VERSION = None
ABSENT = 0  # the version to expect where the document must not exist yet


class DeliveryClaim(Enum):
    """What came of trying to claim a delivery."""

    WON = "won"  # ours to hand on
    BUSY = "busy"  # another delivery of the same thing is being handed on right now
    DONE = "done"  # it was handed on before


@dataclass(frozen=True, slots=True)
class ThreadKey:
    """A Slack thread: workspace, channel and the timestamp of the message that opened it."""

    team: str
    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of trusted work, verified and claimed by the ingress.

    `key` names the delivery (a second send of the same key is dropped), `group` orders: jobs of
    one group run one at a time, oldest first. `body` is Slack's payload, parsed.
    """

    key: str
    group: str
    body: Payload

    @property
    def reference(self) -> str:
        """The short name of a job that log, dead letter and apology share."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A job that was given up, why and when (seconds since the epoch)."""

    job: Job
    reason: str
    died_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A job in hand. `attempts` counts this one; `receipt` proves the lease is still ours."""

    job: Job
    receipt: str
    attempts: int
    sent_at: float  # seconds since the epoch


class Store(Protocol):
    """Claims and threads."""

    def claim(self, key: str, owner: str, lease_s: float) -> DeliveryClaim:
        """Return WON to exactly one of any number of racing callers.

        A claim that was never settled can be won again once its lease has ended, so a crash
        between claim and hand-over does not silence the delivery for ever.
        """

    def settle(self, key: str, owner: str) -> None:
        """Mark the claim as handed on, if `owner` still holds it."""

    def put_thread(self, thread: ThreadKey, context: str) -> None:
        """Remember `context` (the caller's own text) for a thread, replacing what was there."""

    def get_thread(self, thread: ThreadKey) -> str | None:
        """Return what was last put for the thread; None when unknown or expired."""


class Outbox(Protocol):
    """Where the ingress puts jobs."""

    def send(self, job: Job) -> None:
        """Persist the job. A key that is already waiting is not added again."""

    def idle_s(self) -> float | None:
        """Return the seconds until a job is due (0 when one is), or None when none waits."""


class Inbox(Protocol):
    """Where the worker takes jobs from: at least once, in order within a group."""

    def receive(self, lease_s: float) -> Lease | None:
        """Return the next due job, hidden from others for `lease_s` seconds; None when idle.

        A job neither finished, retried nor buried within its lease is handed out again.
        """

    def finish(self, lease: Lease) -> None:
        """Forget an answered job."""

    def retry(self, lease: Lease, delay_s: float, *, counted: bool = True) -> None:
        """Hand the job out again in `delay_s` seconds. Not counted: the try was not its fault."""

    def bury(self, lease: Lease, reason: str) -> None:
        """Move the job to the dead letters, where an operator can read why."""

    def idle_s(self) -> float | None:
        """Return the seconds until a job is due (0 when one is), or None when none waits."""


class JobQueue(Outbox, Inbox, Protocol):
    """Jobs between ingress and worker."""


class TooLargeError(ValueError):
    """The document is larger than a store can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A document as it was read. `version` counts its writes and guards the next one."""

    collection: str
    key: str
    body: Payload
    version: int
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents, and where the next page starts (None: there is none)."""

    items: tuple[Item, ...]
    after: str | None


class Items(Protocol):
    """Documents. Collection, key and topic are not empty; a body is what JSON can hold."""

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
        """Write the document and return its new version; None where another was there first.

        `version` is what must be there: ABSENT, the version that was read, or ANY_VERSION.
        After `kept_s` seconds the document counts as absent. `topic` and `kept_s` are replaced
        with each write.

        Raises:
            TooLargeError: the body exceeds MAX_BODY_BYTES.
        """

    def get_item(self, collection: str, key: str) -> Item | None:
        """Return the document; None when absent or expired."""

    def get_items(self, places: Sequence[tuple[str, str]]) -> tuple[Item | None, ...]:
        """Return the documents at up to 100 (collection, key), in their order, by one read."""

    def delete_item(self, collection: str, key: str, *, version: int | None = ANY_VERSION) -> bool:
        """Remove the document; return whether it was there (in that version)."""

    def list_items(
        self, collection: str, *, prefix: str = "", after: str | None = None, limit: int = 100
    ) -> Page:
        """Return documents whose key starts with `prefix`, by key in the order of its bytes."""

    def list_topic(self, topic: str, *, after: str | None = None, limit: int = 100) -> Page:
        """Return documents of any collection with this topic; a late write may still be missing."""


def encoded(body: Payload) -> str:
    """Return the body as the text both stores keep: JSON, so that a float stays what it was.

    Raises:
        TooLargeError: the text exceeds MAX_BODY_BYTES.
        ValueError: a number is not finite.
    """
    text = json.dumps(body, separators=(",", ":"), allow_nan=False)  # ASCII: a character a byte
    if len(text) > MAX_BODY_BYTES:
        raise TooLargeError(f"a document of {len(text)} bytes exceeds {MAX_BODY_BYTES}")
    return text


def collection_page(found: tuple[Item, ...], limit: int) -> Page:
    """Return the first `limit` of the documents found (one more means that there is more)."""
    return Page(found[:limit], found[limit - 1].key if len(found) > limit else None)


def topic_page(found: tuple[Item, ...], limit: int) -> Page:
    """Return the first `limit` of a topic's documents; its keys are told apart by collection."""
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], json.dumps([last.key, last.collection]))
