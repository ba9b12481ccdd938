"""The limits that a column's annotation can state. Read when the catalog is built, never later."""

from typing import Annotated

from annotated_types import Ge, Gt, Interval, MinLen

__all__ = ["Interval", "Natural", "Positive", "PositiveInt", "Text"]

Positive = Annotated[float, Gt(0)]
PositiveInt = Annotated[int, Gt(0)]
Natural = Annotated[int, Ge(0)]
Text = Annotated[str, MinLen(1)]
