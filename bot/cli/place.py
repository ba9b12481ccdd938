"""The place a terminal asks about where neither request nor flag names one."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from os import environ
from typing import Final

from bot.answers.world import World, load_world

# The first that is set decides: our own before AWS's, which its command line reads in this order.
REGION_VARIABLES: Final = ("EC2_PICK_REGION", "AWS_REGION", "AWS_DEFAULT_REGION")


def terminal_world(region: str | None = None) -> World:
    """Return the embedded world, priced in the flag's region, else in the environment's.

    A region of the environment that is none is said and left out.

    Raises:
        SystemExit: 2 for a flag's region that is none.
    """
    world = load_world()
    if region is not None and region not in world.catalog.regions:
        _say_unknown(region, world)
        raise SystemExit(2)
    return replace(world, default_region=region or _of_environment(world, environ))


def _of_environment(world: World, variables: Mapping[str, str]) -> str:
    name = next((name for name in REGION_VARIABLES if variables.get(name)), None)
    if name is None:
        return world.default_region
    if variables[name] in world.catalog.regions:
        return variables[name]
    _say_unknown(variables[name], world, f" (set by {name})")
    return world.catalog.default_region


def _say_unknown(region: str, world: World, whence: str = "") -> None:
    sys.stderr.write(
        f"ec2-pick: no region called {region!r}{whence}; "
        f"for example {world.catalog.default_region}\n"
    )
