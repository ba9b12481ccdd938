"""A sweep: every shard is named once, and the pages behind them find themselves.

On one machine a thread sweeps, now and every hour, until it is stopped.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot.alerts.fan_out import AlertOutcome, FanOut, PageRequest
from bot.store.alert_record import SHARD_DIGITS

if TYPE_CHECKING:
    from bot.alerts.fan_out import AlertDelivery
    from bot.answers.world import World
    from bot.store.store import Items

SHARDS: Final = tuple(f"{n:0{SHARD_DIGITS}x}" for n in range(16**SHARD_DIGITS))
EVERYTHING: Final = ""  # the shard that holds all of them, for one machine

EVERY_S: Final = 3_600.0

logger = logging.getLogger(__name__)

# Sweeps while the function it is given says that there is time, and returns what came of it.
Sweep = Callable[[Callable[[], bool]], Mapping[AlertOutcome, int]]


def first_pages(sweep: str) -> Iterator[PageRequest]:
    """Return the messages that begin a sweep: however many subscriptions there are, 256."""
    return (PageRequest(sweep=sweep, shard=shard) for shard in SHARDS)


def sweep_locally(
    world: "World",
    items: "Items",
    poster: "AlertDelivery",
    has_time: Callable[[], bool] = lambda: True,
) -> dict[AlertOutcome, int]:
    """Sweep in this process, page after page; return how many subscriptions came to what.

    What is "later", and what there is no time for, is for the next sweep: nothing waits here.
    """
    from bot.alerts.look import WorldLook

    waiting = deque([PageRequest(sweep=datetime.now(UTC).isoformat(), shard=EVERYTHING)])
    look, send = WorldLook(world), waiting.append
    house = FanOut(items=items, look=look, poster=poster, send=send, has_time=has_time)
    counts: dict[AlertOutcome, int] = {}
    while waiting and has_time():
        for outcome, count in house.handle(waiting.popleft()).items():
            counts[outcome] = counts.get(outcome, 0) + count
    return counts


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
