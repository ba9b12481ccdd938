"""The local scheduler: a thread that sweeps, now and every hour, until it is stopped."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final

from bot.alerts.fan_out import Outcome

EVERY_S: Final = 3_600.0

logger = logging.getLogger(__name__)

# Sweeps while the function it is given says that there is time, and returns what came of it.
Sweep = Callable[[Callable[[], bool]], Mapping[Outcome, int]]


class SweepTimer:
    """Runs one sweep after the other; one that fails is no reason not to try the next."""

    def __init__(self, sweep: Sweep, every_s: float = EVERY_S) -> None:
        self._sweep = sweep
        self._every_s = every_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sweeps", daemon=True)

    def start(self) -> None:
        """Start the thread; what changed while no process ran is told by its first sweep."""
        self._thread.start()

    def stop(self, timeout_s: float) -> bool:
        """Let the alert under way end; return whether it did. The rest is for the next start."""
        self._stopping.set()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            try:
                counts = self._sweep(lambda: not self._stopping.is_set())
                logger.info("sweep: %s", dict(counts) or "no alerts are set")
            except Exception:
                logger.exception("a sweep failed")
            self._stopping.wait(self._every_s)
