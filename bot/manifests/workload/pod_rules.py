"""Rules on what one pod asks of the nodes it is meant for."""

from collections.abc import Mapping
from typing import Any

from bot.manifests.nodes import TAINT_EFFECTS
from bot.manifests.workload.pod import TORUS_CHIPS
from bot.manifests.workload.workload_rule import (
    CHIP,
    CORE,
    EFA,
    POD_RULES,
    SLICED,
    Flaws,
    PodAt,
    is_device,
    quantity,
)

MIB = 2.0**20
NEURON_SCHEDULERS = ("neuron", "my-scheduler")


@POD_RULES.rule("W1")
def taints_are_tolerated(pod: PodAt) -> Flaws:
    """Yield the taint of the pool that the pod does not tolerate."""
    key = pod.bundle.pool.taint_key
    if key is not None and not any(_tolerates(t, key) for t in _tolerations(pod)):
        yield f"does not tolerate the taint {key} of {pod.bundle.pool.instance_type}"


@POD_RULES.rule("W2")
def labels_are_on_the_nodes(pod: PodAt) -> Flaws:
    """Yield labels that are selected by but not set on the nodes."""
    labels = pod.bundle.pool.node_labels
    for key, value in (pod.spec.get("nodeSelector") or {}).items():
        if labels.get(key) != value:
            yield f"selects {key}={value}, the nodes have {labels.get(key)}"


@POD_RULES.rule("W3")
def devices_are_whole_and_there(pod: PodAt) -> Flaws:
    """Yield device counts that are no integers, differ between sides, or exceed the node."""
    for name in sorted(filter(is_device, pod.resources)):
        asked, limit = pod.asked(name), pod.asked(name, "limits")
        if asked != limit or asked != int(asked):
            yield f"{name}: limit {limit:g} and request {asked:g} must be one whole number"
        most = _on_node(pod, name)
        if limit > most:
            yield f"{name}: {limit:g} asked, a {pod.bundle.pool.instance_type} has {most}"


@POD_RULES.rule("W4")
def degrees_use_the_devices(pod: PodAt) -> Flaws:
    """Yield when tensor x pipeline parallel is not what the replica's pods hold."""
    ways, pods = pod.bundle.ways, _pods_of_replica(pod)
    if not ways or pod.kind not in {"Deployment", "StatefulSet"}:
        return
    pool = pod.bundle.pool
    chips, cores = pod.asked(CHIP) * pods, pod.asked(CORE) * pods
    if pool.accelerator_class == "neuron":
        held = cores or chips * pool.cores_per_chip
        each = -(-ways // (pool.cores_per_chip * pods))  # chips of one pod
        spare = held - ways if cores else chips - pods * _smallest(pod, each)
        if held < ways or spare > 0:
            yield f"tensor x pipeline parallel {ways} on {held:g} NeuronCores"
    elif pool.count and (held := pod.asked("nvidia.com/gpu") * pods) != ways:
        yield f"tensor x pipeline parallel {ways} on {held:g} GPUs"


@POD_RULES.rule("W5")
def requests_fit_the_node(pod: PodAt) -> Flaws:
    """Yield CPU or memory beyond what a node has left beside its DaemonSets."""
    pool = pod.bundle.pool
    cpu_m = round(pod.asked("cpu") * 1000)
    if cpu_m > pool.cpu_m:
        yield f"{cpu_m}m CPU asked, {pool.cpu_m}m free on a {pool.instance_type}"
    mib = pod.asked("memory") / MIB
    if mib > pool.memory_mib:
        yield f"{mib:g} MiB asked, {pool.memory_mib} free on a {pool.instance_type}"


@POD_RULES.rule("W8")
def quantities_parse(pod: PodAt) -> Flaws:
    """Yield amounts that Kubernetes cannot read."""
    for container in pod.containers:
        for side in ("requests", "limits"):
            amounts = (container.get("resources") or {}).get(side) or {}
            for name, value in amounts.items():
                if quantity(value) is None:
                    yield f"{name}: {value!r} is no quantity"


@POD_RULES.rule("W9")
def tolerations_are_legal(pod: PodAt) -> Flaws:
    """Yield operators and effects that do not exist, and values where none may be."""
    for toleration in _tolerations(pod):
        operator = toleration.get("operator", "Equal")
        if operator not in {"Exists", "Equal"}:
            yield f"toleration operator {operator!r} is neither Exists nor Equal"
        if operator == "Exists" and toleration.get("value"):
            yield "a toleration with Exists takes no value"
        if toleration.get("effect") not in {None, *TAINT_EFFECTS}:
            yield f"toleration effect {toleration.get('effect')!r} does not exist"


@POD_RULES.rule("W12")
def devices_share_memory(pod: PodAt) -> Flaws:
    """Yield when several devices would exchange through 64 MB of /dev/shm."""
    if sum(map(pod.asked, filter(is_device, pod.resources))) <= 1:
        return
    in_memory = {
        volume.get("name")
        for volume in pod.spec.get("volumes", ())
        if (volume.get("emptyDir") or {}).get("medium") == "Memory"
    }
    for container in pod.spec.get("containers", ()):
        mounts = container.get("volumeMounts", ())
        if not any(m["mountPath"] == "/dev/shm" and m["name"] in in_memory for m in mounts):  # noqa: S108 - the path inside the container
            yield "several devices need a memory volume on /dev/shm"


@POD_RULES.rule("W13")
def efa_is_there(pod: PodAt) -> Flaws:
    """Yield EFA interfaces beyond the node's, or fewer on a job that takes nodes whole."""
    asked, there = pod.asked(EFA), pod.bundle.pool.efa
    if asked > there:
        yield f"{asked:g} EFA interfaces asked, the node has {there}"
    if 0 < asked < there and _whole_node(pod):
        yield f"takes the node whole but {asked:g} of its {there} EFA interfaces"


@POD_RULES.rule("W14")
def huge_pages_are_there(pod: PodAt) -> Flaws:
    """Yield huge pages without CPU and memory beside them, or on nodes that set none aside."""
    if "hugepages-2Mi" not in pod.resources:
        return
    if not pod.bundle.pool.hugepages:
        yield f"{pod.bundle.pool.instance_type} has no huge pages: the pod would stay pending"
    if not (pod.asked("cpu") and pod.asked("memory")):
        yield "hugepages-2Mi needs cpu and memory requests beside it"


@POD_RULES.rule("W19")
def neuron_is_asked_one_way(pod: PodAt) -> Flaws:
    """Yield mixed Neuron resources, and chip counts that need what is not there."""
    if {CHIP, CORE} <= pod.resources:
        yield "asks for chips and for cores: one of the two"
    chips, pool = pod.asked(CHIP), pod.bundle.pool
    if not chips or chips in {1, pool.count}:
        return
    scheduler = str(pod.spec.get("schedulerName", ""))
    if not any(name in scheduler for name in NEURON_SCHEDULERS):
        yield f"{chips:g} of {pool.count} chips need the Neuron scheduler extension"
    if pool.torus and chips not in TORUS_CHIPS:
        yield f"{chips:g} chips of a torus are not handed out: 1, 4, 8 or all"


@POD_RULES.rule("W20")
def claims_need_a_newer_karpenter(pod: PodAt) -> Flaws:
    """Yield resource claims where Karpenter would ignore the pod."""
    karpenter = pod.bundle.karpenter
    if pod.spec.get("resourceClaims") and karpenter is not None and karpenter < (1, 15):
        yield f"Karpenter {karpenter[0]}.{karpenter[1]} ignores pods with resourceClaims"


def _tolerations(pod: PodAt) -> tuple[Mapping[str, Any], ...]:
    return tuple(pod.spec.get("tolerations") or ())


def _tolerates(toleration: Mapping[str, Any], key: str) -> bool:
    """Return whether a toleration covers `key=true:NoSchedule`, as the pools are tainted."""
    right_key = toleration.get("key") in {None, key}
    right_effect = toleration.get("effect") in {None, "NoSchedule"}
    exists = toleration.get("operator") == "Exists"
    return right_key and right_effect and (exists or toleration.get("value") == "true")


def _on_node(pod: PodAt, name: str) -> int:
    """Return how many of a device a node advertises."""
    pool = pod.bundle.pool
    if name == CORE:
        return pool.count * pool.cores_per_chip if pool.accelerator_class == "neuron" else 0
    if name == pool.resource or (pool.accelerator_class == "nvidia" and name.startswith(SLICED)):
        return pool.count * pod.bundle.sharers
    return 0


def _pods_of_replica(pod: PodAt) -> int:
    return int(pod.owner.get("replicas", 1)) if pod.kind == "StatefulSet" else 1


def _smallest(pod: PodAt, chips: int) -> int:
    """Return the fewest chips that hold a replica and are handed out."""
    pool = pod.bundle.pool
    if pool.torus and chips not in {1, pool.count}:
        return next((count for count in TORUS_CHIPS if count >= chips), pool.count)
    return chips


def _whole_node(pod: PodAt) -> bool:
    pool = pod.bundle.pool
    return pool.resource is not None and pod.asked(pool.resource) == pool.count
