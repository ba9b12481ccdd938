"""What would bring the bill down: each change of the workload, its pick and what it saves."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from bot.answers.pick import as_fast, pick_turn, recommendation_of, shown_picks
from bot.answers.planning import about
from bot.answers.question_asked import compared, computed_reply, notes_of, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.runner_ups import misses_words
from bot.cards.table import table_view
from bot.core.errors import RequestError
from bot.core.figures import percent, usd, usd_per_hour
from bot.core.wording import machines
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.result import Number, Pick, Recommendation
from engine.pick.explain import Explanation
from engine.pick.relax import SIXTEEN_BIT_AND_WIDER

COLUMNS: Final = ("say", "pick", "cost", "a month", "saves")
COSTS: Final = frozenset({None, "cost", "max_savings"})
NOTHING: Final = "No single change makes it cheaper."
EACH_ALONE: Final = "Each line is one change alone; say several together."
WORTH_TELLING: Final = 0.02  # nobody changes anything for less


class Way(NamedTuple):
    """A change in the words that make it, and the fields that it sets."""

    say: str
    change: dict[str, Any]


def cheaper_turn(turn: Turn) -> Reply:
    """Return every change that would make the answer cheaper, the largest saving first.

    Where something else than cost was asked for, that wish is what gives way.

    Raises:
        RequestError: there is no priced pick to compare with.
    """
    if turn.workload.objective not in COSTS:
        amended = about(turn, objective="cost")
        return pick_turn(
            replace(amended, understanding=replace(amended.understanding, intent="pick"))
        )
    result = recommendation_of(turn)
    pick = next(iter(shown_picks(result)), None)
    now = None if pick is None else _compared_cost(pick)
    if pick is None or now is None:
        raise RequestError(
            "invalid_value", "The answer before has no price that could be brought down."
        )
    found = sorted(_cheaper_ways(turn, result, pick, now), key=lambda row: row[0])
    rows = [row for _, row in found]
    standing = _standing_price(result, pick, now) + ("" if rows else f" {NOTHING}")
    text = f"{_standing_price(result, pick, now)} {_ways_aloud(rows)}"
    view = table_view(
        f"Cheaper than {machines(pick.instance.instance_type, pick.instances)}",
        f"{told(result)}. {standing}",
        COLUMNS,
        rows,
        notes_of(turn, result, EACH_ALONE if rows else ""),
    )
    comparison = compared("cheaper", COLUMNS[1:], ((row[0], row[1:]) for row in rows))
    numbers = (Number("cost now", now, "USD" if _is_job(pick) else "USD/h"),)
    explanation = Explanation(short(result), "cheaper ways" if rows else "cheapest", numbers, text)
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _is_job(pick: Pick) -> bool:
    return pick.cost.usd_total is not None


def _compared_cost(pick: Pick) -> float | None:
    return pick.cost.usd_total if _is_job(pick) else pick.cost.usd_per_hour


def _standing_price(result: Recommendation, pick: Pick, now: float) -> str:
    name = machines(pick.instance.instance_type, pick.instances)
    price = f"{usd(now)} in total" if _is_job(pick) else usd_per_hour(now)
    best = result.best is not None and result.best.instance == pick.instance
    if best and (result.workload.objective or "cost") == "cost":
        return f"{name} at {price} is the cheapest that meets every limit as it stands."
    return f"{name} costs {price}."


def _cheaper_ways(
    turn: Turn, result: Recommendation, pick: Pick, now: float
) -> Iterator[tuple[float, tuple[str, ...]]]:
    for way in _ways(turn, result):
        there = recommendation_of(about(turn, **way.change))
        same = as_fast(there, result) or "latency_ms" in way.change
        best = next(iter(there.picks), None) if same else None
        cost = None if best is None else _compared_cost(best)
        if best is not None and cost is not None and cost < (1 - WORTH_TELLING) * now:
            yield cost, _way_row(way.say, best, cost, now)
    for miss in result.closest:
        cost = _compared_cost(miss)
        if miss is not pick and cost is not None and cost < (1 - WORTH_TELLING) * now:
            name = miss.instance.instance_type
            yield cost, _way_row(f"use {name}: {misses_words(miss)}", miss, cost, now)


def _way_row(say: str, pick: Pick, cost: float, now: float) -> tuple[str, ...]:
    job = _is_job(pick)
    return (
        say,
        machines(pick.instance.instance_type, pick.instances),
        f"{usd(cost)} in total" if job else usd_per_hour(cost),
        "" if job else usd(cost * HOURS_PER_MONTH),
        percent(1 - cost / now),
    )


def _ways(turn: Turn, result: Recommendation) -> Iterator[Way]:
    """Yield the changes that are open: what was chosen for the user first, then what was said."""
    workload = turn.workload
    yield from _market_ways(result)
    if workload.instance or workload.allow or workload.gpu:
        open_choice = {"instance": None, "allow": None, "gpu": None, "gpu_count": None}
        yield Way("any instance", open_choice)
    trains = result.workload.task in {"train", "finetune"}
    if trains and result.workload.task == "finetune" and result.workload.method != "qlora":
        yield Way("qlora", {"method": "qlora", "quant": "int4"})
    elif not trains and result.workload.quant in SIXTEEN_BIT_AND_WIDER:
        yield Way("fp8", {"quant": "fp8"})
        yield Way("int4", {"quant": "int4"})
    if workload.latency_ms is not None:
        limits = ("latency_ms", "latency_kind", "first_token_ms", "per_token_ms")
        yield Way("drop the latency limit", dict.fromkeys(limits))
    if workload.deadline_h is not None:
        yield Way("drop the deadline", {"deadline_h": None})
    if (workload.nodes or 1) > 1:
        yield Way("on 1 machine", {"nodes": None})
    here = result.workload.region or ""
    # Whoever named a place stays on its continent.
    for region in turn.world.catalog.low_priced_regions:
        if region != here and region[:2] == here[:2]:
            yield Way(f"in {region}", {"region": region, "regions": None})


def _market_ways(result: Recommendation) -> Iterator[Way]:
    market = result.workload.market
    if market != "spot":
        yield Way("on spot", {"market": "spot", "term_years": None})
    if result.workload.task in {"train", "finetune"}:
        return  # nobody commits for years to a run of days
    for years in (1.0, 3.0):
        if market not in {"reserved", "savings_plan"} or years > (result.workload.term_years or 1):
            for_years = f"{years:g} year{'s'[: years > 1]}"
            yield Way(f"reserved, {for_years}", {"market": "reserved", "term_years": years})


def _ways_aloud(rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return NOTHING
    return " ".join(f"“{row[0]}”: {row[1]}, {row[2]} ({row[4]} less)." for row in rows)
