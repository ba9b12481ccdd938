"""`ec2-pick prices INSTANCE…`: quotes with source and date; `prices refresh` asks AWS for them."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, Final, get_args

from bot.answers.world import World
from bot.cli.live import NOT_LIVE, live_arguments, live_exit_code, with_live
from bot.cli.place import terminal_world
from bot.core.errors import RequestError
from catalog.facts.schema import Market, Quote

Json = dict[str, Any]
REFRESH: Final = "refresh"


# Nobody waits for an answer here: long enough for a whole region through the API's rate limit.
BUDGET_S: Final = 120.0


def prices(argv: Sequence[str]) -> int:
    """Print the quote of each type named; exit 2 for a type or region that does not exist."""
    if argv[:1] == [REFRESH]:
        return refresh_prices(argv[1:])
    parser = argparse.ArgumentParser(prog="ec2-pick prices", allow_abbrev=False)
    parser.add_argument("instances", nargs="+", metavar="INSTANCE")
    add_place(parser)
    live_arguments(parser)
    options = parser.parse_args(argv)
    world = terminal_world()
    region = options.region or world.default_region
    require_known(world, options.instances, region)
    quotes = _region_quotes(with_live(world, options), options, region)
    _print(quotes, as_json=options.json)
    return live_exit_code(quotes, options)


def _region_quotes(world: World, options: argparse.Namespace, region: str) -> list[Quote]:
    """Return the quotes, the live ones where AWS is asked; why some are not live goes to stderr."""
    catalog, market, term = world.catalog, options.market, options.term_years
    found = catalog.prices
    if world.live is not None:
        from bot.answers.live.price_words import unavailable
        from catalog.prices.live.desk import DeskQuestion, price_asked

        asks = [price_asked(market, region, n, term_years=term) for n in options.instances]
        told = world.live.answer().ask(DeskQuestion(prices=asks))
        found = found.with_live(told.quotes)
        if told.failures:
            older = [
                found.quote(catalog.instances[n], region, market, term) for n in options.instances
            ]
            sys.stderr.write(f"ec2-pick: {unavailable(told.failures, older)}\n")
    return [found.quote(catalog.instances[n], region, market, term) for n in options.instances]


def _print(quotes: list[Quote], *, as_json: bool) -> None:
    if as_json:
        json.dump([quote_json(quote) for quote in quotes], sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    for quote in quotes:
        sys.stdout.write(quote_line(quote) + "\n")


def quote_line(quote: Quote) -> str:
    """Return one quote as a line for a person."""
    price = quote.why_unpriced if quote.usd_per_hour is None else f"${quote.usd_per_hour:,.4f}/h"
    market = quote.market.replace("_", " ")
    cached = ", cached" if quote.cached else ""
    return (
        f"{quote.instance_type}  {quote.region}  {market}  {price}  "
        f"({quote.source}, as of {quote.as_of or 'unknown'}{cached})"
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
        "note": quote.note,
    }


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say of which place and market prices are."""
    parser.add_argument("--region", default=None)
    parser.add_argument("--market", default="on_demand", choices=get_args(Market))
    parser.add_argument("--term-years", type=int, default=1, choices=(1, 3))
    parser.add_argument("--json", action="store_true")


def require_known(world: World, names: Sequence[str], region: str) -> None:
    """Check that the types and the region exist.

    Raises:
        RequestError: about the first that does not.
    """
    from catalog.names import nearest_instances

    wrong = [name for name in names if name not in world.catalog.instances]
    if wrong:
        nearest = ", ".join(nearest_instances(world.catalog, wrong[0], 3))
        message = f"no instance type called {wrong[0]!r}; nearest: {nearest}"
        raise RequestError("unknown_instance", message)
    if region not in world.catalog.regions:
        message = f"no region called {region!r}; for example {world.catalog.default_region}"
        raise RequestError("unknown_region", message)


def refresh_prices(argv: Sequence[str]) -> int:
    """Ask AWS for the types named, or all accelerated types the region offers, and say what came.

    Exit 0 with something refreshed, 4 with nothing.
    """
    parser = argparse.ArgumentParser(prog="ec2-pick prices refresh", allow_abbrev=False)
    parser.add_argument("instances", nargs="*", metavar="INSTANCE")
    add_place(parser)
    options = parser.parse_args(argv, argparse.Namespace(offline=False, live=True))
    options.require_live = True
    world = with_live(terminal_world(), options)
    region = options.region or world.default_region
    require_known(world, options.instances, region)
    if world.live is None:
        return 2
    from catalog.prices.live.desk import DeskQuestion, price_asked

    names = options.instances or sorted(
        name
        for name, instance in world.catalog.instances.items()
        if instance.accelerators and region in instance.regions
    )
    asks = [
        price_asked(options.market, region, name, term_years=options.term_years) for name in names
    ]
    told = world.live.desk.ask(DeskQuestion(prices=asks), fresh=True, budget_s=BUDGET_S)
    refreshed = len(asks) - len(told.failed)
    sys.stdout.write(f"{refreshed} of {len(asks)} prices refreshed in {region}\n")
    for why in told.failures:
        sys.stderr.write(f"ec2-pick: {why}\n")
    return 0 if refreshed else NOT_LIVE
