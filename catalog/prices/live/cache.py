"""What live answers leave behind: the last good figure, and every change of a price."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol, TypeVar

from catalog.prices.history import PriceChange
from catalog.prices.prices import LiveKey

Found = TypeVar("Found")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """One answer as it was given, and when (seconds since the epoch)."""

    body: Json
    seen_at: float


class PriceCache(Protocol):
    """A place for answers and changes. It never raises: without it, answers are only slower."""

    def get(self, key: str) -> CachedAnswer | None:
        """Return what was last put; None where nothing was, or it cannot be read."""

    def put(self, key: str, kept: CachedAnswer) -> None:
        """Keep an answer in place of an earlier one."""

    def record(self, change: PriceChange) -> None:
        """Keep a change for good; the same change twice is one."""

    def changes(self, key: LiveKey) -> tuple[PriceChange, ...]:
        """Return the changes recorded of one price, oldest first."""


class MemoryCache:
    """A cache of this process alone, for a machine that keeps no state."""

    def __init__(self) -> None:
        self._kept: dict[str, CachedAnswer] = {}
        self._changes: dict[LiveKey, dict[str, PriceChange]] = {}

    def get(self, key: str) -> CachedAnswer | None:
        """See `PriceCache.get`."""
        return self._kept.get(key)

    def put(self, key: str, kept: CachedAnswer) -> None:
        """See `PriceCache.put`."""
        self._kept[key] = kept

    def record(self, change: PriceChange) -> None:
        """See `PriceCache.record`."""
        self._changes.setdefault(change.key, {})[change_id(change)] = change

    def changes(self, key: LiveKey) -> tuple[PriceChange, ...]:
        """See `PriceCache.changes`."""
        return by_day(self._changes.get(key, {}).values())


def change_id(change: PriceChange) -> str:
    """Return what tells a change from others of the same price: its day and where it led."""
    return f"{change.first_seen_new}|{change.new_usd_per_hour:.10g}"


def by_day(changes: Iterable[PriceChange]) -> tuple[PriceChange, ...]:
    """Return the changes, oldest first."""
    return tuple(sorted(changes, key=lambda c: (c.first_seen_new, c.last_seen_old)))


def body_of(found: Any) -> Json:  # noqa: ANN401 - any flat dataclass
    """Return a flat dataclass as what JSON can hold."""
    return asdict(found)


def found_of(body: Mapping[str, Any], found_type: type[Found]) -> Found | None:
    """Return the dataclass that a body holds; None where another version of the code wrote it."""
    names = {field.name for field in fields(found_type)}  # type: ignore[arg-type]
    if not set(body) <= names:
        return None
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in body.items()}
    try:
        return found_type(**values)
    except TypeError:
        return None
