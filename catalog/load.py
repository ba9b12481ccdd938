"""The one way to get the catalog: `load_catalog()`."""

from functools import cache
from pathlib import Path

from catalog.catalog import Catalog

DATA_DIR = Path(__file__).parent / "data"


@cache
def load_catalog() -> Catalog:
    """Return the whole catalog (read once a process)."""
    from catalog.sources import read_catalog

    return read_catalog(DATA_DIR)
