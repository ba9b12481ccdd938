"""The embedded catalog, read once for all tests of the parser."""

import pytest

from bot.language.parse import parse
from catalog.load import load_catalog


@pytest.fixture(scope="session")
def catalog():
    return load_catalog()


@pytest.fixture
def understood(catalog):
    """Parse a text, after earlier turns where there are any."""

    def understand(text, earlier=()):
        previous = None
        for turn in earlier:
            previous = parse(turn, catalog, previous).workload
        return parse(text, catalog, previous)

    return understand
