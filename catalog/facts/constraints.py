"""The limits that a column's annotation can state. Read when the catalog is built, never later."""

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Ge, Gt, Interval, MinLen

__all__ = [
    "Interval",
    "MigProfile",
    "Natural",
    "Positive",
    "PositiveInt",
    "Setting",
    "Share",
    "Text",
    "ZoneLetters",
]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a cell's text has to look like: a regular expression."""

    expression: str

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:  # noqa: ANN401
        from pydantic_core import core_schema

        del source, handler
        return core_schema.str_schema(pattern=self.expression)


Positive = Annotated[float, Gt(0)]
PositiveInt = Annotated[int, Gt(0)]
Natural = Annotated[int, Ge(0)]
Share = Annotated[float, Interval(gt=0, le=1)]
Text = Annotated[str, MinLen(1)]
MigProfile = Annotated[str, Pattern(r"^[1-7]g\.\d+gb x[1-7]$")]
ZoneLetters = Annotated[str, Pattern(r"^[a-z]{2}$")]
Setting = Annotated[str, Pattern(r"^\w+=\d+$")]  # head_dim=256
