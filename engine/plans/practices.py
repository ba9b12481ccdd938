"""The good practices that apply to one pick, each with its own number; the others are left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Literal

from catalog.catalog import Catalog
from catalog.facts.mig import mig_slices
from catalog.facts.schema import Accelerator
from engine.core.dtypes import FOUR_BIT
from engine.core.result import Pick, Recommendation
from engine.core.workload import Workload
from engine.performance.spot import INTERRUPTIONS_PER_INSTANCE_MONTH, spot_restart_factor
from engine.plans.scaling import pods_accelerators, quota_code
from engine.plans.sides import Side, side_of, weights_gb

# Below this share of a device's memory and of its load another copy, or another model, fits beside.
SHARED_BELOW = 0.5
SMALL_LOAD_SHARE = 0.5
ENGINE_SHARE = 0.9  # of a device's memory, what serving engines take together


@dataclass(frozen=True, slots=True, kw_only=True)
class RightSize:
    """How full the pick is: memory of one device, and load against its full load."""

    memory_needed_gib: float
    memory_limit_gib: float
    memory_share: float
    load: float | None
    full_load: float | None
    load_unit: Literal["requests/s", "requests at once", ""]
    load_share: float | None
    smaller_type: str | None  # what does the same work for less, where the pick is a named type
    smaller_instances: int
    smaller_usd_per_hour: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotSaving:
    """The same machines on spot, for work that can be taken away and resumed."""

    on_demand_usd_per_hour: float
    spot_usd_per_hour: float
    saved_share: float
    as_of: str
    note: str
    interruptions_per_month: float  # of one instance
    stretch: float  # time of a training run over that without interruptions


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSharing:
    """More than one copy on a device. MIG isolates memory, time-slicing does not."""

    method: Literal["mig", "time_slicing"]
    profile: str
    copies: int
    needed_gib: float
    slice_gib: float
    device_gib: float
    utilisation_each: float  # what each engine may take of what it sees
    usd_per_hour_each: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantisationSaving:
    """What a lower number format of the weights would change."""

    dtype: str
    instance_type: str
    instances: int
    weights_gb: float
    usd_per_hour: float
    saved_usd_per_month: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PodPlacement:
    """What keeps pods and nodes together: taint and resource."""

    resource: str
    taint: str
    per_pod: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaNeed:
    """The service quota that counts these machines."""

    code: str
    vcpus: int
    vcpus_each: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Practices:
    """What applies to the pick; None or empty is what does not."""

    side: Side
    trains: bool
    weights_gb: float
    right_size: RightSize | None
    spot: SpotSaving | None
    sharing: DeviceSharing | None
    quantised: tuple[QuantisationSaving, ...]
    placement: PodPlacement | None
    quota: QuotaNeed | None
    watch_in_flight: float | None  # requests in flight a replica carries within the limits


def practices_of(
    result: Recommendation,
    pick: Pick,
    catalog: Catalog,
    lower: Mapping[str, Recommendation],
    open_choice: Recommendation | None = None,
) -> Practices:
    """Return the practices that apply to the pick of an answer.

    `open_choice` answers the same workload with no type named (the answer itself where none was),
    and `lower` does so in lower weights dtypes: what they save is held against `open_choice`.
    """
    side = side_of(pick)
    best = next(iter((open_choice or result).picks), pick)
    fullness = right_size(pick, side, result.workload, best)
    return Practices(
        side=side,
        trains=pick.estimate.training is not None,
        weights_gb=weights_gb(pick),
        right_size=fullness,
        spot=spot_of(pick, result.workload, catalog),
        sharing=sharing_of(pick, fullness, catalog),
        quantised=tuple(quantised_options(best, lower)),
        placement=_placement(pick, catalog),
        quota=_quota_need(pick),
        watch_in_flight=side.replica_concurrency,
    )


def right_size(pick: Pick, side: Side, workload: Workload, best: Pick) -> RightSize | None:
    """Return how full the pick is; None where nothing is known of its memory."""
    memory = pick.estimate.memory
    if memory.limit_gib <= 0 or memory.needed_gib <= 0:
        return None
    rate = side.requests_per_s
    load: float | None
    full: float | None
    unit: Literal["requests/s", "requests at once", ""]
    if workload.rps is not None:
        load, full, unit = workload.rps, rate.value if rate else None, "requests/s"
    else:
        load, full, unit = workload.concurrency, side.concurrency, "requests at once"
    known = load is not None and full is not None and full > 0
    return RightSize(
        memory_needed_gib=memory.needed_gib,
        memory_limit_gib=memory.limit_gib,
        memory_share=memory.needed_gib / memory.limit_gib,
        load=load if known else None,
        full_load=full if known else None,
        load_unit=unit if known else "",
        load_share=load / full if known and load is not None and full else None,
        smaller_type=best.instance.instance_type if _costs_less(best, pick) else None,
        smaller_instances=best.instances,
        smaller_usd_per_hour=best.cost.usd_per_hour,
    )


def _costs_less(first: Pick, second: Pick) -> bool:
    mine, its = first.cost.usd_per_month, second.cost.usd_per_month
    return mine is not None and its is not None and mine < its


def spot_of(pick: Pick, workload: Workload, catalog: Catalog) -> SpotSaving | None:
    """Return what spot saves where the work can be interrupted; None else, or without a price."""
    resumes = workload.task != "inference" or workload.mode == "batch"
    if not resumes or pick.quote.market == "spot":
        return None
    on_demand = catalog.prices.quote(pick.instance, pick.region, "on_demand").usd_per_hour
    spot = catalog.prices.quote(pick.instance, pick.region, "spot")
    if on_demand is None or spot.usd_per_hour is None or spot.usd_per_hour >= on_demand:
        return None
    return SpotSaving(
        on_demand_usd_per_hour=on_demand * pick.instances,
        spot_usd_per_hour=spot.usd_per_hour * pick.instances,
        saved_share=1 - spot.usd_per_hour / on_demand,
        as_of=spot.as_of,
        note=spot.note,
        interruptions_per_month=INTERRUPTIONS_PER_INSTANCE_MONTH,
        stretch=spot_restart_factor(pick.instances),
    )


def sharing_of(pick: Pick, fullness: RightSize | None, catalog: Catalog) -> DeviceSharing | None:
    """Return how to put several copies on one GPU where a copy needs only a part of it.

    Only for NVIDIA devices that hold a replica each, at a load that leaves half of it idle.
    """
    plan = pick.estimate.plan
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    alone = plan.tensor_parallel * plan.pipeline_parallel == 1
    if chip is None or chip.vendor != "nvidia" or not alone or fullness is None:
        return None
    if pick.estimate.training is not None or (fullness.load_share or 0.0) > SMALL_LOAD_SHARE:
        return None
    needed, device = fullness.memory_needed_gib, pick.estimate.memory.available
    usd = pick.cost.usd_per_hour
    per_device = None if usd is None else usd / max(1, plan.accelerators)
    return _mig(chip, needed, device, per_device) or _sliced(needed, device, per_device)


def _mig(
    chip: Accelerator, needed_gib: float, device_gib: float, usd: float | None
) -> DeviceSharing | None:
    for one in mig_slices(chip):
        slice_gib = device_gib * one.memory_share
        if needed_gib <= ENGINE_SHARE * slice_gib:
            return DeviceSharing(
                method="mig",
                profile=one.profile,
                copies=one.copies,
                needed_gib=needed_gib,
                slice_gib=slice_gib,
                device_gib=device_gib,
                utilisation_each=ENGINE_SHARE,
                usd_per_hour_each=None if usd is None else usd / one.copies,
            )
    return None


def _sliced(needed_gib: float, device_gib: float, usd: float | None) -> DeviceSharing | None:
    if device_gib <= 0 or needed_gib > SHARED_BELOW * ENGINE_SHARE * device_gib:
        return None
    copies = floor(ENGINE_SHARE * device_gib / needed_gib)
    return DeviceSharing(
        method="time_slicing",
        profile="",
        copies=copies,
        needed_gib=needed_gib,
        slice_gib=ENGINE_SHARE * device_gib / copies,
        device_gib=device_gib,
        utilisation_each=ENGINE_SHARE / copies,
        usd_per_hour_each=None if usd is None else usd / copies,
    )


def quantised_options(pick: Pick, lower: Mapping[str, Recommendation]) -> list[QuantisationSaving]:
    """Return the lower formats that would be cheaper, in the order given."""
    mine = pick.cost.usd_per_month
    if mine is None or pick.estimate.plan.weights_dtype in FOUR_BIT:
        return []
    found = []
    for dtype, result in lower.items():
        other = next(iter(result.picks), None)
        if other is None or other.cost.usd_per_month is None or other.cost.usd_per_hour is None:
            continue
        if _costs_less(other, pick):
            found.append(
                QuantisationSaving(
                    dtype=dtype,
                    instance_type=other.instance.instance_type,
                    instances=other.instances,
                    weights_gb=weights_gb(other),
                    usd_per_hour=other.cost.usd_per_hour,
                    saved_usd_per_month=mine - other.cost.usd_per_month,
                )
            )
    return found


def _placement(pick: Pick, catalog: Catalog) -> PodPlacement | None:
    eks = catalog.eks.get(pick.instance.instance_type)
    if eks is None or eks.resource_name is None:
        return None
    taints = {"nvidia": "nvidia.com/gpu", "neuron": "aws.amazon.com/neuron"}
    return PodPlacement(
        resource=eks.resource_name,
        taint=taints.get(eks.accelerator_class, eks.resource_name),
        per_pod=pods_accelerators(pick, eks),
    )


def _quota_need(pick: Pick) -> QuotaNeed | None:
    code = quota_code(pick.instance, pick.quote.market)
    if code is None:
        return None
    each = pick.instance.vcpus
    return QuotaNeed(code=code, vcpus=each * pick.instances, vcpus_each=each)
