"""Several calls at once, and not a moment longer than the budget."""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

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
