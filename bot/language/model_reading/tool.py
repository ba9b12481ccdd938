"""What the model is told: one tool, whose input is the fields of the slash grammar."""

from functools import cache
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from bot.core.examples import example
from bot.language.fields.keys import ROWS, ValueKind
from engine.core.workload import Workload

NAME: Final = "describe_workload"
PROMPT: Final = example("tool")
MOST_VALUE_CHARACTERS: Final = 60
# No fields of a workload, or people's own words: nothing that a model could read out of a text.
LEFT_OUT: Final[frozenset[ValueKind]] = frozenset({"detail", "text", "compare"})


@cache
def kinds() -> dict[str, ValueKind]:
    """Return the workload fields that the tool takes, each with its kind of value."""
    return {field: kind for field, kind, _ in ROWS if kind not in LEFT_OUT}


def tool_config() -> dict[str, Any]:
    """Return Converse's `toolConfig`: the one tool, which the model has to use."""
    said = {"type": "object", "properties": _properties(), "additionalProperties": False}
    described = "Fields of the workload that the text states."
    spec = {"name": NAME, "description": described, "inputSchema": {"json": said}}
    return {"tools": [{"toolSpec": spec}], "toolChoice": {"tool": {"name": NAME}}}


def _properties() -> dict[str, dict[str, Any]]:
    hints = get_type_hints(Workload)
    return {field: _property(field, hints.get(field)) for field in kinds()}


def _property(field: str, hint: object) -> dict[str, Any]:
    names = dict.fromkeys(name for row, _, all_of in ROWS if row == field for name in all_of)
    said: dict[str, Any] = {
        "type": "string",
        "maxLength": MOST_VALUE_CHARACTERS,
        "description": f"Also called {', '.join(names)}.",
    }
    if values := _named_values(hint):
        said["enum"] = values
    return said


def _named_values(hint: object) -> list[str]:
    """Return the values that a type lists, as in `Literal["realtime", "batch"] | None`."""
    if get_origin(hint) is Literal:
        return [str(one) for one in get_args(hint)]
    return [value for part in get_args(hint) for value in _named_values(part)]
