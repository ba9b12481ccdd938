"""What is wrong with a filled form, field by field, in the words of the parser that answers it."""

from typing import TYPE_CHECKING, Final

from bot.core.errors import RequestError
from bot.slack.form.fields import BY_NAME, FIELDS, MORE
from bot.slack.form.words import Typed, request_of

if TYPE_CHECKING:
    from catalog.catalog import Catalog

ERROR_CHARS: Final = 300
# Fields of the workload that another field of the form holds.
HELD_BY: Final = {
    "params_b": "model",
    "models": "model",
    "latency_ms": "latency",
    "regions": "region",
    "budget_usd_per_hour": "budget",
    "budget_usd_per_month": "budget",
    "budget_usd_total": "budget",
}


def problems(typed: Typed, catalog: "Catalog") -> dict[str, str]:
    """Return what each field at fault gets to hear; empty where the form can be answered."""
    found = {
        field.name: problem
        for field in FIELDS
        if typed.get(field.name) and (problem := _alone(field.name, typed, catalog))
    }
    return found or _together(typed, catalog)


def _alone(name: str, typed: Typed, catalog: "Catalog") -> str:
    """Return what is wrong with one field, whatever is in the others."""
    if name == MORE:  # what is not understood there, the card says
        return ""
    from bot.language.parse import parse

    try:
        understood = parse(f"inference {name}={typed[name]}", catalog)
    except RequestError as error:
        # A conflict is with the other words here; the form as a whole is read later.
        return "" if error.code == "conflict" else error.message[:ERROR_CHARS]
    lost = ", ".join(f"`{span.text}`" for span in understood.not_understood)
    return f"Not understood here: {lost}."[:ERROR_CHARS] if lost else ""


def _together(typed: Typed, catalog: "Catalog") -> dict[str, str]:
    from bot.language.parse import parse

    try:
        parse(request_of(typed), catalog)
    except RequestError as error:
        return {_at_fault(error, typed): error.message[:ERROR_CHARS]}
    return {}


def _at_fault(error: RequestError, typed: Typed) -> str:
    """Return the field to show an error at: its own, else where free words were typed."""
    name = HELD_BY.get(error.field or "", error.field or "")
    if name in BY_NAME and typed.get(name):
        return name
    return MORE if typed.get(MORE) else "task"
