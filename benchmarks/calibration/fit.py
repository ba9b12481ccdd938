"""Bounded least squares of logarithms with priors, and what each group looks like left out.

Residuals are ln(predicted / measured), weighted per cell, with a soft-L1 loss so that a few odd
rows do not pull; each coefficient's logarithm has a Gaussian prior and hard bounds. Jacobians are
numeric. A group is left out by two Gauss-Newton steps from the full fit with its rows removed from
the normal equations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.document import (
    Document,
    Parameter,
    coefficients_with,
    parameters,
    tied_names,
    with_values,
)
from benchmarks.calibration.family import Family
from benchmarks.calibration.rows import cell_weights

Array = NDArray[np.float64]
Places = NDArray[np.intp]  # of rows

SOFT_SCALE = 0.3  # residual at which the loss turns from square to absolute
STEP = 1e-3  # of a logarithm, for the Jacobian
DAMPING = 1e-2
PATIENCE = 1e-4  # relative gain below which the fit has converged
LEFT_OUT_STEPS = 2


class Problem:
    """One family's fit: its coefficients as a vector of logarithms, its rows as residuals."""

    def __init__(self, family: Family, document: Document) -> None:
        self.family = family
        self.document = document
        self.parameters: tuple[Parameter, ...] = parameters(document, family.prefix)
        rows = family.rows
        self.measured = np.log([row.measured for row in rows])
        self.weights = np.array(cell_weights(list(rows)))
        self.low, self.high, self.prior, self.width, self.start = (
            np.array([getattr(p, name) for p in self.parameters], dtype=float)
            for name in ("low", "high", "prior", "width", "value")
        )
        for array in (self.low, self.high, self.prior, self.start):
            np.log(array, out=array)
        self.touched = [self._touched(tied_names(document, p.name)) for p in self.parameters]

    def _touched(self, names: Sequence[str]) -> Places:
        """Return the rows that any of these coefficients, which share one value, can change."""
        family = self.family
        return np.flatnonzero([any(family.touches(n, row) for n in names) for row in family.rows])

    def values(self, point: Array) -> dict[str, float]:
        """Return the coefficients at a point by name."""
        return {p.name: float(v) for p, v in zip(self.parameters, np.exp(point), strict=True)}

    def residuals(self, point: Array, rows: Places | None = None) -> Array:
        """Return ln(predicted / measured) of the rows (all by default) at a point."""
        chosen = np.arange(len(self.measured)) if rows is None else rows
        coefficients = coefficients_with(self.document, self.values(point))
        figures = self.family.predict(coefficients, [self.family.rows[i] for i in chosen])
        difference: Array = np.log(figures) - self.measured[chosen]
        return difference

    def jacobian(self, point: Array, residuals: Array) -> Array:
        """Return the derivative of every residual by every logarithm, row by column."""
        slopes = np.zeros((len(residuals), len(point)))
        for column, rows in enumerate(self.touched):
            if len(rows):
                step = STEP if point[column] + STEP <= self.high[column] else -STEP
                moved = point.copy()
                moved[column] += step
                slopes[rows, column] = (self.residuals(moved, rows) - residuals[rows]) / step
        return slopes

    def loss(self, point: Array, residuals: Array) -> float:
        """Return the value that the fit makes small."""
        soft = 2 * SOFT_SCALE**2 * (np.sqrt(1 + (residuals / SOFT_SCALE) ** 2) - 1)
        strain = (point - self.prior) / self.width
        return float(self.weights**2 @ soft + PRIOR_WEIGHT * strain @ strain)

    def step(self, point: Array, residuals: Array, slopes: Array, kept: Array) -> Array:
        """Return the Gauss-Newton step from a point, on the kept rows, inside the bounds."""
        weights = kept * self.weights**2 / np.sqrt(1 + (residuals / SOFT_SCALE) ** 2)
        inverse_prior = PRIOR_WEIGHT / self.width**2
        normal = (slopes.T * weights) @ slopes + np.diag(inverse_prior)
        gradient = slopes.T @ (weights * residuals) + inverse_prior * (point - self.prior)
        return self._inside(point, normal, gradient)

    def _inside(self, point: Array, normal: Array, gradient: Array) -> Array:
        """Return the step with coefficients that would leave their bounds held at them."""
        free = np.ones(len(point), dtype=bool)
        step = np.zeros(len(point))
        for _ in range(len(point)):
            rest = gradient + normal @ np.where(free, 0.0, step)
            step[free] = -np.linalg.solve(normal[np.ix_(free, free)], rest[free])
            outside = free & ((point + step > self.high) | (point + step < self.low))
            if not outside.any():
                break
            step[outside] = np.clip(point + step, self.low, self.high)[outside] - point[outside]
            free &= ~outside
            if not free.any():
                break
        return step


PRIOR_WEIGHT = 0.02  # a prior counts as about a tenth of a row whose residual is its width


@dataclass(frozen=True, slots=True)
class Fit:
    """A problem at its best point."""

    problem: Problem
    point: Array
    residuals: Array
    slopes: Array
    loss: float

    @property
    def document(self) -> Document:
        """The coefficients file with the fitted values."""
        return with_values(self.problem.document, self.problem.values(self.point))


def fitted(
    problem: Problem, iterations: int, report: Callable[[int, float], None] | None = None
) -> Fit:
    """Return the fit after at most so many Gauss-Newton steps, each halved until it helps."""
    point = np.clip(problem.start, problem.low, problem.high)
    residuals = problem.residuals(point)
    loss = problem.loss(point, residuals)
    everything = np.ones(len(residuals))
    slopes = problem.jacobian(point, residuals)
    for round_ in range(iterations):
        step = problem.step(point, residuals, slopes, everything)
        better = _improved(problem, point, step, loss)
        if better is None:
            break
        gain = (loss - better[2]) / loss
        point, residuals, loss = better
        if report:
            report(round_, loss)
        slopes = problem.jacobian(point, residuals)
        if gain < PATIENCE:
            break
    return Fit(problem, point, residuals, slopes, loss)


def _improved(
    problem: Problem, point: Array, step: Array, loss: float
) -> tuple[Array, Array, float] | None:
    for share in (1.0, 0.5, 0.25, 0.1, 0.03):
        tried = point + share * step
        residuals = problem.residuals(tried)
        now = problem.loss(tried, residuals)
        if now < loss:
            return tried, residuals, now
    return None


def scored(problem: Problem) -> Fit:
    """Return the committed values as they are, with what leaving groups out needs."""
    return fitted(problem, 0)


def left_out(fit: Fit, groups: Sequence[str]) -> Array:
    """Return the residual of every row with its group left out of the fit.

    `groups` names each row's group. Two steps: the second starts from the residuals at the first.
    """
    residuals = fit.residuals.copy()
    names = np.array(groups)
    for group in sorted(set(groups)):
        inside = names == group
        kept = (~inside).astype(float)
        rows = np.flatnonzero(inside)
        point, now = fit.point, fit.residuals
        for number in range(LEFT_OUT_STEPS):
            point = point + fit.problem.step(point, now, fit.slopes, kept)
            last = number == LEFT_OUT_STEPS - 1
            now = fit.problem.residuals(point, rows if last else None)
        residuals[rows] = now
    return residuals


def left_out_by(fit: Fit, kinds: Sequence[str]) -> Mapping[str, Array]:
    """Return the residuals left out in each of several ways ("model", "source", ...)."""
    rows = fit.problem.family.rows
    return {kind: left_out(fit, [row.group(kind) for row in rows]) for kind in kinds}
