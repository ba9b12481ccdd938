"""`docs/deploy.md` says what is deployed, and its sums are sums."""

import json
import re
from pathlib import Path

import pytest

from bot.lambdas import sandbox
from tests.packaging.test_deployment import RESOURCES, as_list, statements

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "deploy.md").read_text()
ROW = re.compile(r"^\| ([^|]+?) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)
TOTAL = re.compile(r"^\| \*\*together\*\* \| \| \| \*\*([\d.]+)\*\* \|$", re.MULTILINE)


def test_the_costs_add_up():
    rows = [(int(units), float(price), float(cost)) for _, units, price, cost in ROW.findall(GUIDE)]
    assert len(rows) == 7
    for units, price, cost in rows:
        assert cost == pytest.approx(units * price / 1e6, abs=5e-5)
    assert float(TOTAL.search(GUIDE)[1]) == pytest.approx(sum(row[2] for row in rows), abs=1e-4)


def test_the_price_policy_is_what_the_worker_may_read():
    policy = json.loads(re.search(r"```json\n(.*?)```", GUIDE, re.DOTALL)[1])
    told = {a for statement in policy["Statement"] for a in as_list(statement["Action"])}
    services = {action.partition(":")[0] for action in told}
    allowed = {
        action
        for role, statement in statements()
        if role == "WorkerRole"
        for action in as_list(statement["Action"])
        if action.partition(":")[0] in services
    }
    assert told == allowed


@pytest.mark.parametrize(
    "name", [sandbox.SIGNING_SECRET, sandbox.BOT_TOKEN, sandbox.CLIENT_ID, sandbox.CLIENT_SECRET]
)
def test_every_secret_that_is_read_is_told_how_to_make(name):
    assert f"/ec2-pick/prod/{name} " in GUIDE


def test_the_alarms_are_counted():
    alarms = [r for r in RESOURCES.values() if r["Type"] == "AWS::CloudWatch::Alarm"]
    words = ["eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"]
    assert f"{words[len(alarms) - 8]} alarms" in GUIDE
