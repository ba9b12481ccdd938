"""From a price and an estimate to what the work costs. The only place where money meets rates."""

from catalog.schema import Quote
from catalog.units import HOURS_PER_MONTH
from engine.estimate import Performance, TrainingPerformance
from engine.result import Cost

NO_COST = Cost(usd_per_hour=None, usd_per_month=None, usd_per_million_tokens=None, usd_total=None)
SECONDS_PER_HOUR = 3600.0
# Billed before the first step: the node starts, pulls an image of some 10 GB and loads the weights.
# A quarter of an hour is what that usually takes; without it a cluster would win every short job.
SET_UP_H = 0.25


def hourly_usd(quote: Quote, instances: int) -> float | None:
    """Return USD per hour for all instances of a plan; None where the type is unpriced."""
    return None if quote.usd_per_hour is None else quote.usd_per_hour * instances


def serving_cost(quote: Quote, instances: int, full_load: Performance | None) -> Cost:
    """Return what serving costs; the per-million figure is at the plan's own full load.

    Output tokens are counted where the model writes any, requests' input tokens otherwise.
    """
    per_hour = hourly_usd(quote, instances)
    if per_hour is None:
        return NO_COST
    rate, counted = None, "none"
    if full_load is not None and full_load.output_tokens_per_s is not None:
        rate, counted = full_load.output_tokens_per_s.value, "output"
    elif full_load is not None and full_load.total_tokens_per_s is not None:
        rate, counted = full_load.total_tokens_per_s.value, "total"
    per_million = 1e6 * per_hour / SECONDS_PER_HOUR / rate if rate else None
    return Cost(
        usd_per_hour=per_hour,
        usd_per_month=per_hour * HOURS_PER_MONTH,
        usd_per_million_tokens=per_million,
        usd_total=None,
        tokens_counted="none"
        if per_million is None
        else "output"
        if counted == "output"
        else "total",
    )


def training_cost(
    quote: Quote, instances: int, training: TrainingPerformance, accelerators: int
) -> Cost:
    """Return what the whole job costs, set-up included, and what a million trained tokens cost."""
    per_hour = hourly_usd(quote, instances)
    if per_hour is None:
        return NO_COST
    cluster_tokens_per_s = training.tokens_per_s_per_accelerator.value * max(1, accelerators)
    return Cost(
        usd_per_hour=per_hour,
        usd_per_month=per_hour * HOURS_PER_MONTH,
        usd_per_million_tokens=1e6 * per_hour / SECONDS_PER_HOUR / cluster_tokens_per_s,
        usd_total=None
        if training.time_h is None
        else per_hour * (training.time_h.value + SET_UP_H),
        tokens_counted="total",
    )
