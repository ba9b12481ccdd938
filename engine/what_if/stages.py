"""One limit of several stages: the part of each at which all of them cost the least."""

from collections.abc import Sequence
from itertools import product

Offer = tuple[float, float]  # USD/h, ms


def shares_of_limit(stages: Sequence[Sequence[Offer]], limit_ms: float) -> tuple[float, ...]:
    """Return how many ms of a limit each stage gets, given what its machines cost and take.

    The cheapest combination that is within the limit, what is left over shared alike; the fastest
    one, whose parts nothing meets, where none is within. A stage without offers gets an even part.
    """
    if not all(stages):
        return (limit_ms / len(stages),) * len(stages)
    frontiers = [_frontier(offers) for offers in stages]
    within = [one for one in product(*frontiers) if sum(ms for _, ms in one) <= limit_ms]
    chosen = min(within, key=_combined_cost, default=tuple(frontier[-1] for frontier in frontiers))
    whole = sum(ms for _, ms in chosen)
    return tuple(limit_ms * ms / whole for _, ms in chosen)


def _combined_cost(combination: Sequence[Offer]) -> tuple[float, float]:
    return sum(usd for usd, _ in combination), sum(ms for _, ms in combination)


def _frontier(offers: Sequence[Offer]) -> list[Offer]:
    """Return the offers that nothing is both cheaper and faster than, cheapest first."""
    kept: list[Offer] = []
    for offer in sorted(offers):
        if not kept or offer[1] < kept[-1][1]:
            kept.append(offer)
    return kept
