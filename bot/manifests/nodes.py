"""What the nodes of a pick have to be, whichever tool brings them, and what no tool can bring."""

from dataclasses import dataclass
from math import ceil
from typing import Literal

from bot.core.manifest import ManifestError
from bot.manifests.legal_names import label_value
from catalog.catalog import Catalog
from catalog.facts.schema import EksType, Instance, Region
from catalog.facts.units import BYTES_PER_GIB as GIB
from catalog.facts.units import gb
from engine.core.result import Pick
from engine.core.workload import Workload
from engine.plans.sides import weights_gb as replica_weights_gb

Purchase = Literal["on_demand", "spot", "reservation", "capacity_block"]
# Legal by every schema and never anybody's: a person has to replace it.
RESERVATION_PLACEHOLDER = "cr-00000000000000000"
TAINT_KEYS = {"nvidia": "nvidia.com/gpu", "neuron": "aws.amazon.com/neuron"}
# Labels by which DaemonSets find their nodes, whatever model runs there.
NVIDIA_PRESENT, NEURON_PRESENT = "nvidia.com/gpu.present", "aws.amazon.com/neuron.present"
TAINT_EFFECTS = frozenset({"NoSchedule", "PreferNoSchedule", "NoExecute"})
ARCH = {"x86_64": "amd64", "arm64": "arm64"}  # as EC2 and as Kubernetes call them
AL2023 = "AmazonLinux2023"
# A serving or training image unpacked, its cache and the system (vLLM's image alone is ~25 GB).
SYSTEM_GB = 80
# Weights are downloaded, then sometimes converted or compiled into a second copy.
WEIGHT_COPIES = 2
# Each replica on a node keeps its own copy and a little beside; the kubelet evicts above 90 %.
REPLICA_SPARE_GB, FILE_SYSTEM_SHARE = 6, 1.2


@dataclass(frozen=True, slots=True)
class Interface:
    """One network interface: `efa-only` carries no IP address."""

    card: int
    device: int
    kind: Literal["interface", "efa-only"]


def purchase_of(pick: Pick, workload: Workload) -> Purchase:
    """Return how the machines are launched; commitments (reserved, savings plan) are on demand.

    Raises:
        ManifestError: a Capacity Block was asked for and none is sold of the type.
    """
    instance, market = pick.instance, pick.quote.market
    if "capacity_block" in {workload.market, market}:
        if not instance.capacity_block:
            raise ManifestError(f"{instance.instance_type} is not sold in Capacity Blocks")
        return "capacity_block"
    if market == "spot" and instance.spot_sold:
        return "spot"
    if instance.capacity_block and not instance.on_demand_sold:
        return "capacity_block"
    return "reservation" if workload.reservation else "on_demand"


def in_one_zone(pick: Pick, purchase: Purchase) -> bool:
    """Return whether the machines must share a zone: they talk, or they are reserved in one."""
    return spans_machines(pick) or purchase in {"reservation", "capacity_block"}


def zones_of(region: Region) -> tuple[str, str]:
    """Return two zones that the region has."""
    letters = region.zone_letters
    return f"{region.code}{letters[0]}", f"{region.code}{letters[1]}"


def spans_machines(pick: Pick) -> bool:
    """Return whether one replica, or one training job, works across machines."""
    if pick.instances == 1:
        return False
    if pick.estimate.training is not None:
        return True
    plan = pick.estimate.plan
    return plan.accelerators // max(1, plan.data_parallel) > pick.instance.accelerators > 0


def disk_need_gb(pick: Pick, pulled_gb: float) -> int:
    """Return GB a node needs for images and weights, rounded up to 10.

    A second copy of the weights is made by converting or compiling; each replica has its own. What
    a server quantises while it loads is on disk in its full size: `pulled_gb` is of one replica.
    """
    replicas = replicas_on_a_node(pick)
    if pick.estimate.training is not None:  # sharded over all devices
        weights_gb = gb(pick.estimate.memory.weights * pick.estimate.plan.accelerators * GIB)
        need_gb = WEIGHT_COPIES * weights_gb
    elif replicas > 1:
        need_gb = FILE_SYSTEM_SHARE * replicas * (pulled_gb + REPLICA_SPARE_GB)
    else:
        once_gb = FILE_SYSTEM_SHARE * (pulled_gb + REPLICA_SPARE_GB)
        need_gb = max(WEIGHT_COPIES * replica_weights_gb(pick), once_gb)
    return ceil((SYSTEM_GB + need_gb) / 10) * 10


def replicas_on_a_node(pick: Pick) -> int:
    """Return how many serving replicas share one machine; one where training takes it whole."""
    if pick.estimate.training is not None:
        return 1
    return max(1, pick.estimate.plan.data_parallel // pick.instances)


def trains(workload: Workload) -> bool:
    """Return whether the nodes carry training jobs rather than servers."""
    return workload.task in {"train", "finetune"}


def taint_key(eks: EksType | None) -> str | None:
    """Return the key of the taint that keeps all but their own pods off accelerated nodes."""
    return TAINT_KEYS.get(eks.accelerator_class) if eks else None


def pool_labels(workload: Workload, eks: EksType | None) -> tuple[tuple[str, str], ...]:
    """Return the labels of the nodes; workloads select by them."""
    role = "training" if trains(workload) else workload.task
    labels: list[tuple[str, str]] = [("ec2-pick/role", role)]
    model = label_value(workload.model or "")
    if model:
        labels.append(("ec2-pick/model", model))
    present = {"nvidia": NVIDIA_PRESENT, "neuron": NEURON_PRESENT}
    if eks is not None and eks.accelerator_class in present:
        labels.append((present[eks.accelerator_class], "true"))
    return tuple(labels)


def efa_interfaces(eks: EksType) -> tuple[Interface, ...]:
    """Return the layout over its network cards that EC2's guide asks for; empty without EFA.

    Also empty where EFAs are fewer than that (p6e-gb200): which cards have one is not known.

    The first interface of card 0 carries IP. Card 0 has an EFA beside it unless there is a card
    more than there are EFAs (p6-b300: card 0 is for IP alone). Each further card has one EFA.
    """
    if not eks.efa_interfaces:
        return ()
    cards = eks.network_cards or eks.efa_interfaces
    if eks.efa_interfaces < cards - 1:
        return ()
    first = Interface(0, 0, "interface")
    beside = (Interface(0, 1, "efa-only"),) if eks.efa_interfaces == cards else ()
    further = (Interface(card, 0, "efa-only") for card in range(1, cards))
    return (first, *beside, *further)


def refuse_what_eks_cannot(instance: Instance, eks: EksType | None) -> None:
    """Let a type pass that EKS can run.

    Raises:
        ManifestError: it is at its end of life, or no image drives its accelerators.
    """
    name = instance.instance_type
    if instance.eol:
        raise ManifestError(f"{name} is at its end of life ({instance.lifecycle}): pick another")
    if instance.accelerators and taint_key(eks) is None:
        raise ManifestError(f"EKS has no image that drives the accelerators of {name}")


def refuse_edge_zones(pick: Pick, catalog: Catalog) -> None:
    """Let a pick pass that lies in a full region.

    Raises:
        ManifestError: it lies in a Local or Wavelength Zone, which lacks node groups or disks.
    """
    place = catalog.regions.get(pick.region)
    if place is not None and place.location_type != "region":
        raise ManifestError(f"{pick.region} is no full region: deploy to its parent region")
