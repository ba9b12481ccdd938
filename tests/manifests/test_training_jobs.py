"""Training as a Job, a JobSet and a PyTorchJob: the same pods, each started its own way."""

import copy

import jsonschema
import pytest

from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.manifests.eksctl.eksctl import eksctl_manifest
from bot.manifests.made import made_manifest
from tests.manifests.kube_schemas import validate
from tests.manifests.scheduler import node_of, pods_of, unplaced
from tests.manifests.workloads import (
    KUBERNETES_VERSIONS,
    REQUESTS,
    answered,
    documents_of,
    made,
    world,
)

TRAINS = [name for name in REQUESTS if name.startswith(("train_", "lora_"))]
KINDS = {"kubernetes": "Job", "jobset": "JobSet", "pytorchjob": "PyTorchJob"}


def job_of(name, kind):
    (job,) = [d for d in documents_of(made(name, kind).yaml_text) if d["kind"] == KINDS[kind]]
    return job


def pod_of(name, kind):
    return pods_of([job_of(name, kind)])[0]


def without_launch(pod):
    """Return a pod without what its runner decides."""
    pod = copy.deepcopy(pod)
    for key in ("restartPolicy", "subdomain"):
        pod.pop(key, None)
    (container,) = pod["containers"]
    container["name"] = "train"
    start = "-m" if "-m" in container["args"] else "/workspace/train.py"
    container["args"] = container["args"][container["args"].index(start) :]
    container["env"] = [one for one in container["env"] if one["name"] != "NODE_RANK"]
    return pod


@pytest.mark.parametrize("kind", ["jobset", "pytorchjob"])
@pytest.mark.parametrize("name", TRAINS)
def test_file(name, kind, golden):
    golden(f"training/{kind}_{name}.yaml", made(name, kind).yaml_text)
    assert made(name, kind).kind == kind


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
@pytest.mark.parametrize("kind", ["jobset", "pytorchjob"])
@pytest.mark.parametrize("name", TRAINS)
def test_operator_and_kubernetes_take_it(name, kind, version):
    for document in documents_of(made(name, kind).yaml_text):
        validate(document, version)


@pytest.mark.parametrize("kind", ["jobset", "pytorchjob"])
@pytest.mark.parametrize("name", TRAINS)
def test_the_pods_are_those_of_the_job(name, kind):
    assert without_launch(pod_of(name, kind)) == without_launch(pod_of(name, "kubernetes"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TRAINS)
def test_a_pod_for_each_node_finds_room(name, kind):
    result, pick = answered(REQUESTS[name])
    catalog = world().catalog
    (group,) = documents_of(eksctl_manifest(pick, result.workload, catalog).yaml_text)[0][
        "managedNodeGroups"
    ]
    documents = documents_of(made(name, kind).yaml_text)
    assert len(pods_of(documents)) == pick.instances
    assert unplaced(documents, node_of(group, pick.instance), pick.instances) == []


def test_a_jobset_starts_all_pods_again_and_does_not_count_lost_nodes():
    policy = job_of("train_multi_node_efa", "jobset")["spec"]["failurePolicy"]
    assert policy["maxRestarts"] > 0
    (rule,) = policy["rules"]
    assert rule["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    (replicated,) = job_of("train_multi_node_efa", "jobset")["spec"]["replicatedJobs"]
    (pod_rule,) = replicated["template"]["spec"]["podFailurePolicy"]["rules"]
    assert pod_rule["action"] == "FailJob"
    assert replicated["template"]["spec"]["backoffLimit"] == 0


def test_a_pytorchjob_of_one_machine_has_no_workers():
    assert set(job_of("lora_single", "pytorchjob")["spec"]["pytorchReplicaSpecs"]) == {"Master"}


@pytest.mark.slow
@pytest.mark.parametrize("instance_type", sorted(world().catalog.eks))
def test_every_type_that_trains(instance_type):
    """Several sizes of job on each type: valid, and placed, or refused for the job's own reason."""
    for task in ("finetune llama-3.1-8b lora", "train llama-3.1-8b deadline 30 days"):
        for market in ("on demand", "on spot"):
            result = answer(f"{task} {market} instance={instance_type}", world()).recommendation
            if result is None or result.asked is None:
                continue
            for kind in ("jobset", "pytorchjob"):
                for document in _documents_or_refusal(kind, result):
                    validate(document, "1.34")


def _documents_or_refusal(kind, result):
    """Return the documents; none where the job cannot run there, but never a broken rule."""
    try:
        return documents_of(made_manifest(kind, result, world().catalog).yaml_text)
    except ManifestError as error:
        if "breaks" in str(error):
            raise
        return []


def misspelt(kind, path):
    job = copy.deepcopy(job_of("train_multi_node_efa", kind))
    place = job["spec"]
    for key in path:
        place = place[key]
    place["replica"] = 1
    return job


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("jobset", ()),
        ("jobset", ("network",)),
        ("jobset", ("replicatedJobs", 0, "template", "spec")),
        ("jobset", ("replicatedJobs", 0, "template", "spec", "template", "spec")),
        ("pytorchjob", ("runPolicy",)),
        ("pytorchjob", ("pytorchReplicaSpecs", "Worker")),
        ("pytorchjob", ("pytorchReplicaSpecs", "Worker", "template", "spec", "containers", 0)),
    ],
)
def test_a_misspelt_field_is_refused(kind, path):
    with pytest.raises((jsonschema.ValidationError, ValueError)):
        validate(misspelt(kind, path), "1.34")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("train llama-3.1-8b instance=p5.48xlarge jobset yaml", "jobset"),
        ("JobSet for finetuning llama-3.1-8b lora", "jobset"),
        ("pytorchjob for training llama-3.1-8b on p5.48xlarge", "pytorchjob"),
        ("kubeflow job for finetuning llama-3.1-8b lora", "pytorchjob"),
        ("training job yaml for finetuning llama-3.1-8b lora", "kubernetes"),
    ],
)
def test_words_for_it(words, kind):
    reply = answer(words, world())
    assert reply.error is None, reply.text
    assert reply.manifest.kind == kind


@pytest.mark.parametrize("kind", ["jobset", "pytorchjob"])
def test_a_server_is_no_training_job(kind):
    result, _ = answered("inference 7B latency<100ms")
    with pytest.raises(ManifestError, match="this pick serves"):
        made_manifest(kind, result, world().catalog)
