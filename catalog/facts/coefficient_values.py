"""Reads the rows of `coefficients.json` by name: nothing missing, unused, doubled or unbounded."""

from collections.abc import Mapping
from typing import Any, TypeVar

Row = TypeVar("Row", bound=tuple[Any, ...])


class CoefficientError(ValueError):
    """The coefficients file does not say what the estimates need."""


class NamedValues:
    """Named values, handed out section by section; what is left over at the end is an error."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._left = dict(values)

    def section(self, prefix: str, kind: type[Row]) -> Row:
        """Return the section as its row type; a missing name stops the load."""
        found: dict[str, float] = {}
        for field in kind.__annotations__:
            name = f"{prefix}.{field}"
            if name in self._left:
                found[field] = self._left.pop(name)
        try:
            return kind(**found)
        except TypeError as missing:
            raise CoefficientError(f"coefficients.json, {prefix}: {missing}") from None

    def keyed(self, prefix: str, kind: type[Row]) -> dict[str, Row]:
        """Return one row per key found under the prefix."""
        start = prefix + "."
        keys = {n[len(start) :].split(".")[0] for n in self._left if n.startswith(start)}
        return {key: self.section(start + key, kind) for key in sorted(keys)}

    def numbers(self, prefix: str) -> dict[str, float]:
        """Return the plain values under the prefix by their last name."""
        start = prefix + "."
        names = sorted(n for n in self._left if n.startswith(start))
        return {name[len(start) :]: self._left.pop(name) for name in names}

    def check_empty(self) -> None:
        """Raise when the file holds a name that nothing uses."""
        if self._left:
            raise CoefficientError(f"coefficients.json has unused names: {sorted(self._left)}")


def checked_values(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the values by name.

    Raises:
        CoefficientError: a name is given twice, or a value is outside its bounds.
    """
    values: dict[str, float] = {}
    for row in rows:
        name, value = row["name"], float(row["value"])
        if name in values:
            raise CoefficientError(f"coefficients.json gives {name!r} twice: keep one line")
        if not row["low"] <= value <= row["high"]:
            raise CoefficientError(
                f"coefficients.json: {name} is {value}, outside {row['low']} to {row['high']}"
            )
        values[name] = value
    return values
