"""`docs/scaling.md` says what its measured figures come to."""

import re
from pathlib import Path

import pytest

from benchmarks.fan_out import BATCH
from benchmarks.fan_out_cost import (
    CONCURRENCY,
    SCALES,
    Measured,
    Scale,
    bill,
    cost_lines,
    gb_seconds,
    read_units,
    write_units,
)
from bot.alerts.fan_out import PAGE
from bot.alerts.sweep import SHARDS
from tests.packaging.test_deployment import DOCUMENT, FUNCTIONS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "scaling.md").read_text()
ROWS = re.findall(
    r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) s \| ([\d.]+) \|$", GUIDE, re.MULTILINE
)


def said(what):
    """Return the figure that the table of measurements gives."""
    return float(
        re.search(rf"^\| {re.escape(what)}[^|]*\| ([\d.]+)(?: ms)? \|$", GUIDE, re.MULTILINE)[1]
    )


PICK_S = said("a pick worked out again") / 1000
MEASURED = Measured(
    quiet_s=said("a subscription, nothing changed") / 1000,
    quiet_read_units=said("read units a subscription"),
    told_s=said("an alert more") / 1000,
    told_read_units=said("read units an alert"),
    told_write_units=said("write units an alert"),
)


def number(text):
    return float(text.replace(",", ""))


def total(scale):
    units = bill(scale, MEASURED, PICK_S).values()
    return sum(amount * usd / 1e6 for amount, usd in units) * scale.sweeps


def test_each_scale_is_told_with_what_it_costs():
    hourly = [scale for scale in SCALES if scale.sweeps > 1]
    assert [number(row[0]) for row in ROWS] == [scale.workspaces for scale in hourly]
    for scale, (_, subscriptions, pages, seconds, usd) in zip(hourly, ROWS, strict=True):
        assert (number(subscriptions), number(pages)) == (scale.subscriptions, scale.pages)
        spent = gb_seconds(scale, MEASURED, PICK_S) / CONCURRENCY
        assert number(seconds) == pytest.approx(spent, rel=0.01, abs=0.5)
        assert number(usd) == pytest.approx(total(scale), rel=0.01, abs=0.005)


def test_the_day_of_a_price_cut_is_told():
    (cut,) = [scale for scale in SCALES if scale.sweeps == 1]
    assert f"that sweep costs ${total(cut):.2f}" in GUIDE
    seconds = gb_seconds(cut, MEASURED, PICK_S) / CONCURRENCY
    assert number(re.search(r"([\d,]+) s at five functions", GUIDE)[1]) == pytest.approx(
        seconds, rel=0.01
    )


def test_the_model_is_of_what_is_deployed():
    from benchmarks import fan_out_cost

    assert len(SHARDS) == fan_out_cost.SHARDS
    assert PAGE == fan_out_cost.PAGE
    assert FUNCTIONS["fanout"]["memorySize"] == fan_out_cost.MEMORY_MB
    (event,) = FUNCTIONS["fanout"]["events"]
    assert event["sqs"]["batchSize"] == BATCH
    assert DOCUMENT["custom"]["fanoutConcurrency"].endswith(f", {CONCURRENCY}}}")


@pytest.mark.parametrize(
    ("size", "reads", "writes"), [(0, 0.5, 1), (1024, 0.5, 1), (1025, 0.5, 2), (4097, 1.0, 5)]
)
def test_units_are_counted_as_dynamodb_does(size, reads, writes):
    assert (read_units(size), write_units(size)) == (reads, writes)


def test_more_of_anything_never_costs_less():
    scales = [Scale(n, told_share=share) for share in (0.0, 0.01) for n in (1, 10, 1_000, 100_000)]
    for scale in scales:
        more = Scale(scale.workspaces * 2, told_share=scale.told_share + 0.001)
        assert total(more) >= total(scale)
        *_, together = cost_lines(more, MEASURED, PICK_S)
        assert f"{total(more):.2f} a month" in together
