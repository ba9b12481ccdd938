"""What a live source is: one question to AWS, asked for several things at once, and its quotes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import ClassVar, Generic, Protocol, TypeVar

from catalog.facts.schema import Market, Quote
from catalog.prices.live.aws import Clients, aws_errors, why
from catalog.prices.live.products import Rate
from catalog.prices.prices import LiveKey, live_key

Query = TypeVar("Query")
Found = TypeVar("Found")

MINUTE_S = 60.0
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class BlockQuery:
    """The capacity block wanted: how long, from which day on (None: as soon as there is one)."""

    hours: int = 24
    instances: int = 1
    starts: date | None = None


@dataclass(frozen=True, slots=True)
class PriceQuery:
    """One price wanted. `term_years` is 1 or 3 for commitments, else 0; `block` for blocks only."""

    market: Market
    region: str
    instance_type: str
    term_years: int = 0
    block: BlockQuery | None = None

    @property
    def key(self) -> LiveKey:
        """Return what a quote for this is known by."""
        return live_key(self.market, self.region, self.instance_type, self.term_years)


@dataclass(frozen=True, slots=True)
class Findings(Generic[Query, Found]):
    """What was found, and for the rest why not; together they cover everything asked.

    "There is none" (not sold here) is found; "could not be told" (throttled, denied) is failed.
    """

    found: Mapping[Query, Found] = field(default_factory=dict)
    failed: Mapping[Query, str] = field(default_factory=dict)


class Source(Protocol[Query, Found]):
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

    def find(self, asked: Sequence[Query]) -> Findings[Query, Found]:
        """Return what AWS says; all things asked are of one region. Never raises for AWS's faults.

        A whole call that failed is a failure of everything asked in it.
        """

    def place(self, asked: Query) -> str:
        """Return the region a thing is asked of: one call goes to one region."""


class UnusableAnswerError(Exception):
    """AWS answered, and what it said cannot be used; the text says why."""


class Regional(Protocol):
    """Something asked of one region."""

    @property
    def region(self) -> str:
        """The region's code."""


Wanted = TypeVar("Wanted", bound=Regional)


@dataclass(frozen=True, slots=True)
class AwsSource(Generic[Wanted, Found]):
    """What every source shares; a kind of question answers for all things asked, or for each."""

    action: ClassVar[str]  # the IAM action it needs
    batch: ClassVar[int] = 20
    clients: Clients

    def place(self, asked: Wanted) -> str:
        """See `Source.place`."""
        return asked.region

    def find(self, asked: Sequence[Wanted]) -> Findings[Wanted, Found]:
        """See `Source.find`."""
        try:
            return self._found(asked)
        except aws_errors() as error:
            return Findings(failed=dict.fromkeys(asked, why(error, self.action)))
        except UnusableAnswerError as error:
            return Findings(failed=dict.fromkeys(asked, str(error)))

    def _found(self, asked: Sequence[Wanted]) -> Findings[Wanted, Found]:
        """Return the findings of one call each; raises what boto3 raises for the whole of them."""
        found: dict[Wanted, Found] = {}
        failed: dict[Wanted, str] = {}
        for ask in asked:
            try:
                found[ask] = self._answer(ask)
            except aws_errors() as error:
                failed[ask] = why(error, self.action)
            except UnusableAnswerError as error:
                failed[ask] = str(error)
        return Findings(found, failed)

    def _answer(self, ask: Wanted) -> Found:
        """Return what AWS says to one thing asked."""
        raise NotImplementedError


def types_of(asked: Sequence[PriceQuery]) -> list[str]:
    """Return the types asked for, each once."""
    return list(dict.fromkeys(ask.instance_type for ask in asked))


def live_quote(
    asked: PriceQuery, rate: Rate, source: str, seen: datetime, *, note: str = ""
) -> Quote:
    """Return what AWS charges now; an amount in another currency than USD stays unpriced in USD."""
    in_dollars = rate.currency == "USD"
    amount = float(rate.amount)
    return Quote(
        instance_type=asked.instance_type,
        region=asked.region,
        market=asked.market,
        usd_per_hour=amount if in_dollars else None,
        source=source,
        as_of=seen.date().isoformat(),
        why_unpriced=None if in_dollars else f"priced in {rate.currency} only ({amount:g} an hour)",
        note=note,
        currency=rate.currency,
        local_price_per_hour=None if in_dollars else amount,
    )


def unpriced_quote(asked: PriceQuery, why: str, source: str, seen: datetime) -> Quote:
    """Return that AWS, asked now, sells this here for no price, and why."""
    return Quote(
        instance_type=asked.instance_type,
        region=asked.region,
        market=asked.market,
        usd_per_hour=None,
        source=source,
        as_of=seen.date().isoformat(),
        why_unpriced=why,
    )
