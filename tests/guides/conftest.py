import pytest

from catalog.guides.guides import Guides, load_guides


@pytest.fixture(scope="session")
def guides() -> Guides:
    return load_guides()
