"""Public questions nobody tuned to, with the right value each, where those are at hand.

A line of CHECKS says what a row's answer is held to, NOT_YET why one is not right yet. Rows without
checks are not judged; the share counts those that are.
"""

import json

import pytest

from tests.benchmarks.fresh_answers import FreshAnswer
from tests.benchmarks.fresh_asks import ASKS
from tests.benchmarks.fresh_threads import THREADS
from tests.shared_data import shared_file

pytestmark = pytest.mark.slow
CASES = "data/cases/fresh.jsonl"
CHECKS = {**ASKS, **THREADS}
NOT_YET = {
    "F15": "1 % above the measured run",
    "F35": "an image model is tuned in tokens; the total is not said",
    "F51": "no tensor parallelism over machines of one GPU",
    "F53": "MXFP8 is read as FP8",
}


def fresh_rows():
    """Return the rows that are judged here, none where the file is absent."""
    path = shared_file(CASES)
    if path is None:
        return []
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["id"] in CHECKS]


def _case(row):
    reason = NOT_YET.get(row["id"])
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(row, id=row["id"], marks=marks)


@pytest.mark.parametrize("row", [_case(row) for row in fresh_rows()])
def test_a_public_question_is_answered_right(row):
    told = FreshAnswer(row)
    for check in CHECKS[row["id"]]:
        check(told)
