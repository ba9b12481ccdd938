"""Between the form and the words one would type: the form is a way to write the field grammar.

What is in its fields is read from the state that Slack sends along; a person's and a workspace's
defaults fill what a workload leaves open.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bot.slack.form.form_fields import FIELDS, MORE, FormField
from bot.store.store import Payload

# What was typed into each field, by the field's name; an empty field is left out.
FieldTexts = Mapping[str, str]

# Workload fields that the form's own fields hold; every other one goes into "Anything else".
_SIMPLE: Final[tuple[str, ...]] = (
    "task",
    "concurrency",
    "rps",
    "context",
    "latency_kind",
    "market",
    "objective",
)
_BUDGETS: Final = {
    "budget_usd_per_month": "${}/month",
    "budget_usd_per_hour": "${}/h",
    "budget_usd_total": "${} total",
}

MAX_CHARS = 3000  # what a text field of Slack's holds

# The fields of a workload that say what a default would fill (`engine.core.assumptions.is_open`; a
# test holds that they agree, as the engine is not loaded while Slack waits for the form).
SAID_BY: Final = {
    "region": ("region", "regions"),
    "market": ("market",),
    "allow": ("allow", "instance", "gpu", "compare_family"),
}


def request_of(typed: FieldTexts) -> str:
    """Return the request that a filled form stands for, in the words of the slash command."""
    named = [f"{f.name}={typed[f.name]}" for f in FIELDS if f.name != MORE and typed.get(f.name)]
    return " ".join([*named, *([typed[MORE]] if typed.get(MORE) else [])])


def typed_of(said: Mapping[str, object]) -> dict[str, str]:
    """Return what the form holds for a workload as said: nothing of it is lost."""
    rest = {name: value for name, value in said.items() if value is not None}
    typed = {name: _value_words(rest.pop(name)) for name in _SIMPLE if name in rest}
    typed["model"] = _model_words(rest)
    typed["latency"] = _latency_words(rest)
    typed["budget"] = _budget(rest)
    typed["region"] = _region_words(rest)
    typed[MORE] = " ".join(_other_words(rest))  # each of the above has taken its own
    return {name: text for name, text in typed.items() if text}


def _model_words(rest: dict[str, object]) -> str:
    """Return the model's name, or its size where it has none; a comparison has no one model."""
    if "model" in rest:
        rest.pop("models", None)
        return _value_words(rest.pop("model"))
    if "models" in rest or "params_b" not in rest:
        return ""
    return f"{_value_words(rest.pop('params_b'))}b"


def _latency_words(rest: dict[str, object]) -> str:
    return f"{_value_words(rest.pop('latency_ms'))}ms" if "latency_ms" in rest else ""


def _budget(rest: dict[str, object]) -> str:
    """Return the budget in its period; an hourly one beside a monthly one is worked out of it."""
    if "budget_usd_per_month" in rest:
        rest.pop("budget_usd_per_hour", None)
    for name, words in _BUDGETS.items():
        if name in rest:
            return words.format(_value_words(rest.pop(name)))
    return ""


def _region_words(rest: dict[str, object]) -> str:
    several = rest.pop("regions", None)
    one = rest.pop("region", None)
    found = several or one
    return _value_words(found) if found else ""


def _other_words(rest: Mapping[str, object]) -> Iterator[str]:
    for name, value in rest.items():
        if name == "reservation":
            yield _value_words(value)  # its id tells what it is
        elif name == "models":
            yield f"model={_value_words(value)}"
        elif name in {"name", "guide"}:
            yield f'{name}="{_value_words(value)}"'
        else:
            yield f"{name}={_value_words(value)}"


def _value_words(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_value_words, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def typed_in(view: Payload) -> dict[str, str]:
    """Return what each field holds, without the empty ones and what is no field of ours."""
    state = view.get("state")
    values = state.get("values") if isinstance(state, dict) else None
    if not isinstance(values, dict):
        return {}
    read = {field.name: _field_text(field, values.get(field.name)) for field in FIELDS}
    return {name: text for name, text in read.items() if text}


def _field_text(field: FormField, block: object) -> str:
    """Return the text of one field's block: `{action_id: {…}}`."""
    element = block.get(f"form.{field.name}") if isinstance(block, dict) else None
    if not isinstance(element, dict):
        return ""
    option = element.get("selected_option")
    value = option.get("value") if isinstance(option, dict) else element.get("value")
    text = value.strip()[:MAX_CHARS] if isinstance(value, str) else ""
    known = {value for value, _ in field.choices}
    return text if not known or text in known else ""


def is_left_open(said: Mapping[str, object], name: str) -> bool:
    """Return whether a workload as said leaves a field to the defaults."""
    return all(not said.get(one) for one in SAID_BY[name])


def filled_in(
    typed: Mapping[str, str],
    said: Mapping[str, object],
    taken: Iterable[tuple[str, object, str]],
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the form holds with the defaults that `said` leaves room for, and whose each is.

    `taken` are the defaults: field of the workload, value, whose. The second part goes by the
    form's fields.
    """
    filled, whose = dict(typed), {}
    for name, value, owner in taken:
        if is_left_open(said, name):
            place, text = _in_form(name, value)
            filled[place] = " ".join(part for part in (filled.get(place), text) if part)
            whose[place] = owner
    return filled, whose


def _in_form(name: str, value: object) -> tuple[str, str]:
    """Return the form's field for a default, and what to type there."""
    if name == "allow" and isinstance(value, tuple):
        return MORE, f"allow={','.join(value)}"
    return name, str(value)
