"""What Karpenter is told of a pick: a NodePool (which machines) and its EC2NodeClass (how)."""

from dataclasses import dataclass

from bot.core.manifest import ManifestError
from bot.manifests.eksctl.cluster import (
    NEEDS_MORE_THAN_EKSCTL,
    NVME_ROOT_GB,
    disk_need_gb,
    in_one_zone,
    local_disks_hold,
    pool_labels,
    spans_machines,
    trains,
    zones_of,
)
from bot.manifests.eksctl.equivalents import node_types
from bot.manifests.eksctl.node_rules import TAINT_KEYS
from bot.manifests.names import dns_name
from bot.manifests.network_cards import Interface, efa_interfaces
from bot.manifests.pool import ARCH
from bot.manifests.purchase import Purchase, purchase_of, reservation_id
from bot.manifests.refusals import refuse_edge_zones, refuse_what_eks_cannot
from catalog.catalog import Catalog
from catalog.facts.schema import EksType
from engine.core.result import Pick
from engine.core.workload import Workload

# The EKS image release of 2026-07: NVIDIA driver 580, Neuron driver 2.29. `latest` would replace
# nodes whenever an image is published, and has shipped broken drivers.
AMI_ALIAS = "al2023@v20260714"
ROLE_PREFIX, ROLE_CHARS = "KarpenterNodeRole-", 64
# An idle machine costs; one that is dropped too soon has to load its model again.
SERVING_IDLE, STEADY_IDLE = "10m", "30m"
# A node is replaced after a month; a training job, or a replica over several, may not be.
SERVING_AGE, STEADY_AGE = "720h", "Never"
FRACTION = "EC2 reports no whole GPU on it, so Karpenter would see none: use a node group"
NOT_BY_KARPENTER = NEEDS_MORE_THAN_EKSCTL | {
    "g6f": FRACTION,
    "gr6f": FRACTION,
    "g7": "it needs NVIDIA driver 595 and the EKS images bring 580: use a node group with your own "
    "image",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePoolView:
    """Which machines Karpenter may start, up to what, and when it may stop them."""

    name: str
    types: tuple[str, ...]
    arch: str
    capacity_types: tuple[str, ...]
    zone: str | None
    zone_fill_in: bool
    labels: tuple[tuple[str, str], ...]
    taint_key: str | None
    idle: str
    age: str
    keeps_drifted: bool  # a change of image or pool must not end a job
    limits: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClassView:
    """How a machine starts: image, disks, network, reservation."""

    name: str
    cluster: str  # tags of its subnets and security groups name it
    role: str
    ami_alias: str
    volume_gb: int
    local_raid: bool
    private: bool
    interfaces: tuple[Interface, ...]
    placement_group: str | None
    reservation_id: str | None
    reservation_fill_in: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterView:
    """Both documents, and what they are made from."""

    pool: NodePoolView
    node_class: NodeClassView
    purchase: Purchase
    need_gb: int


def karpenter_view(pick: Pick, workload: Workload, catalog: Catalog, cluster: str) -> KarpenterView:
    """Return the pool and the class that bring the pick's machines.

    Raises:
        ManifestError: Karpenter cannot run it; the message says why and what can.
    """
    eks = catalog.eks.get(pick.instance.instance_type)
    _refuse_what_karpenter_cannot(pick, catalog, eks)
    purchase = purchase_of(pick, workload)
    types = node_types(pick, workload, catalog)
    name = dns_name(f"{pick.instance.instance_type} {workload.model or ''}", "nodes")
    return KarpenterView(
        pool=_pool(pick, workload, eks, name, types),
        node_class=_node_class(pick, workload, catalog, name, cluster),
        purchase=purchase,
        need_gb=disk_need_gb(pick),
    )


def role_of(cluster: str) -> str:
    """Return the node role that Karpenter's guide makes for a cluster, within IAM's length."""
    return f"{ROLE_PREFIX}{cluster}"[:ROLE_CHARS]


def _pool(
    pick: Pick, workload: Workload, eks: EksType | None, name: str, types: tuple[str, ...]
) -> NodePoolView:
    purchase, training = purchase_of(pick, workload), trains(workload)
    steady = training or spans_machines(pick)  # one machine replaced would stop all the others
    return NodePoolView(
        name=name,
        types=types,
        arch=ARCH[pick.instance.arch],
        capacity_types=_capacity_types(pick, purchase, training=training),
        zone=zones_of(pick.region)[0] if in_one_zone(pick, purchase) else None,
        zone_fill_in=purchase in {"reservation", "capacity_block"},
        labels=pool_labels(workload, eks),
        taint_key=TAINT_KEYS.get(eks.accelerator_class) if eks else None,
        idle=STEADY_IDLE if steady else SERVING_IDLE,
        age=STEADY_AGE if steady else SERVING_AGE,
        keeps_drifted=steady,
        limits=(_limit(pick, eks, spare=0 if steady else 1),),
    )


def _capacity_types(pick: Pick, purchase: Purchase, *, training: bool) -> tuple[str, ...]:
    """Return what Karpenter may buy, which tries reserved, then spot, then on demand.

    A server falls back to on demand rather than stop; a job on spot waits for spot.
    """
    on_demand = ("on-demand",) if pick.instance.on_demand_sold else ()
    if purchase == "capacity_block":
        return ("reserved",)
    if purchase == "reservation":
        return ("reserved", *on_demand)
    if purchase == "spot":
        return ("spot",) if training else ("spot", *on_demand)
    return ("on-demand",)


def _limit(pick: Pick, eks: EksType | None, *, spare: int) -> tuple[str, int]:
    """Return the most the pool may grow to, which caps what it costs; a spare lets it replace."""
    machines = pick.instances + spare
    if eks is None or not eks.resource_name or not eks.resource_count:
        return "cpu", pick.instance.vcpus * machines
    return eks.resource_name, eks.resource_count * machines


def _node_class(
    pick: Pick, workload: Workload, catalog: Catalog, name: str, cluster: str
) -> NodeClassView:
    purchase, need_gb = purchase_of(pick, workload), disk_need_gb(pick)
    local = local_disks_hold(need_gb, node_types(pick, workload, catalog), catalog)
    eks = catalog.eks.get(pick.instance.instance_type)
    interfaces = efa_interfaces(eks) if eks is not None and spans_machines(pick) else ()
    reserved = purchase in {"reservation", "capacity_block"}
    return NodeClassView(
        name=name,
        cluster=cluster,
        role=role_of(cluster),
        ami_alias=AMI_ALIAS,
        volume_gb=NVME_ROOT_GB if local else need_gb,
        local_raid=local,
        private=bool(interfaces),
        interfaces=interfaces,
        placement_group=None if reserved or not interfaces else name,
        reservation_id=reservation_id(workload) if reserved else None,
        reservation_fill_in=workload.reservation is None,
    )


def _refuse_what_karpenter_cannot(pick: Pick, catalog: Catalog, eks: EksType | None) -> None:
    instance = pick.instance
    name = instance.instance_type
    if instance.family in NOT_BY_KARPENTER:
        raise ManifestError(f"Karpenter cannot run {name}: {NOT_BY_KARPENTER[instance.family]}")
    refuse_what_eks_cannot(instance, eks)
    if eks is not None and not eks.karpenter_known:
        raise ManifestError(f"Karpenter 1.14 does not know {name}: use a node group")
    refuse_edge_zones(pick, catalog)
