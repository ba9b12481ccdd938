"""The defaults that hold for one answer: a person's own, then the workspace's, then the product's.

Each comes with whose it is, as none is taken without saying so.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.store.defaults import Defaults, own_and_workspaces, taken
from bot.store.owner import Owner
from engine.core.assumptions import is_open
from engine.core.workload import Assumption, Workload

if TYPE_CHECKING:
    from bot.store.store import Items


@dataclass(frozen=True, slots=True)
class Discount:
    """What is taken off on-demand list prices, and whose agreement that is."""

    percent: float
    whose: str  # "your", "the workspace’s"

    @property
    def words(self) -> str:
        """`your 12 % discount`."""
        return f"{self.whose} {self.percent:g} % discount"


@dataclass(frozen=True, slots=True)
class Currency:
    """What is shown beside USD: `per_usd` is what one USD costs, as somebody typed it `on` a day.

    There is no live source of exchange rates here: the rate is theirs and said to be, or a
    published one of a day, where a request names a currency nobody gave a rate of.
    """

    code: str
    per_usd: float
    whose: str
    on: str
    source: str = ""  # of a published rate

    @property
    def words(self) -> str:
        """`at your rate 0.92`; a published one stands beside the source of the price."""
        if self.source:
            return ""
        return f"at {self.whose} rate {self.per_usd:g}"


@dataclass(frozen=True, slots=True)
class Preferences:
    """What holds where a request says nothing."""

    taken: tuple[Assumption, ...] = ()
    discount: Discount | None = None
    currency: Currency | None = None

    @property
    def region(self) -> str | None:
        """The region taken."""
        return next((str(one.value) for one in self.taken if one.field == "region"), None)

    @property
    def move_prices(self) -> bool:
        """Whether a type costs something else than where and how the product would buy it."""
        return self.discount is not None or any(one.field != "allow" for one in self.taken)

    def said(self, workload: Workload) -> Workload:
        """Return the workload with what it leaves open said: for whoever answers it later."""
        changes: dict[str, Any] = {
            one.field: one.value for one in self.taken if is_open(workload, one.field)
        }
        return replace(workload, **changes)


def preferences_of(items: "Items", person: Owner) -> Preferences:
    """Return what holds for a person: own defaults first, then those of the workspace."""
    return merged(*own_and_workspaces(items, person))


def merged(own: Defaults, workspace: Defaults) -> Preferences:
    """Return own defaults, and the workspace's where a person has none."""
    assumed = tuple(Assumption(*one) for one in taken(own, workspace))
    return Preferences(assumed, _discount_in_force(own, workspace), _currency(own, workspace))


def _discount_in_force(own: Defaults, workspace: Defaults) -> Discount | None:
    """Return the discount; none of 0 %, with which a person leaves the workspace's out."""
    for defaults, whose in ((own, "your"), (workspace, "the workspace’s")):
        if defaults.discount_percent is not None:
            percent = defaults.discount_percent
            return Discount(percent, whose) if percent else None
    return None


def _currency(own: Defaults, workspace: Defaults) -> Currency | None:
    for one, whose in ((own, "your"), (workspace, "the workspace’s")):
        if one.currency is not None and one.per_usd is not None:
            return Currency(one.currency, one.per_usd, whose, one.rate_set_on)
    return None
