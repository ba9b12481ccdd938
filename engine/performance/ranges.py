"""The 80 % range around every figure, from what such figures missed by when left out of the fit."""

from math import exp
from typing import NamedTuple

from catalog.facts.coefficients import Coefficients, Factors, RangeKey
from engine.core.estimate import Figure

# A card no row was measured on: its class's residuals, and a quarter more on either side. Leaving
# an accelerator out of the fit widened the residuals by about that.
NOT_MEASURED_WIDENING = 1.25
TTFT_HIGH_MAX = 4.0  # beyond it the residuals are overloaded benchmark runs, not the plan


class RangeClass(NamedTuple):
    """Which residuals apply: the rows' population, the kind of load, mixture of experts."""

    population: str
    load: str
    moe: bool
    measured: bool


def range_factors(figure: str, kind: RangeClass, coefficients: Coefficients) -> Factors:
    """Return the factors of a figure ("ttft", "tpot", "e2e", "throughput").

    Where its own cell has too few rows the wider classes follow: any load of the population, then
    every row of that figure.
    """
    ranges = coefficients.ranges
    keys = (
        RangeKey(kind.population, figure, kind.load, kind.moe),
        RangeKey("inference", figure, kind.load, kind.moe),
        RangeKey(kind.population, figure, "any", None),
        RangeKey("any", figure, "any", None),
    )
    found = next(ranges[key] for key in keys if key in ranges)
    return found if kind.measured else widened(found, figure)


def widened(factors: Factors, figure: str) -> Factors:
    """Return factors for hardware or software without rows of its own."""
    high = factors.high * NOT_MEASURED_WIDENING
    low = factors.low / NOT_MEASURED_WIDENING
    return Factors(low, min(TTFT_HIGH_MAX, high) if figure == "ttft" else high)


def ranged(value: float, factors: Factors) -> Figure:
    """Return a value with its range."""
    return Figure(value, value * factors.low, value * factors.high)


def inverse(factors: Factors) -> Factors:
    """Return the factors of a time from those of its rate, or the other way round."""
    return Factors(1 / factors.high, 1 / factors.low)


def tail_factor(percentile: float | None, log_sigma: float) -> float:
    """Return a percentile of single requests over their mean, log-normally spread.

    The normal quantile is Tukey's lambda form, within 0.02 from the 1st to the 99th percentile.
    None is the mean itself.
    """
    if percentile is None:
        return 1.0
    share = min(0.999, max(0.001, percentile / 100))
    quantile = 4.91 * (share**0.14 - (1 - share) ** 0.14)
    return exp(quantile * log_sigma - log_sigma**2 / 2)
