"""What goes with a workload: scaling, monitoring, quotas, sharing."""

import json

import pytest
import yaml

from bot.core.manifest import ManifestError
from bot.manifests.made import made_manifest
from tests.manifests.kube_schemas import validate
from tests.manifests.workloads import KUBERNETES_VERSIONS, answered, documents_of, world

PEAK = "inference llama-3.1-8b rps=20 instance=g6e.xlarge"
CASES = {
    "autoscaling_peak": ("autoscaling", PEAK),
    "autoscaling_tei": ("autoscaling", "bge-large embeddings rps=100 instance=g6.xlarge"),
    "hpa_no_peak": ("hpa", "inference llama-3.1-8b instance=g6e.xlarge"),
    "monitoring_gpu": ("monitoring", PEAK),
    "monitoring_neuron": ("monitoring", "inference llama-3.1-8b instance=inf2.8xlarge"),
    "monitoring_cpu": ("monitoring", "inference llama-3.2-1b instance=c8g.8xlarge"),
    "monitoring_training": ("monitoring", "train llama-3.1-8b instance=p5.48xlarge"),
    "quota": ("quota", PEAK),
    "time_slicing": ("sharing", "inference llama-3.2-1b instance=g6e.2xlarge"),
    "mig": ("sharing", "inference llama-3.2-1b instance=p4de.24xlarge"),
}


def made(name):
    kind, text = CASES[name]
    return made_of(kind, text)


def made_of(kind, text):
    result, _ = answered(text)
    return made_manifest(kind, result, world().catalog)


def one(documents, kind):
    (found,) = [document for document in documents if document["kind"] == kind]
    return found


@pytest.mark.parametrize("name", CASES)
def test_file(name, golden):
    manifest = made(name)
    golden(f"beside/{name}.yaml", manifest.yaml_text)
    for file_name, text in manifest.extras:
        golden(f"beside/{name}.{file_name}", text)
        assert yaml.safe_load(text)


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
@pytest.mark.parametrize("name", CASES)
def test_kubernetes_takes_it(name, version):
    for document in documents_of(made(name).yaml_text):
        validate(document, version)


def test_scaling_is_on_requests_at_four_fifths_of_what_a_replica_carries():
    workload = documents_of(made_of("kubernetes", PEAK).yaml_text)[0]
    args = workload["spec"]["template"]["spec"]["containers"][0]["args"]
    at_once = int(args[args.index("--max-num-seqs") + 1])
    scaler = documents_of(made("autoscaling_peak").yaml_text)[0]["spec"]
    (trigger,) = scaler["triggers"]
    assert "num_requests_running" in trigger["metadata"]["query"]
    assert int(trigger["metadata"]["threshold"]) == int(0.8 * at_once)
    assert scaler["minReplicaCount"] <= scaler["maxReplicaCount"]


def test_the_dashboard_is_json_with_a_panel_for_each_alert():
    documents = documents_of(made("monitoring_gpu").yaml_text)
    dashboard = json.loads(one(documents, "ConfigMap")["data"]["dashboard.json"])
    (group,) = one(documents, "PrometheusRule")["spec"]["groups"]
    assert len(dashboard["panels"]) == len(group["rules"]) > 5


def test_the_monitor_finds_the_workload():
    workload = documents_of(made_of("kubernetes", PEAK).yaml_text)[0]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    monitors = [
        d for d in documents_of(made("monitoring_gpu").yaml_text) if d["kind"] == "PodMonitor"
    ]
    wanted = monitors[0]["spec"]["selector"]["matchLabels"]
    assert wanted.items() <= labels.items()


@pytest.mark.parametrize("name", ["time_slicing", "mig"])
def test_sharers_stay_within_the_gpu(name):
    _, pick = answered(CASES[name][1])
    documents = documents_of(made(name).yaml_text)
    replicas = one(documents, "Deployment")["spec"]["replicas"]
    (container,) = one(documents, "Deployment")["spec"]["template"]["spec"]["containers"]
    args = container["args"]
    share = float(args[args.index("--gpu-memory-utilization") + 1])
    memory = pick.estimate.memory
    per_gpu = replicas // pick.instance.accelerators
    if name == "mig":
        assert container["resources"]["limits"]["nvidia.com/mig-1g.10gb"] == 1
        assert per_gpu <= 7
    else:
        config = yaml.safe_load(one(documents, "ConfigMap")["data"]["config"])
        (sliced,) = config["sharing"]["timeSlicing"]["resources"]
        assert sliced["replicas"] == per_gpu
        assert config["sharing"]["timeSlicing"]["failRequestsGreaterThanOne"] is True
        assert per_gpu * share <= 0.9
        assert share * memory.available >= memory.total


def test_the_quota_holds_the_workload():
    workload = documents_of(made_of("kubernetes", PEAK).yaml_text)[0]["spec"]
    asked = workload["template"]["spec"]["containers"][0]["resources"]["requests"]
    quota = one(documents_of(made("quota").yaml_text), "ResourceQuota")["spec"]["hard"]
    assert int(quota["requests.nvidia.com/gpu"]) == workload["replicas"] * asked["nvidia.com/gpu"]
    assert int(quota["pods"]) >= workload["replicas"]


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("autoscaling", "train llama-3.1-8b instance=p5.48xlarge", "fixed size"),
        ("autoscaling", "inference llama-3.1-405b instance=p4d.24xlarge", "StatefulSet"),
        ("autoscaling", "sdxl inference instance=g6.xlarge", "your own"),
        ("sharing", "inference llama-3.1-70b instance=g6e.12xlarge", "nothing to share"),
        ("sharing", "inference llama-3.1-8b instance=g6.xlarge", "no second one fits"),
        ("sharing", "inference llama-3.1-8b instance=inf2.8xlarge", "only NVIDIA"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(kind, text, says):
    with pytest.raises(ManifestError, match=says):
        made_of(kind, text)
