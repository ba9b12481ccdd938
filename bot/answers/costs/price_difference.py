"""How much more one machine costs than another: sizes that stand beside each other, no model."""

from collections.abc import Iterator
from typing import NamedTuple

from bot.answers.costs.price import quote_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.figures import percent, usd_per_hour
from catalog.facts.schema import Instance
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.result import Number
from engine.pick.explain import Explanation

SHOWN = 5


class PricedPair(NamedTuple):
    """Two machines of one size, and what each costs an hour in US dollars."""

    first: Instance
    first_usd: float
    second: Instance
    second_usd: float


def price_difference_turn(turn: Turn) -> Reply:
    """Return how much more or less the first of two machines costs, by the month and the hour."""
    from bot.cards.notices import notice_view

    one, other = _beside_each_other(turn)[:2]
    pairs = list(_pairs_of(turn, one, other))
    text = _told_difference(pairs) if pairs else _unpriced(one, other)
    numbers = tuple(
        Number(f"{pair.first.instance_type} price", pair.first_usd, "USD/h", pair.second_usd)
        for pair in pairs
    )
    explanation = Explanation(f"{one} and {other}", "compared", numbers, text)
    notes = (*turn.understanding.notes, *_where_priced(turn))
    return Reply(
        request=turn.request,
        intent="price",
        view=notice_view(f"What {one} costs beside {other}", text, notes),
        workload=turn.workload,
        explanation=explanation,
        notes=notes,
    )


def _beside_each_other(turn: Turn) -> list[str]:
    """Return the types, families or chips named, in the order said."""
    workload, several = turn.workload, turn.understanding.alternatives
    chips = map(str, several.get("gpu", (workload.gpu,) if workload.gpu else ()))
    return list(dict.fromkeys((*turn.understanding.asked.hardware, *chips)))


def _where_priced(turn: Turn) -> Iterator[str]:
    workload = turn.workload
    market = (workload.market or "on_demand").replace("_", " ")
    yield (
        f"{workload.region or turn.world.default_region}, {market}, Linux; a month of 730 h. "
        "Name a model for what either would serve."
    )


def _pairs_of(turn: Turn, one: str, other: str) -> Iterator[PricedPair]:
    """Yield the priced machines of both sides that have the same size, else the cheapest of each.

    Sizes are the same by name in two families, by the number of chips where chips were named.
    """
    mine, theirs = _priced_by_size(turn, one), _priced_by_size(turn, other)
    common = [size for size in mine if size in theirs]
    for size in common[:SHOWN]:
        yield PricedPair(*mine[size], *theirs[size])
    if not common and mine and theirs:
        cheapest = [min(side.values(), key=lambda row: row[1]) for side in (mine, theirs)]
        yield PricedPair(*cheapest[0], *cheapest[1])


def _priced_by_size(turn: Turn, word: str) -> dict[str, tuple[Instance, float]]:
    """Return what a word means by size, cheapest first, each with its price an hour."""
    found: dict[str, tuple[Instance, float]] = {}
    for instance in turn.world.catalog.instances.values():
        if word not in {instance.instance_type, instance.family, instance.accelerator_id}:
            continue
        usd = quote_of(turn, instance).usd_per_hour
        size = instance.instance_type.partition(".")[2]
        if word == instance.accelerator_id:
            size = str(instance.accelerators)
        if usd is not None and (size not in found or usd < found[size][1]):
            found[size] = instance, usd
    return dict(sorted(found.items(), key=lambda row: row[1][1]))


def _told_difference(pairs: list[PricedPair]) -> str:
    first, *others = pairs
    return " ".join((_pair_words(first), *map(_short_words, others)))


def _pair_words(pair: PricedPair) -> str:
    more = pair.first_usd - pair.second_usd
    names = pair.first.instance_type, pair.second.instance_type
    if not more:
        return f"{names[0]} and {names[1]} cost the same, {usd_per_hour(pair.first_usd)}."
    way = "more" if more > 0 else "less"
    return (
        f"{names[0]} costs ${abs(more) * HOURS_PER_MONTH:,.0f} a month {way} than {names[1]}: "
        f"{usd_per_hour(pair.first_usd)} against {usd_per_hour(pair.second_usd)}, "
        f"{percent(abs(more) / pair.second_usd)} {way}."
    )


def _short_words(pair: PricedPair) -> str:
    a_month = (pair.first_usd - pair.second_usd) * HOURS_PER_MONTH
    names = f"{pair.first.instance_type} beside {pair.second.instance_type}"
    return f"{names}: {'-' if a_month < 0 else '+'}${abs(a_month):,.0f} a month."


def _unpriced(one: str, other: str) -> str:
    return f"No price is known here for both {one} and {other}: name another region or market."
