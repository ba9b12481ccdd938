"""A sweep: every shard is named once, and the pages behind them find themselves."""

from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot.alerts.fan_out import FanOut, Outcome, PageAsked
from bot.store.alert_record import SHARD_DIGITS

if TYPE_CHECKING:
    from bot.alerts.poster import AlertDelivery
    from bot.answers.world import World
    from bot.store.items import Items

SHARDS: Final = tuple(f"{n:0{SHARD_DIGITS}x}" for n in range(16**SHARD_DIGITS))
EVERYTHING: Final = ""  # the shard that holds all of them, for one machine


def first_pages(sweep: str) -> Iterator[PageAsked]:
    """Return the messages that begin a sweep: however many subscriptions there are, 256."""
    return (PageAsked(sweep=sweep, shard=shard) for shard in SHARDS)


def sweep_locally(
    world: "World",
    items: "Items",
    poster: "AlertDelivery",
    has_time: Callable[[], bool] = lambda: True,
) -> dict[Outcome, int]:
    """Sweep in this process, page after page; return how many subscriptions came to what.

    What is "later", and what there is no time for, is for the next sweep: nothing waits here.
    """
    from bot.alerts.look import WorldLook

    waiting = deque([PageAsked(sweep=datetime.now(UTC).isoformat(), shard=EVERYTHING)])
    look, send = WorldLook(world), waiting.append
    house = FanOut(items=items, look=look, poster=poster, send=send, has_time=has_time)
    counts: dict[Outcome, int] = {}
    while waiting and has_time():
        for outcome, count in house.handle(waiting.popleft()).items():
            counts[outcome] = counts.get(outcome, 0) + count
    return counts
