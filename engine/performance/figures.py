"""Turns the flow through one replica into the deployment's figures with their ranges."""

from catalog.facts.coefficients import Coefficients, Factors
from engine.core.estimate import Basis, BoundBy, Figure, Performance
from engine.core.plan import Load
from engine.core.value import value
from engine.performance.closed_loop import Flow
from engine.performance.loads import DeploymentFlow
from engine.performance.ranges import ranged, tail_factor


@value
class FigureFactors:
    """The range factors of every figure of one estimate."""

    ttft: Factors
    tpot: Factors
    e2e: Factors | None  # None: what its first token and the others come to
    throughput: Factors


def serving_figures(
    outcome: DeploymentFlow,
    load: Load,
    factors: FigureFactors,
    coefficients: Coefficients,
    *,
    bound_by: BoundBy,
    basis: Basis,
    percentile: float | None,
) -> Performance:
    """Return the figures of a serving load. Single-shot work has no TTFT, TPOT or output rate."""
    flow, tail = outcome.flow, coefficients.tail
    rate = _completed_rate(outcome, load, factors.throughput)
    generates = load.output_tokens > 0
    ttft = flow.ttft_s * 1e3 * tail_factor(percentile, tail.ttft_log_sigma)
    tpot = flow.tpot_s * 1e3 * tail_factor(percentile, tail.tpot_log_sigma)
    e2e = flow.e2e_s * 1e3 * tail_factor(percentile, tail.e2e_log_sigma)
    return Performance(
        ttft_ms=ranged(ttft, factors.ttft) if generates else None,
        tpot_ms=ranged(tpot, factors.tpot) if load.output_tokens > 1 else None,
        e2e_ms=ranged(e2e, factors.e2e or _composed(flow, factors)),
        output_tokens_per_s=_scaled_rate(rate, load.output_tokens) if generates else None,
        total_tokens_per_s=_scaled_rate(rate, load.input_tokens + load.output_tokens),
        requests_per_s=rate,
        bound_by=bound_by,
        basis=basis,
        saturated=outcome.saturated,
        concurrency=outcome.concurrency,
        steady_requests_per_s=outcome.steady_per_s,
        planned_requests_per_s=outcome.planned_per_s,
    )


def _composed(flow: Flow, factors: FigureFactors) -> Factors:
    """Return the factors of a whole answer from those of its parts, each by its share of it."""
    first = flow.ttft_s / flow.e2e_s
    ttft, tpot = factors.ttft, factors.tpot
    return Factors(
        first * ttft.low + (1 - first) * tpot.low, first * ttft.high + (1 - first) * tpot.high
    )


def _completed_rate(outcome: DeploymentFlow, load: Load, factors: Factors) -> Figure:
    """Return requests/s completed. An arrival rate below the capacity is completed exactly."""
    if load.kind != "open":
        return ranged(outcome.requests_per_s, factors)
    offered = load.rps or outcome.requests_per_s
    value = outcome.requests_per_s
    low, high = outcome.capacity_per_s * factors.low, outcome.capacity_per_s * factors.high
    return Figure(value, min(value, low), max(value, min(offered, high)))


def _scaled_rate(rate: Figure, tokens: int) -> Figure:
    return Figure(rate.value * tokens, rate.low * tokens, rate.high * tokens)
