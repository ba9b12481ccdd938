"""Several models side by side: each with its own pick."""

from dataclasses import replace
from typing import Any

from bot.conversation import Turn
from bot.reply import Reply
from bot.turns.pick import card_reply, recommendation_of
from catalog.units import BYTES_PER_GIB, gb
from engine.explain import Explanation
from engine.reasons import quantity
from engine.result import Pick, Recommendation

COLUMNS = ("instances", "instance_type", "weights_gib", "usd_per_hour", "ttft_ms", "tpot_ms")


def compare_turn(turn: Turn) -> Reply:
    """Return one card for the first model and a table over all of them."""
    names = turn.workload.models or ()
    results = [(name, recommendation_of(_about(turn, name))) for name in names]
    if not results:
        return card_reply(turn, recommendation_of(turn))
    rows = [{"name": name, "values": _values(result)} for name, result in results]
    text = "; ".join(_line(name, result) for name, result in results)
    explanation = Explanation(" and ".join(names), "compared", (), text)
    reply = card_reply(turn, results[0][1], explanation)
    comparison: dict[str, Any] = {"columns": list(COLUMNS), "rows": rows}
    return replace(reply, comparison=comparison)


def _about(turn: Turn, name: str) -> Turn:
    workload = replace(turn.workload, model=name, models=None)
    return replace(turn, understanding=replace(turn.understanding, workload=workload))


def _values(result: Recommendation) -> list[object]:
    if not result.picks:
        return [None] * len(COLUMNS)
    pick = result.picks[0]
    timed = pick.estimate.performance
    return [
        pick.instances,
        pick.instance.instance_type,
        _total_weights_gib(pick),
        pick.cost.usd_per_hour,
        timed.ttft_ms.value if timed and timed.ttft_ms else None,
        timed.tpot_ms.value if timed and timed.tpot_ms else None,
    ]


def _total_weights_gib(pick: Pick) -> float:
    """Return the weights of one replica, all its accelerators (Neuron: cores) together."""
    plan = pick.estimate.plan
    return pick.estimate.memory.weights * plan.tensor_parallel * plan.pipeline_parallel


def _line(name: str, result: Recommendation) -> str:
    if not result.picks:
        return f"{name}: nothing fits"
    pick = result.picks[0]
    price = pick.cost.usd_per_hour
    cost = "unpriced" if price is None else quantity(price, "USD/h")
    weights = quantity(gb(_total_weights_gib(pick) * BYTES_PER_GIB), "GB")
    return f"{name}: {weights} of weights, {pick.instances}x {pick.instance.instance_type}, {cost}"
