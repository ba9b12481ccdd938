"""What asks for the form: the command word, the shortcut, a card's button. Imports nothing."""

from bot.core.action_ids import CHANGE, COMMAND_WORD, SHORTCUT
from bot.store.store import Payload


def asks_for_form(payload: Payload) -> bool:
    """Return whether a payload asks for the form to be opened."""
    if "command" in payload:
        return str(payload.get("text") or "").strip().lower() == COMMAND_WORD
    if payload.get("type") == "shortcut":
        return payload.get("callback_id") == SHORTCUT
    return change_button(payload) is not None


def change_button(payload: Payload) -> Payload | None:
    """Return the clicked button, where it is a card's *Change*."""
    actions = payload.get("actions")
    action = actions[0] if isinstance(actions, list) and actions else None
    if payload.get("type") != "block_actions" or not isinstance(action, dict):
        return None
    return action if action.get("action_id") == CHANGE else None
