"""The main turn: which instances, at what price, how fast."""

from collections.abc import Callable
from dataclasses import replace

from bot.answers.price_age import with_age_warning
from bot.answers.reply import Reply
from bot.answers.spot_risk import with_interruptions
from bot.answers.turn import Turn
from bot.cards.card_view import card_view
from catalog.catalog import Catalog
from catalog.facts.schema import Market
from engine.ask import ask
from engine.core.result import Recommendation
from engine.core.workload import OtherReading
from engine.pick.explain import Explanation


def recommendation_of(
    turn: Turn,
    *,
    compiled_ahead: bool = False,
    supposed: Callable[[Catalog], Catalog] | None = None,
    others: tuple[OtherReading, ...] = (),
) -> Recommendation:
    """Return the engine's answer to the turn's workload.

    `others` are readings of the text to be told beside the one taken.
    `compiled_ahead` lets a Neuron machine serve what a compile job on a larger one made. `supposed`
    makes of the facts, live prices included, those of another world.
    """
    world = turn.world

    def ranked(catalog: Catalog, market: Market | None) -> Recommendation:
        workload = turn.workload if market is None else replace(turn.workload, market=market)
        return ask(
            workload,
            catalog if supposed is None else supposed(catalog),
            world.coefficients,
            world.guides,
            words=turn.understanding.asked.guide_words,
            default_region=world.default_region,
            top=turn.top,
            compiled_ahead=compiled_ahead,
            defaults=() if world.preferences is None else world.preferences.taken,
            others=others,
        )

    if turn.live is None:
        result = ranked(world.catalog, None)
    else:
        from bot.answers.live.repricing import repriced

        result = repriced(ranked, world.catalog, turn.live, turn.starts)
    return with_age_warning(with_interruptions(result), world.today)


def pick_turn(turn: Turn) -> Reply:
    """Return the recommendation card."""
    result = recommendation_of(turn, others=turn.understanding.readings)
    return card_reply(turn, result, since=_since_before(turn, result))


def _since_before(turn: Turn, result: Recommendation) -> str:
    """Return what this answer changes of the one before, which is worked out again for it."""
    if turn.previous is None or not turn.understanding.follow_up:
        return ""
    from bot.cards.since import since_words

    earlier = replace(turn.understanding, workload=turn.previous)
    return since_words(recommendation_of(replace(turn, understanding=earlier)), result)


def card_reply(
    turn: Turn,
    result: Recommendation,
    explanation: Explanation | None = None,
    *,
    since: str = "",
) -> Reply:
    """Return a card over a recommendation, headed by an explanation where there is one.

    `since` says what changed since the answer before.
    """
    understood = turn.understanding
    view = card_view(
        result,
        request=turn.request,
        explanation=explanation.text if explanation is not None else "",
        since=since,
        notes=understood.notes,
        not_understood=understood.not_understood,
        preferences=turn.world.preferences,
    )
    return Reply(
        request=turn.request,
        intent=understood.intent,
        view=view,
        workload=turn.workload,
        recommendation=result,
        explanation=explanation,
        notes=understood.notes,
    )
