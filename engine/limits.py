"""Holds each stated limit against the figure it limits."""

from engine.estimate import Estimate, Figure
from engine.result import Cost, LimitCheck
from engine.workload import Workload

LATENCY_FIGURE = {"ttft": "ttft_ms", "per_token": "tpot_ms", "e2e": "e2e_ms"}


def limit_checks(workload: Workload, estimate: Estimate, cost: Cost) -> tuple[LimitCheck, ...]:
    """Return one check per stated limit whose figure is known."""
    # An hourly budget stands beside a monthly one only because it follows from it.
    hourly = None if workload.budget_usd_per_month else workload.budget_usd_per_hour
    checks = [
        _latency(workload, estimate),
        _first_token(workload, estimate),
        _money("usd_per_hour", hourly, cost.usd_per_hour),
        _money("usd_per_month", workload.budget_usd_per_month, cost.usd_per_month),
        _money("usd_total", workload.budget_usd_total, cost.usd_total),
        _deadline(workload, estimate),
    ]
    return tuple(check for check in checks if check is not None)


def _latency(workload: Workload, estimate: Estimate) -> LimitCheck | None:
    if workload.latency_ms is None or workload.latency_kind is None:
        return None
    if estimate.performance is None:
        return None
    name = LATENCY_FIGURE[workload.latency_kind]
    figure: Figure | None = getattr(estimate.performance, name)
    if figure is None:
        return None
    return _against(name, workload.latency_ms, figure)


def _first_token(workload: Workload, estimate: Estimate) -> LimitCheck | None:
    if workload.first_token_ms is None or estimate.performance is None:
        return None
    figure = estimate.performance.ttft_ms
    return None if figure is None else _against("ttft_ms", workload.first_token_ms, figure)


def _against(name: str, limit: float, figure: Figure) -> LimitCheck:
    if figure.value > limit:
        return LimitCheck(name, limit, figure.value, "misses")
    return LimitCheck(name, limit, figure.value, "tight" if figure.high > limit else "meets")


def _money(name: str, limit: float | None, value: float | None) -> LimitCheck | None:
    if limit is None or value is None:
        return None
    return LimitCheck(name, limit, value, "misses" if value > limit else "meets")


def _deadline(workload: Workload, estimate: Estimate) -> LimitCheck | None:
    if workload.deadline_h is None or estimate.training is None:
        return None
    time_h = estimate.training.time_h
    return None if time_h is None else _against("time_h", workload.deadline_h, time_h)
