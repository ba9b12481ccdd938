"""The catalog as a request sees it: everything in memory, looked up by name, nothing fetched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog.facts.schema import (
    Accelerator,
    Cpu,
    CpuPower,
    EksType,
    Family,
    Grid,
    Instance,
    Model,
    Region,
)
from catalog.prices.prices import Prices

__all__ = ["Catalog", "Prices"]


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
    families: Mapping[str, Family] = field(default_factory=dict)
    eks: Mapping[str, EksType] = field(default_factory=dict)  # by instance type
    region_names: Mapping[str, str] = field(default_factory=dict)  # code or nickname -> code
    grids: Mapping[str, Grid] = field(default_factory=dict)  # by region
    cpu_powers: Mapping[str, CpuPower] = field(default_factory=dict)  # by microarchitecture
    # What others work out of these facts once and keep; a changed copy starts without it.
    derived: dict[str, dict[Any, Any]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
