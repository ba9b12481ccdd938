"""The pod of a workload as the templates lay it out: where it runs and what it asks for."""

from dataclasses import dataclass
from math import ceil

from bot.core.manifest import ManifestError
from bot.manifests.pool import Pool
from bot.manifests.workload.storage import ModelStore, VolumeClaim

SHM_MIB_PER_DEVICE = 2048  # NCCL and data loaders; the container default of 64 MB is too little
SHM_SHARE = 0.5  # of the pod's memory at most: what is written there counts as its memory
HUGEPAGES_MIB = 5120  # what a pod with EFA asks for (AWS's own NCCL test)
ROUND_CPU_M, ROUND_MEMORY_MIB = 10, 64
LEAST_CPU_M, LEAST_MEMORY_MIB = 100, 256
CACHE_SPARE_GB = 5
NEURON_SCHEDULER = "neuron-scheduler"
NEURON_CORE = "aws.amazon.com/neuroncore"
# Chips of a torus that one pod may take beside one and all of them.
TORUS_CHIPS = (4, 8, 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShare:
    """How the pods of one node divide it."""

    pods_per_node: int
    resource: str | None
    devices: int  # of the resource, each pod


@dataclass(frozen=True, slots=True, kw_only=True)
class PodView:
    """Placement and requests. Limits equal requests, except CPU, which has none."""

    selector: tuple[tuple[str, str], ...]
    taint_key: str | None
    scheduler: str | None
    cpu_m: int
    memory_mib: int
    disk_gi: int
    resource: str | None
    devices: int
    efa: int
    hugepages_mib: int
    shm_mib: int
    grace_s: int
    cache_path: str  # on the node, gone with the pod
    claims: tuple[VolumeClaim, ...]
    user: str | None = None  # None: root …
    why_root: str = "its image is made for root"  # … and why

    @property
    def cache_volume(self) -> str:
        """The volume on the node: the model's own where no claim holds it."""
        return "cache" if any(claim.volume == "models" for claim in self.claims) else "models"


def pod_of(
    pool: Pool,
    *,
    share: NodeShare,
    store: ModelStore,
    grace_s: int,
    claims: tuple[VolumeClaim, ...] = (),
    over_efa: bool = False,
) -> PodView:
    """Return the pod that takes its share of a node: all of it where it is alone there.

    `claims` are the volumes beside the model's.

    Raises:
        ManifestError: the share is too small to run anything.
    """
    pods_per_node, devices = share.pods_per_node, share.devices
    cpu_m = pool.cpu_m // pods_per_node // ROUND_CPU_M * ROUND_CPU_M
    memory_mib = pool.memory_mib // pods_per_node // ROUND_MEMORY_MIB * ROUND_MEMORY_MIB
    if cpu_m < LEAST_CPU_M or memory_mib < LEAST_MEMORY_MIB:
        raise ManifestError(
            f"{pods_per_node} pods leave each {memory_mib} MiB and {cpu_m / 1000:g} vCPUs of a "
            f"{pool.instance_type}: take a larger size"
        )
    return PodView(
        selector=selector_of(pool),
        taint_key=pool.taint_key,
        scheduler=scheduler_of(pool, share),
        cpu_m=cpu_m,
        memory_mib=memory_mib,
        disk_gi=ceil(store.scratch_gb + CACHE_SPARE_GB),
        resource=share.resource,
        devices=devices,
        efa=pool.efa if over_efa else 0,
        hugepages_mib=HUGEPAGES_MIB if over_efa and pool.efa and pool.hugepages else 0,
        shm_mib=min(SHM_MIB_PER_DEVICE * devices, int(memory_mib * SHM_SHARE)),
        grace_s=grace_s,
        cache_path=store.scratch_path,
        claims=(*store.claims, *claims),
    )


def selector_of(pool: Pool) -> tuple[tuple[str, str], ...]:
    """Return the labels a pod selects by: the pool's own, and the type unless spot mixes types."""
    ours = tuple((key, value) for key, value in pool.labels if key.startswith("ec2-pick/"))
    arch = ("kubernetes.io/arch", pool.arch)
    fixed = () if pool.spot else (("node.kubernetes.io/instance-type", pool.instance_type),)
    return (*ours, arch, *fixed)


def scheduler_of(pool: Pool, share: NodeShare) -> str | None:
    """Return the scheduler that places several Neuron chips as neighbours, where it is needed."""
    chips = share.devices if share.resource == pool.resource else 1
    if pool.accelerator_class == "neuron" and 1 < chips < pool.count:
        return NEURON_SCHEDULER
    return None


def share_of(pool: Pool, wanted_pods: int, ways: int) -> NodeShare:
    """Return what each of `wanted_pods` pods of a node takes to run on `ways` devices (cores).

    Neuron pods take whole chips, or on Inferentia2 and Trainium1 single cores where a replica
    needs no whole chip: Karpenter counts the cores of later chips wrongly.
    """
    if not pool.count:
        return NodeShare(pods_per_node=wanted_pods, resource=None, devices=0)
    by_core = pool.accelerator_class == "neuron" and ways < pool.cores_per_chip
    if by_core and pool.by_core:
        most = pool.count * pool.cores_per_chip // ways
        pods = max(1, min(wanted_pods, most))
        return NodeShare(pods_per_node=pods, resource=NEURON_CORE, devices=ways)
    devices = chips_allowed(pool, min(ceil(ways / pool.cores_per_chip), pool.count))
    pods = max(1, min(wanted_pods, pool.count // devices))
    return NodeShare(pods_per_node=pods, resource=pool.resource, devices=devices)


def chips_allowed(pool: Pool, chips: int) -> int:
    """Return the chips to ask for: the next count that the hardware hands out to one pod."""
    if pool.accelerator_class != "neuron" or not pool.torus or chips in {1, pool.count}:
        return chips
    return next((count for count in TORUS_CHIPS if count >= chips), pool.count)
