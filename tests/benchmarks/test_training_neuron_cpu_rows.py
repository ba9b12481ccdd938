"""The committed coefficients against measured training, Neuron and CPU rows.

In sample only, so it takes a second; `make accuracy` leaves groups out. The bounds are what the
fit reaches and a little: a change of the formulas that loses accuracy fails here.
"""

from dataclasses import replace
from importlib import import_module

import pytest

from catalog.facts.coefficients import load_coefficients
from tests.shared_data import needed_shared_file

# Family, report classes, rows at least, median and 90th percentile of the absolute error at most.
# Groups weigh alike: a cell (source, model, accelerator) counts once whatever its rows.
BOUNDS = [
    ("training", ("training",), 165, 0.085, 0.28),
    ("neuron", ("Neuron tpot",), 50, 0.07, 0.17),
    ("neuron", ("Neuron ttft",), 47, 0.18, 0.50),
    ("neuron", ("Neuron encoder",), 30, 0.11, 0.26),
    ("cpu", ("CPU decode",), 3000, 0.10, 0.38),
    ("cpu", ("CPU prefill",), 2400, 0.09, 0.26),
]


def rows_of(name, starts):
    needed_shared_file("data/benchmarks_training.csv")
    family = import_module(f"benchmarks.calibration.{name}").family()
    rows = [row for row in family.rows if row.class_name.startswith(starts)]
    return rows, family.predict(load_coefficients(), rows)


def weighted_quantile(pairs, share):
    """Return a quantile of (value, weight) pairs."""
    limit = share * sum(weight for _, weight in pairs)
    for value, weight in sorted(pairs):
        limit -= weight
        if limit <= 0:
            return value
    raise ValueError("no pairs")


@pytest.mark.parametrize(
    ("name", "starts", "count", "median", "p90"), BOUNDS, ids=[b[1][0] for b in BOUNDS]
)
def test_errors_stay_those_of_the_fit(name, starts, count, median, p90):
    rows, predicted = rows_of(name, starts)
    cells = [row.cell for row in rows]
    sizes = {cell: cells.count(cell) for cell in set(cells)}
    errors = [
        (abs(figure / row.measured - 1), 1 / sizes[row.cell])
        for row, figure in zip(rows, predicted, strict=True)
    ]
    assert len(rows) >= count
    assert weighted_quantile(errors, 0.5) <= median
    assert weighted_quantile(errors, 0.9) <= p90


@pytest.mark.parametrize("name", ["training", "neuron", "cpu"])
def test_no_run_is_counted_twice(name):
    needed_shared_file("data/benchmarks_training.csv")
    rows = import_module(f"benchmarks.calibration.{name}").family().rows
    assert len({(row.file, row.id) for row in rows}) == len(rows)
    assert all(row.measured > 0 for row in rows)


def test_what_a_coefficient_touches_is_never_missed():
    """A column of the Jacobian called zero that is not would freeze the fit without a word."""
    coefficients = load_coefficients()
    cpu = import_module("benchmarks.calibration.cpu")
    needed_shared_file("data/benchmarks_training.csv")
    rows = cpu.family().rows[::97]
    shared = coefficients.cpu.shared
    for name in shared._fields:
        moved = coefficients.cpu._replace(
            shared=shared._replace(**{name: getattr(shared, name) * 1.05})
        )
        before = cpu.predict(coefficients, rows)
        after = cpu.predict(replace(coefficients, cpu=moved), rows)
        for row, old, new in zip(rows, before, after, strict=True):
            assert old == new or cpu.touches(f"cpu.shared.{name}", row), (name, row.id)
