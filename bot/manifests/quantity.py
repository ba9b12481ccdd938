"""Quantities as Kubernetes writes them: `500m`, `5120Mi`, `8`."""

import re
from typing import Final

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([a-zA-Z]*)")
_SUFFIXES: Final = {
    "": 1.0,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


def quantity(value: object) -> float | None:
    """Return a quantity as a number; None where it is none."""
    if isinstance(value, bool):
        return None
    match = _QUANTITY.fullmatch(str(value))
    if match is None or match[2] not in _SUFFIXES:
        return None
    return float(match[1]) * _SUFFIXES[match[2]]
