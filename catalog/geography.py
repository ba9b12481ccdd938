"""Which regions are near which: for "not offered here; nearest where it is"."""

import math
from typing import Final

from catalog.catalog import Catalog
from catalog.facts.schema import Instance, Region

EARTH_RADIUS_KM: Final = 6371.0


def distance_km(one: Region, other: Region) -> float:
    """Return the great-circle distance of two regions (haversine), infinite where unknown."""
    places = (one.latitude, one.longitude, other.latitude, other.longitude)
    if None in places:
        return math.inf
    lat1, lon1, lat2, lon2 = (math.radians(degrees) for degrees in places if degrees is not None)
    half_chord = (
        math.sin((lat2 - lat1) / 2) ** 2
        + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half_chord))


def nearest_regions_offering(
    catalog: Catalog, instance: Instance, region: str, most: int = 3
) -> tuple[str, ...]:
    """Return up to `most` regions that offer the type, nearest first; a zone counts as its parent.

    GovCloud and China are left out unless asked from there: they need accounts of their own.
    """
    here = catalog.regions[region]
    home = here if here.latitude is not None else catalog.regions.get(_parent(region), here)
    offering = [
        code
        for code in instance.regions
        if code != region and catalog.regions[code].partition == here.partition
    ]
    order = sorted(offering, key=lambda code: (distance_km(home, catalog.regions[code]), code))
    return tuple(order[:most])


def _parent(zone: str) -> str:
    return "-".join(zone.split("-")[:3])
