"""Not waiting for AWS longer than an answer may: calls at once, and a source left alone."""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

FAILURES = 3  # in a row; one may be chance, and each costs somebody a second
PAUSE_S = 60.0

Name = TypeVar("Name")
Result = TypeVar("Result")


def finished_within(
    jobs: Mapping[Name, Callable[[], Result]], budget_s: float
) -> dict[Name, Result | Exception]:
    """Return what the jobs returned (or raised) within the budget; the others are missing.

    A late job goes on in its daemon thread: what it still learns may be kept for the next answer,
    and it holds up neither this one nor the end of the process.
    """
    done: queue.SimpleQueue[tuple[Name, Result | Exception]] = queue.SimpleQueue()

    def run(name: Name, job: Callable[[], Result]) -> None:
        try:
            done.put((name, job()))
        except Exception as error:  # noqa: BLE001  # handed to the caller, who tells it apart
            done.put((name, error))

    for name, job in jobs.items():
        threading.Thread(target=run, args=(name, job), daemon=True).start()
    deadline = time.monotonic() + budget_s
    finished: dict[Name, Result | Exception] = {}
    while len(finished) < len(jobs):
        try:
            name, result = done.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        finished[name] = result
    return finished


class Circuit:
    """Closed while the source answers; open for a minute after three failures in a row.

    After the pause one caller may try again: its success closes the circuit, its failure opens it
    for another pause.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Take a clock in seconds that never goes back."""
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at = 0.0

    def allows(self) -> bool:
        """Return whether a call may be made now."""
        with self._lock:
            if self._failures < FAILURES:
                return True
            if self._clock() - self._opened_at < PAUSE_S:
                return False
            self._opened_at = self._clock()  # the others wait until this trial has ended
            return True

    def record(self, *, answered: bool) -> None:
        """Note how a call ended."""
        with self._lock:
            self._failures = 0 if answered else self._failures + 1
            if self._failures >= FAILURES:
                self._opened_at = self._clock()
