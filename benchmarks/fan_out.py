"""`make bench`: a simulated sweep over the fan-out code, and what it comes to at any size.

Subscriptions are kept in SQLite without waiting for the disk, prices are the embedded ones, Slack
is a counter: what is measured is our own work, and how often AWS would be called.
"""

import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

from benchmarks.fan_out_cost import SCALES, Measured, cost_lines, read_units, write_units
from bot.alerts.fan_out import PAGE, FanOut, PageRequest
from bot.alerts.look import WorldLook
from bot.alerts.sweep import first_pages
from bot.answers.world import World, load_world
from bot.core.subscription import Place, Subscription
from bot.store.alert_changes import PriceNow
from bot.store.sqlite import Database, SqliteItems
from bot.store.store import Items, Page, encoded
from bot.store.subscriptions import add, identified

SUBSCRIPTIONS = 10_000
CHANGED = 0.1  # of the subscriptions, in the sweep that tells
PICKS = 0.1  # of the subscriptions watch a pick, the others a price
REQUESTS = ("inference 7B latency<100ms", "inference 70B rps=4", "finetune 8B lora")
BATCH = 10  # pages an invocation, as in serverless.yml
LEAST_PER_S = 3_000  # subscriptions looked at a second and core


@dataclass
class CountedItems:
    """`Items` that counts what DynamoDB would bill."""

    items: Items
    units: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def list_items(self, collection: str, **asked: Any) -> Page:  # noqa: ANN401
        """See `Items.list_items`: one query, billed by what it reads."""
        page = self.items.list_items(collection, **asked)
        self.units["queries"] += 1
        self.units["read units"] += read_units(sum(len(encoded(one.body)) for one in page.items))
        return page

    def get_item(self, collection: str, key: str) -> Any:  # noqa: ANN401
        """See `Items.get_item`."""
        item = self.items.get_item(collection, key)
        self.units["reads"] += 1
        self.units["read units"] += read_units(0 if item is None else len(encoded(item.body)))
        return item

    def put_item(self, collection: str, key: str, body: dict[str, Any], **more: Any) -> int | None:  # noqa: ANN401
        """See `Items.put_item`: with a topic the index is written as well."""
        self.units["writes"] += 1
        written = write_units(len(encoded(body))) * (1 if more.get("topic") is None else 2)
        self.units["write units"] += written
        return self.items.put_item(collection, key, body, **more)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.items, name)


@dataclass
class CountingPoster:
    """Slack, as far as a sweep without a network goes."""

    posts: int = 0

    def post(self, *_: object, **__: object) -> None:
        """See `Poster.post`."""
        self.posts += 1


def subscriptions(world: World, number: int, chance: random.Random) -> Iterator[Subscription]:
    """Yield subscriptions of as many workspaces as there are tens, all told the price of now."""
    look = WorldLook(world)
    types = [name for name, one in world.catalog.instances.items() if one.accelerators][:200]
    made: Iterator[Subscription] = (_subscription(n, types, chance) for n in count())
    priced = ((one, look(one)) for one in made)
    known = (
        replace(one, instance_type=seen.instance_type, instances=seen.instances,
                seen_usd_per_hour=seen.usd_per_hour, seen_on=seen.as_of)
        for one, seen in priced if seen is not None
    )  # fmt: skip
    return islice(known, number)


def _subscription(n: int, types: list[str], chance: random.Random) -> Subscription:
    picks = chance.random() < PICKS
    one = Subscription(
        id="",
        place=Place(team=f"T{n // 10:08}", channel=f"C{n:09}", user=f"U{n:09}", thread_ts="1.1"),
        watches="pick" if picks else "price",
        instance_type="" if picks else chance.choice(types),
        region="us-east-1",
        market="on_demand",
        threshold_percent=5.0,
        request=chance.choice(REQUESTS) if picks else "",
        created_at="2026-11-28T00:00:00+00:00",
    )
    return identified(one)


@dataclass
class TimedLook:
    """`Look` that keeps apart what picks take: they depend on how many different ones there are."""

    look: WorldLook
    picks_s: float = 0.0

    def __call__(self, subscription: Subscription) -> PriceNow | None:
        """See `WorldLook.__call__`."""
        start = time.process_time()
        seen = self.look(subscription)
        if subscription.watches == "pick":
            self.picks_s += time.process_time() - start
        return seen


@dataclass
class Sweep:
    """One sweep, in the batches that Lambda would hand out; `seconds` of CPU leave picks out."""

    world: World
    items: CountedItems
    poster: CountingPoster = field(default_factory=CountingPoster)
    outcomes: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    seconds: float = 0.0

    def run(self, name: str) -> "Sweep":
        """Work every page off, and return what it came to."""
        waiting = list(first_pages(name))
        start = time.process_time()
        while waiting:
            batch, waiting = waiting[:BATCH], waiting[BATCH:]
            self._work(batch, waiting.append)
        self.seconds += time.process_time() - start
        return self

    def _work(self, batch: list[PageRequest], send: Callable[[PageRequest], None]) -> None:
        look = TimedLook(WorldLook(self.world))
        house = FanOut(items=self.items, look=look, poster=self.poster, send=send)
        for asked in batch:
            self.outcomes.update(house.handle(asked))
            self.pages += 1
        self.seconds -= look.picks_s


def measured(folder: Path) -> tuple[Measured, float]:
    """Return what a sweep costs in calls and CPU, and the time of one pick in seconds."""
    world, chance = load_world(), random.Random(1)  # noqa: S311 - repeatable, not secret
    database = Database(folder / "fan_out.db")
    with database.read() as rows:
        rows.execute("PRAGMA synchronous=OFF")
    items = SqliteItems(database)
    for one in subscriptions(world, SUBSCRIPTIONS, chance):
        moved = chance.random() < CHANGED
        add(
            items,
            replace(one, seen_usd_per_hour=(one.seen_usd_per_hour or 0) * 2) if moved else one,
        )
    telling = Sweep(world, CountedItems(items)).run("tells")
    quiet = Sweep(world, CountedItems(items)).run("quiet")
    database.close()
    _report(telling, quiet)
    pick_s = _pick_s(world)
    told = telling.outcomes["told"]
    spent = {
        name: (telling.items.units[name] - quiet.items.units[name]) / told
        for name in ("read units", "write units")
    }
    return Measured(
        quiet_s=quiet.seconds / SUBSCRIPTIONS,
        quiet_read_units=quiet.items.units["read units"] / SUBSCRIPTIONS,
        told_s=max(0.0, telling.seconds - quiet.seconds) / told,
        told_read_units=spent["read units"],
        told_write_units=spent["write units"],
    ), pick_s


def _pick_s(world: World) -> float:
    look = WorldLook(world)
    one = _subscription(0, ["g6.xlarge"], random.Random(1))  # noqa: S311
    asked = [replace(one, watches="pick", request=request) for request in REQUESTS]
    start = time.process_time()
    for each in asked:
        look(each)
    return (time.process_time() - start) / len(asked)


def _report(telling: Sweep, quiet: Sweep) -> None:
    for name, sweep in (("sweep, 10 % changed", telling), ("sweep, nothing changed", quiet)):
        rate = SUBSCRIPTIONS / sweep.seconds
        under = "" if rate >= LEAST_PER_S else "  UNDER"
        print(
            f"{name:44s} {rate:9,.0f} subscriptions/s  least {LEAST_PER_S:,} /s{under}"
            f"  ({sweep.pages} pages of {PAGE}, {dict(sweep.outcomes)}, {sweep.poster.posts} posts,"
            f" {dict(sweep.items.units)})"
        )


def main() -> int:
    """Measure a sweep, and print what it comes to at every scale of docs/scaling.md."""
    with tempfile.TemporaryDirectory() as folder:
        measure, pick_s = measured(Path(folder))
    print(f"{'a pick worked out again':44s} {1000 * pick_s:9.1f} ms")
    print(f"{'a subscription, nothing changed':44s} {1000 * measure.quiet_s:9.3f} ms")
    print(f"{'an alert more':44s} {1000 * measure.told_s:9.3f} ms  {measure}")
    for scale in SCALES:
        print("\n".join(cost_lines(scale, measure, pick_s)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
