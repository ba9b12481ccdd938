"""A frozen dataclass that costs no more to make than a tuple: frozen for mypy, plain at run time.

A pick makes some ten thousand values. Python's own frozen dataclasses pay a function call for each
field of each of them, which was a quarter of a pick; mypy (strict, in CI) refuses the same
assignments without that.
"""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Return the class as a value: compared and hashed by its fields, never assigned to.

    A class that hashes itself by a few telling fields keeps its own hash.
    """
    return dataclass(slots=True, unsafe_hash="__hash__" not in vars(cls))(cls)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def kw_value(cls: type[T]) -> type[T]:
    """Return the class as a value whose fields are named when it is made."""
    return dataclass(slots=True, unsafe_hash="__hash__" not in vars(cls), kw_only=True)(cls)
