"""What has to be measured on new hardware before going on, from the estimates of both sides."""

from dataclasses import dataclass, replace
from typing import Literal

from engine.core.estimate import Figure
from engine.core.limits import latency_limits
from engine.core.workload import Workload
from engine.plans.sides import Side

FULL_LOAD_COST = "cost of 1M tokens at full load"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessNumber:
    """A figure of both sides, and what has to be measured on the new one to go on."""

    name: str
    unit: str
    sense: Literal["at_most", "at_least"]
    source: float | None
    target: float
    target_low: float
    target_high: float
    pass_at: float
    from_limit: bool  # `pass_at` is a limit of the workload, not the end of the estimate's range


def success_numbers(before: Side, after: Side, said: Workload) -> tuple[SuccessNumber, ...]:
    """Return what has to be measured before going on: both sides' figures, and where to pass.

    A latency passes at the stated limit, else at the upper end of the estimate's range; a rate at
    the lower end.
    """
    limits = {"ttft_ms": None, "tpot_ms": None, "e2e_ms": None} | stated_limits(said)
    rows = [
        ("first token", "ms", before.ttft_ms, after.ttft_ms, limits["ttft_ms"]),
        ("time per token", "ms", before.tpot_ms, after.tpot_ms, limits["tpot_ms"]),
        ("whole request", "ms", before.e2e_ms, after.e2e_ms, limits["e2e_ms"]),
    ]
    found = [_latency_target(*row) for row in rows]
    rates = (
        ("output rate", "tokens/s", before.output_tokens_per_s, after.output_tokens_per_s),
        ("requests", "1/s", before.requests_per_s, after.requests_per_s),
        (
            "training rate per accelerator",
            "tokens/s",
            before.tokens_per_s_per_accelerator,
            after.tokens_per_s_per_accelerator,
        ),
    )
    found += [_rate_target(*row) for row in rates]
    return tuple(number for number in (*found, _usd_per_million_target(before, after)) if number)


def stated_limits(said: Workload) -> dict[str, float | None]:
    """Return the latency limits that were said (ms), under the names of their figures."""
    kind = said.latency_kind or ("ttft" if (said.latency_ms or 0) < 1000 else "e2e")
    limits = latency_limits(replace(said, latency_kind=kind))
    return {figure: limit for figure, (_, limit) in limits.items()}


def _latency_target(
    name: str, unit: str, old: Figure | None, new: Figure | None, limit: float | None
) -> SuccessNumber | None:
    if new is None:
        return None
    return SuccessNumber(
        name=name,
        unit=unit,
        sense="at_most",
        source=None if old is None else old.value,
        target=new.value,
        target_low=new.low,
        target_high=new.high,
        pass_at=new.high if limit is None else limit,
        from_limit=limit is not None,
    )


def _rate_target(
    name: str, unit: str, old: Figure | None, new: Figure | None
) -> SuccessNumber | None:
    if new is None:
        return None
    return SuccessNumber(
        name=name,
        unit=unit,
        sense="at_least",
        source=None if old is None else old.value,
        target=new.value,
        target_low=new.low,
        target_high=new.high,
        pass_at=new.low,
        from_limit=False,
    )


def _usd_per_million_target(before: Side, after: Side) -> SuccessNumber | None:
    """Return the cost of a million tokens at full load; above the old side's nothing is saved."""
    old, new = before.usd_per_million_tokens, after.usd_per_million_tokens
    if new is None or old is None:
        return None
    rate = after.output_tokens_per_s or after.tokens_per_s_per_accelerator
    low, high = (new, new)
    if rate is not None:
        low, high = new * rate.value / rate.high, new * rate.value / rate.low
    return SuccessNumber(
        name="cost of 1M tokens trained" if after.concurrency is None else FULL_LOAD_COST,
        unit="USD",
        sense="at_most",
        source=old,
        target=new,
        target_low=low,
        target_high=high,
        pass_at=old if new <= old else high,
        from_limit=False,
    )
