"""What a new answer changes of the one before it in the thread: pick, price, latency."""

from collections.abc import Callable

from bot.core.figures import duration_ms, usd_estimated, usd_per_hour
from bot.core.wording import machines
from engine.core.result import Pick, Recommendation

SAME = 0.005  # half a per cent: below that nobody speaks of a change
ARROW = "→"
LATENCIES = (("ttft_ms", "first token"), ("tpot_ms", "per token"), ("e2e_ms", "whole answer"))


def since_words(before: Recommendation, now: Recommendation) -> str:
    """Return the changes in one line; empty where both answers had nothing to offer."""
    old, new = _leading_pick(before), _leading_pick(now)
    if old is None and new is None:
        return ""
    if old is None:
        return "Since the last answer: something meets every limit now."
    if new is None:
        return f"Since the last answer: {_pick_said(old)} met every limit then, nothing does now."
    return "Since the last answer: " + " · ".join(
        [_picks_change(old, new), *_figures_changed(old, new)]
    )


def _leading_pick(result: Recommendation) -> Pick | None:
    return result.asked or (result.picks[0] if result.picks else None)


def _picks_change(old: Pick, new: Pick) -> str:
    before, after = _placed_machines(old, new), _placed_machines(new, old)
    return f"still {after}" if before == after else f"{before} {ARROW} {after}"


def _placed_machines(pick: Pick, other: Pick) -> str:
    elsewhere = pick.region != other.region
    return f"{_pick_said(pick)} in {pick.region}" if elsewhere else _pick_said(pick)


def _pick_said(pick: Pick) -> str:
    return machines(pick.instance.instance_type, pick.instances)


def _figures_changed(old: Pick, new: Pick) -> list[str]:
    prices = _figure_change(
        old.cost.usd_total, new.cost.usd_total, usd_estimated, " in total"
    ) or _figure_change(old.cost.usd_per_hour, new.cost.usd_per_hour, usd_per_hour, "")
    return [words for words in (prices, _latency_change(old, new)) if words]


def _latency_change(old: Pick, new: Pick) -> str:
    """Return how the latency limited now, or before, changed; else the first that both have."""
    limited = [check.field for check in (*new.limits, *old.limits)]
    ordered = sorted(LATENCIES, key=lambda named: [*limited, named[0]].index(named[0]))
    before, after = old.estimate.performance, new.estimate.performance
    if before is None or after is None:
        return ""
    for field, name in ordered:
        was, has = getattr(before, field), getattr(after, field)
        if was is not None and has is not None:
            words = _figure_change(was.value, has.value, lambda ms: " ".join(duration_ms(ms)), "")
            return f"{name} {words}" if words else ""
    return ""


def _figure_change(
    old: float | None, new: float | None, words: Callable[[float], str], unit: str
) -> str:
    """Return `$0.805/h → $1.861/h (+131 %)`; empty where one is unknown, "same" is not said."""
    if old is None or new is None or old <= 0:
        return ""
    ratio = new / old - 1
    if abs(ratio) < SAME:
        return ""
    sign = "+" if ratio > 0 else "−"
    return f"{words(old)} {ARROW} {words(new)}{unit} ({sign}{abs(100 * ratio):,.0f} %)"
