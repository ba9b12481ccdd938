"""Types that a spot pool may take instead of the pick: each does all that the pick does.

Spot is interrupted by type and zone, so a pool of one type is the least reliable. A type stands in
only where nothing promised of the pick is lost: as many devices, each with at least the memory,
bandwidth, arithmetic and link, and as much CPU and memory free for pods.
"""

from collections.abc import Iterator
from dataclasses import replace

from bot.core.manifest import ManifestError
from bot.manifests.nodes import purchase_of, spans_machines
from bot.manifests.pool import pool_of
from catalog.catalog import Catalog
from catalog.facts.schema import Accelerator, Instance
from engine.core.result import Pick
from engine.core.workload import Workload
from engine.pick.groups import left_out

MOST_TYPES = 5
# Dearer machines than this are no bargain on spot; the limit is on their on-demand price.
MOST_TIMES_THE_PRICE = 2.0
# Images built for one compute capability.
ONE_CAPABILITY = frozenset({"tei", "tensorrt-llm"})


def node_types(pick: Pick, workload: Workload, catalog: Catalog) -> tuple[str, ...]:
    """Return the types a pool of the pick holds: several on spot, unless machines work together."""
    if purchase_of(pick, workload) != "spot" or spans_machines(pick):
        return (pick.instance.instance_type,)
    return spot_types(pick, workload, catalog)


def spot_types(pick: Pick, workload: Workload, catalog: Catalog) -> tuple[str, ...]:
    """Return the pick's type and the types that may stand in for it, cheapest first."""
    priced = sorted(
        (price, instance.instance_type) for instance, price in _stand_ins(pick, workload, catalog)
    )
    return (pick.instance.instance_type, *(name for _, name in priced[: MOST_TYPES - 1]))


def _stand_ins(
    pick: Pick, workload: Workload, catalog: Catalog
) -> Iterator[tuple[Instance, float]]:
    """Yield each stand-in with its on-demand price."""
    own = catalog.prices.quote(pick.instance, pick.region).usd_per_hour
    if own is None:
        return
    for other in catalog.instances.values():
        if not _is_alike(other, pick.instance, pick.region, catalog):
            continue
        price = catalog.prices.quote(other, pick.region).usd_per_hour
        if (
            price is not None
            and price <= own * MOST_TIMES_THE_PRICE
            and left_out(other, workload, catalog) is None
            and _does_as_much(other, pick, catalog)
            and _has_room(other, pick, workload, catalog)
        ):
            yield other, price


def _is_alike(other: Instance, own: Instance, region: str, catalog: Catalog) -> bool:
    """Return whether a type is another of the same build that spot sells in the region."""
    return (
        other.instance_type != own.instance_type
        and other.arch == own.arch
        and other.accelerators == own.accelerators
        and other.spot_sold
        and other.current_generation >= own.current_generation
        and not (other.eol or other.bare_metal or other.burstable)
        and region in other.regions
        and _driven_alike(other, own, catalog)
    )


def _driven_alike(other: Instance, own: Instance, catalog: Catalog) -> bool:
    """Return whether the same image drives both and every provisioner knows the type."""
    eks, own_eks = catalog.eks.get(other.instance_type), catalog.eks.get(own.instance_type)
    if eks is None or own_eks is None:
        return eks is own_eks
    known = eks.karpenter_known and eks.eksctl_known and eks.eksctl_picks_right_ami
    return known and eks.ami_families == own_eks.ami_families


def _does_as_much(other: Instance, pick: Pick, catalog: Catalog) -> bool:
    own = pick.instance
    if own.accelerator_id is None or other.accelerator_id is None:
        return _processor(other, catalog) == _processor(own, catalog)
    if own.accelerator_id == other.accelerator_id:
        return True
    chip, better = (
        catalog.accelerators[name] for name in (own.accelerator_id, other.accelerator_id)
    )
    return _is_better(
        better, chip, one_capability=pick.estimate.plan.serving_engine in ONE_CAPABILITY
    )


def _is_better(better: Accelerator, chip: Accelerator, *, one_capability: bool) -> bool:
    """Return whether a GPU does all that another does; compiled Neuron models do not move."""
    theirs, ours = better.compute_capability, chip.compute_capability
    if theirs is None or ours is None or int(theirs) != int(ours):
        return False  # kernels are built for a major version
    if theirs < ours or (one_capability and theirs != ours):
        return False
    pairs = (
        (better.mem_gib_usable, chip.mem_gib_usable),
        (better.mem_bw_gb_s, chip.mem_bw_gb_s),
        (better.tflops_fp16, chip.tflops_fp16),
        (better.link_gb_s_per_direction or 0.0, chip.link_gb_s_per_direction or 0.0),
    )
    return all(a is not None and b is not None and a >= b for a, b in pairs)


def _processor(instance: Instance, catalog: Catalog) -> str | None:
    family = catalog.families.get(instance.family)
    return None if family is None else family.cpu_family


def _has_room(other: Instance, pick: Pick, workload: Workload, catalog: Catalog) -> bool:
    """Return whether a pod made for the pick's node also fits on the other."""
    own = pool_of(pick, workload, catalog)
    try:
        room = pool_of(replace(pick, instance=other), workload, catalog)
    except ManifestError:
        return False
    return room.cpu_m >= own.cpu_m and room.memory_mib >= own.memory_mib
