"""How a figure stands to its limit, in words: meets, tight or misses, and by how much."""

from collections.abc import Callable, Mapping
from typing import Final

from bot.core.figures import hours, ms, quantity, times, usd, usd_estimated, usd_per_hour
from engine.core.result import AT_LEAST, LimitCheck

_UNITS: Final[Mapping[str, Callable[[float], str]]] = {
    "ttft_ms": ms,
    "tpot_ms": ms,
    "e2e_ms": ms,
    "output_tokens_per_s": lambda v: f"{quantity(v)} tok/s",
    "total_tokens_per_s": lambda v: f"{quantity(v)} tok/s",
    "requests_per_s": lambda v: f"{quantity(v)} requests/s",
    "concurrency": lambda v: f"{quantity(v)} at once",
    "usd_per_hour": usd_per_hour,
    "usd_per_month": lambda v: f"{usd(v)}/month",
    "usd_total": usd_estimated,
    "time_h": hours,
    "energy_wh": lambda v: f"{quantity(v)} Wh",
}
FIELD_WORDS: Final[Mapping[str, str]] = {
    "ttft_ms": "first token",
    "tpot_ms": "per token",
    "e2e_ms": "whole request",
    "output_tokens_per_s": "throughput",
    "total_tokens_per_s": "throughput",
    "requests_per_s": "requests",
    "concurrency": "requests at once",
    "usd_per_hour": "price",
    "usd_per_month": "price",
    "usd_total": "total cost",
    "time_h": "time to finish",
}


def limit_value(field: str, value: float) -> str:
    """Return a limit or a limited figure with its unit."""
    words = _UNITS.get(field)
    return words(value) if words else quantity(value)


def limit_words(check: LimitCheck, percentile: float | None = None) -> str:
    """Return the limit itself: `limit 100 ms`, `at least 1,000 tok/s`."""
    bound = limit_value(check.field, check.limit).replace(".0 ", " ")  # said, so exact
    if check.field in AT_LEAST:
        return f"at least {bound}"
    at = f" at p{percentile:g}" if percentile and check.field.endswith("_ms") else ""
    return f"limit {bound}{at}"


def verdict_words(check: LimitCheck) -> str:
    """Return `meets, 2.1× headroom`, `tight, may miss` or `misses by 110 ms`."""
    if check.verdict == "misses":
        return _missed_words(check)
    inside = headroom(check)
    if check.verdict == "tight":
        return "tight, may miss" if inside is None or inside >= 1 else "tight, more likely misses"
    return "meets" if inside is None or inside < 1.05 else f"meets, {times(inside)} headroom"


def _missed_words(check: LimitCheck) -> str:
    """Return by how much a limit is missed: from the middle, and at worst."""
    missed = abs(check.value - check.limit)
    worst = None if check.worst is None else limit_value(check.field, check.worst - check.limit)
    if check.held > check.value:  # nobody measured it, and its range crosses the limit
        return f"may miss by {worst}"
    at_worst = "" if worst is None else f", at worst {worst}"
    return f"misses by {limit_value(check.field, missed)}{at_worst}"


def headroom(check: LimitCheck) -> float | None:
    """Return how many times better than its limit a figure is; None where a ratio says nothing."""
    if check.value <= 0 or check.limit <= 0:
        return None
    ratio = check.value / check.limit
    return ratio if check.field in AT_LEAST else 1 / ratio
