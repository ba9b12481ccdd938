"""What a live source is: one question to AWS, asked for several things at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Generic, Protocol, TypeVar

from catalog.facts.schema import Market
from catalog.prices.prices import LiveKey, live_key

Asked = TypeVar("Asked")
Found = TypeVar("Found")

MINUTE_S = 60.0
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Block:
    """The capacity block wanted: how long, from which day on (None: as soon as there is one)."""

    hours: int = 24
    instances: int = 1
    starts: date | None = None


@dataclass(frozen=True, slots=True)
class PriceAsked:
    """One price wanted. `term_years` is 1 or 3 for commitments, else 0; `block` for blocks only."""

    market: Market
    region: str
    instance_type: str
    term_years: int = 0
    block: Block | None = None

    @property
    def key(self) -> LiveKey:
        """Return what a quote for this is known by."""
        return live_key(self.market, self.region, self.instance_type, self.term_years)


@dataclass(frozen=True, slots=True)
class Findings(Generic[Asked, Found]):
    """What was found, and for the rest why not; together they cover everything asked.

    "There is none" (not sold here) is found; "could not be told" (throttled, denied) is failed.
    """

    found: Mapping[Asked, Found] = field(default_factory=dict)
    failed: Mapping[Asked, str] = field(default_factory=dict)


class Source(Protocol[Asked, Found]):
    """One kind of question to AWS."""

    @property
    def name(self) -> str:
        """As people read it: "Pricing API"."""

    @property
    def ttl_s(self) -> float:
        """How long an answer counts as current."""

    @property
    def found_type(self) -> type[Found]:
        """A flat dataclass, so that the cache can hold it."""

    @property
    def batch(self) -> int:
        """How many things of one region a call asks for well."""

    def find(self, asked: Sequence[Asked]) -> Findings[Asked, Found]:
        """Return what AWS says; all things asked are of one region. Never raises for AWS's faults.

        A whole call that failed is a failure of everything asked in it.
        """

    def place(self, asked: Asked) -> str:
        """Return the region a thing is asked of: one call goes to one region."""
