"""Which types a better price could still bring to the top: the ones worth looking up live."""

from collections.abc import Iterator

from engine.core.result import Recommendation, Rejection

UNPRICED_AMONG_THEM = 4  # types that would do, whose price is not known: a live one may decide


def leading(result: Recommendation, most: int) -> tuple[str, ...]:
    """Return up to `most` instance types in the order in which their price matters.

    First what is shown, then what the picks beat by the least, then what would do but has no
    price, then what misses the budget by the least.
    """
    names = dict.fromkeys(_in_order(result))
    return tuple(names)[:most]


def _in_order(result: Recommendation) -> Iterator[str]:
    for pick in (result.best, result.asked, *result.picks, *result.closest):
        if pick is not None:
            yield pick.instance.instance_type
    if result.asked_rejection is not None:
        yield result.asked_rejection.instance_type
    yield from result.unpriced[:UNPRICED_AMONG_THEM]
    beaten = [rejection for rejection in result.rejected if rejection.reason == "dominated"]
    yield from _nearest_first(beaten)
    dear = [rejection for rejection in result.rejected if rejection.reason == "over_budget"]
    yield from _nearest_first(dear)
    yield from result.unpriced[UNPRICED_AMONG_THEM:]


def _nearest_first(rejections: list[Rejection]) -> list[str]:
    """Return the types whose deciding number comes nearest to its limit; those without are out."""
    ratios = [
        (rejection.numbers[0].value / rejection.numbers[0].limit, rejection.instance_type)
        for rejection in rejections
        if rejection.numbers and rejection.numbers[0].limit
    ]
    return [name for _, name in sorted(ratios)]
