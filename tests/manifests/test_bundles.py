"""The files of one bundle agree: numbers, names and ports that stand in several of them."""

import re
from functools import cache
from math import ceil

import pytest

from bot.core.manifest import ManifestError
from bot.manifests.made import MAKERS, made_manifest
from catalog.reference import server_facts
from tests.manifests.workloads import REQUESTS, answered, documents_of, world

BUNDLES = {
    "peak": "inference llama-3.1-8b rps=40 instance=g6e.xlarge from s3://my-models/a",
    "no_peak": "gpt-oss-20b on g6e.xlarge",
    "several_a_node": "qwen3-32b on g6e.12xlarge",
    "neuron": "inference llama-3.1-8b instance=inf2.24xlarge",
    "sglang": "inference llama-3.1-8b framework=sglang instance=g6e.xlarge",
    "encoder": "bge-large embeddings inference rps=100 instance=g6.xlarge",
    "cpu": "8B int4 instance=c8i.8xlarge",
    "reserved": "llama-3.1-8b on g6e.xlarge in reservation cr-0123456789abcdef0",
    "lora": "finetune llama-3.1-8b lora instance=g6e.12xlarge checkpoints to s3://my-ckpts/a",
    "efa": "train llama-3.1-8b instance=p5.48xlarge deadline 7 days",
}


class Cut:
    """A bundle cut into its commands and documents."""

    def __init__(self, text):
        self.commands = re.findall(r"^# \$ (.*)$", text, re.MULTILINE)
        self.documents = documents_of(text)

    def of(self, kind, name=None):
        found = [d for d in self.documents if d.get("kind") == kind]
        return [d for d in found if name is None or d["metadata"]["name"] == name]

    def pods(self):
        return [d["spec"]["template"]["spec"] for d in self.of("Deployment") + self.of("Job")]


@cache
def bundle(request):
    result, _ = answered(request)
    return Cut(made_manifest("everything", result, world().catalog).yaml_text)


def flag_of(container, flag):
    args = container.get("args", [])
    return args[args.index(flag) + 1] if flag in args else None


def scaling_fits(cut):
    """KEDA and the HPA within what the nodes hold; whoever brings nodes is among the steps."""
    group = cut.of("ClusterConfig")[0]["managedNodeGroups"][0]
    grows = any("cluster-autoscaler" in command for command in cut.commands)
    assert grows == (group["maxSize"] > max(1, group["desiredCapacity"])) or not cut.of(
        "Deployment"
    )
    for scaler in cut.of("ScaledObject"):
        (served,) = cut.of("Deployment", scaler["spec"]["scaleTargetRef"]["name"])
        replicas, spec = served["spec"]["replicas"], scaler["spec"]
        a_node = max(1, replicas // max(1, group["desiredCapacity"]))
        assert spec["minReplicaCount"] <= replicas <= spec["maxReplicaCount"]
        assert ceil(spec["maxReplicaCount"] / a_node) <= group["maxSize"]
    for hpa in cut.of("HorizontalPodAutoscaler"):
        assert hpa["spec"]["maxReplicas"] == cut.of("ScaledObject")[0]["spec"]["maxReplicaCount"]


def alerts_are_of_this_workload(cut):
    """Every alert names this workload's pods, on a series that its server has."""
    known = {
        series
        for row in server_facts().values()
        for series in (row.waiting, row.cache_full, row.preempted)
        if series
    }
    known |= {
        series
        for row in server_facts().values()
        for series in (row.first_token, row.per_token, row.whole)
        if series
    }
    for rules in cut.of("PrometheusRule"):
        name = rules["metadata"]["name"]
        for rule in rules["spec"]["groups"][0]["rules"]:
            assert f'pod=~"{name}-.*"' in rule["expr"], rule
            assert "num_requests_running" not in rule["expr"]
            for series in re.findall(r"(?:vllm|sglang):\w+|(?:te|tgi|trtllm)_\w+", rule["expr"]):
                assert series.removesuffix("_bucket") in known, series


def pods_end_in_order(cut):
    """The grace holds the pause and the answers under way."""
    for served in cut.of("Deployment"):
        pod = served["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        pause = container["lifecycle"]["preStop"]["sleep"]["seconds"]
        drained = int(flag_of(container, "--shutdown-timeout") or 0)
        assert pod["terminationGracePeriodSeconds"] > pause + drained


def names_lead_somewhere(cut):
    """Labels, ports, Secrets and claims that one file uses stand in another, or in a command."""
    groups = cut.of("ClusterConfig")[0]["managedNodeGroups"]
    made = {c["metadata"]["name"] for c in cut.of("PersistentVolumeClaim")}
    for pod in cut.pods():
        wanted = {k: v for k, v in pod["nodeSelector"].items() if k.startswith("ec2-pick/")}
        assert any(wanted.items() <= group["labels"].items() for group in groups)
        for volume in pod["volumes"]:
            if "persistentVolumeClaim" in volume:
                assert volume["persistentVolumeClaim"]["claimName"] in made
        for env in pod["containers"][0]["env"]:
            secret = env.get("valueFrom", {}).get("secretKeyRef")
            if secret and not secret.get("optional"):
                assert any(f"secret generic {secret['name']} " in c for c in cut.commands)
    for served in cut.of("Deployment"):
        (port,) = served["spec"]["template"]["spec"]["containers"][0]["ports"]
        (service,) = cut.of("Service", served["metadata"]["name"])
        assert service["spec"]["ports"][0]["targetPort"] == port["name"]
        (policy,) = cut.of("NetworkPolicy", served["metadata"]["name"])
        assert policy["spec"]["ingress"][0]["ports"] == [{"port": port["containerPort"]}]


def storage_has_its_drivers(cut):
    """Each StorageClass and static volume has its driver among the add-ons, with rights."""
    (cluster,) = cut.of("ClusterConfig")
    addons = {addon["name"]: addon for addon in cluster["addons"]}
    assert "eks-pod-identity-agent" in addons
    drivers = {d["provisioner"] for d in cut.of("StorageClass")}
    drivers |= {d["spec"]["csi"]["driver"] for d in cut.of("PersistentVolume")}
    for driver in drivers:
        kind = driver.partition(".")[0]
        name = "aws-mountpoint-s3-csi-driver" if kind == "s3" else f"aws-{kind}-csi-driver"
        rights = ("useDefaultPodIdentityAssociations", "attachPolicy")
        assert any(addons[name].get(right) for right in rights)
        assert kind != "s3" or cluster["iam"]["withOIDC"]


def charts_are_pinned(cut):
    for command in cut.commands:
        assert "helm upgrade" not in command or "--version" in command, command
        assert "--all " not in command


def what_is_compiled_is_served(cut):
    """The compile Job and the server use one folder, and the same numbers."""
    for job in cut.of("Job"):
        (compiler,) = job["spec"]["template"]["spec"]["containers"]
        if compiler["name"] != "compile":
            continue
        (served,) = cut.of("Deployment")
        (server,) = served["spec"]["template"]["spec"]["containers"]
        folders = [
            {e["name"]: e.get("value") for e in c["env"]}["NEURON_COMPILED_ARTIFACTS"]
            for c in (compiler, server)
        ]
        assert folders[0] == folders[1]
        flags = ("--tensor-parallel-size", "--max-num-seqs", "--max-model-len")
        assert compiler["args"][1:] == [flag_of(server, flag) for flag in flags]


def disks_hold_the_volumes(cut):
    """What a pod may write on its node fits the node's volume, or its local disks."""
    group = cut.of("ClusterConfig")[0]["managedNodeGroups"][0]
    if "overrideBootstrapCommand" in group:
        return
    for served in cut.of("Deployment"):
        pod = served["spec"]["template"]["spec"]
        scratch = [v["emptyDir"] for v in pod["volumes"] if "emptyDir" in v]
        asked = sum(int(v["sizeLimit"][:-2]) for v in scratch if "medium" not in v)
        assert asked <= group["volumeSize"]


RULES = (
    scaling_fits,
    alerts_are_of_this_workload,
    pods_end_in_order,
    names_lead_somewhere,
    storage_has_its_drivers,
    charts_are_pinned,
    what_is_compiled_is_served,
    disks_hold_the_volumes,
)


@pytest.mark.parametrize("name", BUNDLES)
def test_the_files_of_a_bundle_agree(name):
    for rule in RULES:
        rule(bundle(BUNDLES[name]))


def test_something_stands_behind_each_rule():
    cuts = [bundle(request) for request in BUNDLES.values()]
    for kind in ("ScaledObject", "HorizontalPodAutoscaler", "PersistentVolume", "NetworkPolicy"):
        assert any(cut.of(kind) for cut in cuts), kind
    assert any("cluster-autoscaler" in command for cut in cuts for command in cut.commands)
    assert any(job["metadata"]["name"].endswith("-compile") for c in cuts for job in c.of("Job"))


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_every_kind_of_every_request(name):
    """Every kind is written or refused with a reason, and the bundle's files agree."""
    result, _ = answered(REQUESTS[name])
    for kind in MAKERS:
        try:
            manifest = made_manifest(kind, result, world().catalog)
        except ManifestError:
            continue
        if kind == "everything":
            for rule in RULES:
                rule(Cut(manifest.yaml_text))
