"""What a person left here to find again: the picks they saved, the threads they spoke in lately.

One document each, so that the limits hold for racing writers.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Final

from bot.core.subscription import Place
from bot.store.owner import Owner, changed, kept
from bot.store.store import THREAD_KEPT_S, Items, Payload
from catalog.facts.schema import Market

SAME_SHARE = 0.0005  # a twentieth of a per cent: below that a price is called the same

PICKS: Final = "saved_picks"
MOST_SAVED: Final = 50  # of one person; a document of all of them stays far below its limit

THREADS: Final = "threads"
MOST_THREADS: Final = 5  # each turn writes them all: two units of DynamoDB


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPick:
    """One saved pick. Prices are AWS's own: a discount that is agreed may change meanwhile."""

    instance_type: str
    instances: int
    region: str
    market: Market
    term_years: int  # 1 or 3 for commitments, else 0
    usd_per_hour: float | None  # of one instance, when it was saved; None: no price was known
    priced_on: str  # ISO date of that price
    workload: str  # in words, as the card said it
    request: str  # as said: what asks for it again
    saved_on: str  # ISO date
    place: Place | None = None  # the thread it was saved in

    @property
    def id(self) -> str:
        """The same for the same pick for the same request: saved twice it is there once."""
        bought = (self.instance_type, self.instances, self.region, self.market, self.term_years)
        text = json.dumps([*bought, self.request])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def saved_pick_of(kept: Payload) -> SavedPick:
    """Return the saved pick that was written."""
    pick = SavedPick(**{**kept, "place": None})
    return pick if kept["place"] is None else replace(pick, place=Place(**kept["place"]))


def body_of(pick: SavedPick) -> Payload:
    """Return the saved pick as what a document can hold."""
    return asdict(pick)


@dataclass(frozen=True, slots=True)
class Drift:
    """From the price when it was saved to today's, of all instances together."""

    share: float  # of the old price: 0.12 is 12 % up
    usd_per_month: float  # more (or, below zero, less) than when it was saved

    @property
    def is_none(self) -> bool:
        """Whether the price is the same as far as anybody cares."""
        return abs(self.share) < SAME_SHARE


def saved_by(items: Items, person: Owner) -> tuple[SavedPick, ...]:
    """Return what a person saved, the latest first."""
    return tuple(map(saved_pick_of, kept(items, person, PICKS).get("picks", ())))


def save(items: Items, person: Owner, pick: SavedPick) -> bool:
    """Keep a pick, in the place of the same one; return False where no more can be kept."""
    full = False

    def with_pick(body: Payload) -> Payload | None:
        nonlocal full
        others = [one for one in body.get("picks", ()) if saved_pick_of(one).id != pick.id]
        full = len(others) >= MOST_SAVED
        return None if full else {"picks": [body_of(pick), *others]}

    changed(items, person, PICKS, with_pick)
    return not full


def forget(items: Items, person: Owner, pick_id: str) -> bool:
    """Forget a saved pick; return whether it was there."""

    def without(body: Payload) -> Payload | None:
        picks = body.get("picks", [])
        others = [one for one in picks if saved_pick_of(one).id != pick_id]
        return {"picks": others} if len(others) < len(picks) else None

    return changed(items, person, PICKS, without)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentThread:
    """A thread as it was left."""

    channel: str
    ts: str
    asked: str  # the words said last
    answered: str  # the first line of the answer to them
    spoken_on: str  # ISO date


def threads_of(items: Items, person: Owner) -> tuple[RecentThread, ...]:
    """Return the threads a person spoke in, the latest first."""
    return tuple(RecentThread(**one) for one in kept(items, person, THREADS).get("threads", ()))


def spoke_in(items: Items, person: Owner, thread: RecentThread) -> None:
    """Note a thread as the latest. Forgotten with the threads themselves, when nobody speaks."""

    def with_thread(body: Payload) -> Payload:
        place = (thread.channel, thread.ts)
        others = [one for one in body.get("threads", ()) if (one["channel"], one["ts"]) != place]
        return {"threads": [asdict(thread), *others][:MOST_THREADS]}

    changed(items, person, THREADS, with_thread, kept_s=THREAD_KEPT_S)
