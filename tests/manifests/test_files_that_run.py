"""The shared requests for files that run, each through the terminal, as a person sees it.

Long, as each row makes whole answers: part of the slow tests. Without the shared file no row runs.
A row that is not right yet says what is missing; one that has become right fails until its number
is taken out here.
"""

import pytest

from tests.manifests.files_scored import cases, faults, printed
from tests.shared_data import needed_shared_file

pytestmark = pytest.mark.slow

# By fault: what is missing, and the rows.
NOT_YET = {
    "B5": ("llava-hf loads on the pinned image, which the row forbids", "07"),
    "B9": ("compiles for another type than it serves on", "02"),
    "H5": ("the type is in no list that was read", "01"),
}
REASONS = {f"{fault}-{n}": why for fault, (why, rows) in NOT_YET.items() for n in rows.split()}


def marked(row):
    """Return a row as a parameter, expected to fail where it is not right yet."""
    reason = REASONS.get(row["id"])
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(row, id=row["id"], marks=marks)


@pytest.mark.parametrize("row", [marked(row) for row in cases()])
def test_the_answer_is_right(row):
    assert faults(row, printed(row["command"])) == []


def test_every_row_that_is_not_right_yet_is_a_row():
    needed_shared_file("data/cases/handed_out.jsonl")
    assert set(REASONS) <= {row["id"] for row in cases()}
