"""At which limit a type becomes the best."""

from collections.abc import Callable
from dataclasses import replace
from math import sqrt

from engine.core.option import Option
from engine.core.result import LimitCheck
from engine.pick.rank import PRICE_OBJECTIVES
from engine.pick.reasons import UNIT, quantity
from engine.pick.recommend import evaluate, with_workload
from engine.pick.relax import WORKLOAD_FIELD
from engine.pick.serving import ServingEvaluator
from engine.placement.worked import Worked
from engine.what_if.capacity import contenders
from engine.what_if.levers.case import PRECISION, Case, Flip, nearest_option

LIMIT_BOUNDS = (0.01, 100.0)  # times the limit as it stands
LIMIT_STEPS = 24  # a scan this fine before bisecting: the ranking may flip back and forth


def limit_flip(case: Case) -> Flip:
    """Return the limit nearest to today's at which the group wins, or that there is none."""
    question = case.question
    field, name, unit = _limit_varied(case)
    today = getattr(question.workload, field)
    if today is None:
        return Flip(lever="limit", found=False, text="no limit is set that could move")
    worked = _worked_with_contenders(case)

    def best_at(limit: float) -> Option | None:
        return evaluate(with_workload(question, **{field: limit}), worked).best

    limit = _nearest_limit(lambda value: case.has(best_at(value)), today)
    if limit is None:
        low, high = (quantity(bound * today, unit) for bound in LIMIT_BOUNDS)
        now = quantity(today, unit)
        text = f"no limit on the {name} between {low} and {high} does (today {now})"
        return Flip(lever="limit", found=False, text=text, today=today, unit=unit)
    best = best_at(limit)
    assert best is not None  # noqa: S101 - `_nearest_limit` returns only limits that hold
    price = "unpriced" if best.usd_per_hour is None else quantity(best.usd_per_hour, "USD/h")
    text = (
        f"with a {name} limit of {quantity(limit, unit)} (today {quantity(today, unit)}) "
        f"{best.instances}x {best.instance.instance_type} is the best, at {price}"
    )
    return Flip(
        lever="limit",
        found=True,
        text=text,
        instance_type=best.instance.instance_type,
        value=limit,
        today=today,
        unit=unit,
        change={field: limit},
    )


def _worked_with_contenders(case: Case) -> Worked | None:
    """Return what is worked out already, cut to the types that could be best under some limit."""
    works, objective = case.evaluated.works, case.question.workload.objective or "cost"
    if not isinstance(works, ServingEvaluator) or objective not in PRICE_OBJECTIVES:
        return works.worked if isinstance(works, ServingEvaluator) else None
    every = [*case.evaluated.meeting, *case.evaluated.missing]
    kept = {o.instance.instance_type: o.instance for o in (*contenders(every), *case.options)}
    return replace(works.worked, candidates=(list(kept.values()), []))


def _limit_varied(case: Case) -> tuple[str, str, str]:
    """Return the workload field, name and unit of the limit that stands in the way."""
    workload = case.question.workload
    nearest = nearest_option(case.options, case.question)
    miss = nearest.worst_miss if nearest is not None else None
    if miss is not None and miss.field in WORKLOAD_FIELD:
        return WORKLOAD_FIELD[miss.field], *UNIT[miss.field]
    if case.question.trains:
        return "deadline_h", *UNIT["time_h"]
    figure = {"ttft": "ttft_ms", "per_token": "tpot_ms"}.get(workload.latency_kind or "", "e2e_ms")
    if _misses_first_token(miss, figure) and workload.first_token_ms is not None:
        return "first_token_ms", UNIT["ttft_ms"][0], "ms"
    return "latency_ms", UNIT[figure][0], "ms"


def _misses_first_token(miss: LimitCheck | None, latency_figure: str) -> bool:
    return miss is not None and miss.field == "ttft_ms" and latency_figure != "ttft_ms"


def _nearest_limit(wins: Callable[[float], bool], today: float) -> float | None:
    """Return the limit nearest to today's at which `wins` holds, None within the bounds."""
    factor = LIMIT_BOUNDS[1] ** (1 / LIMIT_STEPS)
    for step in range(1, LIMIT_STEPS + 1):
        for towards in (factor, 1 / factor):
            near, far = today * towards ** (step - 1), today * towards**step
            if wins(far):
                return _from_inside(wins, near, far)
    return None


def _from_inside(wins: Callable[[float], bool], outside: float, inside: float) -> float:
    """Return a limit just inside the flip between two neighbours, to 0.05 %."""
    while max(outside, inside) / min(outside, inside) > PRECISION:
        middle = sqrt(outside * inside)
        outside, inside = (outside, middle) if wins(middle) else (middle, inside)
    return inside
