"""The real catalog, read once."""

import pytest

from catalog.load import DATA_DIR, load_catalog
from catalog.sources import read_catalog


@pytest.fixture(scope="session")
def catalog():
    """The catalog as a request gets it."""
    return load_catalog()


@pytest.fixture(scope="session")
def from_sources():
    """The catalog as the CSV files say it."""
    return read_catalog(DATA_DIR)
