"""What the nodes of a pick offer to pods: resources, labels, taints, as Kubernetes counts them."""

from dataclasses import dataclass
from math import ceil

from bot.manifests.nodes import (
    ARCH,
    disk_need_gb,
    pool_labels,
    refuse_what_eks_cannot,
    taint_key,
)
from bot.manifests.served_model import pulled_gb
from catalog.catalog import Catalog
from catalog.facts.schema import EksType, Instance
from engine.core.result import Pick
from engine.core.workload import Workload

MIB_PER_GIB = 1024
# What the DaemonSets of a node ask for together (network, proxy, device plugin, exporters): an
# allowance. Untainted nodes also carry cluster services (DNS, metrics).
DAEMONSET_CPU_M, DAEMONSET_MEMORY_MIB = 400, 1024
SHARED_CPU_M, SHARED_MEMORY_MIB = 500, 512
# Nodes with EFA set huge pages aside, out of their memory. Seen: 21,122 MiB on p4de (4 interfaces)
# and 42,242 MiB on p5 (32): 5,281 for each of at most eight.
HUGEPAGES_MIB_PER_EFA, MOST_EFA_COUNTED = 5281, 8
# Karpenter's model of a node: 7.5 % less memory than nominal, then what the kubelet keeps back.
MEMORY_SHARE = 0.925
EVICTION_MIB = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The nodes of one instance type. Memory is without huge pages; CPU in thousandths."""

    instance_type: str
    accelerator_class: str  # nvidia, neuron, cpu
    arch: str
    spot: bool
    labels: tuple[tuple[str, str], ...]
    taint_key: str | None
    resource: str | None
    count: int
    cores_per_chip: int  # Neuron; 1 elsewhere
    efa: int
    hugepages: bool
    cpu_m: int  # allocatable, DaemonSets taken off
    memory_mib: int
    disk_gb: int
    karpenter: bool  # Karpenter can bring these nodes
    torus: bool = False  # of Neuron chips
    by_core: bool = False  # pods may take single NeuronCores

    @property
    def node_labels(self) -> dict[str, str]:
        """Every label a pod may select by, those Kubernetes sets itself included."""
        known = {
            "node.kubernetes.io/instance-type": self.instance_type,
            "kubernetes.io/arch": self.arch,
            "kubernetes.io/os": "linux",
        }
        return known | dict(self.labels)


def pool_of(pick: Pick, workload: Workload, catalog: Catalog) -> Pool:
    """Return what the pick's nodes offer.

    Raises:
        ManifestError: Kubernetes on AWS cannot use the type's accelerators.
    """
    instance = pick.instance
    eks = catalog.eks.get(instance.instance_type)
    refuse_what_eks_cannot(instance, eks)
    cpu_m, memory_mib = _allocatable(instance, eks)
    return Pool(
        instance_type=instance.instance_type,
        accelerator_class=eks.accelerator_class if eks else "cpu",
        arch=ARCH[instance.arch],
        spot=pick.quote.market == "spot",
        labels=pool_labels(workload, eks),
        taint_key=taint_key(eks),
        resource=eks.resource_name if eks else None,
        count=(eks.resource_count or 0) if eks else 0,
        cores_per_chip=_cores_per_chip(eks),
        efa=_efa(eks) if eks else instance.efa_interfaces,
        hugepages=bool(eks and _efa(eks)),
        cpu_m=cpu_m,
        memory_mib=memory_mib,
        disk_gb=max(instance.local_nvme_gb, disk_need_gb(pick, pulled_gb(pick, workload, catalog))),
        karpenter=eks is None or eks.karpenter_known,
        torus=eks is not None and eks.torus,
        by_core=eks is not None and eks.pods_by_core,
    )


def _efa(eks: EksType) -> int:
    """Return the interfaces that pods can ask for, however their nodes are made.

    eksctl makes nodes of types missing in its table without EFA; UltraServers it does not make.
    """
    return eks.efa_interfaces if eks.eksctl_efa or eks.capacity_block_only else 0


def _cores_per_chip(eks: EksType | None) -> int:
    if eks is None or not eks.neuron_cores or not eks.neuron_devices:
        return 1
    return eks.neuron_cores // eks.neuron_devices


def _allocatable(instance: Instance, eks: EksType | None) -> tuple[int, int]:
    """Return the CPU (thousandths) and MiB that pods can ask for on an otherwise empty node."""
    cpu_m, memory_mib = allocatable(instance)
    if eks is not None:
        cpu_m = eks.allocatable_cpu_m or cpu_m
        memory_mib = eks.allocatable_memory_mib or memory_mib
        memory_mib -= HUGEPAGES_MIB_PER_EFA * min(eks.efa_interfaces, MOST_EFA_COUNTED)
    else:
        cpu_m, memory_mib = cpu_m - SHARED_CPU_M, memory_mib - SHARED_MEMORY_MIB
    return cpu_m - DAEMONSET_CPU_M, memory_mib - DAEMONSET_MEMORY_MIB


def allocatable(instance: Instance) -> tuple[int, int]:
    """Return allocatable CPU (thousandths) and MiB as Karpenter computes them for a type.

    The kubelet keeps 6 % of the first vCPU, 1 % of the second, 0.5 % of two more and 0.25 % of the
    rest; 255 MiB and 11 MiB a possible pod (EKS bootstrap); and evicts below 100 MiB.
    """
    vcpus = instance.vcpus
    kept_m = 60 + 10 * (vcpus > 1) + 5 * min(2, max(0, vcpus - 2)) + 2.5 * max(0, vcpus - 4)
    pods = _most_pods(vcpus)
    nominal = int(instance.host_mem_gib * MIB_PER_GIB * MEMORY_SHARE)
    return vcpus * 1000 - ceil(kept_m), nominal - (11 * pods + 255) - EVICTION_MIB


def _most_pods(vcpus: int) -> int:
    """Return the pods that the network interfaces of a type of this size usually allow."""
    for most_vcpus, pods in ((2, 29), (8, 58), (48, 234)):
        if vcpus <= most_vcpus:
            return pods
    return 737
