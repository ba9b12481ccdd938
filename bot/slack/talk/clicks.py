"""What a click on a card's button says, in the words one would type into the thread."""

from typing import Final

from bot.cards.blocks import (
    CHART,
    CHOICE,
    COMPARE,
    DEPLOY,
    FILE,
    FILE_LABELS,
    SAVE,
    USE,
    WATCH,
    WHY,
)
from bot.slack.talk.clicked_card import read_value, value_of_card
from bot.store.store import Payload

# What is asked of the instance on the card, by its button.
ASKED: Final = {
    "use": "",
    DEPLOY: "eksctl manifest ",
    WHY: "why ",
    COMPARE: "compare ",
    CHART: "chart ",
    WATCH: "watch ",
    SAVE: "save this pick ",
    **{f"{FILE}.{kind}": f"{kind} manifest " for kind in FILE_LABELS},
}


def words_of_click(payload: Payload) -> str | None:
    """Return the words that the clicked button stands for; None for a button without any."""
    action, value = _clicked(payload)
    return None if value is None else _words(str(action.get("action_id")), value)


def said_of_click(payload: Payload) -> Payload | None:
    """Return the workload, as said, of the card that was clicked, where it is known."""
    _, value = _clicked(payload)
    said = (value or {}).get("said") or value_of_card(payload).get("said")
    return said if isinstance(said, dict) else None


def card_to_replace(payload: Payload) -> str | None:
    """Return the timestamp of the clicked card where the answer takes its place.

    Another reading or another type is the same question answered again; whatever else is asked
    about a card is said below it.
    """
    action, _ = _clicked(payload)
    again = str(action.get("action_id")).startswith((f"{CHOICE}.", f"{USE}."))
    message = payload.get("message")
    ts = message.get("ts") if isinstance(message, dict) else None
    return str(ts) if again and ts else None


def _clicked(payload: Payload) -> tuple[Payload, Payload | None]:
    """Return the clicked button and what we gave it to remember; None where that is not ours."""
    actions = payload.get("actions")
    action = actions[0] if isinstance(actions, list) and actions else None
    if not isinstance(action, dict):
        return {}, None
    return action, read_value(action.get("value"))


def _words(action_id: str, value: Payload) -> str | None:
    """Return the words; they name what is on the card, as the thread may have moved on since."""
    if action_id.startswith(f"{CHOICE}."):
        said = {field: wanted for field, wanted in value.items() if wanted is not None}
        return " ".join(f"{field}={_said(wanted)}" for field, wanted in said.items()) or None
    if not value.get("instance_type"):
        return None
    this_one = f"instance={value.get('instance_type')} region={value.get('region')}"
    if value.get("market"):
        this_one += f" market={value.get('market')}"
    asked = "use" if action_id.startswith(f"{USE}.") else action_id
    return f"{ASKED[asked]}{this_one}" if asked in ASKED else None


def _said(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
