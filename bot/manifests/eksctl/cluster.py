"""What a cluster file says, decided from the pick: the typed view the YAML template lays out."""

from dataclasses import dataclass
from math import ceil

from bot.core.manifest import ManifestError
from bot.manifests.eksctl.capacity_rules import WRONG_EFA_LAYOUT
from bot.manifests.eksctl.node_rules import TAINT_KEYS
from bot.manifests.names import label_value
from bot.manifests.purchase import Purchase, purchase_of, reservation_id
from bot.manifests.refusals import refuse_edge_zones, refuse_what_eks_cannot
from catalog.catalog import Catalog
from catalog.facts.schema import EksType
from catalog.facts.units import BYTES_PER_GIB as GIB
from catalog.facts.units import gb
from engine.core.result import Pick
from engine.core.workload import Workload
from engine.plans.sides import weights_gb as replica_weights_gb

AL2023 = "AmazonLinux2023"
# A serving or training image unpacked, its cache and the system (vLLM's image alone is ~25 GB).
SYSTEM_GB = 80
# Weights are downloaded, then sometimes converted or compiled into a second copy.
WEIGHT_COPIES = 2
# Each replica on a node keeps its own copy and a little beside; the kubelet evicts above 90 %.
REPLICA_SPARE_GB, FILE_SYSTEM_SHARE = 6, 1.2
NVME_ROOT_GB = 100
# Sold as UltraServers or newer than eksctl: a managed group cannot express them.
NEEDS_MORE_THAN_EKSCTL = {
    "p6e-gb200": "an UltraServer needs a launch template and the NVIDIA DRA driver: use terraform",
    "p6e-gb300": "an UltraServer needs a launch template and the NVIDIA DRA driver: use terraform",
    "trn2u": "an UltraServer needs a launch template and a newer Neuron plugin: use terraform",
    "trn3": "EKS has no image for it yet; it runs under the UltraServer operator",
}
# Zone letters that new accounts get where they are not a and b.
ZONE_LETTERS = {"ap-northeast-1": "ac", "us-west-1": "ac"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroupView:
    """One managed node group. A placeholder is a legal value that a person has to replace."""

    name: str
    types: tuple[str, ...]  # several on spot only; the pick's first
    ami_family: str
    ami_placeholder: bool
    plugin_by_hand: bool  # eksctl does not know the type, so installs no device plugin
    min_size: int
    desired: int
    max_size: int
    volume_gb: int
    local_raid: bool
    labels: tuple[tuple[str, str], ...]
    taint_key: str | None
    zone: str | None
    efa: bool
    purchase: Purchase
    reservation_id: str
    reservation_fill_in: bool  # the id is a placeholder
    need_gb: int


def node_group(
    pick: Pick, workload: Workload, catalog: Catalog, types: tuple[str, ...]
) -> NodeGroupView:
    """Return the node group that runs the pick on machines of these types.

    Raises:
        ManifestError: eksctl cannot express it; the message says why and what can.
    """
    instance = pick.instance
    eks = catalog.eks.get(instance.instance_type)
    _refuse_what_eksctl_cannot(pick, catalog, eks)
    purchase = purchase_of(pick, workload)
    block = purchase == "capacity_block"
    if block and eks is not None and not eks.eksctl_known:
        raise ManifestError(
            f"eksctl does not know {instance.instance_type} and takes no Capacity Block of it: "
            "use terraform"
        )
    efa = spans_machines(pick) and _efa_ready(pick, eks)
    need_gb = disk_need_gb(pick)
    local = local_disks_hold(need_gb, types, catalog)
    return NodeGroupView(
        name=instance.instance_type.replace(".", "-"),
        types=types,
        ami_family=AL2023,
        ami_placeholder=eks is not None and not eks.eksctl_picks_right_ami,
        plugin_by_hand=eks is not None and not eks.eksctl_known,
        min_size=0 if block or trains(workload) else pick.instances,
        desired=0 if block else pick.instances,
        max_size=pick.instances,
        volume_gb=NVME_ROOT_GB if local else need_gb,
        local_raid=local,
        labels=pool_labels(workload, eks),
        taint_key=TAINT_KEYS.get(eks.accelerator_class) if eks else None,
        zone=zones_of(pick.region)[0] if in_one_zone(pick, purchase) else None,
        efa=efa,
        purchase=purchase,
        reservation_id=reservation_id(workload),
        reservation_fill_in=workload.reservation is None,
        need_gb=need_gb,
    )


def in_one_zone(pick: Pick, purchase: Purchase) -> bool:
    """Return whether the machines must share a zone: they talk, or they are reserved in one."""
    return spans_machines(pick) or purchase in {"reservation", "capacity_block"}


def local_disks_hold(need_gb: int, types: tuple[str, ...], catalog: Catalog) -> bool:
    """Return whether images and weights fit on the local disks of every one of the types."""
    return all(catalog.instances[name].local_nvme_gb >= need_gb for name in types)


def zones_of(region: str) -> tuple[str, str]:
    """Return two zones that the region has."""
    letters = ZONE_LETTERS.get(region, "ab")
    return f"{region}{letters[0]}", f"{region}{letters[1]}"


def spans_machines(pick: Pick) -> bool:
    """Return whether one replica, or one training job, works across machines."""
    if pick.instances == 1:
        return False
    if pick.estimate.training is not None:
        return True
    plan = pick.estimate.plan
    return plan.accelerators // max(1, plan.data_parallel) > pick.instance.accelerators > 0


def disk_need_gb(pick: Pick) -> int:
    """Return GB a node needs for images and weights, rounded up to 10.

    A second copy of the weights is made by converting or compiling; each replica has its own.
    """
    replicas = replicas_on_a_node(pick)
    if pick.estimate.training is not None:  # sharded over all devices
        weights_gb = gb(pick.estimate.memory.weights * pick.estimate.plan.accelerators * GIB)
        need_gb = WEIGHT_COPIES * weights_gb
    elif replicas > 1:
        need_gb = FILE_SYSTEM_SHARE * replicas * (replica_weights_gb(pick) + REPLICA_SPARE_GB)
    else:
        need_gb = WEIGHT_COPIES * replica_weights_gb(pick)
    return ceil((SYSTEM_GB + need_gb) / 10) * 10


def replicas_on_a_node(pick: Pick) -> int:
    """Return how many serving replicas share one machine; one where training takes it whole."""
    if pick.estimate.training is not None:
        return 1
    return max(1, pick.estimate.plan.data_parallel // pick.instances)


def _refuse_what_eksctl_cannot(pick: Pick, catalog: Catalog, eks: EksType | None) -> None:
    instance = pick.instance
    name = instance.instance_type
    if instance.family in NEEDS_MORE_THAN_EKSCTL:
        raise ManifestError(f"eksctl cannot run {name}: {NEEDS_MORE_THAN_EKSCTL[instance.family]}")
    refuse_what_eks_cannot(instance, eks)
    refuse_edge_zones(pick, catalog)
    if spans_machines(pick) and name.startswith(WRONG_EFA_LAYOUT):
        raise ManifestError(
            f"eksctl lays out the network cards of {name} wrongly, so a job over several of them "
            "would lose EFA: use Karpenter, which sets networkInterfaces, or terraform"
        )


def _efa_ready(pick: Pick, eks: EksType | None) -> bool:
    return eks is not None and pick.instance.efa and eks.eksctl_efa and eks.efa_interfaces > 0


def trains(workload: Workload) -> bool:
    """Return whether the nodes carry training jobs rather than servers."""
    return workload.task in {"train", "finetune"}


def pool_labels(workload: Workload, eks: EksType | None) -> tuple[tuple[str, str], ...]:
    """Return the labels of the nodes; workloads select by them."""
    role = "training" if trains(workload) else workload.task
    labels: list[tuple[str, str]] = [("ec2-pick/role", role)]
    model = label_value(workload.model or "")
    if model:
        labels.append(("ec2-pick/model", model))
    if eks is not None and eks.accelerator_class == "nvidia":
        labels.append(("nvidia.com/gpu.present", "true"))  # the NVIDIA chart looks for it
    return tuple(labels)
