"""`ec2-pick prices INSTANCE…`: quotes with source and date."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from bot.world import World, load_world
from catalog.schema import Quote

Json = dict[str, Any]


def prices(argv: Sequence[str]) -> int:
    """Print the quote of each type named; exit 2 for a type or region that does not exist."""
    parser = argparse.ArgumentParser(prog="ec2-pick prices")
    parser.add_argument("instances", nargs="+", metavar="INSTANCE")
    parser.add_argument("--region", default=None)
    parser.add_argument("--market", default="on_demand")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    world = load_world()
    region = options.region or world.default_region
    unknown = [name for name in options.instances if name not in world.catalog.instances]
    if unknown or region not in world.catalog.regions:
        sys.stderr.write(_unknown(world, unknown, region))
        return 2
    quotes = [
        world.catalog.prices.quote(world.catalog.instances[name], region, options.market)
        for name in options.instances
    ]
    _print(quotes, as_json=options.json)
    return 0


def _unknown(world: World, names: list[str], region: str) -> str:
    from catalog.names import nearest_instances

    if not names:
        return f"ec2-pick: no region called {region!r}; for example us-east-1\n"
    nearest = ", ".join(nearest_instances(world.catalog, names[0], 3))
    return f"ec2-pick: no instance type called {names[0]!r}; nearest: {nearest}\n"


def _print(quotes: list[Quote], *, as_json: bool) -> None:
    if as_json:
        json.dump([quote_json(quote) for quote in quotes], sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    for quote in quotes:
        price = (
            quote.why_unpriced if quote.usd_per_hour is None else f"${quote.usd_per_hour:,.4f}/h"
        )
        market = quote.market.replace("_", " ")
        sys.stdout.write(
            f"{quote.instance_type}  {quote.region}  {market}  {price}  "
            f"({quote.source}, as of {quote.as_of or 'unknown'})\n"
        )


def quote_json(quote: Quote) -> Json:
    """Return one quote under the contract's field names."""
    return {
        "instance_type": quote.instance_type,
        "region": quote.region,
        "market": quote.market,
        "usd_per_hour": quote.usd_per_hour,
        "why_unpriced": quote.why_unpriced,
        "source": quote.source,
        "as_of": quote.as_of,
        "cached": quote.cached,
    }
