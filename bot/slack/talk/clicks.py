"""What a click says: of the card it is on, and in the words one would type into the thread."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.cards.blocks import (
    ASK,
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
from bot.language.text.plain import ENTITIES, ENTITY
from bot.slack.door.payload import clicked_action, part
from bot.store.store import Payload

NAMED = re.compile(r"(?:Asked|Shared) by <@[UW][A-Z0-9]+>")

REQUEST_LEAD = "*Asked* "  # templates/pick.j2

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


@dataclass(frozen=True, slots=True)
class ClickedCard:
    """The card a button is on: its timestamp, and what its buttons carry."""

    ts: str
    value: Payload
    request: Payload | None = None  # the block that repeats what was asked for it


def clicked_card(payload: Payload) -> ClickedCard | None:
    """Return the card that was clicked; None where the message is none of ours."""
    ts, value = part(payload, "message").get("ts"), value_of_card(payload)
    request = next((block for block in blocks_of(payload) if request_line(block)), None)
    return ClickedCard(str(ts), value, request) if ts and value else None


def blocks_of(payload: Payload) -> list[Payload]:
    """Return the blocks of the clicked message, as they may be posted again."""
    blocks = part(payload, "message").get("blocks")
    known = blocks if isinstance(blocks, list) else ()
    return [
        {name: v for name, v in block.items() if name != "block_id"}
        for block in known
        if isinstance(block, dict)
    ]


def value_of_card(payload: Payload) -> Payload:
    """Return what the clicked card's buttons carry; {} where it has none of ours."""
    for element in elements_of(blocks_of(payload)):
        if element.get("action_id") == COMPARE:
            return read_value(element.get("value")) or {}
    return {}


def elements_of(blocks: list[Payload]) -> Iterator[Payload]:
    """Return every interactive element of the blocks."""
    for block in blocks:
        if block.get("type") == "actions" and isinstance(block.get("elements"), list):
            yield from (element for element in block["elements"] if isinstance(element, dict))


def read_value(value: object) -> Payload | None:
    """Return what a button carries; None where that is not ours."""
    try:
        found = json.loads(str(value or "{}"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def request_line(block: Payload) -> str | None:
    """Return the text of the line that repeats what was asked; None for any other block."""
    elements = block.get("elements")
    if block.get("type") != "context" or not isinstance(elements, list) or len(elements) != 1:
        return None
    text = elements[0].get("text") if isinstance(elements[0], dict) else None
    return text if isinstance(text, str) and text.startswith(REQUEST_LEAD) else None


def naming_line(payload: Payload) -> Payload | None:
    """Return the last line of the clicked card where that says who asked for it, or None."""
    return next((line for block in blocks_of(payload)[-1:] if (line := named_in(block))), None)


def named_in(block: Payload) -> Payload | None:
    """Return the line of a block that says who asked for a card, made anew, or None."""
    found = NAMED.search(json.dumps(block.get("elements")))
    if block.get("type") != "context" or found is None:
        return None
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": found[0]}]}


def as_typed(text: str) -> str:
    """Undo Slack's escaping, once. The answer shows these words again, so they must be the user's.

    Messages always come escaped, commands by the manifest do not, but have been seen to.
    """
    return ENTITY.sub(lambda entity: ENTITIES[entity[0]], text)


def words_of_click(payload: Payload) -> str | None:
    """Return the words that the clicked button stands for; None for a button without any."""
    action, value = _clicked(payload)
    return None if value is None else _click_words(str(action.get("action_id")), value)


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
    ts = part(payload, "message").get("ts")
    return str(ts) if again and ts else None


def _clicked(payload: Payload) -> tuple[Payload, Payload | None]:
    """Return the clicked button and what we gave it to remember; None where that is not ours."""
    action = clicked_action(payload)
    return action, read_value(action.get("value")) if action else None


def _click_words(action_id: str, value: Payload) -> str | None:
    """Return the words; they name what is on the card, as the thread may have moved on since."""
    if action_id.startswith(f"{ASK}."):
        return str(value.get("ask") or "") or None
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
