"""What a place to remember things must offer, in terms a conditional write can keep.

Every method is one item read or one conditional write, so the same promises hold on SQLite (one
machine) and on DynamoDB with SQS (many). Nothing here needs a transaction over two items.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

Payload = dict[str, Any]

DAY_S = 86_400.0
CLAIM_KEPT_S = 2 * DAY_S  # Slack's delayed retries end within a day
THREAD_KEPT_S = 90 * DAY_S


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
