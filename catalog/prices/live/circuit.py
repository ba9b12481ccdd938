"""Leaving a source alone that keeps failing, instead of waiting for it in every answer."""

import threading
from collections.abc import Callable

FAILURES = 3  # in a row; one may be chance, and each costs somebody a second
PAUSE_S = 60.0


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
