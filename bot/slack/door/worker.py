"""Behind the acknowledgement: takes jobs off the queue and sees each to an answer or an apology."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.core.errors import passes
from bot.core.names import DELIVERY
from bot.slack.door.redact import redacted
from bot.slack.posting.post import NotDeliveredError, RateLimitedError, SlackUnavailableError
from bot.slack.talk.slack_turn import SlackTurn, turn_of
from bot.store.store import Inbox, Lease, Payload

logger = logging.getLogger(__name__)

# Two posts and two tries of the response_url at ten seconds each, and room for the pick.
LEASE_S = 60.0
MAX_ATTEMPTS = 5  # that ended without a word: the job took the process down with it
FIRST_RETRY_S = 2.0  # then as long again as it has waited
MAX_RETRY_S = 120.0
MAX_AGE_S = 30 * 60.0  # a response_url ends then, and so does anybody's patience
APOLOGY_MAX_AGE_S = 2 * MAX_AGE_S  # who is told so late has long asked again
POLL_S = 5.0  # how late a job that another process queued may be noticed
RECOVERY_S = 1.0  # after a failure of the queue itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """Handles one job at a time.

    `run` runs the listeners for a payload, `apologise` tells a user that no answer will come.
    """

    queue: Inbox
    run: Callable[[Payload], object]
    apologise: Callable[[SlackTurn, str], None]
    clock: Callable[[], float] = time.time

    def run_once(self) -> bool:
        """Handle the next due job to its end; return False when there is none."""
        lease = self.queue.receive(LEASE_S)
        if lease is None:
            return False
        if lease.attempts > MAX_ATTEMPTS:
            self._give_up(lease, f"no answer after {MAX_ATTEMPTS} attempts")
        elif self._age_s(lease) > MAX_AGE_S:
            self._give_up(lease, f"no answer within {MAX_AGE_S / 60:g} min")
        else:
            self._attempt(lease)
        return True

    def _attempt(self, lease: Lease) -> None:
        """Run the job. Only what a later try can mend is tried again."""
        try:
            self.run(lease.job.body | {DELIVERY: self._delivery(lease)})
        except RateLimitedError as error:
            self._wait(lease, error.retry_after_s, error)
        except NotDeliveredError as error:
            logger.warning("no way to the user of job %s: %s", lease.job.reference, error)
            self.queue.bury(lease, redacted(f"not delivered: {error}"))
        except Exception as error:
            if can_pass(error):
                self._wait(lease, self._patience_s(lease), error)
                return
            logger.exception("job %s failed", lease.job.reference)
            self._give_up(lease, f"{type(error).__name__}: {error}")
        else:
            self.queue.finish(lease)

    def _delivery(self, lease: Lease) -> Payload:
        """Return what a turn may know of its job."""
        late_s = self._age_s(lease)
        return {"key": lease.job.key, "sent_at": lease.sent_at, "late_s": late_s}

    def _age_s(self, lease: Lease) -> float:
        return max(0.0, self.clock() - lease.sent_at)

    def _patience_s(self, lease: Lease) -> float:
        """Return how long to wait before the next try: as long again as the job has waited."""
        return min(MAX_RETRY_S, max(FIRST_RETRY_S, self._age_s(lease)))

    def _wait(self, lease: Lease, delay_s: float, error: Exception) -> None:
        """Put the job back until what is in its way has passed; that is no attempt of its own."""
        if self._age_s(lease) + delay_s > MAX_AGE_S:
            self._give_up(lease, f"still {error} after {MAX_AGE_S / 60:g} min")
        else:
            self.queue.retry(lease, delay_s, counted=False)

    def _give_up(self, lease: Lease, reason: str) -> None:
        """Own up to whoever asked, then bury the job; the apology too waits for what can pass."""
        logger.error("job %s is given up: %s", lease.job.reference, reason)
        turn = turn_of(lease.job.body)
        try:
            if turn is not None:
                self.apologise(turn, lease.job.reference)
        except Exception as error:
            if can_pass(error) and self._age_s(lease) < APOLOGY_MAX_AGE_S:
                self.queue.retry(lease, _asked_to_wait_s(error), counted=False)
                return
            logger.exception("the apology %s could not be delivered", lease.job.reference)
        self.queue.bury(lease, redacted(reason))


def can_pass(error: Exception) -> bool:
    """Return whether a later try can mend it: Slack or the state is away, or busy."""
    return isinstance(error, SlackUnavailableError | RateLimitedError) or passes(error)


def _asked_to_wait_s(error: Exception) -> float:
    return error.retry_after_s if isinstance(error, RateLimitedError) else MAX_RETRY_S


class WorkerPool:
    """Threads that run a worker until stopped. `wake` is called when a job was queued."""

    def __init__(self, worker: Worker, threads: int) -> None:
        self._worker = worker
        self._due = threading.Semaphore(0)
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._loop, name=f"worker-{n}", daemon=True)
            for n in range(threads)
        ]

    def start(self) -> None:
        """Start the threads; jobs left by an earlier process are due at once."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Let one waiting thread look for a job now."""
        self._due.release()

    def stop(self, timeout_s: float) -> bool:
        """Let running jobs end; return whether all did. Others stay in the queue."""
        self._stopping.set()
        self._due.release(len(self._threads))
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _loop(self) -> None:
        while not self._stopping.is_set():
            try:
                idle_s = self._worker.queue.idle_s()
                self._due.acquire(timeout=POLL_S if idle_s is None else min(idle_s, POLL_S))
                if not self._stopping.is_set():
                    self._worker.run_once()
            except Exception:
                logger.exception("the queue failed")
                self._stopping.wait(RECOVERY_S)
