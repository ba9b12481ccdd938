"""What is in the fields of an open form, read from the state that Slack sends along."""

from bot.slack.form.fields import FIELDS, FormField
from bot.store.store import Payload

MAX_CHARS = 3000  # what a text field of Slack's holds


def typed_in(view: Payload) -> dict[str, str]:
    """Return what each field holds, without the empty ones and what is no field of ours."""
    state = view.get("state")
    values = state.get("values") if isinstance(state, dict) else None
    if not isinstance(values, dict):
        return {}
    read = {field.name: _held(field, values.get(field.name)) for field in FIELDS}
    return {name: text for name, text in read.items() if text}


def _held(field: FormField, block: object) -> str:
    """Return the text of one field's block: `{action_id: {…}}`."""
    element = block.get(f"form.{field.name}") if isinstance(block, dict) else None
    if not isinstance(element, dict):
        return ""
    option = element.get("selected_option")
    value = option.get("value") if isinstance(option, dict) else element.get("value")
    text = value.strip()[:MAX_CHARS] if isinstance(value, str) else ""
    known = {value for value, _ in field.choices}
    return text if not known or text in known else ""
