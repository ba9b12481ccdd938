"""The catalog as a request sees it: everything in memory, looked up by name, nothing fetched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog.facts.schema import (
    Accelerator,
    Cpu,
    CpuPower,
    EksType,
    Endpoint,
    Evidence,
    Family,
    Grid,
    Instance,
    InstanceGroup,
    Model,
    Region,
    Stack,
    UseCase,
)
from catalog.huggingface.traits import Traits
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
    groups: Mapping[str, InstanceGroup] = field(default_factory=dict)  # by the word people say
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)  # by service
    architectures: Mapping[str, Traits] = field(default_factory=dict)  # by Hugging Face model_type
    use_cases: Mapping[str, UseCase] = field(default_factory=dict)  # by name
    stacks: Mapping[str, Stack] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)  # by chip
    # What others work out of these facts once and keep; a changed copy starts without it.
    derived: dict[str, dict[Any, Any]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @property
    def default_region(self) -> str:
        """The region of a request that names none: the one most work runs in."""
        return self.usual_regions[0]

    @property
    def usual_regions(self) -> tuple[str, ...]:
        """The regions most work runs in, the first choice first."""
        known = self.derived.setdefault("catalog.usual_regions", {})
        if not known:
            ranked = [r for r in self.regions.values() if r.usual_rank is not None]
            ranked.sort(key=lambda region: region.usual_rank or 0)
            known["codes"] = tuple(region.code for region in ranked)
        codes: tuple[str, ...] = known["codes"]
        return codes

    @property
    def neuron_lines(self) -> tuple[str, ...]:
        """The product lines of AWS's own accelerators, the one with the newest chip first."""
        own = [chip for chip in self.accelerators.values() if chip.vendor == "aws"]
        newest = sorted(own, key=lambda chip: -chip.year)
        return tuple(dict.fromkeys(chip.line for chip in newest))

    @property
    def low_priced_regions(self) -> tuple[str, ...]:
        """Those of them where prices are low as a rule."""
        return tuple(code for code in self.usual_regions if self.regions[code].low_priced)
