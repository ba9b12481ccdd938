"""Rows of the data files that the finished catalog holds in another form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # only the building of the catalog reads the constraints, see catalog.facts.rows
    from catalog.facts.constraints import Natural, Positive, PositiveInt, Text
    from catalog.facts.schema import Arch


@dataclass(frozen=True, slots=True)
class ListedInstance:
    """One row of instances.csv: a type as the EC2 API lists it, right or wrong.

    unlisted_instances.csv has the same columns for types that the API does not list.
    """

    instance_type: Text
    arch: Arch
    vcpus: PositiveInt
    cores: PositiveInt
    host_mem_gib: Positive
    network_gbps: Positive | None
    network_text: str
    efa_interfaces: Natural
    local_nvme_gb: Natural
    api_accelerator: str | None
    accelerators: Natural
    current_generation: bool
    bare_metal: bool
    burstable: bool
    hypervisor: str
    usage_classes: tuple[Literal["on-demand", "spot", "capacity-block"], ...]
    regions: tuple[str, ...]
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class Overlay:
    """One row of instance_overlays.csv: a correction of one field of one `Instance`."""

    instance_type: Text
    field: Text
    value: str
    why: Text
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One published on-demand price."""

    region: Text
    instance_type: Text
    price_per_hour: Positive
    currency: Literal["USD", "CNY"]
    as_of: Text
    source: Text


@dataclass(frozen=True, slots=True)
class OtherPriceRow:
    """One published price of another market."""

    market: Literal["spot", "reserved", "savings_plan", "capacity_block"]
    region: Text
    instance_type: Text
    term_years: Literal["1", "3"] | None
    price_per_hour: Positive
    currency: Literal["USD", "CNY"]
    as_of: Text
    source: Text
    note: str


@dataclass(frozen=True, slots=True)
class InterruptionRow:
    """The regions in which the Spot Instance Advisor put a type in one class of interruptions."""

    instance_type: Text
    band: Literal["0", "1", "2", "3", "4"]  # below 5 % of instances a month … above 20 %
    regions: tuple[str, ...]
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class PriceHistoryRow:
    """One change of a published price; blank old price: the type was first listed then."""

    market: Literal["on_demand", "capacity_block"]
    region: Text
    instance_type: Text
    old_usd_per_hour: Positive | None
    new_usd_per_hour: Positive
    last_seen_old: Text  # the change lies between the two days
    first_seen_new: Text
    source: Text
