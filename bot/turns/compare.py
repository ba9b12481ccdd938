"""Several ways side by side (models, GPUs, types, dtypes, regions …), each with its pick."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.reply import Reply
from bot.turns.pick import card_reply, recommendation_of
from bot.turns.turn import Turn
from catalog.units import BYTES_PER_GIB, gb
from engine.explain import Explanation
from engine.reasons import quantity
from engine.result import Pick, Recommendation
from engine.workload import Workload

COLUMNS = (
    "instances",
    "instance_type",
    "weights_gb",
    "usd_per_hour",
    "usd_total",
    "ttft_ms",
    "tpot_ms",
    "time_h",
)
MOST_COMPARED = 6
FEWEST_COMPARED = 2
# A field that takes another's place: comparing GPUs must not keep the one instance named, …
CLEARED = {"models": ("model",), "instance": ("gpu", "allow"), "gpu": ("instance", "allow")}


def compare_turn(turn: Turn) -> Reply:
    """Return one card for the first of the things compared, headed by a line over all of them."""
    variants = variants_of(turn.workload, turn.understanding.alternatives)
    groups = [] if variants else _groups_of(turn.workload)
    variants = variants or groups
    results = [(name, recommendation_of(_about(turn, workload))) for name, workload in variants]
    if not results:
        return card_reply(turn, recommendation_of(turn))
    rows = [{"name": name, "values": _values(result)} for name, result in results]
    text = "; ".join(_line(name, result) for name, result in results)
    explanation = Explanation(" and ".join(name for name, _ in results), "compared", (), text)
    shown = next((result for _, result in results if result.picks), results[0][1])
    if groups:  # one search over all of them has its own runner-up
        shown = recommendation_of(turn)
    reply = card_reply(turn, shown, explanation)
    comparison: dict[str, Any] = {"columns": list(COLUMNS), "rows": rows}
    return replace(reply, comparison=comparison)


def variants_of(
    workload: Workload, alternatives: Mapping[str, tuple[object, ...]]
) -> list[tuple[str, Workload]]:
    """Return what is compared as (name, workload) pairs, in the order named."""
    compared: dict[str, tuple[object, ...]] = {"model": workload.models or (), **alternatives}
    several = [(field, values) for field, values in compared.items() if len(values) > 1]
    if not several:
        return []
    chosen, values = several[0]
    workload = replace(workload, models=None)
    cleared: dict[str, Any] = dict.fromkeys(CLEARED.get(chosen, ()))
    return [
        (str(value), replace(workload, **(cleared | {chosen: value})))
        for value in values[:MOST_COMPARED]
    ]


def _groups_of(workload: Workload) -> list[tuple[str, Workload]]:
    """Return each of several families (or groups) named, on its own; none where fewer than two."""
    groups = workload.allow or ()
    if len(groups) < FEWEST_COMPARED:
        return []
    return [(name, replace(workload, allow=(name,))) for name in groups[:MOST_COMPARED]]


def _about(turn: Turn, workload: Workload) -> Turn:
    return replace(turn, understanding=replace(turn.understanding, workload=workload))


def _values(result: Recommendation) -> list[object]:
    pick = _shown(result)
    if pick is None:
        return [None] * len(COLUMNS)
    served, trained = pick.estimate.performance, pick.estimate.training
    return [
        pick.instances,
        pick.instance.instance_type,
        _weights_gb(pick),
        pick.cost.usd_per_hour,
        pick.cost.usd_total,
        served.ttft_ms.value if served and served.ttft_ms else None,
        served.tpot_ms.value if served and served.tpot_ms else None,
        trained.time_h.value if trained and trained.time_h else None,
    ]


def _shown(result: Recommendation) -> Pick | None:
    """Return the pick that stands for one side; a named type that will not do has none."""
    if result.asked is not None:
        return result.asked
    return result.picks[0] if result.picks and result.asked_rejection is None else None


def _weights_gb(pick: Pick) -> float:
    """Return the weights of one replica in GB, all its accelerators (Neuron: cores) together."""
    plan = pick.estimate.plan
    ways = plan.tensor_parallel * plan.pipeline_parallel
    return gb(pick.estimate.memory.weights * ways * BYTES_PER_GIB)


def _line(name: str, result: Recommendation) -> str:
    pick = _shown(result)
    if pick is None:
        why = result.asked_rejection or result.nearest_rejection
        return f"{name}: no ({why.detail})" if why is not None else f"{name}: nothing fits"
    price = pick.cost.usd_per_hour
    cost = "unpriced" if price is None else quantity(price, "USD/h")
    weights = quantity(_weights_gb(pick), "GB")
    parts = [f"{pick.instances}x {pick.instance.instance_type}", cost, f"{weights} of weights"]
    served = pick.estimate.performance
    if served is not None and served.tpot_ms is not None and served.ttft_ms is not None:
        parts.append(f"first token {quantity(served.ttft_ms.value, 'ms')}")
        parts.append(f"per token {quantity(served.tpot_ms.value, 'ms')}")
    if pick.cost.usd_total is not None:
        parts.append(f"{quantity(pick.cost.usd_total, 'USD')} in total")
    return f"{name}: {', '.join(parts)}"
