"""`make bench`: how fast an answer is, each figure beside the limit it is held to.

Ratios are against a limit or a peer in the same run, so a slow machine moves both. Prints one
line a figure.
"""

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

REQUEST = "inference 7B latency<100ms"
COLD_RUNS = 7
WARM_RUNS = 15


def cold_wall_ms(*command: str) -> float:
    """Return the median wall time of a fresh process in ms."""
    times = []
    for _ in range(COLD_RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def warm_ms(work: Callable[[], object]) -> float:
    """Return the median time of a call in ms, after one call to warm up."""
    work()
    gc.collect()
    times = []
    for _ in range(WARM_RUNS):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def catalog_load_ms() -> float:
    """Return the time a fresh process needs for the whole catalog, standard library excluded."""
    script = (
        "import dataclasses, json, pathlib, time, typing; t = time.perf_counter(); "
        "from catalog.load import load_catalog; "
        "load_catalog(); print(1000 * (time.perf_counter() - t))"
    )
    runs = [
        float(
            subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout
        )
        for _ in range(COLD_RUNS)
    ]
    return statistics.median(runs)


def report(name: str, value: float, limit: float, unit: str = "ms") -> None:
    """Print one figure beside its limit, and how much room is left to it."""
    good = value <= limit
    print(
        f"{name:44s} {value:9.1f} {unit}  limit {limit:g} {unit}  {limit / value:5.1f}x room"
        f"{'' if good else '  OVER'}"
    )


def main() -> int:
    """Measure everything and print it; a slow or busy machine is not a fault of the code."""
    from bot.conversation import answer
    from bot.language.parse import parse
    from bot.world import load_world
    from engine.ask import ask

    world = load_world()
    said = parse(REQUEST, world.catalog).workload
    report("whole command, cold process", cold_wall_ms(sys.executable, "-m", "bot", REQUEST), 700)
    report("whole catalog, cold process", catalog_load_ms(), 60)
    report("parse", warm_ms(lambda: parse(REQUEST, world.catalog)), 5)
    report(
        "pick (every type x plan), warm",
        warm_ms(lambda: ask(said, world.catalog, world.coefficients, world.guides)),
        60,
    )
    report("turn: text to reply, warm", warm_ms(lambda: answer(REQUEST, world).blocks), 100)
    return 0


if __name__ == "__main__":
    sys.exit(main())
