"""The few unit conversions the product makes, and the types that keep like-looking units apart.

GiB is 2**30 bytes, GB is 10**9 bytes. Everything else is written in the unit its name ends in.
"""

from typing import Final

BYTES_PER_GIB: Final = 2**30
BYTES_PER_GB: Final = 10**9
HOURS_PER_MONTH: Final = 730.0  # what AWS's own calculator and every bill estimate use
HOURS_PER_YEAR: Final = 8760.0  # how AWS spreads an upfront payment
SECONDS_PER_DAY: Final = 86_400.0


def gib(size_bytes: float) -> float:
    """Return bytes as GiB (2**30)."""
    return size_bytes / BYTES_PER_GIB


def gb(size_bytes: float) -> float:
    """Return bytes as GB (10**9)."""
    return size_bytes / BYTES_PER_GB
