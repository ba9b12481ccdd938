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
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.answers.world import World
    from engine.core.workload import Workload

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a script, from anywhere

REQUEST = "inference 7B latency<100ms"
COLD_RUNS = 7
WARM_RUNS = 75  # a moment in which the machine is busy elsewhere is then no median
ESTIMATES_PER_S = 4000
PICK_MS = 20


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


def pick_ms(said: "Workload", world: "World") -> float:
    """Return the time of one pick in ms: every type in every plan, ranked and explained."""
    from engine.ask import model_of
    from engine.core.assumptions import fill
    from engine.core.question import Question
    from engine.pick.recommend import answer, evaluate

    model, _ = model_of(said, world.catalog)
    workload, _ = fill(said, model, world.catalog.use_cases, default_region=world.default_region)
    question = Question(
        workload=workload,
        said=said,
        model=model,
        catalog=world.catalog,
        coefficients=world.coefficients,
    )
    return warm_ms(lambda: answer(question, evaluate(question), top=3))


def report(name: str, value: float, limit: float, unit: str = "ms") -> None:
    """Print one figure beside its limit, and how much room is left to it."""
    good = value <= limit
    print(
        f"{name:44s} {value:9.1f} {unit}  limit {limit:g} {unit}  {limit / value:5.1f}x room"
        f"{'' if good else '  OVER'}"
    )


def report_rate(name: str, rate: float) -> None:
    """Print one rate beside the least it is held to."""
    under = "" if rate >= ESTIMATES_PER_S else "  UNDER"
    room = rate / ESTIMATES_PER_S
    print(f"{name:44s} {rate:9,.0f} /s  least {ESTIMATES_PER_S:,} /s  {room:5.1f}x room{under}")


def report_estimates(world: "World") -> None:
    """Print the rate of each kind of estimate, and a peer's beside it where it is installed."""
    from benchmarks.estimate_speed import estimates_per_second, kinds, peer_seconds

    rates = {name: estimates_per_second(plans, world) for name, plans in kinds()}
    for name, rate in rates.items():
        report_rate(f"estimates: {name}", rate)
    peer = peer_seconds()
    if peer is not None:
        ours = rates["GPU, dense, closed"]
        print(f"aiconfigurator, one estimate: {peer:.2f} s, {peer * ours:,.0f} times as long")


def report_growth(world: "World") -> None:
    """Print how the time of a pick grows with the catalog."""
    from benchmarks.pick_growth import table

    for kind, count, ms in table(world):
        print(f"pick with {count:5d} {kind:6s} {ms:26.1f} ms")


def main() -> int:
    """Measure everything and print it; a slow or busy machine is not a fault of the code."""
    from bot.answers.world import load_world
    from bot.conversation.conversation import answer
    from bot.language.parse import parse
    from engine.ask import ask

    world = load_world()
    said = parse(REQUEST, world.catalog).workload
    report("whole command, cold process", cold_wall_ms(sys.executable, "-m", "bot", REQUEST), 700)
    report("whole catalog, cold process", catalog_load_ms(), 60)
    report("parse", warm_ms(lambda: parse(REQUEST, world.catalog)), 5)
    report("pick (every type x plan), warm", pick_ms(said, world), PICK_MS)
    report(
        "answer: pick, other readings, advice, warm",
        warm_ms(lambda: ask(said, world.catalog, world.coefficients, world.guides)),
        60,
    )
    report("turn: text to reply, warm", warm_ms(lambda: answer(REQUEST, world).blocks), 100)
    report_estimates(world)
    report_growth(world)
    return 0


if __name__ == "__main__":
    sys.exit(main())
