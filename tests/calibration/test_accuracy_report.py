"""The committed accuracy report: what its summary says, and what the rows still say."""

import json

import pytest

from benchmarks.calibration import report
from benchmarks.calibration.document import read_document
from benchmarks.calibration.family import families
from benchmarks.calibration.fit import Problem
from benchmarks.calibration.rows import EXCLUSIONS_MAX_SHARE, exclusions
from tests.shared_data import needed_shared_file

SUMMARY = json.loads(report.SUMMARY.read_text(encoding="utf-8"))
LEFT_OUT = "model_accelerator"


def test_the_table_is_the_summary():
    assert report.TABLE.read_text(encoding="utf-8") == report.markdown(SUMMARY)


@pytest.mark.parametrize("family", SUMMARY.values(), ids=SUMMARY)
def test_every_row_is_answered(family):
    assert family["answered"] == family["rows"]


@pytest.mark.parametrize(
    ("class_name", "median", "p90"), [("serving tpot", 10, 28), ("serving ttft", 26, 65)]
)
def test_servers_left_out_are_this_near(class_name, median, p90):
    figures = SUMMARY["inference"]["classes"][class_name][LEFT_OUT]
    assert figures["median"] <= median
    assert figures["p90"] <= p90


def test_gpu_inference_left_out_is_this_near_with_few_coefficients():
    assert SUMMARY["inference"]["group_weighted_median"][LEFT_OUT] <= 18
    assert SUMMARY["inference"]["fitted_coefficients"] <= 60


def test_gpu_ranges_hold_what_they_say_of_unseen_sources():
    for found in SUMMARY["inference"]["ranges"]:
        assert 76 <= found["inside_left_out"] <= 88, found


def test_the_better_machine_is_predicted_to_be_better():
    assert SUMMARY["inference"]["order"]["other figures"]["right"] >= 93


def test_tied_coefficients_are_equal():
    lines = {line["name"]: line for line in read_document()["coefficients"]}
    for line in lines.values():
        if "same_as" in line:
            assert line["value"] == lines[line["same_as"]]["value"], line["name"]


def test_few_rows_are_excluded():
    for file in {file for file, _ in exclusions()}:
        path = needed_shared_file(f"data/{file}")
        rows = len(path.read_text(encoding="utf-8").splitlines()) - 1
        excluded = sum(name == file for name, _ in exclusions())
        assert excluded <= EXCLUSIONS_MAX_SHARE * rows, file


@pytest.mark.slow
@pytest.mark.parametrize("name", SUMMARY)
def test_scoring_again_gives_the_summary(name):
    needed_shared_file("data/benchmarks_serving.csv")
    (family,) = families([name])
    problem = Problem(family, read_document())
    residuals = problem.residuals(problem.start)
    for class_name, figures in SUMMARY[name]["classes"].items():
        rows = [n for n, row in enumerate(family.rows) if row.class_name == class_name]
        again = report.spread(residuals[rows])
        assert again == {key: pytest.approx(figures["in_sample"][key], abs=0.2) for key in again}
