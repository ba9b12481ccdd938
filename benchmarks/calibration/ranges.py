"""80 % ranges from what rows missed by when their source was left out of the fit.

A class is population x figure x load x mixture of experts. Its range is the 10th to 90th weighted
percentile of ln(measured / predicted), each end moved by a margin so that it holds 82 % of all
rows, and 76 to 88 % of the rows of sources that had no part in the percentiles; classes of one
source leave out groups instead.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.family import Family
from benchmarks.calibration.rows import Row

Array = NDArray[np.float64]
Ends = tuple[float, float]  # of a range, low and high


class Quantiles(NamedTuple):
    """The 10th and 90th percentile of a class, and how far its range reaches at least."""

    low: float
    high: float
    edge: float


Apart = Sequence[tuple[NDArray[np.bool_], Quantiles]]  # rows, and the quantiles of all the others

ROWS_MIN, GROUPS_MIN = 8, 4
TAIL = 0.1
AIM, ALLOWED = 0.82, 0.06
STEPS = tuple(n / 50 for n in range(-20, 100))  # of the logarithm
EVEN = tuple((step, step) for step in STEPS)
ROWS_FOR_UNEVEN = 100  # fewer rows would fit each end to a handful of outliers
UNEVEN = tuple(product(STEPS[10:60], STEPS[10:60]))
WIDTH_COST = 0.3  # what a margin of a whole logarithm costs in shares of rows
EDGE = 0.02  # a range reaches at least this far to both sides of its estimate
EDGE_FEW_ROWS = 0.1  # a few rows on one side of it do not prove that there is no other
FACTOR_MAX = 4.0  # a wider range says nothing; residuals beyond are overloads, or no class at all
SOURCE = "residuals"


class Key(NamedTuple):
    """A class of figures that share a range; `moe` None pools dense models and mixtures."""

    population: str
    figure: str
    load: str
    moe: bool | None


class Range(NamedTuple):
    """Logarithms of the factors; which rows a range made without their source would hold."""

    low: float
    high: float
    held_unseen: dict[tuple[str, str], bool]  # by row

    @property
    def rows(self) -> int:
        """How many rows the range rests on."""
        return len(self.held_unseen)

    @property
    def inside(self) -> float:
        """The share of rows held whose source was left out."""
        return sum(self.held_unseen.values()) / self.rows


def key_of(row: Row) -> Key:
    """Return the narrowest class of a row."""
    return Key(row.population, row.metric, row.regime, row.moe)


def name_of(row: Row) -> tuple[str, str]:
    """Return what tells a row from every other one of its family."""
    return f"{row.file} {row.id}", row.metric


def keys_of(row: Row) -> tuple[Key, ...]:
    """Return the classes a row counts in, from narrow to wide, each once.

    One pass over an input (encoders) says nothing about work that writes tokens.
    """
    if row.regime == "encoder":
        return (key_of(row),)
    keys = (
        key_of(row),
        Key(row.population, row.metric, "any", None),
        Key("any", row.metric, "any", None),
    )
    return tuple(dict.fromkeys(keys))


def ranges(family: Family, left_out: Array) -> dict[Key, Range]:
    """Return the range of every class with enough rows, from ln(predicted / measured)."""
    members: dict[Key, list[int]] = defaultdict(list)
    for number, row in enumerate(family.rows):
        if row.population:
            for key in keys_of(row):
                if key.population in family.populations:
                    members[key].append(number)
    found = {}
    for key, chosen in members.items():
        rows = [family.rows[n] for n in chosen]
        groups = {row.group("model_accelerator") for row in rows}
        if key.load == "any" or (len(rows) >= ROWS_MIN and len(groups) >= GROUPS_MIN):
            found[key] = _range(rows, -left_out[chosen])
    return found


def _range(rows: Sequence[Row], misses: Array) -> Range:
    weights = _weights(rows)
    names = _left_out_names(rows)
    apart = [(names == name, _quantiles(misses, weights, names != name)) for name in set(names)]
    whole = _quantiles(misses, weights, weights > 0)
    tried = UNEVEN if len(rows) >= ROWS_FOR_UNEVEN else EVEN
    margins = min(tried, key=lambda m: _strain(_unseen(misses, apart, m), misses, whole, m))
    low, high = _bounds(whole, margins)
    held = np.zeros(len(rows), dtype=bool)
    for chosen, quantiles in apart:
        held[chosen] = _held(misses[chosen], quantiles, margins)
    return Range(low, high, dict(zip(map(name_of, rows), held.tolist(), strict=True)))


def _unseen(misses: Array, apart: Apart, margins: Ends) -> float:
    """Return the share of rows inside the range made without their source."""
    return sum(int(_held(misses[i], ends, margins).sum()) for i, ends in apart) / len(misses)


def _strain(unseen: float, misses: Array, whole: Quantiles, margins: Ends) -> tuple[float, float]:
    """Return how far unseen sources are from the allowed share, then all rows from 82 %.

    Of two ranges that hold as much, the narrower and the evener is the better one.
    """
    seen = float(_held(misses, whole, margins).mean())
    cost = WIDTH_COST * sum(abs(m) * m for m in margins)
    return max(0.0, abs(unseen - AIM) - ALLOWED), abs(seen - AIM) + cost


def _left_out_names(rows: Sequence[Row]) -> NDArray[np.str_]:
    """Return what is left out together: sources, or groups where there is one source."""
    names = np.array([row.source for row in rows])
    if len(set(names)) > 1:
        return names
    return np.array([row.group("model_accelerator") for row in rows])


def _weights(rows: Sequence[Row]) -> Array:
    """Return weights under which a source, and a group, counts as the root of its rows."""
    weights = np.ones(len(rows))
    for names in ([row.group("model_accelerator") for row in rows], [row.source for row in rows]):
        sizes = Counter(names)
        weights *= [sizes[name] ** -0.5 for name in names]
    return weights


def _quantiles(misses: Array, weights: Array, kept: NDArray[np.bool_]) -> Quantiles:
    if not kept.any():
        kept = np.ones(len(misses), dtype=bool)
    order = np.argsort(misses[kept])
    values, share = misses[kept][order], np.cumsum(weights[kept][order])
    share = (share - weights[kept][order] / 2) / share[-1]
    low, high = np.interp((TAIL, 1 - TAIL), share, values)
    few = len(misses) < ROWS_FOR_UNEVEN
    return Quantiles(float(low), float(high), EDGE_FEW_ROWS if few else EDGE)


def _bounds(quantiles: Quantiles, margins: Ends) -> Ends:
    low = min(-quantiles.edge, quantiles.low - margins[0])
    high = max(quantiles.edge, quantiles.high + margins[1])
    return max(low, -log(FACTOR_MAX)), min(high, log(FACTOR_MAX))


def _held(misses: Array, quantiles: Quantiles, margins: Ends) -> NDArray[np.bool_]:
    low, high = _bounds(quantiles, margins)
    return (misses >= low) & (misses <= high)


def of_row(found: Mapping[Key, Range], row: Row) -> Range | None:
    """Return the range that applies to a row: its own class's, else a wider one."""
    return next((found[key] for key in keys_of(row) if key in found), None)


def lines(family: Family, found: Mapping[Key, Range]) -> list[dict[str, Any]]:
    """Return the ranges as lines of the coefficients file, the derived ones after the measured."""
    made = [_line(key, value.low, value.high, SOURCE, value) for key, value in found.items()]
    for rule in family.derived_ranges:
        for moe in (False, True, None):
            key = Key(rule.population, rule.figure, rule.load, moe)
            base = found.get(Key(rule.population, rule.from_figure, rule.load, moe))
            if base and key not in found:
                low, high = (-base.high, -base.low) if rule.inverse else (base.low, base.high)
                made.append(_line(key, low, high, "reciprocal", None))
    return made


def _line(key: Key, low: float, high: float, source: str, value: Range | None) -> dict[str, Any]:
    line = key._asdict() | {"low": round(exp(low), 3), "high": round(exp(high), 3)}
    if value:
        line |= {"rows": value.rows, "inside_left_out": round(value.inside, 3)}
    return line | {"source": source}
