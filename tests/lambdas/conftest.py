"""The Slack that the functions of a test module post to."""

import pytest

from tests.slack.fake_slack import FakeSlack


@pytest.fixture(scope="module")
def slack_server():
    """One fake Slack for the tests of a module."""
    with FakeSlack() as fake:
        yield fake
