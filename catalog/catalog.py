"""The catalog as a request sees it: everything in memory, looked up by name, nothing fetched."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.schema import Accelerator, Cpu, Instance, Market, Model, Quote, Region


@dataclass(frozen=True, slots=True)
class Prices:
    """Dated prices of one snapshot (or of one live look-up merged over it)."""

    on_demand: Mapping[tuple[str, str], Quote]  # (region, instance_type)
    other: Mapping[tuple[Market, str, str], Quote]  # (market, region, instance_type): latest known

    def quote(self, instance: Instance, region: str, market: Market = "on_demand") -> Quote:
        """Return the quote, priced or not; an unpriced one says why (never 0, never a guess)."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Catalog:
    """All facts a request needs."""

    accelerators: Mapping[str, Accelerator]
    cpus: Mapping[str, Cpu]  # by family
    instances: Mapping[str, Instance]
    models: Mapping[str, Model]
    regions: Mapping[str, Region]
    prices: Prices
    as_of: str  # of the instance data
    model_names: Mapping[str, str] = field(default_factory=dict)  # id or alias (lower case) -> id
