"""A subscription as it is kept: with what is being told of it, and how often it was told."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, TypeVar

from bot.core.subscription import Place, Subscription
from bot.store.alert_changes import Alert
from bot.store.store import Item, Payload

Kind = TypeVar("Kind")
COLLECTION: Final = "subscription"
SHARD_DIGITS: Final = 2  # hexadecimal: 256 shards, each a sweep's unit of work


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """An alert on its way. Who holds the lease may post it; nobody else may.

    A lease that ran out leaves unknown whether the alert was posted; one given back (0) does not.
    """

    key: str
    alerts: tuple[Alert, ...]  # one; of a digest all that it gathered
    claimed_at: float  # the first time, in seconds since the epoch: no post of it is older
    lease_until: float
    maybe_posted: bool = False

    @property
    def unsure(self) -> bool:
        """Whether an earlier attempt may have posted it."""
        return self.maybe_posted or self.lease_until > 0


@dataclass(frozen=True, slots=True)
class DigestEntry:
    """What a digest holds of one subscription: the key of its latest alert, and the change.

    `alert` is None once it was told; the key stays, so that this alert is not gathered again.
    """

    key: str
    alert: Alert | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The document of one subscription. `told` counts the alerts that arrived.

    A digest also has what it `gathered`, by subscription, and when that is `due` (seconds since
    the epoch).
    """

    subscription: Subscription
    pending: Pending | None = None
    told: int = 0
    gathered: Mapping[str, DigestEntry] = field(default_factory=dict)
    due: float = 0.0
    version: int = 0  # as read; guards the next write
    unknown: Payload = field(default_factory=dict)  # what a newer release wrote of the subscription


def record_of(item: Item) -> Record:
    """Return the record that a document holds."""
    body = item.body
    return Record(
        subscription=_subscription_of(body["subscription"]),
        pending=None if body["pending"] is None else _pending(body["pending"]),
        told=int(body["told"]),
        gathered={one: _gathered(kept) for one, kept in body.get("gathered", {}).items()},
        due=float(body.get("due", 0.0)),
        version=item.version,
        unknown=_strange_fields(Subscription, body["subscription"]),
    )


def body_of(record: Record) -> Payload:
    """Return the record as what a document can hold."""
    body: Payload = {
        "subscription": {**record.unknown, **asdict(record.subscription)},
        "pending": None if record.pending is None else asdict(record.pending),
        "told": record.told,
    }
    if record.subscription.watches == "digest":
        body["gathered"] = {one: asdict(kept) for one, kept in record.gathered.items()}
        body["due"] = record.due
    return body


def key_of(subscription_id: str) -> str:
    """Return the document's key: its shard first, so that a sweep can list one shard alone."""
    return f"{shard_of(subscription_id)}{subscription_id}"


def shard_of(subscription_id: str) -> str:
    """Return the shard, spread evenly whatever ids look like."""
    return hashlib.sha256(subscription_id.encode()).hexdigest()[:SHARD_DIGITS]


def topic_of(place: Place) -> str:
    """Return what the subscriptions of one person in one channel have in common."""
    return f"{COLLECTION}|{place.team}|{place.user}|{place.channel}"


def _subscription_of(kept: dict[str, Any]) -> Subscription:
    return _known_fields(Subscription, {**kept, "place": _known_fields(Place, kept["place"])})


def _pending(kept: dict[str, Any]) -> Pending:
    return _known_fields(
        Pending, {**kept, "alerts": tuple(_known_fields(Alert, one) for one in kept["alerts"])}
    )


def _gathered(kept: dict[str, Any]) -> DigestEntry:
    alert = kept["alert"]
    return DigestEntry(kept["key"], None if alert is None else _known_fields(Alert, alert))


def _known_fields(kind: type[Kind], fields_kept: dict[str, Any]) -> Kind:
    """Return a value of a kind, without what another release wrote and this one does not know."""
    strange = _strange_fields(kind, fields_kept)
    return kind(**{name: value for name, value in fields_kept.items() if name not in strange})


def _strange_fields(kind: type[Any], fields_kept: Payload) -> Payload:
    names = {one.name for one in fields(kind)}
    return {name: value for name, value in fields_kept.items() if name not in names}
