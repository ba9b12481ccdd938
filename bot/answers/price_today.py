"""What saved picks cost today, and how far that is from when they were saved."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.store.kept_of_people import Drift, SavedPick
from catalog.facts.schema import Quote
from catalog.facts.units import HOURS_PER_MONTH
from catalog.prices.live.desk import DeskQuestion, price_asked

if TYPE_CHECKING:
    from bot.answers.world import World
    from catalog.prices.prices import Prices


def prices_today(world: "World", picks: Sequence[SavedPick]) -> tuple[Quote | None, ...]:
    """Return today's quote for each pick, one look-up for all of them.

    None where nothing is known of it today: the type is gone, or AWS is asked for prices and did
    not give this one (an embedded price of an older day would look like a change).
    """
    prices = _prices_now(world, picks)
    return tuple(_quote_today(world, prices, pick) for pick in picks)


def _prices_now(world: "World", picks: Sequence[SavedPick]) -> "Prices":
    prices = world.catalog.prices
    if world.live is None or not picks:
        return prices
    asked = [
        price_asked(pick.market, pick.region, pick.instance_type, term_years=pick.term_years)
        for pick in picks
    ]
    return replace(prices, live=world.live.answer().ask(DeskQuestion(prices=asked)).quotes)


def _quote_today(world: "World", prices: "Prices", pick: SavedPick) -> Quote | None:
    instance = world.catalog.instances.get(pick.instance_type)
    if instance is None:
        return None
    quote = prices.quote(instance, pick.region, pick.market, term_years=pick.term_years or 1)
    is_todays = world.live is None or quote.source != "snapshot"
    return quote if is_todays else None


def drift(pick: SavedPick, today: Quote | None) -> Drift | None:
    """Return how far the price has moved; None where one of the two is not known."""
    before, now = pick.usd_per_hour, None if today is None else today.usd_per_hour
    if not before or now is None:
        return None
    return Drift(now / before - 1, (now - before) * pick.instances * HOURS_PER_MONTH)
