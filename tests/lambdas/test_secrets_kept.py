"""Secrets are fetched once in a while, taken up when rotated, and survive SSM failing."""

import logging

import pytest

from bot.core.errors import AwsError
from bot.lambdas.log import JsonFormatter
from bot.lambdas.sandbox import KEPT_S, MissingSecretError, Secrets


class Ssm:
    def __init__(self, **values):
        self.values, self.calls, self.failing = values, 0, False

    def call(self, action, request):
        self.calls += 1
        assert (action, request["WithDecryption"]) == ("GetParameters", True)
        if self.failing:
            raise AwsError(action, 500, "InternalServerError", {})
        name = request["Names"][0].removeprefix("/p/")
        found = self.values.get(name)
        return {"Parameters": [{"Value": found}] if found else [], "InvalidParameters": []}


@pytest.fixture
def ssm():
    return Ssm(a="one")


@pytest.fixture
def time_now():
    return [0.0]


@pytest.fixture
def secrets(ssm, time_now):
    return Secrets(ssm, "/p/", lambda: time_now[0])


@pytest.mark.parametrize(
    ("later_s", "failing", "value", "calls"),
    [
        (0, False, "one", 1),
        (KEPT_S - 1, False, "one", 1),
        (KEPT_S, False, "two", 2),
        (KEPT_S, True, "one", 2),
    ],
)
def test_a_rotated_secret_is_taken_up_in_time(
    ssm, secrets, time_now, later_s, failing, value, calls
):
    assert secrets.needed("a") == "one"
    ssm.values["a"], ssm.failing = "two\n", failing
    time_now[0] += later_s

    assert (secrets.needed("a"), ssm.calls) == (value, calls)


def test_a_missing_secret_is_named_and_looked_for_again(ssm, secrets, time_now):
    with pytest.raises(MissingSecretError, match="make the SSM SecureString /p/b"):
        secrets.needed("b")
    assert secrets.optional("b") is None
    assert ssm.calls == 1
    ssm.values["b"] = "made"
    time_now[0] += KEPT_S
    assert secrets.needed("b") == "made"


def test_a_failure_before_the_first_time_is_one(ssm, secrets):
    ssm.failing = True
    with pytest.raises(AwsError):
        secrets.needed("a")


def test_the_log_leaves_out_what_is_known(secrets):
    secrets.needed("a")
    formatter = JsonFormatter(secrets.values)
    record = logging.LogRecord("x", logging.INFO, "f", 1, "it is %s, xoxb-1-2", ("one",), None)

    assert '"message": "it is (redacted), (redacted)"' in formatter.format(record)
