"""The fields of the form, as `form_fields.json` beside it lists them in their order."""

import json
import os.path
from dataclasses import dataclass
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One input. `name` is its block_id and, but for `more`, its key in `key=value`."""

    name: str
    label: str
    hint: str
    kind: Literal["choice", "model", "line", "lines"]
    placeholder: str
    choices: tuple[tuple[str, str], ...] = ()  # (value in the grammar, what people read)


MORE: Final = "more"  # whatever has no field of its own, as one would type it
ENTER: Final = " Press Enter to update the preview."  # in the hint of what is typed in one line
UNTOUCHED: Final = {"task": "inference"}  # what a form holds that nothing is known of


def _form_field(row: dict[str, Any]) -> FormField:
    enter = ENTER if row["kind"] == "line" else ""
    choices = tuple(row.get("choices", {}).items())
    return FormField(**{**row, "hint": row["hint"] + enter, "choices": choices})


# Without pathlib, which Slack would wait for longer than for the form.
_PATH: Final = os.path.join(os.path.dirname(__file__), "form_fields.json")  # noqa: PTH118, PTH120
with open(_PATH, encoding="utf-8") as _file:  # noqa: PTH123
    FIELDS: Final[tuple[FormField, ...]] = tuple(map(_form_field, json.load(_file)))
BY_NAME: Final = {field.name: field for field in FIELDS}
