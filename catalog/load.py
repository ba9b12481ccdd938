"""The one way to get the catalog: `load_catalog()`."""

from functools import cache
from pathlib import Path

from catalog.catalog import Catalog
from catalog.compiled import FILE, load_compiled

DATA_DIR = Path(__file__).parent / "data"


@cache
def load_catalog() -> Catalog:
    """Return the whole catalog, read once a process from its compiled form.

    Raises:
        CatalogError: when the compiled form is missing or not from this version of the code.
    """
    return load_compiled(DATA_DIR / FILE)
