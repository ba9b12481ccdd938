"""What is true now for a subscription: its type's price, or the best pick for its request."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from bot.core.subscription import Subscription
from bot.store.alert_changes import PriceNow
from catalog.prices.live.desk import DeskQuestion, price_asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.answers.world import World
    from catalog.facts.schema import Market, Quote

# The recommendation rests on older figures than AWS's own: no ground to tell anybody of a change.
NOT_LIVE: Final = "live_unavailable"


class WorldLook:
    """`Look` over a world; each question is answered once, however many people asked it.

    Where the world asks AWS, a price that AWS did not give (now or not long ago) is unknown: the
    embedded list of an older day would look like a change.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self._price: Callable[[Market, int, str, str], PriceNow | None] = cache(self._price_now)
        self._pick: Callable[[str], PriceNow | None] = cache(self._pick_now)

    def __call__(self, subscription: Subscription) -> PriceNow | None:
        """Return what is true now; None where it is not known."""
        if subscription.watches == "pick":
            return self._pick(subscription.request)
        one = subscription
        return self._price(one.market, one.term_years, one.region, one.instance_type)

    def _price_now(self, market: "Market", term: int, region: str, name: str) -> PriceNow | None:
        quote = self._quote(market, term, region, name)
        return None if quote is None else _seen(name, quote)

    def _quote(
        self, market: "Market", term: int, region: str, instance_type: str
    ) -> "Quote | None":
        world = self._world
        instance = world.catalog.instances.get(instance_type)
        if instance is None:
            return None
        if world.live is None:
            return world.catalog.prices.quote(instance, region, market, term_years=term or 1)
        ask = price_asked(market, region, instance_type, term_years=term)
        return world.live.answer().ask(DeskQuestion(prices=[ask])).quotes.get(ask.key)

    def _pick_now(self, request: str) -> PriceNow | None:
        from bot.conversation.conversation import answer

        result = answer(request, self._world).recommendation
        if result is None or not result.picks or NOT_LIVE in result.codes:
            return None
        pick = result.picks[0]
        seen = _seen(pick.instance.instance_type, pick.quote, pick.instances)
        return None if seen is None else replace(seen, region=pick.region)


def _seen(instance_type: str, quote: "Quote", instances: int = 1) -> PriceNow | None:
    if quote.usd_per_hour is None:
        return None
    return PriceNow(
        instance_type=instance_type,
        usd_per_hour=quote.usd_per_hour,
        instances=instances,
        source=quote.source,
        as_of=quote.as_of,
    )
