"""What a namespace may take of the cluster: a ResourceQuota and a LimitRange, from the pool."""

from dataclasses import dataclass

from bot.core.manifest import Manifest
from bot.manifests.pool import MIB_PER_GIB
from bot.manifests.workload.kubernetes import comments_of, workload_view, written
from bot.manifests.workload.workload_rule import Bundle
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation

HELPER_PODS = 10  # jobs, exporters, a debug shell beside the workload


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaView:
    """The namespace's ceiling: the pool's nodes whole, and one container's: a node."""

    name: str
    nodes: int
    resource: str | None
    devices: int
    cpu: int
    memory_gib: int
    pods: int
    node_cpu_m: int
    node_memory_mib: int


def quota_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the quota that lets the workload run and nothing larger.

    Raises:
        ManifestError: the pick has no workload.
    """
    workload = workload_view(result, pick, catalog)
    pool, nodes = workload.pool, pick.instances
    view = QuotaView(
        name=workload.name,
        nodes=nodes,
        resource=workload.pod.resource,
        devices=workload.pod.devices * workload.pods_total,
        cpu=nodes * pool.cpu_m // 1000 + 1,
        memory_gib=nodes * pool.memory_mib // MIB_PER_GIB + 1,
        pods=workload.pods_total + HELPER_PODS,
        node_cpu_m=pool.cpu_m,
        node_memory_mib=pool.memory_mib,
    )
    return written(
        "quota",
        "quota/quota.yaml.j2",
        Bundle(pool=pool),
        comments=comments_of(result, pick),
        notes=("Applies to the namespace it is created in: kubectl apply -n NAMESPACE -f FILE",),
        view=view,
    )
