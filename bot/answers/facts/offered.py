"""Where a type, family or chip is sold: every region with its price, or yes or no for one."""

from typing import Final

from bot.answers.facts.subject import fact_reply, speaks_of_a_workload, types_named
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import usd_per_hour
from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from catalog.geography import nearest_regions_offering
from engine.pick.explain import Explanation

COLUMNS: Final = ("region", "name", "types", "from")
TYPES_SHOWN: Final = 4


def availability_turn(turn: Turn) -> Reply | None:
    """Return where what is named is sold; None where a workload is asked about, or nothing."""
    types = types_named(turn)
    if not types or speaks_of_a_workload(turn.workload):
        return None
    catalog, named = turn.world.catalog, turn.workload.region
    places = sorted({region for one in types for region in one.regions})
    rows = [_place_row(region, types, catalog) for region in places]
    smallest = types[0]
    lead = f"{_named_words(types)} is sold in {len(places)} regions: {', '.join(places)}."
    if named is not None:
        lead = _in_region(types, named, catalog)
    elif not places:
        lead = f"{_named_words(types)} is sold in no region that lists its types."
    notes = (*turn.understanding.notes, f"Types as of {catalog.as_of}: {smallest.source}.")
    explanation = Explanation(smallest.instance_type, "availability", (), lead)
    return fact_reply(turn, table_view("Where it is sold", lead, COLUMNS, rows, notes), explanation)


def _named_words(types: list[Instance]) -> str:
    families = sorted({one.family for one in types})
    return types[0].instance_type if len(types) == 1 else " or ".join(families)


def _in_region(types: list[Instance], region: str, catalog: Catalog) -> str:
    sold = [one for one in types if region in one.regions]
    if sold:
        return f"Yes: {_place_words(region, sold, catalog)} in {region}."
    nearest = nearest_regions_offering(catalog, types[0], region)
    where = f"; nearest: {', '.join(nearest)}" if nearest else ""
    return f"No: {_named_words(types)} is not offered in {region}{where}."


def _place_words(region: str, sold: list[Instance], catalog: Catalog) -> str:
    price = catalog.prices.quote(sold[0], region, "on_demand").usd_per_hour
    told = "no price known" if price is None else f"at {usd_per_hour(price)}"
    return f"{sold[0].instance_type} {told}"


def _place_row(region: str, types: list[Instance], catalog: Catalog) -> tuple[str, ...]:
    sold = [one for one in types if region in one.regions]
    names = ", ".join(one.instance_type for one in sold[:TYPES_SHOWN])
    more = f" and {len(sold) - TYPES_SHOWN} more" if len(sold) > TYPES_SHOWN else ""
    place = catalog.regions.get(region)
    name = "" if place is None else place.name
    return region, name, names + more, _place_words(region, sold, catalog)
