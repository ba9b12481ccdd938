"""What every test has: the option and check of goldens, AWS, the engine with a memory."""

import pytest
import yaml

from bot.answers import pick
from engine.what_if import capacity, levers
from tests.aws_server import moto_process
from tests.golden import assert_golden
from tests.remembered import remembered, remembered_units

# Read in C, as the product does where it can: pure Python takes nine times as long.
yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pick, "ask", remembered(pick.ask))
        units = remembered_units(capacity.units)
        for user in ("bot.answers.costs.crossover", "bot.answers.costs.fleet"):
            patch.setattr(f"{user}.units", units)
        patch.setattr(levers, "units", units)
        yield


@pytest.fixture(scope="session")
def aws_url():
    """AWS as moto plays it, behind a real HTTP port."""
    with moto_process() as url:
        yield url
