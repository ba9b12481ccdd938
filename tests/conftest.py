"""What every test has: the option and check of goldens, AWS, the engine with a memory."""

import pytest

from bot.answers import pick
from tests.aws_server import moto_process
from tests.golden import assert_golden
from tests.remembered import remembered


def pytest_addoption(parser):
    parser.addoption(
        "--update-goldens", action="store_true", help="rewrite tests/golden from what is made now"
    )


@pytest.fixture
def update_goldens(request):
    """Whether goldens are to be rewritten instead of compared."""
    return request.config.getoption("--update-goldens")


@pytest.fixture
def golden(update_goldens):
    """A check: `golden("cards/realtime.txt", text)`."""

    def check(name, text):
        assert_golden(name, text, update=update_goldens)

    return check


@pytest.fixture(scope="session", autouse=True)
def engine_answers():
    """Work each answer out once: the turns of a thread, and its retellings, ask for it again."""
    whole, pick.ask = pick.ask, remembered(pick.ask)
    yield
    pick.ask = whole


@pytest.fixture(scope="session")
def aws_url():
    """AWS as moto plays it, behind a real HTTP port."""
    with moto_process() as url:
        yield url
