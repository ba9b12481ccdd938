"""What someone asked to be told about, as it is kept between sweeps."""

from dataclasses import dataclass
from typing import Literal

from catalog.schema import Market

Watches = Literal["price", "pick"]
State = Literal["active", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an alert is posted: a Slack channel and thread, or the terminal of one machine."""

    team: str
    channel: str
    user: str
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One standing question.

    `watches` "price": the price of `instance_type` in `region` on `market`, told when it has moved
    by `threshold_percent` from `seen_usd_per_hour` (`only_drops`: downwards only).
    `watches` "pick": the answer to `request` (the text as said), told when the best pick is another
    one, or its price moved by the threshold; `instance_type` is the pick last told.
    """

    id: str
    place: Place
    watches: Watches
    instance_type: str
    region: str
    market: Market
    threshold_percent: float = 0.0
    only_drops: bool = False
    request: str = ""
    instances: int = 1  # of the saved pick: what a change means a month
    seen_usd_per_hour: float | None = None  # of one instance, as last told
    state: State = "active"
    why_paused: str = ""
    created_at: str = ""  # ISO 8601, UTC
