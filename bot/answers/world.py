"""Everything an answer needs of the world, loaded once and handed in."""

import gc
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from os import environ
from typing import TYPE_CHECKING

from catalog.catalog import Catalog
from catalog.facts.coefficients import Coefficients
from catalog.guides.guides import Guides

if TYPE_CHECKING:
    from bot.aws.live_session import Live
    from bot.language.model_reading.bedrock import LanguageModel
    from bot.store.preferences import Preferences


GC_NEW_VALUES = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Facts and ambient settings behind one answer; the same world gives the same answer."""

    catalog: Catalog
    coefficients: Coefficients
    guides: Guides
    today: date
    default_region: str  # taken where a request names none
    live: "Live | None" = None  # what to ask AWS with; None: the embedded prices are all there is
    preferences: "Preferences | None" = None  # of whoever asks
    language_model: "LanguageModel | None" = None  # reads what the grammar did not; None: nobody


def as_of_today(world: World) -> World:
    """Return the world on the day it is: a process may live for many."""
    return replace(world, today=datetime.now(UTC).date())


@cache
def load_world() -> World:
    """Return the embedded world: catalog, coefficients and guides of this release.

    `EC2_PICK_REGION` sets the region used where a request names none.
    """
    from catalog.facts.coefficients import load_coefficients
    from catalog.guides.guides import load_guides
    from catalog.load import load_catalog

    catalog = load_catalog()
    world = World(
        catalog=catalog,
        coefficients=load_coefficients(),
        guides=load_guides(),
        today=datetime.now(UTC).date(),
        default_region=environ.get("EC2_PICK_REGION", catalog.default_region),
    )
    # The world lives as long as the process: the collector need not walk it again at every turn.
    gc.freeze()
    # And what a turn makes goes by counting alone: looking for cycles every 700 values finds none.
    gc.set_threshold(GC_NEW_VALUES)
    return world
