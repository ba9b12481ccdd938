"""What a person or a workspace wants taken where a request does not say it."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from bot.people.owner import Owner
from bot.state.items import ABSENT, Items
from catalog.schema import Market

if TYPE_CHECKING:
    from bot.state.store import Payload

KEY: Final = "defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Each is None where nothing is laid down. `version` guards the next write."""

    region: str | None = None
    market: Market | None = None
    allow: tuple[str, ...] | None = None  # families or groups ("graviton")
    discount_percent: float | None = None  # off AWS's on-demand list prices
    currency: str | None = None  # ISO code of what is shown beside USD …
    per_usd: float | None = None  # … and what one USD costs in it, as typed
    rate_set_on: str = ""  # ISO date: rates move
    set_by: str = ""  # user id
    set_on: str = ""  # ISO date
    version: int = ABSENT

    @property
    def says_nothing(self) -> bool:
        """Whether no default is laid down."""
        laid_down = (self.region, self.market, self.allow, self.discount_percent, self.currency)
        return all(one is None for one in laid_down)


def defaults_of(items: Items, owner: Owner) -> Defaults:
    """Return what a person or workspace has laid down."""
    item = items.get_item(owner.collection, KEY)
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
