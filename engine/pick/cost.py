"""From a price and an estimate to what the work costs. The only place where money meets rates."""

from dataclasses import replace
from typing import Final, Literal

from catalog.facts.schema import Quote
from catalog.facts.units import HOURS_PER_MONTH, HOURS_PER_YEAR
from engine.core.estimate import Figure, Performance, TrainingPerformance
from engine.core.result import Cost
from engine.core.workload import Workload

NO_COST = Cost(usd_per_hour=None, usd_per_month=None, usd_per_million_tokens=None, usd_total=None)
CountedTokens = Literal["output", "total", "none"]
SECONDS_PER_HOUR = 3600.0
HOURS_PER_DAY, DAYS_PER_WEEK = 24.0, 7.0
PAID_ALWAYS: Final = frozenset({"reserved", "savings_plan", "capacity_block"})
# Billed before the first step: the node starts, pulls an image of some 10 GB and loads the weights.
# A quarter of an hour is what that usually takes; without it a cluster would win every short job.
SET_UP_H = 0.25


def hourly_usd(quote: Quote, instances: int) -> float | None:
    """Return USD per hour for all instances of a plan; None where the type is unpriced."""
    return None if quote.usd_per_hour is None else quote.usd_per_hour * instances


def serving_cost(
    quote: Quote,
    instances: int,
    full_load: Performance | None,
    *,
    asked: Performance | None = None,
    in_tokens: bool = True,
) -> Cost:
    """Return what serving costs, per million at the asked load and at the plan's own full load.

    Every hour is paid, however much of it is idle: the asked load is what a million really costs.
    Output tokens are counted where the model writes any, requests' input tokens otherwise; work
    that has no tokens (images) is counted in requests only: `in_tokens` is False.
    """
    per_hour = hourly_usd(quote, instances)
    if per_hour is None:
        return NO_COST
    rate, counted = _token_rate(full_load) if in_tokens else (None, "none")
    asked_rate, _ = _token_rate(asked) if in_tokens else (None, "none")
    requests = full_load.requests_per_s if full_load is not None else None
    return Cost(
        usd_per_hour=per_hour,
        usd_per_month=per_hour * HOURS_PER_MONTH,
        usd_per_million_tokens=_usd_per_million(per_hour, asked_rate),
        usd_per_million_tokens_full_load=_usd_per_million(per_hour, rate),
        usd_total=None,
        tokens_counted=counted,
        usd_per_million_requests=_usd_per_million(per_hour, requests),
    )


def _token_rate(full_load: Performance | None) -> tuple[Figure | None, CountedTokens]:
    if full_load is None:
        return None, "none"
    if full_load.output_tokens_per_s is not None:
        return full_load.output_tokens_per_s, "output"
    return full_load.total_tokens_per_s, "none" if full_load.total_tokens_per_s is None else "total"


def _usd_per_million(per_hour: float, rate: Figure | None) -> float | None:
    return None if rate is None else 1e6 * per_hour / SECONDS_PER_HOUR / rate.value


def training_cost(
    quote: Quote, instances: int, training: TrainingPerformance, accelerators: int
) -> Cost:
    """Return what the whole job costs, set-up included, and what a million trained tokens cost."""
    per_hour = hourly_usd(quote, instances)
    if per_hour is None:
        return NO_COST
    cluster_tokens_per_s = training.tokens_per_s_per_accelerator.value * max(1, accelerators)
    per_million = 1e6 * per_hour / SECONDS_PER_HOUR / cluster_tokens_per_s
    return Cost(
        usd_per_hour=per_hour,
        usd_per_month=per_hour * HOURS_PER_MONTH,
        usd_per_million_tokens=per_million,
        usd_per_million_tokens_full_load=per_million,
        usd_total=None
        if training.time_h is None
        else per_hour * (training.time_h.value + SET_UP_H),
        tokens_counted="total",
    )


def cost_as_run(cost: Cost, quote: Quote, workload: Workload) -> Cost:
    """Return the cost with what a month comes to of a job's runs, or of a part of the week.

    Of a capacity block for so many days it has what the block costs.

    What is committed to is paid for every hour of the week. USD a month of 730 h.
    """
    runs, hours = workload.runs_per_month, workload.duty_h_per_day
    if cost.usd_total is not None or workload.runs_per_month is not None:
        of_runs = None if runs is None or cost.usd_total is None else runs * cost.usd_total
        return replace(cost, usd_per_month_as_run=of_runs, runs_per_month=runs)
    if quote.market == "capacity_block" and workload.term_years and cost.usd_per_hour is not None:
        return replace(cost, usd_total=cost.usd_per_hour * workload.term_years * HOURS_PER_YEAR)
    part_of_week = hours is not None and hours < HOURS_PER_DAY and quote.market not in PAID_ALWAYS
    if hours is None or cost.usd_per_month is None or not part_of_week:
        return cost
    month = cost.usd_per_month * hours / HOURS_PER_DAY
    return replace(cost, usd_per_month_as_run=month, hours_per_week=hours * DAYS_PER_WEEK)
