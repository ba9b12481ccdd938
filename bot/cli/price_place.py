"""Which types, place and market a prices command is about: its flags, and what does not exist."""

import argparse
from collections.abc import Sequence
from typing import get_args

from bot.answers.world import World
from catalog.facts.schema import Market


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say of which place and market prices are."""
    parser.add_argument("--region", default=None)
    parser.add_argument("--market", default="on_demand", choices=get_args(Market))
    parser.add_argument("--term-years", type=int, default=1, choices=(1, 3))
    parser.add_argument("--json", action="store_true")


def unknown(world: World, names: Sequence[str], region: str) -> str:
    """Return the sentence about the first type or region that does not exist; empty if all do."""
    from catalog.names import nearest_instances

    wrong = [name for name in names if name not in world.catalog.instances]
    if wrong:
        nearest = ", ".join(nearest_instances(world.catalog, wrong[0], 3))
        return f"ec2-pick: no instance type called {wrong[0]!r}; nearest: {nearest}\n"
    if region not in world.catalog.regions:
        return f"ec2-pick: no region called {region!r}; for example us-east-1\n"
    return ""
