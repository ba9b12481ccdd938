"""What someone asked to be told about, as it is kept between sweeps."""

from dataclasses import dataclass
from typing import Literal

from catalog.facts.schema import Market

# "digest" is nobody's question: it gathers what the questions of one person in a channel bring up.
Watches = Literal["price", "pick", "digest"]
Direction = Literal["either", "down", "up"]
Every = Literal["", "daily", "weekly"]  # how often alerts are gathered; "": each is told at once
AlertState = Literal["active", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an alert is posted: a Slack channel and thread."""

    team: str
    channel: str
    user: str
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One standing question.

    `watches` "price": the price of `instance_type` in `region` on `market`, told when it has moved
    in `direction` by `threshold_percent` from `seen_usd_per_hour`. `request`, where there is one,
    is the workload that runs on `instances` of it, `best_type` the best pick for it as last told.
    `watches` "pick": the answer to `request` (the text as said), told when the best pick is another
    one, or its price moved by the threshold; `instance_type` is the pick last told.
    """

    id: str
    place: Place
    watches: Watches
    instance_type: str
    region: str
    market: Market
    term_years: int = 0  # 1 or 3 for commitments
    threshold_percent: float = 0.0
    direction: Direction = "either"
    request: str = ""
    instances: int = 1  # of the saved pick: what a change means a month
    seen_usd_per_hour: float | None = None  # of one instance, as last told
    seen_on: str = ""  # ISO date of that price
    best_type: str = ""
    every: Every = ""
    state: AlertState = "active"
    why_paused: str = ""
    created_at: str = ""  # ISO 8601, UTC
