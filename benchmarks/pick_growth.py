"""How the time of a pick grows with the instance types and the models of the catalog.

`table` is printed by `make bench`.
"""

import statistics
import time
from dataclasses import replace

from bot.answers.world import World
from bot.language.parse import parse
from engine.ask import ask
from engine.core.workload import Workload

REQUEST = "llama-3.1-8b latency<100ms"
SHARES = (0.125, 0.25, 0.5, 1.0)
COPIES = (2,)
RUNS = 9


def grown(world: World, share: float, *, models: bool = False) -> World:
    """Return the world with a share of its types (or models), repeated under new names above 1."""
    facts = world.catalog.models if models else world.catalog.instances
    kept = dict(list(facts.items())[:: max(1, round(1 / share))])
    for copy in range(1, round(share)):
        if models:
            kept |= {f"{n}~{copy}": replace(m, id=f"{n}~{copy}") for n, m in facts.items()}
        else:
            kept |= {
                f"{n}~{copy}": replace(i, instance_type=f"{n}~{copy}") for n, i in facts.items()
            }
    if models:
        kept.setdefault("llama-3.1-8b", world.catalog.models["llama-3.1-8b"])
        return replace(world, catalog=replace(world.catalog, models=kept))
    return replace(world, catalog=replace(world.catalog, instances=kept))


def pick_ms(said: Workload, world: World) -> float:
    """Return the median processor time of a warm pick in ms."""
    times = []
    for _ in range(RUNS + 1):
        start = time.process_time()
        ask(said, world.catalog, world.coefficients, world.guides)
        times.append(1e3 * (time.process_time() - start))
    return statistics.median(times[1:])


def table(world: World) -> list[tuple[str, int, float]]:
    """Return (what grows, how many, ms) for each size."""
    said, rows = parse(REQUEST, world.catalog).workload, []
    for share in (*SHARES, *COPIES):
        one = grown(world, share)
        rows.append(("types", len(one.catalog.instances), pick_ms(said, one)))
    for share in (*SHARES, *COPIES):
        one = grown(world, share, models=True)
        rows.append(("models", len(one.catalog.models), pick_ms(said, one)))
    return rows
