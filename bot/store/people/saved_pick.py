"""A pick that somebody saved: what it was, for what, at what price, and where it was said."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace

from bot.core.subscription import Place
from bot.store.store import Payload
from catalog.facts.schema import Market

SAME_SHARE = 0.0005  # a twentieth of a per cent: below that a price is called the same


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
