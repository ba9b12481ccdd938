"""The load of `make load`, small: every acknowledged command is answered exactly once."""

from collections import Counter

import pytest

from benchmarks.slack_load.load import Delivered, Load
from benchmarks.slack_load.measure import measure
from benchmarks.slack_load.report import Report, quantile

SMALL = Load(clients=10, seconds=2.0, rate=15.0, retry_share=0.3, drain_s=60.0)


@pytest.mark.slow
def test_a_small_load_loses_and_doubles_nothing():
    report = measure(SMALL)

    assert (report.lost, report.doubled, report.unacknowledged, report.left) == (0, 0, 0, 0)
    assert report.good
    assert report.commands > 0
    assert report.retries > 0
    assert len(report.delivered) == report.commands + report.retries
    assert len(report.ack_ms) + report.held_off == len(report.delivered)
    assert report.answers.total() == len(report.acknowledged) == report.commands


def report_of(delivered, answers):
    return Report(
        load=SMALL,
        delivered=tuple(Delivered(*one) for one in delivered),
        answers=Counter(answers),
        waiting=0,
        left=0,
        drained_s=0.0,
    )


@pytest.mark.parametrize(
    ("delivered", "answers", "lost_doubled_unacknowledged"),
    [
        ([("C1", False, 200, 9.0)], {"C1": 1}, (0, 0, 0)),
        ([("C1", False, 200, 9.0)], {}, (1, 0, 0)),
        ([("C1", False, 200, 9.0), ("C1", True, 200, 9.0)], {"C1": 2}, (0, 1, 0)),
        ([("C1", False, 200, 9.0), ("C1", True, 503, 9.0)], {"C1": 1}, (0, 0, 0)),
        ([("C1", False, 500, 9.0)], {}, (0, 0, 1)),
        ([("C1", False, 0, 9.0), ("C1", True, 200, 9.0)], {"C1": 1}, (0, 0, 0)),
    ],
)
def test_what_counts_as_lost_and_doubled(delivered, answers, lost_doubled_unacknowledged):
    report = report_of(delivered, answers)

    counted = (report.lost, report.doubled, report.unacknowledged)
    assert counted == lost_doubled_unacknowledged
    assert report.good is (counted == (0, 0, 0))
    assert ("FAILED" in "\n".join(report.lines())) is not report.good


def test_nothing_sent_is_not_a_success():
    assert not report_of([], {}).good


def test_quantiles_are_nearest_ranks():
    values = [float(n) for n in range(1, 101)]

    assert [quantile(values, share) for share in (0.5, 0.99, 1)] == [50, 99, 100]
