"""Each rule has documents that break it and, the same without the fault, ones that keep it."""

import pytest

from bot.manifests.pool import pool_of
from bot.manifests.workload.workload_rule import BUNDLE_RULES, POD_RULES, Bundle
from bot.manifests.workload.workload_rules import broken_workload_rules
from tests.manifests.workloads import REQUESTS, answered, documents_of, made, world

WORKLOAD_RULES = {f"W{number}" for number in range(1, 25)}
DROP = object()


def pool(name):
    result, pick = answered(REQUESTS[name])
    return pool_of(pick, result.workload, world().catalog)


def bundle(name, *edits, ways=0, extra=(), kind="kubernetes", **changes):
    """Return the documents of a named request with values put at paths: ("Job.spec.x", value)."""
    documents = documents_of(made(name, kind).yaml_text)
    for path, value in edits:
        kind, *keys = path.split("/")
        place = next(d for d in documents if d["kind"] == kind)
        for key in keys[:-1]:
            place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
        last = int(keys[-1]) if keys[-1].isdigit() else keys[-1]
        if value is DROP:
            del place[last]
        else:
            place[last] = value
    return Bundle(documents=(*documents, *extra), pool=pool(name), ways=ways, **changes)


def rules_broken_by(made_bundle):
    return {broken.rule for broken in broken_workload_rules(made_bundle)}


POD = "Deployment/spec/template/spec"
JOB_POD = "Job/spec/template/spec"
CONTAINER = f"{POD}/containers/0"
JOB_CONTAINER = f"{JOB_POD}/containers/0"
SET_JOB = "JobSet/spec/replicatedJobs/0/template/spec"
SET_TEMPLATE = f"{SET_JOB}/template"
SET_POD = f"{SET_TEMPLATE}/spec"
BUCKET = "PersistentVolume/spec/csi/volumeAttributes"
ROLES = "PyTorchJob/spec/pytorchReplicaSpecs"
EFA, GPUS = "vpc.amazonaws.com/efa", (("nvidia.com/gpu", 8),)


def gpu(*edits, **changes):
    return bundle("realtime_7b", *edits, **changes)


def two_gpus(*edits, **changes):
    return bundle("gated_70b_two_gpus", *edits, ways=2, **changes)


def job(*edits, **changes):
    return bundle("train_multi_node_efa", *edits, **changes)


def jobset(*edits, **changes):
    return bundle("train_multi_node_efa", *edits, kind="jobset", **changes)


def pytorchjob(*edits, **changes):
    return bundle("train_multi_node_efa", *edits, kind="pytorchjob", **changes)


def neuron(*edits, **changes):
    return bundle("inf2_chips_of_several", *edits, **changes)


def bucket(*edits, **changes):
    return bundle("model_in_s3", *edits, **changes)


def trn1(*edits, **changes):
    return bundle("trn1_vllm", *edits, **changes)


def both_sides(name, value, at=CONTAINER):
    return ((f"{at}/resources/requests/{name}", value), (f"{at}/resources/limits/{name}", value))


def devices(name, value, at=CONTAINER, beside=()):
    """Resource names hold slashes, so the whole table is put in place."""
    return tuple(
        (f"{at}/resources/{side}", {"cpu": "1", "memory": "1Gi", name: value, **dict(beside)})
        for side in ("requests", "limits")
    )


def hpa(target="model", metric="vllm_num_requests_waiting"):
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "model"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
            "maxReplicas": 2,
            "metrics": [{"type": "Pods", "pods": {"metric": {"name": metric}}}],
        },
    }


def scaled_object(target="model"):
    return {
        "kind": "ScaledObject",
        "metadata": {"name": "model"},
        "spec": {"scaleTargetRef": {"name": target}, "triggers": []},
    }


CLAIM = ((f"{POD}/resourceClaims", [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]),)
TOLERATION = f"{POD}/tolerations/0"
IMAGE = f"{CONTAINER}/image"

CASES = [
    ("W1", gpu((f"{POD}/tolerations", [])), gpu()),
    (
        "W1",
        gpu((f"{TOLERATION}/key", "nvidia.com/other")),
        gpu((f"{TOLERATION}/operator", "Exists")),
    ),
    (
        "W1",
        gpu((TOLERATION, {"key": "nvidia.com/gpu", "value": "false"})),
        gpu((TOLERATION, {"key": "nvidia.com/gpu", "value": "true"})),
    ),
    (
        "W2",
        gpu((f"{POD}/nodeSelector", {"ec2-pick/role": "other"})),
        gpu((f"{POD}/nodeSelector", {"ec2-pick/role": "inference"})),
    ),
    (
        "W2",
        gpu((f"{POD}/nodeSelector", {"pool": "gpu"})),
        gpu((f"{POD}/nodeSelector", {"kubernetes.io/arch": "amd64"})),
    ),
    ("W3", gpu(*devices("nvidia.com/gpu", 2)), gpu(*devices("nvidia.com/gpu", 1))),
    ("W3", gpu(*devices("nvidia.com/gpu", "500m")), gpu(*devices("nvidia.com/gpu", "1"))),
    (
        "W3",
        gpu((f"{CONTAINER}/resources/requests", {"nvidia.com/gpu": 0})),
        gpu((f"{CONTAINER}/resources/requests", {"nvidia.com/gpu": 1})),
    ),
    ("W3", gpu(*devices("aws.amazon.com/neuron", 1)), gpu()),
    ("W4", two_gpus(*devices("nvidia.com/gpu", 1)), two_gpus(*devices("nvidia.com/gpu", 2))),
    ("W4", bundle("inf2_vllm", ways=4), bundle("inf2_vllm", ways=2)),
    (
        "W4",
        trn1(*devices("aws.amazon.com/neuron", 16), ways=8),
        trn1(*devices("aws.amazon.com/neuron", 4), ways=8),
    ),
    (
        "W5",
        gpu((f"{CONTAINER}/resources/requests/memory", "32Gi")),
        gpu((f"{CONTAINER}/resources/requests/memory", "20Gi")),
    ),
    (
        "W5",
        gpu((f"{CONTAINER}/resources/requests/cpu", "4")),
        gpu((f"{CONTAINER}/resources/requests/cpu", "3500m")),
    ),
    ("W6", gpu(("Deployment/spec/selector", DROP)), gpu()),
    ("W6", gpu(("Deployment/spec/template/metadata/labels", {"app": "x"})), gpu()),
    ("W6", gpu(("Service/spec/selector", {"app": "x"})), gpu()),
    ("W7", job((f"{JOB_POD}/restartPolicy", DROP)), job((f"{JOB_POD}/restartPolicy", "OnFailure"))),
    ("W7", gpu((f"{POD}/restartPolicy", "Never")), gpu((f"{POD}/restartPolicy", "Always"))),
    (
        "W8",
        gpu((f"{CONTAINER}/resources/limits/memory", "28 GB")),
        gpu((f"{CONTAINER}/resources/limits/memory", "28G")),
    ),
    (
        "W8",
        gpu((f"{CONTAINER}/resources/requests/cpu", True)),
        gpu((f"{CONTAINER}/resources/requests/cpu", 1)),
    ),
    ("W9", gpu((f"{TOLERATION}/operator", "Present")), gpu((f"{TOLERATION}/operator", "Exists"))),
    ("W9", gpu((f"{TOLERATION}/effect", "Never")), gpu((f"{TOLERATION}/effect", "NoSchedule"))),
    ("W9", gpu((f"{TOLERATION}/value", "true")), gpu()),
    (
        "W10",
        gpu(("Deployment/metadata/name", "My_Model")),
        gpu(("Deployment/metadata/name", "my-model")),
    ),
    ("W10", gpu((f"{CONTAINER}/name", "a b")), gpu((f"{CONTAINER}/name", "a-b"))),
    ("W11", gpu(("Service/metadata/name", "vllm")), gpu(("Service/metadata/name", "vllm-server"))),
    ("W11", gpu(("Service/metadata/name", "7b")), gpu(("Service/metadata/name", "b7"))),
    (
        "W11",
        gpu((f"{CONTAINER}/env/0/name", "HF-HOME")),
        gpu((f"{CONTAINER}/env/0/name", "HF_HOME")),
    ),
    ("W11", gpu((f"{CONTAINER}/env/0/name", "NVIDIA_VISIBLE_DEVICES")), gpu()),
    ("W12", two_gpus((f"{POD}/volumes/1/emptyDir", {})), two_gpus()),
    ("W12", two_gpus((f"{CONTAINER}/volumeMounts/1/mountPath", "/shm")), two_gpus()),
    (
        "W13",
        job(*devices("vpc.amazonaws.com/efa", 64, JOB_CONTAINER)),
        job(*devices("vpc.amazonaws.com/efa", 32, JOB_CONTAINER)),
    ),
    (
        "W13",
        job(
            *(
                (
                    f"{JOB_CONTAINER}/resources/{side}",
                    {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 4},
                )
                for side in ("requests", "limits")
            )
        ),
        job(),
    ),
    (
        "W14",
        gpu(*devices("hugepages-2Mi", "512Mi")),
        job(*devices("hugepages-2Mi", "512Mi", JOB_CONTAINER)),
    ),
    (
        "W14",
        job(
            *(
                (f"{JOB_CONTAINER}/resources/{side}", {"hugepages-2Mi": "512Mi"})
                for side in ("requests", "limits")
            )
        ),
        job(),
    ),
    ("W15", gpu((IMAGE, "vllm/vllm-openai:latest")), gpu((IMAGE, "vllm/vllm-openai:v0.24.0"))),
    ("W15", gpu((IMAGE, "vllm/vllm-openai")), gpu((IMAGE, "vllm/vllm-openai@sha256:" + "0" * 64))),
    (
        "W15",
        gpu((IMAGE, "vllm/vllm-openai-cpu:v0.26.0-arm64")),
        gpu((IMAGE, "vllm/vllm-openai-cpu:v0.26.0-x86_64")),
    ),
    ("W16", gpu((f"{CONTAINER}/startupProbe", DROP)), gpu()),
    ("W17", gpu(extra=(hpa(target="other"),)), gpu(extra=(hpa(),))),
    ("W17", gpu(extra=(hpa(metric="vllm:num_requests_waiting"),)), gpu(extra=(hpa(),))),
    ("W17", gpu(extra=(scaled_object("other"),)), gpu(extra=(scaled_object(),))),
    ("W18", job(("Job/spec/template/metadata/annotations", {})), job()),
    (
        "W18",
        job(("Job/spec/template/metadata/annotations", {})),
        job(("Job/spec/template/metadata/annotations", {}), karpenter=None),
    ),
    (
        "W19",
        neuron(
            *(
                (
                    f"{CONTAINER}/resources/{side}",
                    {"aws.amazon.com/neuron": 1, "aws.amazon.com/neuroncore": 2},
                )
                for side in ("requests", "limits")
            )
        ),
        neuron(),
    ),
    (
        "W19",
        neuron((f"{POD}/schedulerName", "default-scheduler"), *devices("aws.amazon.com/neuron", 2)),
        neuron((f"{POD}/schedulerName", "neuron-scheduler"), *devices("aws.amazon.com/neuron", 2)),
    ),
    (
        "W19",
        trn1((f"{POD}/schedulerName", "neuron-scheduler"), *devices("aws.amazon.com/neuron", 2)),
        trn1((f"{POD}/schedulerName", "neuron-scheduler"), *devices("aws.amazon.com/neuron", 4)),
    ),
    ("W7", jobset((f"{SET_POD}/restartPolicy", "Always")), jobset()),
    ("W7", pytorchjob((f"{ROLES}/Worker/restartPolicy", "Sometimes")), pytorchjob()),
    ("W1", pytorchjob((f"{ROLES}/Worker/template/spec/tolerations", [])), pytorchjob()),
    ("W13", jobset(*devices(EFA, 4, f"{SET_POD}/containers/0", beside=GPUS)), jobset()),
    ("W18", jobset((f"{SET_TEMPLATE}/metadata/annotations", {})), jobset()),
    ("W18", pytorchjob((f"{ROLES}/Master/template/metadata/annotations", {})), pytorchjob()),
    ("W21", job(("Job/spec/parallelism", 5), devices=48), job(devices=48)),
    ("W21", job((f"{JOB_CONTAINER}/args/0", "--nproc-per-node=4"), devices=48), job(devices=48)),
    ("W21", jobset((f"{SET_JOB}/parallelism", 5), devices=48), jobset(devices=48)),
    ("W21", pytorchjob((f"{ROLES}/Worker/replicas", 6), devices=48), pytorchjob(devices=48)),
    ("W22", job(("Service/spec/clusterIP", "10.0.0.1")), job()),
    ("W22", job((f"{JOB_POD}/subdomain", "other")), job()),
    ("W22", jobset(("JobSet/spec/network", {})), jobset()),
    ("W22", jobset((f"{SET_POD}/containers/0/args/3", "--master-addr=model-0")), jobset()),
    ("W22", pytorchjob((f"{ROLES}/Master", DROP)), pytorchjob()),
    ("W23", jobset(("JobSet/metadata/name", "m" * 60)), jobset()),
    ("W23", jobset(("JobSet/spec/failurePolicy/rules/0/name", "node-lost")), jobset()),
    ("W23", pytorchjob((f"{ROLES}/Master/replicas", 2)), pytorchjob()),
    ("W23", pytorchjob((f"{ROLES}/Launcher", {})), pytorchjob()),
    ("W23", pytorchjob(("PyTorchJob/metadata/name", "m" * 60)), pytorchjob()),
    ("W23", pytorchjob((f"{ROLES}/Worker/template/spec/containers/0/name", "train")), pytorchjob()),
    ("W23", pytorchjob((f"{ROLES}/Worker/template/spec/restartPolicy", "Never")), pytorchjob()),
    ("W24", trn1(("StorageClass/metadata/name", "other")), trn1()),
    ("W24", trn1(("PersistentVolumeClaim/metadata/name", "other")), trn1()),
    ("W24", bucket(("PersistentVolume/metadata/name", "other")), bucket()),
    ("W24", bucket(("PersistentVolume/spec/accessModes", ["ReadWriteMany"])), bucket()),
    ("W24", bucket(("PersistentVolume/spec/capacity/storage", "1Gi")), bucket()),
    ("W24", bucket((f"{BUCKET}/bucketName", "My_Bucket")), bucket((f"{BUCKET}/bucketName", "b-1"))),
    ("W24", bucket((f"{CONTAINER}/volumeMounts/2/readOnly", DROP)), bucket()),
    ("W24", job(("PersistentVolumeClaim/spec/accessModes", ["ReadWriteOnce"])), job()),
    ("W20", gpu(*CLAIM), gpu(*CLAIM, karpenter=(1, 15))),
]


@pytest.mark.parametrize(
    ("rule", "broken", "kept"), CASES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)]
)
def test_rule(rule, broken, kept):
    assert rule in rules_broken_by(broken)
    assert rule not in rules_broken_by(kept)


def test_every_rule_is_coded_and_has_a_case():
    coded = {*POD_RULES.checks, *BUNDLE_RULES.checks}
    assert coded == {rule for rule, _, _ in CASES} == WORKLOAD_RULES


@pytest.mark.parametrize("name", REQUESTS)
def test_what_is_made_keeps_them_all(name):
    assert rules_broken_by(bundle(name)) == set()
