"""What Terraform is told of a pick: one EKS node group and the launch template it starts from."""

from dataclasses import dataclass

from bot.core.manifest import ManifestError
from bot.manifests.eksctl.cluster import (
    NVME_ROOT_GB,
    disk_need_gb,
    in_one_zone,
    local_disks_hold,
    pool_labels,
    spans_machines,
    trains,
)
from bot.manifests.eksctl.equivalents import node_types
from bot.manifests.eksctl.node_rules import TAINT_KEYS
from bot.manifests.names import dns_name
from bot.manifests.network_cards import Interface, efa_interfaces
from bot.manifests.purchase import Purchase, purchase_of, reservation_id
from bot.manifests.refusals import refuse_edge_zones, refuse_what_eks_cannot
from catalog.catalog import Catalog
from catalog.facts.schema import EksType
from engine.core.result import Pick
from engine.core.workload import Workload

STANDARD_AMI = {"x86_64": "AL2023_x86_64_STANDARD", "arm64": "AL2023_ARM_64_STANDARD"}
CAPACITY_TYPES: dict[Purchase, str] = {
    "on_demand": "ON_DEMAND",
    "spot": "SPOT",
    "reservation": "ON_DEMAND",
    "capacity_block": "CAPACITY_BLOCK",
}
# Cluster Autoscaler reads these tags where the group has no node to look at.
SCALE_FROM_ZERO = "k8s.io/cluster-autoscaler/node-template"


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformView:
    """The node group. Cluster, role, subnets and security group are variables of the module."""

    name: str
    cluster: str
    region: str
    types: tuple[str, ...]  # of the node group; of the launch template in a Capacity Block
    ami_type: str
    capacity_type: str
    min_size: int
    desired: int
    max_size: int
    volume_gb: int
    local_raid: bool
    labels: tuple[tuple[str, str], ...]
    taint_key: str | None
    tags: tuple[tuple[str, str], ...]  # for the autoscaler
    interfaces: tuple[Interface, ...]
    placement_group: bool
    one_zone: bool
    purchase: Purchase
    reservation_id: str
    reservation_fill_in: bool
    ultra_server: bool


def terraform_view(pick: Pick, workload: Workload, catalog: Catalog, cluster: str) -> TerraformView:
    """Return the node group that runs the pick.

    Raises:
        ManifestError: no managed node group can run it; the message says why.
    """
    instance = pick.instance
    eks = catalog.eks.get(instance.instance_type)
    _refuse_what_eks_cannot(pick, catalog, eks)
    purchase, types = purchase_of(pick, workload), node_types(pick, workload, catalog)
    block, need_gb = purchase == "capacity_block", disk_need_gb(pick)
    local = local_disks_hold(need_gb, types, catalog)
    labels = pool_labels(workload, eks)
    interfaces = efa_interfaces(eks) if eks is not None and spans_machines(pick) else ()
    return TerraformView(
        name=dns_name(f"{instance.instance_type} {workload.model or ''}", "nodes"),
        cluster=cluster,
        region=pick.region,
        types=types,
        ami_type=eks.managed_ami_types[0] if eks else STANDARD_AMI[instance.arch],
        capacity_type=CAPACITY_TYPES[purchase],
        min_size=0 if block or trains(workload) else pick.instances,
        desired=0 if block else pick.instances,
        max_size=pick.instances,
        volume_gb=NVME_ROOT_GB if local else need_gb,
        local_raid=local,
        labels=labels,
        taint_key=TAINT_KEYS.get(eks.accelerator_class) if eks else None,
        tags=tuple(_autoscaler_tags(labels, eks)),
        interfaces=interfaces,
        placement_group=bool(interfaces) and purchase in {"on_demand", "spot"},
        one_zone=in_one_zone(pick, purchase),
        purchase=purchase,
        reservation_id=reservation_id(workload),
        reservation_fill_in=workload.reservation is None,
        ultra_server=is_ultra_server(instance.family),
    )


def is_ultra_server(family: str) -> bool:
    """Return whether machines of a family are parts of an UltraServer."""
    return family.startswith(("p6e-", "trn2u"))


def _autoscaler_tags(
    labels: tuple[tuple[str, str], ...], eks: EksType | None
) -> list[tuple[str, str]]:
    tags = [(f"{SCALE_FROM_ZERO}/label/{key}", value) for key, value in labels]
    if eks is not None:
        key = TAINT_KEYS[eks.accelerator_class]
        tags.append((f"{SCALE_FROM_ZERO}/taint/{key}", "true:NoSchedule"))
        tags.append((f"{SCALE_FROM_ZERO}/resources/{eks.resource_name}", str(eks.resource_count)))
    return tags


def _refuse_what_eks_cannot(pick: Pick, catalog: Catalog, eks: EksType | None) -> None:
    instance = pick.instance
    name = instance.instance_type
    refuse_what_eks_cannot(instance, eks)
    if eks is not None and eks.managed_ami_types[0] == "CUSTOM":
        raise ManifestError(
            f"EKS has no image with the driver for {name}: --manifest eksctl takes your own image"
        )
    refuse_edge_zones(pick, catalog)
