"""AWS as the fake endpoint plays it, and clocks that tests move."""

from datetime import UTC, datetime, timedelta

import pytest

from catalog.load import load_catalog
from catalog.prices.live.aws import Clients
from tests.fakes.aws_endpoint import FakeAws, environment, serving

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class Clock:
    """A wall clock and one that never goes back, moved by hand."""

    def __init__(self):
        self.passed_s = 0.0

    def now(self):
        return NOON + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s

    def advance(self, seconds):
        self.passed_s += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def aws(monkeypatch):
    """The fake endpoint, with boto3's environment pointing at it."""
    with serving(FakeAws()) as server:
        for name, value in environment(server.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("AWS_PROFILE", raising=False)
        yield server


@pytest.fixture(autouse=True)
def no_backoff(monkeypatch):
    """Retries happen as ever, without the waits between them."""
    from botocore.retries.bucket import TokenBucket
    from botocore.retries.standard import ExponentialBackoff

    monkeypatch.setattr(ExponentialBackoff, "delay_amount", lambda *_: 0.0)
    monkeypatch.setattr(TokenBucket, "acquire", lambda *_args, **_kwargs: True)


@pytest.fixture
def clients(aws):  # noqa: ARG001 - boto3 must find the endpoint
    return Clients(load_catalog().endpoints)


@pytest.fixture(scope="session")
def catalog():
    return load_catalog()
