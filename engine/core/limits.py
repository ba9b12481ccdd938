"""Holds each stated limit against the figure it limits."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from engine.core.estimate import Basis, Estimate, Figure, Performance
from engine.core.result import Cost, LimitCheck
from engine.core.workload import Workload

LOAD_FIELD = "requests_per_s"
LATENCY_FIGURE = {"ttft": "ttft_ms", "per_token": "tpot_ms", "e2e": "e2e_ms"}


def latency_limits(workload: Workload) -> dict[str, tuple[str, float]]:
    """Return every latency limit by its figure: the workload's field for it, and ms.

    Each figure has a limit of its own: one for the first token leaves that per token in place.
    """
    limits: dict[str, tuple[str, float]] = {}
    if workload.latency_ms is not None:
        figure = LATENCY_FIGURE[workload.latency_kind or "e2e"]
        limits[figure] = "latency_ms", workload.latency_ms
    if workload.first_token_ms is not None:
        limits.setdefault("ttft_ms", ("first_token_ms", workload.first_token_ms))
    if workload.per_token_ms is not None:
        limits.setdefault("tpot_ms", ("per_token_ms", workload.per_token_ms))
    return limits


def without_limits(said: Workload) -> Workload:
    """Return what was said without the latency limits: the work itself."""
    return replace(said, latency_ms=None, latency_kind=None, first_token_ms=None, per_token_ms=None)


def assumed_limits(workload: Workload, said: Workload) -> frozenset[str]:
    """Return the figures whose latency limit nobody said."""
    limits = latency_limits(workload)
    return frozenset(figure for figure, (name, _) in limits.items() if getattr(said, name) is None)


def gave_limits_up(workload: Workload, said: Workload) -> bool:
    """Return whether somebody waits for text and no limit is held: nothing met the usual ones."""
    waits = workload.mode != "batch" and workload.task == "inference" and workload.output_tokens
    return bool(waits) and not latency_limits(workload) and said.items is None


def limit_checks(
    workload: Workload,
    estimate: Estimate,
    cost: Cost,
    *,
    by_middle: frozenset[str] = frozenset(),
) -> tuple[LimitCheck, ...]:
    """Return one check per stated limit whose figure is known.

    A measured figure is held by its middle, and called tight where its range crosses the limit. One
    that rests on no measurement of its hardware is held by the end of its range, but for those of
    `by_middle`.
    """
    performance, training, job = estimate.performance, estimate.training, estimate.job
    checks = []
    if performance is not None:
        checks = latency_checks(workload, performance, by_middle=by_middle)
        checks += _load_checks(workload, performance)
    if training is not None and workload.deadline_h is not None:
        _hold_limit(checks, "time_h", workload.deadline_h, training.time_h, training.basis)
    if job is not None and performance is not None and workload.deadline_h is not None:
        basis: Basis = "measured_class" if "time_h" in by_middle else performance.basis
        _hold_limit(checks, "time_h", workload.deadline_h, job.time_h, basis)
    for name, limit in _budgets(workload):
        value = getattr(cost, name)
        if value is not None:
            checks.append(LimitCheck(name, limit, value, "misses" if value > limit else "meets"))
    return tuple(checks)


def latency_checks(
    workload: Workload, performance: Performance, *, by_middle: frozenset[str] = frozenset()
) -> list[LimitCheck]:
    """Return one check per limited latency whose figure is known."""
    checks: list[LimitCheck] = []
    for name, (_, limit) in latency_limits(workload).items():
        basis: Basis = "measured_class" if name in by_middle else performance.basis
        _hold_limit(checks, name, limit, getattr(performance, name), basis)
    return checks


def _load_checks(workload: Workload, performance: Performance) -> list[LimitCheck]:
    """Return the asked rate against what may arrive, where that leaves less than is planned with.

    Above the rate at which queues grow it is missed, above what is planned for tight.
    """
    asked, steady = workload.rps, performance.steady_requests_per_s
    planned = performance.planned_requests_per_s
    if asked is None or steady is None or planned is None or asked <= planned:
        return []
    verdict: Literal["misses", "tight"] = "misses" if asked > steady else "tight"
    return [LimitCheck(LOAD_FIELD, asked, steady, verdict)]


def _hold_limit(
    checks: list[LimitCheck], name: str, limit: float, figure: Figure | None, basis: Basis
) -> None:
    if figure is None:
        return
    held = figure.value if basis == "measured_class" else figure.high
    if held > limit:
        checks.append(LimitCheck(name, limit, figure.value, "misses", figure.high))
    elif figure.high > limit:
        checks.append(LimitCheck(name, limit, figure.value, "tight", figure.high))
    else:
        checks.append(LimitCheck(name, limit, figure.value, "meets"))


def _budgets(workload: Workload) -> list[tuple[str, float]]:
    """Return the budgets that were said, by the cost they limit.

    An hourly budget stands beside a monthly one only because it follows from it.
    """
    budgets = []
    if workload.budget_usd_per_month is not None:
        budgets.append(("usd_per_month", workload.budget_usd_per_month))
    elif workload.budget_usd_per_hour is not None:
        budgets.append(("usd_per_hour", workload.budget_usd_per_hour))
    if workload.budget_usd_total is not None:
        budgets.append(("usd_total", workload.budget_usd_total))
    return budgets


def limits_money(workload: Workload) -> bool:
    """Return whether a budget is among the limits: then types of one machine are judged apart."""
    return bool(_budgets(workload))


def meets(checks: Sequence[LimitCheck]) -> bool:
    """Return whether no limit is missed (a plain loop: asked of every type)."""
    for check in checks:  # noqa: SIM110
        if check.verdict == "misses":
            return False
    return True


def worst_miss(checks: tuple[LimitCheck, ...]) -> LimitCheck | None:
    """Return the limit missed by the largest factor, if any."""
    worst = None
    for check in checks:
        if check.verdict == "misses" and (worst is None or check.used > worst.used):
            worst = check
    return worst
