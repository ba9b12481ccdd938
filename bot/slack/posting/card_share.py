"""The wish to show a card to a channel: the button for it, and what a click on it asks."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from bot.cards.blocks import COMPARE
from bot.slack.door.payload import clicked_action
from bot.slack.talk.clicks import as_typed, blocks_of, elements_of, named_in, value_of_card
from bot.store.store import Payload

SHARE: Final = "card.share"  # a thread's card, to its channel
SHARE_TO: Final = "card.share_to"  # a card of a direct conversation, to a channel of one's choice
ACTIONS_A_BLOCK: Final = 25
DIRECT: Final = ("D", "U", "W")  # a direct conversation, by its id or by the person's


@dataclass(frozen=True, slots=True, kw_only=True)
class CardShare:
    """A card to show in `channel`, as it is; `key` names this card in that channel."""

    channel: str
    text: str
    blocks: list[Payload]
    key: str


def share_of(payload: Payload) -> CardShare | None:
    """Return what a click wishes to show where; None for any other click."""
    channel = _channel(payload)
    if not channel:
        return None
    message, blocks = payload.get("message") or {}, blocks_of(payload)
    value = value_of_card(payload)
    place = [payload.get("channel", {}).get("id"), message.get("ts"), channel, value]
    digest = hashlib.sha256(json.dumps(place, sort_keys=True).encode()).hexdigest()
    return CardShare(
        channel=channel,
        text=as_typed(str(message.get("text") or "")),
        blocks=[b for b in map(_shareable, blocks) if b is not None],
        key=f"share|{digest}",
    )


def _channel(payload: Payload) -> str:
    action = clicked_action(payload)
    if action.get("action_id") == SHARE:
        return str(payload.get("channel", {}).get("id") or "")
    is_choice = action.get("action_id") == SHARE_TO
    return str(action.get("selected_conversation") or "") if is_choice else ""


def _shareable(block: Payload) -> Payload | None:
    """Return the block without the share button; None for the line that says who asked."""
    if named_in(block) is not None:
        return None
    if block.get("type") != "actions":
        return block
    kept = [e for e in block.get("elements", ()) if e.get("action_id") not in {SHARE, SHARE_TO}]
    return {**block, "elements": kept} if kept else None


def with_share(blocks: list[Payload], channel: str, *, in_thread: bool) -> list[Payload]:
    """Return a card's blocks with the button that shows it to a channel that does not see it.

    A card that stands in its channel needs none; nor does an answer without a pick.
    """
    direct = channel.startswith(DIRECT)
    row = next((b for b in reversed(blocks) if _has_pick(b)), None)
    if row is None or not (direct or in_thread) or len(row["elements"]) >= ACTIONS_A_BLOCK:
        return blocks
    value = next(e["value"] for e in row["elements"] if e.get("action_id") == COMPARE)
    more = _to_any_channel() if direct else _to_this_channel(value)
    wider = {**row, "elements": [*row["elements"], more]}
    return [wider if block is row else block for block in blocks]


def _has_pick(block: Payload) -> bool:
    return any(element.get("action_id") == COMPARE for element in elements_of([block]))


def _to_this_channel(value: str) -> dict[str, Any]:
    label = {"type": "plain_text", "text": "Share to channel", "emoji": False}
    return {"type": "button", "text": label, "action_id": SHARE, "value": value}


def _to_any_channel() -> dict[str, Any]:
    """Return the list of channels. Choosing one shares at once, so Slack asks again first."""
    return {
        "type": "conversations_select",
        "action_id": SHARE_TO,
        "placeholder": {"type": "plain_text", "text": "Share to channel", "emoji": False},
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
        "confirm": {
            "title": {"type": "plain_text", "text": "Share this card?"},
            "text": {"type": "plain_text", "text": "Everybody in that channel will see it."},
            "confirm": {"type": "plain_text", "text": "Share"},
            "deny": {"type": "plain_text", "text": "Cancel"},
        },
    }
