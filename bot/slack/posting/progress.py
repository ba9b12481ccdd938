"""Progress: whoever waits longer than a second sees that work is under way."""

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Self

logger = logging.getLogger(__name__)

PATIENCE_S = 1.0  # nobody is told of less

# Seconds since the start, and what to do then; returns whether it is seen.
ProgressStep = tuple[float, Callable[[], bool]]


class Progress:
    """Takes steps from a thread of its own until one is seen, or the work has ended.

    As a context it lasts as long as the work does. Nothing is shown after its end: a sign set after
    the answer would stay.
    """

    def __init__(self, steps: Iterable[ProgressStep]) -> None:
        self._steps = tuple(steps)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self._steps:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End it, and wait for what is being shown."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        waited_s = 0.0
        for at_s, show in self._steps:
            if at_s > waited_s and self._ended.wait(at_s - waited_s):
                return
            waited_s = max(waited_s, at_s)
            if self._is_seen(show):
                return

    def _is_seen(self, show: Callable[[], bool]) -> bool:
        """Take one step. It is a courtesy: its failure is the log's alone."""
        try:
            return show()
        except Exception:
            logger.exception("progress could not be shown")
            return False
