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
    "B1": ("deletes a DaemonSet of a name that does not exist", "02 04 06"),
    "B3": ("one minimum version of eksctl for all types", "01 03 05 08"),
    "B4": ("CSI driver without a pod identity", "01 03"),
    "B5": ("llava-hf loads on the pinned image, which the row forbids", "07"),
    "B7": ("the image lacks the audio extra", "01 03"),
    "B8": ("no compile Job, one path for every configuration", "02"),
    "B9": ("compiles for another type than it serves on", "02"),
    "B10": ("more replicas than the node group may hold", "03 05"),
    "B11": ("the adapter does not know where Prometheus is", "01"),
    "B12": ("not the variable of TEI's image", "01 03"),
    "B13": ("UltraServers are not read as such", "02 04"),
    "C1": ("labels every node", "02"),
    "C2": ("no drain", "01 03"),
    "C3": ("a latency bound no network meets", "02"),
    "C4": ("alerts over the whole cluster", "01"),
    "C5": ("not the series of the server", "02 04"),
    "C7": ("the DaemonSet is named for a model", "01"),
    "C8": ("a capacity reservation priced as a commitment", "02"),
    "C9": ("on-demand added to a reservation", "01"),
    "C10": ("charts without a version", "01 03"),
    "C11": ("nobody gives train.py", "01 03"),
    "C12": ("no security settings", "01 03 06"),
    "C13": ("gp3 at its default throughput", "01"),
    "C14": ("no system nodes for CPU clusters", "02"),
    "C15": ("no note on mirrors in China", "02"),
    "C17": ("no server named for diffusion", "01"),
    "H5": ("the type is missing", "01"),
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
