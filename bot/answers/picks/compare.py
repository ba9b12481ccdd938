"""Several ways side by side (models, GPUs, types, dtypes, regions …), each with its pick."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.picks.stages import each_at_its_load, stages_turn
from bot.answers.planning import about
from bot.answers.question_asked import question_of, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from catalog.facts.units import BYTES_PER_GIB, gb
from engine.core.result import Pick, Recommendation
from engine.core.workload import Workload
from engine.pick.explain import Explanation, why_not
from engine.pick.reasons import quantity

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
AHEAD = (
    ("Cheapest an hour", "usd_per_hour"),
    ("Cheapest in total", "usd_total"),
    ("Fastest per token", "tpot_ms"),
    ("First to finish", "time_h"),
)
MOST_COMPARED = 6
FEWEST_COMPARED = 2
# A field that takes another's place: comparing GPUs must not keep the one instance named, …
CLEARED = {"models": ("model",), "instance": ("gpu", "allow"), "gpu": ("instance", "allow")}


def compare_turn(turn: Turn) -> Reply:
    """Return one card for the first of the things compared, headed by a line over all of them.

    Models of different kinds are compared where that is said, else they work together.
    """
    stages = None if turn.understanding.intent == "compare" else stages_turn(turn)
    if stages is not None:
        return stages
    variants = variants_of(turn.workload, turn.understanding.alternatives)
    variants = each_at_its_load(turn, variants)
    groups = [] if variants else _groups_of(turn.workload) or _beside_the_pick(turn)
    variants = variants or groups
    results = [
        (name, recommendation_of(_turn_about(turn, workload))) for name, workload in variants
    ]
    if not results:
        return card_reply(turn, recommendation_of(turn))
    rows = [{"name": name, "values": _side_values(result)} for name, result in results]
    text = _comparison_words(turn, results)
    explanation = Explanation(" and ".join(name for name, _ in results), "compared", (), text)
    shown = next((result for _, result in results if result.picks), results[0][1])
    if groups:  # one search over all of them has its own runner-up
        named = tuple(name for name, _ in groups)
        every = replace(turn.workload, instance=None, gpu=None, compare_family=None, allow=named)
        shown = recommendation_of(_turn_about(turn, every))
    reply = card_reply(turn, shown, explanation)
    comparison: dict[str, Any] = {"columns": list(COLUMNS), "rows": rows}
    return replace(reply, comparison=comparison)


def groups_in_words(turn: Turn) -> str:
    """Return each kind of hardware named with its pick for the turn's workload; "" below two."""
    groups = _groups_of(turn.workload)
    results = [(name, recommendation_of(_turn_about(turn, workload))) for name, workload in groups]
    return f"{told(results[0][1])}: {_comparison_words(turn, results)}" if results else ""


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
    named = [
        (_side_name(chosen, value), replace(workload, **(cleared | {chosen: value})))
        for value in values
    ]
    beside = list(workload.allow or ()) if chosen == "instance" else []
    return [*named, *_group_sides(workload, beside)][:MOST_COMPARED]


def _side_name(field: str, value: object) -> str:
    """Return what one side is called: a size as people say it."""
    return f"{value:g}B" if field == "params_b" and isinstance(value, float) else str(value)


def _groups_of(workload: Workload) -> list[tuple[str, Workload]]:
    """Return each kind of hardware named, on its own; none where fewer than two."""
    groups = _hardware_named(workload)
    return _group_sides(workload, groups) if len(groups) >= FEWEST_COMPARED else []


def _beside_the_pick(turn: Turn) -> list[tuple[str, Workload]]:
    """Return the pick's type and the one kind of hardware that is held against it."""
    named = _hardware_named(turn.workload)
    if len(named) != 1:
        return []
    open_choice = about(turn, instance=None, gpu=None, allow=None, compare_family=None)
    best = next((p.instance.instance_type for p in recommendation_of(open_choice).picks), None)
    return [] if best in {None, *named} else _group_sides(turn.workload, [str(best), *named])


def _hardware_named(workload: Workload) -> list[str]:
    named = (workload.instance, workload.gpu, workload.compare_family, *(workload.allow or ()))
    return [name for name in named if name is not None]


def _group_sides(workload: Workload, groups: list[str]) -> list[tuple[str, Workload]]:
    plain = replace(workload, instance=None, gpu=None, compare_family=None)
    return [(name, replace(plain, allow=(name,))) for name in groups[:MOST_COMPARED]]


def _turn_about(turn: Turn, workload: Workload) -> Turn:
    return replace(turn, understanding=replace(turn.understanding, workload=workload))


def _why_none(turn: Turn, name: str, result: Recommendation) -> str:
    """Return why a side has no pick: what its hardware lacks, else what came nearest."""
    told = why_not(result, name, question_of(turn, result))
    if told.verdict != "unknown":
        return told.text.rstrip(".")
    why = result.asked_rejection or result.nearest_rejection
    return "nothing fits" if why is None else why.detail


def _side_values(result: Recommendation) -> list[object]:
    pick = _shown_pick(result)
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


def _shown_pick(result: Recommendation) -> Pick | None:
    """Return the pick that stands for one side; a named type that will not do has none."""
    if result.asked is not None:
        return result.asked
    return result.picks[0] if result.picks and result.asked_rejection is None else None


def _weights_gb(pick: Pick) -> float:
    """Return the weights of one replica in GB, all its accelerators (Neuron: cores) together."""
    plan = pick.estimate.plan
    ways = plan.tensor_parallel * plan.pipeline_parallel
    return gb(pick.estimate.memory.weights * ways * BYTES_PER_GIB)


def _comparison_words(turn: Turn, results: list[tuple[str, Recommendation]]) -> str:
    """Return a line over all sides, and which is ahead in what."""
    lines = "; ".join(_side_line(turn, name, result) for name, result in results)
    rows = [
        (name, dict(zip(COLUMNS, _side_values(result), strict=True))) for name, result in results
    ]
    ahead = (_ahead(label, column, rows) for label, column in AHEAD)
    return " ".join([f"{lines}.", *filter(None, ahead), *_not_told(results)])


def _not_told(results: list[tuple[str, Recommendation]]) -> Iterator[str]:
    """Yield that a side has no price, so that nobody can tell whether it is cheaper."""
    for name, result in results:
        pick = _shown_pick(result)
        if pick is not None and pick.cost.usd_per_hour is None and pick.cost.usd_total is None:
            why = pick.quote.why_unpriced or "none is known"
            yield f"Whether {name} is cheaper cannot be told: {why}."


def _ahead(label: str, column: str, rows: list[tuple[str, dict[str, Any]]]) -> str:
    """Return the side with the lowest figure of a column; "" where two do not have it."""
    known = [(values[column], name) for name, values in rows if values[column] is not None]
    if len(known) < FEWEST_COMPARED:
        return ""
    least = min(value for value, _ in known)
    return f"{label}: {' and '.join(name for value, name in known if value == least)}."


def _side_line(turn: Turn, name: str, result: Recommendation) -> str:
    pick = _shown_pick(result)
    if pick is None:
        return f"{name}: no ({_why_none(turn, name, result)})"
    price = pick.cost.usd_per_hour
    cost = "unpriced" if price is None else quantity(price, "USD/h")
    parts = [f"{pick.instances}x {pick.instance.instance_type}", cost]
    served = pick.estimate.performance
    if served is not None:  # training shards them
        parts.append(f"{quantity(_weights_gb(pick), 'GB')} of weights")
    if served is not None and served.tpot_ms is not None and served.ttft_ms is not None:
        parts.append(f"first token {quantity(served.ttft_ms.value, 'ms')}")
        parts.append(f"per token {quantity(served.tpot_ms.value, 'ms')}")
    if pick.cost.usd_total is not None:
        parts.append(f"{quantity(pick.cost.usd_total, 'USD')} in total")
    return f"{name}: {', '.join(parts)}"
