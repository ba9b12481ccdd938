"""`python -m benchmarks.calibration fit|ranges|accuracy [family ...]`."""

import argparse
import sys

import numpy as np

from benchmarks.calibration import ranges, report
from benchmarks.calibration.document import read_document, with_ranges, with_values, write_document
from benchmarks.calibration.family import Family, families
from benchmarks.calibration.fit import Fit, Problem, fitted, left_out_by, scored
from benchmarks.calibration.picture import draw
from benchmarks.calibration.rows import LEFT_OUT_BY, Row, shared_folder

ITERATIONS = 12


def main() -> int:
    """Fit or score the families asked for; say so and stop where the rows are absent."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("work", choices=("fit", "ranges", "accuracy"))
    parser.add_argument("families", nargs="*", help="all of them by default")
    asked = parser.parse_args()
    if shared_folder() is None:
        print("No measured rows here: set EC2_PICK_SHARED to the folder of shared facts. Skipped.")
        return 0
    chosen = families(asked.families)
    if asked.work == "accuracy":
        score(chosen)
    for family in chosen if asked.work != "accuracy" else ():
        fit_family(family, iterations=ITERATIONS if asked.work == "fit" else 0)
    return 0


def fit_family(family: Family, iterations: int) -> None:
    """Fit one family and write its values and ranges to the coefficients file.

    Without iterations the committed values stay: the ranges alone are made anew.
    """
    problem = Problem(family, read_document())
    fit = (
        fitted(problem, iterations, lambda n, loss: print(f"{family.name} {n}: {loss:.4f}"))
        if iterations
        else scored(problem)
    )
    found = ranges.ranges(family, left_out_by(fit, ("source",))["source"])
    # Read again: another family may have been written meanwhile.
    document = with_values(read_document(), problem.values(fit.point))
    if found:
        document = with_ranges(document, family.populations, ranges.lines(family, found))
    write_document(document)


def score(chosen: list[Family]) -> None:
    """Print how far the committed values are from the rows, and write the report."""
    summary = report.read_summary()
    rows: list[Row] = []
    residuals: list[np.ndarray] = []
    for family in chosen:
        fit, missed = scored_family(family)
        found = ranges.ranges(family, missed["source"])
        summary[family.name] = report.family_summary(fit, missed, found)
        rows += family.rows
        residuals.append(missed["model_accelerator"])
    report.write_summary(summary)
    print(report.printed({family.name: summary[family.name] for family in chosen}))
    if len(chosen) == len(families()):
        draw(report.PICTURE, rows, np.concatenate(residuals))


def scored_family(family: Family) -> tuple[Fit, dict[str, np.ndarray]]:
    """Return the committed values as a fit, and the residuals by way of leaving out."""
    fit = scored(Problem(family, read_document()))
    return fit, {"in_sample": fit.residuals, **left_out_by(fit, LEFT_OUT_BY)}


if __name__ == "__main__":
    sys.exit(main())
