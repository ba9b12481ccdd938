"""A scheduler by arithmetic: do all pods of the documents find room on the nodes that are bought?

Written apart from the rules of the product: it reads the pool from the eksctl file as printed and
the room of a node from eks.csv, and places pod after pod as kube-scheduler's filters would.
"""

import csv
from pathlib import Path

from bot.manifests.quantity import quantity

EKS = Path(__file__).parent.parent.parent / "catalog" / "data" / "eks.csv"
DAEMONSETS = {"cpu": 0.4, "memory": 2.0**30}
ROWS = {
    row["instance_type"]: row
    for row in csv.DictReader(EKS.read_text(encoding="utf-8").splitlines())
}
GB = 1e9
# The kubelet evicts above 90 % of the disk; images and system take their part.
IMAGES_GB, USABLE = 40, 0.9


def node_of(group, instance):
    """Return labels, taints and free room of one node of an eksctl group."""
    row = ROWS.get(instance.instance_type, {})
    vcpus, mib = instance.vcpus, instance.host_mem_gib * 1024 * 0.925
    cpu = float(row.get("allocatable_cpu_m") or vcpus * 1000 * 0.94) / 1000
    memory = float(row.get("allocatable_memory_mib") or mib - 11 * 58 - 355) * 2.0**20
    efa = int(row.get("efa_interfaces") or 0) if group.get("efaEnabled") else 0
    nvme = "localStorage" in str(group.get("overrideBootstrapCommand", ""))
    disk = instance.local_nvme_gb if nvme else group["volumeSize"]
    free = {
        "cpu": cpu - DAEMONSETS["cpu"],
        "memory": memory - DAEMONSETS["memory"],
        "ephemeral-storage": (disk - IMAGES_GB) * GB * USABLE,
        "vpc.amazonaws.com/efa": efa,
        "hugepages-2Mi": 5281 * min(efa, 8) * 2.0**20,
    }
    if row.get("resource_name"):
        free[row["resource_name"]] = int(row["resource_count"])
    if row.get("neuron_cores"):
        free["aws.amazon.com/neuroncore"] = int(row["neuron_cores"])
    labels = group["labels"] | {
        "node.kubernetes.io/instance-type": instance.instance_type,
        "kubernetes.io/arch": row.get("arch") or {"x86_64": "amd64"}.get(instance.arch, "arm64"),
    }
    return {"labels": labels, "taints": group.get("taints", []), "free": free}


def pods_of(documents):
    """Return the pod spec once for each pod the documents start."""
    return [pod for document in documents for pod in _started(document)]


def _started(document):
    spec = document.get("spec") or {}
    kind = document["kind"]
    if kind in {"Deployment", "StatefulSet"}:
        return [spec["template"]["spec"]] * spec["replicas"]
    if kind == "Job":
        return [spec["template"]["spec"]] * spec.get("parallelism", 1)
    if kind == "JobSet":
        jobs = [{"kind": "Job"} | one["template"] for one in spec["replicatedJobs"]]
        return [pod for job in jobs for pod in _started(job)]
    if kind == "PyTorchJob":
        roles = spec["pytorchReplicaSpecs"].values()
        return [r["template"]["spec"] for r in roles for _ in range(r["replicas"])]
    return []


def unplaced(documents, group, instance, nodes):
    """Return why pods stay pending on `nodes` nodes of the group; empty when all are placed."""
    fleet = [node_of(group, instance) for _ in range(nodes)]
    return [why for pod in pods_of(documents) if (why := _place(pod, fleet))]


def _place(pod, fleet):
    reasons = []
    for node in fleet:
        why = _mismatch(pod, node) or _no_room(pod, node)
        if not why:
            for name, amount in _requests(pod).items():
                node["free"][name] -= amount
            return ""
        reasons.append(why)
    return reasons[-1]


def _mismatch(pod, node):
    for key, value in (pod.get("nodeSelector") or {}).items():
        if node["labels"].get(key) != value:
            return f"label {key}={value} is not on the node"
    for taint in node["taints"]:
        if not any(
            t.get("key") == taint["key"] and t.get("operator") == "Exists"
            for t in pod.get("tolerations") or ()
        ):
            return f"taint {taint['key']} is not tolerated"
    return ""


def _requests(pod):
    (container,) = pod["containers"]
    return {k: quantity(v) for k, v in container["resources"]["requests"].items()}


def _no_room(pod, node):
    for name, amount in _requests(pod).items():
        if amount > node["free"].get(name, 0.0) + 1e-6:
            return f"{name}: {amount:g} asked, {node['free'].get(name, 0.0):g} free"
    return ""
