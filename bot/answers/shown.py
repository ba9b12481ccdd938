"""The picks of an answer in the order that its card shows them, and those that come after."""

from dataclasses import replace

from bot.answers.pick import recommendation_of
from bot.answers.turn import Turn
from bot.cards.card_view import head_pick
from bot.cards.runner_ups import others_shown
from engine.core.result import Pick, Recommendation


def shown_picks(result: Recommendation) -> list[Pick]:
    """Return the card's picks: its head, then its runner-ups, near misses among them."""
    head = head_pick(result)
    return [] if head is None else [head, *others_shown(result, head)]


def numbered_picks(turn: Turn, count: int) -> tuple[Recommendation, list[Pick]]:
    """Return the answer to a turn, and `count` picks where there are as many.

    Those on the card come first, so that a number means the same in a list as on the card.
    """
    result = recommendation_of(turn)
    shown = shown_picks(result)
    if len(shown) >= count or not result.picks:
        return result, shown[:count]
    seen = {pick.instance.instance_type for pick in shown}
    wider = recommendation_of(replace(turn, top=count + len(shown)))
    further = [pick for pick in wider.picks if pick.instance.instance_type not in seen]
    return result, [*shown, *further][:count]


def as_fast(result: Recommendation, other: Recommendation) -> bool:
    """Return whether two answers hold their picks to the same limits, assumed ones among them.

    Where nothing meets an assumed limit it is dropped: what is picked then only looks cheap.
    """
    ours, theirs = result.workload, other.workload
    return (ours.latency_ms, ours.first_token_ms) == (theirs.latency_ms, theirs.first_token_ms)
