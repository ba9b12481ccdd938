"""What a click on a card's button says, in the words one would type into the thread."""

import json
from typing import Final

from bot.card.blocks import CHOICE, COMPARE, DEPLOY, FILE, FILE_LABELS, WATCH, WHY
from bot.state.store import Payload

VERBS: Final = {
    DEPLOY: "eksctl manifest",
    WHY: "why",
    COMPARE: "compare",
    WATCH: "watch",
    **{f"{FILE}.{kind}": f"{kind} manifest" for kind in FILE_LABELS},
}


def words_of_click(payload: Payload) -> str | None:
    """Return the words that the clicked button stands for; None for a button without any."""
    action, value = _clicked(payload)
    return None if value is None else _words(str(action.get("action_id")), value)


def said_of_click(payload: Payload) -> Payload | None:
    """Return the workload, as said, of the card whose button was clicked, where it is known."""
    _, value = _clicked(payload)
    said = None if value is None else value.get("said")
    return said if isinstance(said, dict) else None


def _clicked(payload: Payload) -> tuple[Payload, Payload | None]:
    """Return the clicked button and what we gave it to remember; None where that is not ours."""
    actions = payload.get("actions")
    action = actions[0] if isinstance(actions, list) and actions else None
    if not isinstance(action, dict):
        return {}, None
    try:
        value = json.loads(str(action.get("value") or "{}"))
    except ValueError:
        return action, None
    return action, value if isinstance(value, dict) else None


def _words(action_id: str, value: Payload) -> str | None:
    """Return the words; they name what is on the card, as the thread may have moved on since."""
    if action_id.startswith(f"{CHOICE}."):
        return " ".join(f"{field}={_said(wanted)}" for field, wanted in value.items()) or None
    if not value.get("instance_type"):
        return None
    this_one = f"instance={value.get('instance_type')} region={value.get('region')}"
    if value.get("market"):
        this_one += f" market={value.get('market')}"
    verb = VERBS.get(action_id)
    return None if verb is None else f"{verb} {this_one}"


def _said(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
