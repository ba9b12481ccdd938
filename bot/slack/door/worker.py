"""Behind the acknowledgement: takes jobs off the queue and sees each to an answer or an apology."""

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.slack.door.redact import redacted
from bot.slack.posting.post import NotDeliveredError, RateLimitedError, SlackUnavailableError
from bot.slack.talk.slack_turn import SlackTurn, turn_of
from bot.store.store import Inbox, Job, Lease, Payload

logger = logging.getLogger(__name__)

# Two posts and two tries of the response_url at ten seconds each, and room for the pick.
LEASE_S = 60.0
MAX_ATTEMPTS = 5
FIRST_RETRY_S = 2.0  # doubles with each attempt
MAX_AGE_S = 30 * 60.0  # a response_url ends then, and so does anybody's patience
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
        if lease.attempts > MAX_ATTEMPTS:  # it took the process down with it, again and again
            self._give_up(lease, f"no answer after {MAX_ATTEMPTS} attempts")
        else:
            self._attempt(lease)
        return True

    def _attempt(self, lease: Lease) -> None:
        """Run the job. Only what a later try can mend is tried again."""
        try:
            self.run(lease.job.body)
        except RateLimitedError as error:
            self._wait(lease, error)
        except SlackUnavailableError as error:
            self._try_again(lease, error)
        except NotDeliveredError as error:
            logger.warning("no way to the user of job %s: %s", reference(lease.job), error)
            self.queue.bury(lease, redacted(f"not delivered: {error}"))
        except Exception as error:
            logger.exception("job %s failed", reference(lease.job))
            self._give_up(lease, f"{type(error).__name__}: {error}")
        else:
            self.queue.finish(lease)

    def _wait(self, lease: Lease, error: RateLimitedError) -> None:
        """Put the job back for as long as Slack asks; that counts as no attempt of its own."""
        if self.clock() + error.retry_after_s - lease.sent_at > MAX_AGE_S:
            self._give_up(lease, f"still {error} after {MAX_AGE_S / 60:g} min")
        else:
            self.queue.retry(lease, error.retry_after_s, counted=False)

    def _try_again(self, lease: Lease, error: SlackUnavailableError) -> None:
        if lease.attempts >= MAX_ATTEMPTS:
            self._give_up(lease, f"Slack unavailable in {MAX_ATTEMPTS} attempts: {error}")
        else:
            self.queue.retry(lease, FIRST_RETRY_S * 2 ** (lease.attempts - 1))

    def _give_up(self, lease: Lease, reason: str) -> None:
        logger.error("job %s is given up: %s", reference(lease.job), reason)
        self.queue.bury(lease, redacted(reason))
        turn = turn_of(lease.job.body)
        if turn is not None:
            self.apologise(turn, reference(lease.job))


def reference(job: Job) -> str:
    """Return the short name of a job that log, dead letter and apology share."""
    return hashlib.sha256(job.key.encode()).hexdigest()[:8]


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
