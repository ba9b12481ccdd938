"""The form as a Slack modal. Every field has a label and a hint; nothing is told by colour."""

from collections.abc import Iterable
from typing import Any, Final

from bot.core.names import CALLBACK
from bot.slack.form.form_fields import FIELDS, MORE, FormField
from bot.slack.form.form_words import FieldTexts
from bot.slack.form.place import Opener

Block = dict[str, Any]

TITLE: Final = "Size a model"
SUBMIT: Final = "Post the pick"
WORKING: Final = "Working out the pick…"
PREVIEW_NOTE: Final = "Preview. The card that you post also says what was assumed and why."
# Slack's limits: the text of a section, of an option and of a text field.
PREVIEW_CHARS: Final = 3000
OPTION_CHARS: Final = 75
TEXT_CHARS: Final = 3000


def form_view(typed: FieldTexts, opener: Opener, preview: str = WORKING) -> Block:
    """Return the modal with what was typed, and the preview in plain words.

    The blocks keep their ids: Slack then keeps what somebody is typing when the view is updated.
    """
    inputs = [_field_input(f, typed.get(f.name, ""), opener.defaults.get(f.name)) for f in FIELDS]
    return modal(CALLBACK, TITLE, SUBMIT, opener.metadata(), [*inputs, *_preview_blocks(preview)])


def modal(callback_id: str, title: str, submit: str, metadata: str, blocks: list[Block]) -> Block:
    """Return a form as views.open takes it; `metadata` is what Slack keeps for us with it."""
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(title),
        "submit": plain(submit),
        "close": plain("Cancel"),
        "private_metadata": metadata,
        "blocks": blocks,
    }


def option(value: str, label: str) -> Block:
    """Return one choice of a menu."""
    return {"text": plain(_cut_text(label, OPTION_CHARS)), "value": value}


def plain(text: str) -> Block:
    """Return text that Slack shows as it is."""
    return {"type": "plain_text", "text": text, "emoji": False}


def _preview_blocks(preview: str) -> list[Block]:
    text = plain(_cut_text(preview, PREVIEW_CHARS))
    note = {"type": "context", "elements": [plain(PREVIEW_NOTE)]}
    return [{"type": "divider"}, {"type": "section", "block_id": "preview", "text": text}, note]


def _field_input(field: FormField, typed: str, whose: str | None) -> Block:
    return {
        "type": "input",
        "block_id": field.name,
        "label": plain(field.label),
        "hint": plain(field.hint if whose is None else f"{_filled(field, whose)} {field.hint}"),
        "optional": field.name != "task",
        # Enter in a longer text starts a line: there is nothing to tell us that it is complete.
        "dispatch_action": field.kind != "lines",
        "element": _field_element(field, typed),
    }


def _filled(field: FormField, whose: str) -> str:
    """Return where what the field was opened with is from."""
    what = "The allow= is" if field.name == MORE else "Filled in:"
    return f"{what} {whose} (Home tab)."


def _field_element(field: FormField, typed: str) -> Block:
    common = {"action_id": f"form.{field.name}", "placeholder": plain(field.placeholder)}
    if field.kind == "choice":
        return {**common, **menu(field.choices, typed)}
    if field.kind == "model":
        chosen = {"initial_option": option(typed, typed)} if typed else {}
        return {"type": "external_select", "min_query_length": 1, **common, **chosen}
    text: Block = {"initial_value": typed[:TEXT_CHARS]} if typed else {}
    if field.kind == "line":
        text["dispatch_action_config"] = {"trigger_actions_on": ["on_enter_pressed"]}
    lines = field.kind == "lines"
    return {
        "type": "plain_text_input", "multiline": lines, "max_length": TEXT_CHARS, **common, **text,
    }  # fmt: skip


def menu(choices: Iterable[tuple[str, str]], chosen: str) -> Block:
    """Return a list to choose from, of values and what people read, with one of them chosen."""
    options = [option(value, label) for value, label in choices]
    first = [one for one in options if one["value"] == chosen]
    shown: Block = {"type": "static_select", "options": options}
    return {**shown, "initial_option": first[0]} if first else shown


def _cut_text(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
