"""What the catalog makes of a form: what is wrong with a field, and the models a name may mean.

Problems are told in the words of the parser that answers the form.
"""

from typing import Final

from bot.core.errors import RequestError
from bot.language.values.form_values import models_called, size_typed
from bot.slack.form.form_fields import BY_NAME, FIELDS, MORE
from bot.slack.form.form_words import FieldTexts, request_of
from bot.slack.form.view import Block, option
from catalog.catalog import Catalog
from catalog.facts.schema import Model

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

MOST: Final = 100  # options in one answer, by Slack's limit
QUERY_CHARS: Final = 100


def problems(typed: FieldTexts, catalog: "Catalog") -> dict[str, str]:
    """Return what each field at fault gets to hear; empty where the form can be answered."""
    found = {
        field.name: problem
        for field in FIELDS
        if typed.get(field.name) and (problem := _fault_alone(field.name, typed, catalog))
    }
    return found or _faults_together(typed, catalog)


def _fault_alone(name: str, typed: FieldTexts, catalog: "Catalog") -> str:
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


def _faults_together(typed: FieldTexts, catalog: "Catalog") -> dict[str, str]:
    from bot.language.parse import parse

    try:
        parse(request_of(typed), catalog)
    except RequestError as error:
        return {_at_fault(error, typed): error.message[:ERROR_CHARS]}
    return {}


def _at_fault(error: RequestError, typed: FieldTexts) -> str:
    """Return the field to show an error at: its own, else where free words were typed."""
    name = HELD_BY.get(error.field or "", error.field or "")
    if name in BY_NAME and typed.get(name):
        return name
    return MORE if typed.get(MORE) else "task"


def model_options(query: str, catalog: Catalog) -> list[Block]:
    """Return the models that hold every part of `query`, the shortest names first.

    A size ("7B") also offers a typical model of that size.
    """
    query = query[:QUERY_CHARS]
    found = [catalog.models[name] for name in models_called(query, catalog)]
    found.sort(key=lambda model: (len(model.id), model.id))
    options = [option(model.id, _model_label(model)) for model in found]
    return [*_of_size(query), *options][:MOST]


def _model_label(model: Model) -> str:
    size = f"{model.total_params_b:.3g}B parameters"
    return f"{model.id} ({size})"


def _of_size(query: str) -> list[Block]:
    size = size_typed(query)
    return [] if size is None else [option(f"{size}b", f"{size}B: a typical model of this size")]
