"""Whether this process asks AWS, and with what memory."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from catalog.prices.live.credentials import credentials_given, credentials_likely

if TYPE_CHECKING:
    from bot.answers.world import World
    from bot.aws.live_session import Live
    from bot.store.store import Items
    from catalog.catalog import Catalog
    from catalog.prices.live.cache import PriceCache

LookupMode = Literal["auto", "live", "offline"]
PRICING_REGION: Final = "EC2_PICK_PRICING_REGION"

logger = logging.getLogger(__name__)


def live_of(
    environ: Mapping[str, str],
    catalog: "Catalog",
    mode: LookupMode = "auto",
    *,
    items: "Items | None" = None,
    revalidates: bool = False,
) -> "Live | None":
    """Return what to ask AWS with; None where the embedded prices are all there is to use.

    `auto` asks where credentials are found, `live` in any case. Prices are remembered in `items`,
    by default the state file. Without signs of credentials nothing of AWS is imported.

    Raises:
        ValueError: EC2_PICK_PRICING_REGION names a region without a price-list endpoint.
    """
    if mode == "offline" or (mode == "auto" and not _credentials_there(environ)):
        return None
    from bot.aws.live_session import Live
    from catalog.prices.live.desk import live_desk

    desk = live_desk(
        catalog,
        price_cache(environ, items),
        pricing_region=environ.get(PRICING_REGION) or None,
        revalidates=revalidates,
    )
    return Live(desk, fresh=mode == "live")


def live_world(environ: Mapping[str, str], items: "Items", *, revalidates: bool) -> "World":
    """Return the embedded world, which asks AWS for prices where there are credentials.

    `revalidates`: this process works on after an answer, so it may look prices up behind one
    (Lambda freezes instead).

    Raises:
        ValueError: the variables name a price-list endpoint that does not exist.
    """
    from bot.answers.world import load_world

    world = load_world()
    live = live_of(environ, world.catalog, items=items, revalidates=revalidates)
    return replace(world, live=live)


def _credentials_there(environ: Mapping[str, str]) -> bool:
    if credentials_given(environ):
        return True
    if not credentials_likely(environ):
        return False
    from catalog.prices.live.credentials import has_credentials

    return has_credentials()


def price_cache(environ: Mapping[str, str], items: "Items | None" = None) -> "PriceCache":
    """Return where prices are remembered: the state, or memory where that cannot be opened."""
    from bot.store.price_cache import ItemPriceCache
    from catalog.prices.live.cache import MemoryCache

    if items is not None:
        return ItemPriceCache(items)
    from bot.aws.opened_state import opened_items
    from bot.store.location import StateLocationError

    try:
        return ItemPriceCache(opened_items(environ))
    except StateLocationError as error:
        logger.warning("prices are not remembered: %s", error)
        return MemoryCache()
