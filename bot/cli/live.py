"""`--live`, `--require-live`, `--offline`: whether a command asks AWS."""

import argparse
import sys
from dataclasses import replace
from os import environ
from typing import TYPE_CHECKING, Final

from bot.answers.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answers.live.live_at_start import LookupMode
    from catalog.facts.schema import Quote

NOT_LIVE: Final = 4


def live_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the three flags; without any, AWS is asked where credentials are found."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--offline", action="store_true", help="ask nobody: use the embedded prices only"
    )
    group.add_argument("--live", action="store_true", help="ask AWS for prices in any case")
    group.add_argument(
        "--require-live", action="store_true", help="like --live; exit 4 where AWS does not answer"
    )


def with_live(world: World, options: argparse.Namespace) -> World:
    """Return the world with what the flags allow to be asked of AWS."""
    from bot.answers.live.live_at_start import live_of
    from bot.language.model_reading.model_at_start import language_model_of

    insists = options.live or options.require_live
    mode: LookupMode = "offline" if options.offline else "live" if insists else "auto"
    try:
        live = live_of(environ, world.catalog, mode)
    except ValueError as error:
        sys.stderr.write(f"ec2-pick: {error}\n")
        raise SystemExit(2) from None
    model = None if options.offline else language_model_of(environ)
    return replace(world, live=live, language_model=model)


def live_exit_code(quotes: "Sequence[Quote]", options: argparse.Namespace) -> int:
    """Return 4, with a sentence on stderr, where live prices were required and not obtained."""
    if not options.require_live:
        return 0
    from bot.answers.live.price_words import is_live

    older = [quote for quote in quotes if not is_live(quote)]
    if quotes and not older:
        return 0
    names = ", ".join(dict.fromkeys(quote.instance_type for quote in older)) or "this request"
    sys.stderr.write(f"ec2-pick: no live price was obtained for {names}\n")
    return NOT_LIVE
