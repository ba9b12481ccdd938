"""`ec2-pick prices refresh`: asks AWS for prices and remembers them for later answers."""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from bot.answers.world import load_world
from bot.cli.live import NOT_LIVE, with_live
from bot.cli.price_place import add_place, unknown

# Nobody waits for an answer here: long enough for a whole region through the API's rate limit.
BUDGET_S: Final = 120.0


def refresh_prices(argv: Sequence[str]) -> int:
    """Ask AWS for the types named, or all accelerated types the region offers, and say what came.

    Exit 0 with something refreshed, 4 with nothing.
    """
    parser = argparse.ArgumentParser(prog="ec2-pick prices refresh")
    parser.add_argument("instances", nargs="*", metavar="INSTANCE")
    add_place(parser)
    options = parser.parse_args(argv, argparse.Namespace(offline=False, live=True))
    options.require_live = True
    world = with_live(load_world(), options)
    region = options.region or world.default_region
    refused = unknown(world, options.instances, region)
    if refused or world.live is None:
        sys.stderr.write(refused)
        return 2
    from catalog.prices.live.desk import Wanted, price_asked

    names = options.instances or sorted(
        name
        for name, instance in world.catalog.instances.items()
        if instance.accelerators and region in instance.regions
    )
    asks = [
        price_asked(options.market, region, name, term_years=options.term_years) for name in names
    ]
    told = world.live.desk.ask(Wanted(prices=asks), fresh=True, budget_s=BUDGET_S)
    refreshed = len(asks) - len(told.failed)
    sys.stdout.write(f"{refreshed} of {len(asks)} prices refreshed in {region}\n")
    for why in told.failures:
        sys.stderr.write(f"ec2-pick: {why}\n")
    return 0 if refreshed else NOT_LIVE
