"""A scheduler by arithmetic: do all pods of the documents find room on the nodes that are bought?

Written apart from the rules of the product: it reads the pool from the eksctl or Karpenter file as
printed and the room of a node from eks.csv, and places pod after pod as kube-scheduler's filters
would.
"""

import csv
from pathlib import Path

import yaml

from bot.manifests.workload.workload_rule import quantity

EKS = Path(__file__).parent.parent.parent / "catalog" / "data" / "eks.csv"
# What the DaemonSets of a node ask for, as published: thousandths of a CPU, MiB.
DAEMONSETS = {
    "aws-node": (50, 0),
    "kube-proxy": (100, 0),
    "ebs-csi-node": (30, 120),
    "fsx-csi-node": (30, 120),
    "s3-csi-node": (30, 120),
    "aws-efa-k8s-device-plugin": (10, 20),
    "dcgm-exporter, or neuron-monitor": (100, 256),
}
DAEMONSET_CPU = sum(cpu for cpu, _ in DAEMONSETS.values()) / 1000
DAEMONSET_BYTES = sum(mib for _, mib in DAEMONSETS.values()) * 2.0**20
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
    efa = int(row.get("efa_interfaces") or 0) if group.get("efaEnabled") else 0
    nvme = "localStorage" in str(group.get("overrideBootstrapCommand", ""))
    disk_gb = instance.local_nvme_gb if nvme else group["volumeSize"]
    return _node(instance, group["labels"], group.get("taints", []), efa, disk_gb)


def karpenter_node_of(pool, node_class, instance):
    """Return labels, taints and free room of one node of a NodePool.

    Karpenter attaches every EFA interface where a pod asks for one, or those that are laid out.
    """
    template, spec = pool["spec"]["template"], node_class["spec"]
    row = ROWS.get(instance.instance_type, {})
    laid_out = [
        one for one in spec.get("networkInterfaces", ()) if one["interfaceType"] != "interface"
    ]
    efa = len(laid_out) if laid_out else int(row.get("efa_interfaces") or 0)
    (disk,) = spec["blockDeviceMappings"]
    volume_gb = quantity(disk["ebs"]["volumeSize"]) / GB
    disk_gb = instance.local_nvme_gb if spec.get("instanceStorePolicy") == "RAID0" else volume_gb
    return _node(
        instance,
        template["metadata"]["labels"],
        template["spec"].get("taints", []),
        efa,
        disk_gb,
    )


def _node(instance, labels, taints, efa, disk_gb):
    row = ROWS.get(instance.instance_type, {})
    vcpus, mib = instance.vcpus, instance.host_mem_gib * 1024 * 0.925
    cpu = float(row.get("allocatable_cpu_m") or vcpus * 1000 * 0.94) / 1000
    memory = float(row.get("allocatable_memory_mib") or mib - 11 * 58 - 355) * 2.0**20
    hugepages = 5281 * min(efa, 8) * 2.0**20
    free = {
        "cpu": cpu - DAEMONSET_CPU,
        "memory": memory - DAEMONSET_BYTES - hugepages,
        "ephemeral-storage": (disk_gb - IMAGES_GB) * GB * USABLE,
        "vpc.amazonaws.com/efa": efa,
        "hugepages-2Mi": hugepages,
    }
    if row.get("resource_name"):
        free[row["resource_name"]] = int(row["resource_count"])
    if row.get("neuron_cores"):
        free["aws.amazon.com/neuroncore"] = int(row["neuron_cores"])
    labels = labels | {
        "node.kubernetes.io/instance-type": instance.instance_type,
        "kubernetes.io/arch": row.get("arch") or {"x86_64": "amd64"}.get(instance.arch, "arm64"),
    }
    return {"labels": labels, "taints": taints, "free": free}


def divided(node, documents):
    """Return the node with its GPUs divided as the device plugin's configuration says.

    MIG cuts a GPU into seven parts (four on RTX PRO 6000), of which a profile `2g` takes two.
    """
    (text,) = (d["data"]["config"] for d in documents if d["kind"] == "ConfigMap")
    config, free = yaml.safe_load(text), dict(node["free"])
    gpus = free.pop("nvidia.com/gpu")
    if config["flags"]["migStrategy"] == "mixed":
        (profile,) = {
            name for pod in pods_of(documents) for name in _requests(pod) if "mig-" in name
        }
        parts = int(profile.removeprefix("nvidia.com/mig-").partition("g")[0])
        all_parts = 4 if profile.endswith((".24gb", ".48gb")) else 7
        free[profile] = gpus * (all_parts // parts)
    else:
        (sliced,) = config["sharing"]["timeSlicing"]["resources"]
        free[sliced["name"]] = gpus * sliced["replicas"]
    return node | {"free": free}


def unmet(pool, instance, arch):
    """Yield the requirements of a NodePool that a type does not meet."""
    facts = {
        "node.kubernetes.io/instance-type": instance.instance_type,
        "kubernetes.io/arch": arch,
    }
    for one in pool["spec"]["template"]["spec"]["requirements"]:
        if one["key"] in facts and facts[one["key"]] not in one["values"]:
            yield f"{one['key']} in {one['values']} is not {facts[one['key']]}"


def beyond_limits(pool, node, nodes):
    """Yield the limits of a NodePool that the nodes together go beyond."""
    for name, most in pool["spec"]["limits"].items():
        held = nodes * node["free"].get(name, 0.0)
        if held > quantity(most):
            yield f"{nodes} nodes hold {held:g} {name}, the limit is {most}"


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


def unplaced(documents, node, nodes):
    """Return why pods stay pending on `nodes` nodes of a kind; empty when all are placed."""
    fleet = [node | {"free": dict(node["free"])} for _ in range(nodes)]
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
