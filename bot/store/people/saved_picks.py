"""The picks a person saved: one document each person, so that the limit holds for racing saves."""

from typing import Final

from bot.store.items import Items
from bot.store.people.owner import Owner, changed, kept
from bot.store.people.saved_pick import SavedPick, body_of, saved_pick_of
from bot.store.store import Payload

KEY: Final = "saved_picks"
MOST_SAVED: Final = 50  # of one person; a document of all of them stays far below its limit


def saved_by(items: Items, person: Owner) -> tuple[SavedPick, ...]:
    """Return what a person saved, the latest first."""
    return tuple(map(saved_pick_of, kept(items, person, KEY).get("picks", ())))


def save(items: Items, person: Owner, pick: SavedPick) -> bool:
    """Keep a pick, in the place of the same one; return False where no more can be kept."""
    full = False

    def with_pick(body: Payload) -> Payload | None:
        nonlocal full
        others = [one for one in body.get("picks", ()) if saved_pick_of(one).id != pick.id]
        full = len(others) >= MOST_SAVED
        return None if full else {"picks": [body_of(pick), *others]}

    changed(items, person, KEY, with_pick)
    return not full


def forget(items: Items, person: Owner, pick_id: str) -> bool:
    """Forget a saved pick; return whether it was there."""

    def without(body: Payload) -> Payload | None:
        picks = body.get("picks", [])
        others = [one for one in picks if saved_pick_of(one).id != pick_id]
        return {"picks": others} if len(others) < len(picks) else None

    return changed(items, person, KEY, without)
