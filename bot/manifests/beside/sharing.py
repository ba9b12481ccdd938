"""Several copies of a small model on one GPU: time-slicing or MIG, with the arithmetic."""

from dataclasses import dataclass, replace
from math import floor
from typing import NamedTuple

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import manifest_environment
from bot.manifests.node_file import nvidia_plugin
from bot.manifests.nodes import AL2023
from bot.manifests.workload.kubernetes import comments_of, workload_view, written
from bot.manifests.workload.pod import NodeShare, pod_of
from bot.manifests.workload.serving import ServingView, drain_s, termination_s
from bot.manifests.workload.workload_rule import Bundle
from catalog.catalog import Catalog
from catalog.facts.mig import mig_slices
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.result import Pick, Recommendation

# A slice reports a little less than its name says (1g.10gb of an A100: 9,728 MiB).
USABLE_SHARE = 0.93
UTILISATION = 0.9  # of the GPU, all sharers together
MOST_SHARERS = 8  # context switches and host memory beyond
FEWEST_SHARERS = 2
# What a GPU server takes of its host: code, CUDA context, pinned buffers, one busy thread.
SERVER_MIB, SERVER_CPU_M = 6144, 800

BY_NODE = "bottlerocket-node-group.yaml, with neither device plugin nor this ConfigMap"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingView:
    """How one GPU is divided."""

    name: str
    mig: bool
    profile: str  # MIG only
    bottlerocket_key: str  # as its settings name the GPU
    sharers: int
    needed_gib: float
    available_gib: float
    slice_gib: float
    utilisation: float  # of what the server may take of the memory it sees
    resource: str
    nodes: str  # the label selector of the workload's own nodes

    @property
    def arithmetic(self) -> tuple[str, ...]:
        """The lines that show why this many fit."""
        first = f"One copy needs {self.needed_gib:.1f} GiB of the GPU's {self.available_gib:.1f}."
        if self.mig:
            slices = f"{self.slice_gib:.1f} GiB each, {self.sharers} on a GPU"
            return (first, f"MIG {self.profile}: {slices}, memory and compute kept apart.")
        share = f"{self.sharers} copies at --gpu-memory-utilization {self.utilisation:g}"
        total = self.sharers * self.utilisation
        return (
            first,
            f"{share}: {self.slice_gib:.1f} GiB each, {total:.2f} of the GPU together.",
            "Nothing keeps their memory apart, and each is slower while the others work.",
        )


def sharing_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the device plugin's configuration and the workload that shares GPUs by it.

    Raises:
        ManifestError: no second copy fits on a GPU; says the two numbers.
    """
    workload = workload_view(result, pick, catalog)
    if not isinstance(workload, ServingView) or workload.pool.accelerator_class != "nvidia":
        raise ManifestError("only NVIDIA GPUs that serve are shared: name such a pick")
    if workload.pod.devices != 1 or workload.nodes_per_replica > 1:
        raise ManifestError(
            f"the model takes {workload.pod.devices} whole GPUs: there is nothing to share"
        )
    view = _sharing(pick, workload, catalog)
    shared = _shared_workload(result, pick, workload, view)
    settings = manifest_environment().get_template("sharing/bottlerocket.yaml.j2")
    return written(
        "sharing",
        "sharing/sharing.yaml.j2",
        Bundle(pool=workload.pool, sharers=view.sharers),
        comments=(*comments_of(result, pick), *view.arithmetic),
        notes=tuple(_sharing_notes(view)),
        extras=(("bottlerocket-node-group.yaml", settings.render(sharing=view)),),
        sharing=view,
        view=shared,
        pod=shared.pod,
        server=shared.server,
    )


def _fraction(catalog: Catalog) -> str:
    """Return the first family whose machines have a part of a GPU."""
    parts = (i for i in catalog.instances.values() if "_" in (i.accelerator_id or ""))
    return min(instance.family for instance in parts)


def _sharing(pick: Pick, workload: ServingView, catalog: Catalog) -> SharingView:
    """Return MIG where a profile holds the model at least twice, else time-slicing."""
    memory = pick.estimate.memory
    needed, available = memory.total, memory.available
    chip = catalog.accelerators[pick.instance.accelerator_id or ""]
    for profile, gb, count in mig_slices(chip):
        slice_gib = gb * BYTES_PER_GB / BYTES_PER_GIB * USABLE_SHARE
        if needed <= slice_gib * UTILISATION:
            cut = Cut(profile, min(count, _hosted(workload)), slice_gib, UTILISATION)
            return _sharing_view(workload, pick, cut)
    sharers = min(MOST_SHARERS, floor(UTILISATION * available / needed), _hosted(workload))
    if sharers < FEWEST_SHARERS:
        raise ManifestError(
            f"one copy needs {needed:.1f} of the GPU's {available:.1f} GiB and {SERVER_MIB} MiB of "
            f"the node's {workload.pool.memory_mib}: no second one fits. A smaller GPU, or a "
            f"fraction of one ({_fraction(catalog)}), is the way to pay for less"
        )
    utilisation = floor(100 * UTILISATION / sharers) / 100
    return _sharing_view(workload, pick, Cut("", sharers, utilisation * available, utilisation))


def _hosted(workload: ServingView) -> int:
    """Return how many servers the node's memory and processors carry for each of its GPUs."""
    pool = workload.pool
    servers = min(pool.memory_mib // SERVER_MIB, pool.cpu_m // SERVER_CPU_M)
    return servers // pool.count


class Cut(NamedTuple):
    """How many parts of which size; `profile` is empty where time is shared instead."""

    profile: str
    sharers: int
    slice_gib: float
    utilisation: float


def _sharing_view(workload: ServingView, pick: Pick, cut: Cut) -> SharingView:
    memory, chip = pick.estimate.memory, (pick.instance.accelerator_id or "").lower()
    gpu, _, size = chip.partition("-")
    return SharingView(
        name=workload.name,
        mig=bool(cut.profile),
        profile=cut.profile,
        bottlerocket_key=f"{gpu}.{size}gb" if size.isdigit() else chip,
        sharers=cut.sharers,
        needed_gib=memory.total,
        available_gib=memory.available,
        slice_gib=cut.slice_gib,
        utilisation=cut.utilisation,
        resource=f"nvidia.com/mig-{cut.profile}" if cut.profile else "nvidia.com/gpu",
        nodes=",".join(f"{key}={value}" for key, value in workload.pod.selector),
    )


def _shared_workload(
    result: Recommendation, pick: Pick, workload: ServingView, sharing: SharingView
) -> ServingView:
    """Return the workload with more, smaller replicas: each a slice of a GPU."""
    per_node = workload.pool.count * sharing.sharers
    pod = pod_of(
        workload.pool,
        share=NodeShare(pods_per_node=per_node, resource=sharing.resource, devices=1),
        store=workload.store,
        grace_s=termination_s(drain_s(pick, result.workload.output_tokens)),
    )
    pod = replace(pod, user=workload.pod.user, why_root=workload.pod.why_root)
    server = replace(workload.server, args=_scaled_down(workload.server.args, sharing))
    return replace(workload, replicas=per_node * pick.instances, pod=pod, server=server)


def _scaled_down(args: tuple[str, ...], sharing: SharingView) -> tuple[str, ...]:
    """Return the flags with the share of memory and of requests that is one copy's."""
    flags = ("--gpu-memory-utilization", "--mem-fraction-static", "--cuda-memory-fraction")
    changed = list(args)
    for flag in flags:
        if flag in changed:
            changed[changed.index(flag) + 1] = f"{sharing.utilisation:g}"
    for flag in ("--max-num-seqs", "--max-running-requests", "--max-concurrent-requests"):
        if flag in changed:
            place = changed.index(flag) + 1
            changed[place] = str(max(1, int(changed[place]) // sharing.sharers))
    return tuple(changed)


def _sharing_notes(sharing: SharingView) -> list[str]:
    return [
        *(_mig_notes(sharing.profile, sharing.nodes) if sharing.mig else _time_notes()),
        "Create the group with --install-nvidia-plugin=false: one device plugin only.",
        "Karpenter counts no slices: use a node group of fixed size.",
        "The estimate is of one copy alone on the GPU: copies that work at once divide its speed.",
    ]


def _plugin() -> str:
    return nvidia_plugin("--set config.name=gpu-sharing")


def _mig_notes(profile: str, nodes: str) -> tuple[str, ...]:
    label = f"nvidia.com/mig.config=all-{profile}"
    return (
        f"Bottlerocket cuts the GPUs itself: {BY_NODE}.",
        (
            f"On {AL2023} the GPU Operator's MIG manager cuts them: "
            f"kubectl label nodes -l {nodes} {label}"
        ),
        f"Then there: {_plugin()}",
    )


def _time_notes() -> tuple[str, ...]:
    return (f"On {AL2023}: {_plugin()}", f"Bottlerocket slices time itself: {BY_NODE}.")
