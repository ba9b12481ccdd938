"""The main turn: which instances, at what price, how fast; and its picks as a card shows them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Final

from bot.answers.costs.price import claim_words
from bot.answers.planning import about
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.card_view import card_view, head_pick
from bot.cards.runner_ups import others_shown
from bot.core.figures import usd_per_hour
from bot.store.preferences import Currency, Preferences
from catalog.catalog import Catalog
from catalog.facts.schema import Market
from catalog.reference import exchange_rates
from engine.ask import ask, of_each_size
from engine.core.limits import latency_limits
from engine.core.result import Pick, Recommendation
from engine.core.usual_limits import MOST_TIMES_THE_PRICE
from engine.core.workload import OtherReading
from engine.pick.explain import Explanation

OLD_PRICE: Final = "stale_prices"
OLD_DAYS: Final = 30
FEW_FIGURES: Final = "few_spot_figures"
FEW_OF: Final = 0.9  # of the types that spot sells: below that a ranking rests on few
# What no wish is worth: nobody published that it runs, or current software does not do it.
SHAKY: Final = frozenset({"pinned_release", "unproven", "no_public_image"})
INTERRUPTED: Final = "spot_can_be_interrupted"


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
        result = _with_spot_figures(ranked(world.catalog, None), world.catalog)
    else:
        from bot.answers.live.repricing import repriced

        result = repriced(ranked, world.catalog, turn.live, turn.starts)
    return _with_age_warning(_with_interruptions(result), world.today)


def pick_turn(turn: Turn) -> Reply:
    """Return the recommendation card.

    Where a use was named and no model, what sizes cost; of several kinds of models, each its pick.
    """
    from bot.answers.picks.sizes import sizes_turn
    from bot.answers.picks.stages import stages_turn

    return sizes_turn(turn) or stages_turn(turn) or _card_turn(turn)


def _card_turn(turn: Turn) -> Reply:
    turn = wish_weighed(_family_judged(turn))
    result = recommendation_of(turn, others=turn.understanding.readings)
    return card_reply(turn, result, since=_since_before(turn, result))


def _family_judged(turn: Turn) -> Turn:
    """Return the turn with a family that may be too much held against the pick, not asked for."""
    allowed = turn.workload.allow or ()
    if turn.understanding.asked.whether != "too_much" or len(allowed) != 1:
        return turn
    return about(turn, allow=None, compare_family=allowed[0])


def wish_weighed(turn: Turn) -> Turn:
    """Return the turn with its soft wishes held where they cost little, else without them.

    A wish is worth as much as any limit that nobody insists on; what it costs is said.
    """
    wished = turn.understanding.asked.wished & turn.workload.said().keys()
    if not wished:
        return turn
    also = {"without"} if "exclude" in wished else set()
    free = about(turn, **dict.fromkeys(wished | also))
    held, other = (recommendation_of(one).best for one in (turn, free))
    words = _wish_words(turn, wished)
    usd, free_usd = (None if one is None else _most_usd(one) for one in (held, other))
    if other is None or free_usd is None:
        return turn
    this = f"{other.instance.instance_type} at {usd_per_hour(free_usd)}"
    if held is None or usd is None:
        return _noted(free, f"The wish for {words} is left out: nothing does that.")
    if usd > MOST_TIMES_THE_PRICE * free_usd or _is_shaky(held):
        shaky = ", unproven or on older software" if _is_shaky(held) else ""
        best = f"{held.instance.instance_type} at {usd_per_hour(usd)}{shaky}"
        return _noted(free, f"The wish for {words} is left out: {best}, against {this}.")
    return _noted(turn, f"Without the wish for {words}: {this}.") if usd > free_usd else turn


def _is_shaky(pick: Pick) -> bool:
    return bool(SHAKY & set(pick.codes))


def _most_usd(pick: Pick) -> float | None:
    """Return USD per hour of a pick, on demand where its market has no figure."""
    ceiling = None if pick.ceiling is None else pick.ceiling.usd_per_hour
    return pick.cost.usd_per_hour or (None if ceiling is None else ceiling * pick.instances)


def _wish_words(turn: Turn, wished: frozenset[str]) -> str:
    said = turn.workload.said()
    named = (said[name] for name in sorted(wished))
    every = (value if isinstance(value, tuple) else (value,) for value in named)
    listed = [str(one) for values in every for one in values]
    shown = ", ".join(dict.fromkeys(listed)).replace("_", " ")
    return f"no {shown}" if "exclude" in wished else shown


def _noted(turn: Turn, note: str) -> Turn:
    understood = turn.understanding
    codes, notes = (*understood.codes, "wish_weighed"), (*understood.notes, note)
    return replace(turn, understanding=replace(understood, codes=codes, notes=notes))


def _since_before(turn: Turn, result: Recommendation) -> str:
    """Return what this answer changes of the one before, which is worked out again for it."""
    if turn.previous is None or not turn.understanding.follow_up:
        return ""
    if of_each_size(turn.previous, turn.world.catalog):
        return ""  # nothing was picked: a model was asked for
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
    notes = (*claim_words(turn), *understood.notes)
    view = card_view(
        result,
        request=turn.request,
        explanation=explanation.text if explanation is not None else "",
        since=since,
        notes=notes,
        not_understood=understood.not_understood,
        preferences=_with_currency(turn),
        whether=understood.asked.whether,
    )
    return Reply(
        request=turn.request,
        intent=understood.intent,
        view=view,
        workload=turn.workload,
        recommendation=result,
        explanation=explanation,
        notes=notes,
    )


def _with_currency(turn: Turn) -> Preferences | None:
    """Return whose terms hold, with the currency that this request names beside US dollars."""
    own, code = turn.world.preferences, turn.understanding.details.get("currency")
    if code is None or (own is not None and own.currency and own.currency.code == code):
        return own
    rate = exchange_rates()[code]
    source = rate.source.partition(",")[0]
    shown = Currency(code, rate.per_usd, "the published", rate.as_of, source)
    return replace(own or Preferences(), currency=shown)


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
    return latency_limits(ours) == latency_limits(theirs)


def _with_age_warning(result: Recommendation, today: date) -> Recommendation:
    """Return the recommendation, with a warning where a pick's price is more than 30 days old."""
    days = {pick.quote.as_of for pick in result.picks if pick.quote.usd_per_hour is not None}
    ages = [(today - date.fromisoformat(day)).days for day in days if day]
    if max(ages, default=0) <= OLD_DAYS:
        return result
    words = f"The oldest price here is {max(ages)} days old: with AWS credentials prices are live."
    warned = len(result.warnings)
    return replace(
        result,
        warnings=(*result.warnings, words),
        codes=tuple(dict.fromkeys((*result.codes[:warned], OLD_PRICE, *result.codes[warned:]))),
    )


def _with_spot_figures(result: Recommendation, catalog: Catalog) -> Recommendation:
    """Return the recommendation, with a warning on how few types its spot ranking rests."""
    if result.workload.market != "spot" or result.workload.region is None:
        return result
    region = result.workload.region
    sold = [one for one in catalog.instances.values() if one.spot_sold and region in one.regions]
    quotes = (catalog.prices.quote(one, region, "spot") for one in sold)
    known = sum(quote.usd_per_hour is not None for quote in quotes)
    if known > FEW_OF * len(sold):
        return result
    words = f"Spot figures known for {known} of {len(sold)} types here: the ranking rests on those."
    warned = len(result.warnings)
    return replace(
        result,
        warnings=(*result.warnings, words),
        codes=tuple(dict.fromkeys((*result.codes[:warned], FEW_FIGURES, *result.codes[warned:]))),
    )


def _with_interruptions(result: Recommendation) -> Recommendation:
    """Return the recommendation with AWS's own interruption class beside each spot pick."""
    if result.workload.market != "spot":
        return result
    picks = {pick.instance.instance_type: _with_band(pick) for pick in result.picks}

    def same(pick: Pick | None) -> Pick | None:
        return None if pick is None else picks.get(pick.instance.instance_type, pick)

    return replace(
        result, picks=tuple(picks.values()), best=same(result.best), asked=same(result.asked)
    )


def _with_band(pick: Pick) -> Pick:
    from catalog.prices.interruptions import interruptions

    found = interruptions(pick.instance.instance_type, pick.region)
    if found is None or INTERRUPTED not in pick.codes:
        return pick
    at = pick.codes.index(INTERRUPTED)
    words = (
        f"{pick.caveats[at]}; {found.band} of this type were in a month "
        f"(AWS Spot Advisor, {found.as_of})"
    )
    return replace(pick, caveats=(*pick.caveats[:at], words, *pick.caveats[at + 1 :]))
