"""What one family of estimates gives to the calibration, and the list of families."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

from benchmarks.calibration.rows import Row
from catalog.facts.coefficients import Coefficients

# Modules of this package; each offers `family() -> Family`.
MODULES = ("inference", "training", "neuron", "cpu")


class DerivedRange(NamedTuple):
    """A range taken from that of another figure of the same load."""

    population: str
    load: str
    figure: str
    from_figure: str
    inverse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Rows, the prefix of the coefficients fitted on them, and the prediction.

    `predict` returns one figure per row, in the unit of `Row.measured`. `touches` says whether a
    coefficient (by name) can change a row's figure: it spares the fit the columns of the Jacobian
    that are zero, and must never be wrong about one that is not. `populations` are those of the
    ranges that the family's residuals give.
    """

    name: str
    prefix: str
    rows: tuple[Row, ...]
    predict: Callable[[Coefficients, Sequence[Row]], list[float]]
    touches: Callable[[str, Row], bool] = lambda _name, _row: True
    populations: tuple[str, ...] = ()
    derived_ranges: tuple[DerivedRange, ...] = ()


def families(names: Sequence[str] = ()) -> list[Family]:
    """Return the families asked for, all of them by default."""
    wanted = [name for name in MODULES if not names or name in names]
    return [import_module(f"benchmarks.calibration.{name}").family() for name in wanted]
