"""What a person or a workspace wants taken where a request does not say it.

The form is opened with it while Slack waits: neither engine nor catalog is loaded here.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from bot.core.names import WORKSPACES, YOURS
from bot.store.owner import Owner
from bot.store.store import ABSENT, Item, Items

if TYPE_CHECKING:
    from bot.store.store import Payload
    from catalog.facts.schema import Market

KEY: Final = "defaults"
FIELDS: Final = ("region", "market", "allow")  # those that fill a field of a workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Each is None where nothing is laid down. `version` guards the next write."""

    region: str | None = None
    market: "Market | None" = None
    allow: tuple[str, ...] | None = None  # families or groups ("graviton")
    discount_percent: float | None = None  # off AWS's on-demand list prices
    currency: str | None = None  # ISO code of what is shown beside USD …
    per_usd: float | None = None  # … and what one USD costs in it, as typed
    rate_set_on: str = ""  # ISO date: rates move
    set_by: str = ""  # user id
    set_on: str = ""  # ISO date
    version: int = ABSENT


def defaults_of(items: Items, owner: Owner) -> Defaults:
    """Return what a person or workspace has laid down."""
    return _defaults_of(items.get_item(owner.collection, KEY))


def own_and_workspaces(items: Items, person: Owner) -> tuple[Defaults, Defaults]:
    """Return what a person and what their workspace has laid down, by one read."""
    owners = (person, Owner(person.team))
    own, workspaces = items.get_items([(owner.collection, KEY) for owner in owners])
    return _defaults_of(own), _defaults_of(workspaces)


def taken(own: Defaults, workspaces: Defaults) -> Iterator[tuple[str, object, str]]:
    """Yield each field laid down with its value and whose that is: a person's own goes first."""
    for field in FIELDS:
        for defaults, whose in ((own, YOURS), (workspaces, WORKSPACES)):
            value = getattr(defaults, field)
            if value is not None:
                yield field, value, whose
                break


def _defaults_of(item: Item | None) -> Defaults:
    if item is None:
        return Defaults()
    allow = item.body["allow"]
    body = {**item.body, "allow": None if allow is None else tuple(allow)}
    return Defaults(**body, version=item.version)


def lay_down(items: Items, owner: Owner, defaults: Defaults) -> bool:
    """Write over the version that was read; return False where somebody else was first."""
    body: Payload = asdict(defaults)
    version = body.pop("version")
    return items.put_item(owner.collection, KEY, body, version=version) is not None
