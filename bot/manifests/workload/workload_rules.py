"""Rules on workloads that the schemas of Kubernetes cannot say; the ids are cited in errors.

Read from the sources of Kubernetes, Karpenter, the device plugins and vLLM, and the EKS user guide.
Rules over one pod and its node are in `pod_rules`, over training jobs in `training_rules`; here are
those over names, selectors, probes, volumes and between documents.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from bot.manifests.legal_names import ENVIRONMENT_NAMES
from bot.manifests.rule import Breach, Document
from bot.manifests.workload import pod_rules, training_rules  # noqa: F401 - file their rules
from bot.manifests.workload.workload_rule import (
    BUNDLE_RULES,
    JOBS,
    POD_RULES,
    Bundle,
    Flaws,
    PodAt,
    pods_of,
    quantity,
)

DNS_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
SERVICE_NAME: Final = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
ENV_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TAGGED: Final = re.compile(
    r"[a-z0-9][-a-z0-9._/:]*(?::[A-Za-z0-9_][-A-Za-z0-9_.]*|@sha256:[0-9a-f]{64})"
)
# Labels that Kubernetes puts on pods itself.
SET_BY_KUBERNETES: Final = frozenset(
    {"apps.kubernetes.io/pod-index", "statefulset.kubernetes.io/pod-name"}
)
OPERATOR_RESTARTS: Final = frozenset({"Always", "OnFailure", "Never", "ExitCode"})
ARCH_WORDS: Final = {
    "amd64": ("amd64", "x86_64", "x86-64"),
    "arm64": ("arm64", "aarch64"),
}
# Images that name no architecture and are published for both.
EVERY_ARCH: Final = (
    "ghcr.io/ggml-org/llama.cpp:server-b",
    "quay.io/jupyter/",
    "registry.k8s.io/",
    "quay.io/prometheus/",
    "busybox:",
)

BUCKET: Final = re.compile(r"[a-z0-9](?:[a-z0-9]|[.-](?=[a-z0-9])){1,61}[a-z0-9]")
ONE_NODE: Final = "ReadWriteOnce"


def broken_workload_rules(bundle: Bundle) -> tuple[Breach, ...]:
    """Return every rule the documents break; empty when they keep them all."""
    broken = list(BUNDLE_RULES.broken(bundle, "documents"))
    for pod in pods_of(bundle):
        broken += POD_RULES.broken(pod, pod.where)
    return tuple(broken)


@BUNDLE_RULES.rule("W6")
def selectors_find_their_pods(bundle: Bundle) -> Flaws:
    """Yield selectors that miss the pods of their own workload, and Services that find none."""
    pods = [pod for pod in pods_of(bundle) if pod.kind != "Pod"]
    for pod in pods:
        wanted = (pod.owner.get("selector") or {}).get("matchLabels")
        if pod.kind not in JOBS and (not wanted or not _covers(_labels(pod), wanted)):
            yield f"{pod.where}: its selector {dict(wanted or {})} misses its own pods"
    for service in bundle.named("Service"):
        wanted = (service.get("spec") or {}).get("selector") or {}
        if pods and wanted and not any(_covers(_labels(pod), wanted) for pod in pods):
            yield f"Service {service['metadata']['name']}: finds no pod"


@POD_RULES.rule("W7")
def restarts_suit_the_kind(pod: PodAt) -> Flaws:
    """Yield a restart policy that the kind refuses."""
    policy = pod.spec.get("restartPolicy")
    if pod.kind in {"Job", "JobSet"} and policy not in {"Never", "OnFailure"}:
        yield "a Job's restartPolicy must be Never or OnFailure"
    if pod.kind in {"Deployment", "StatefulSet", "DaemonSet"} and policy not in {None, "Always"}:
        yield f"a {pod.kind}'s restartPolicy can only be Always"
    if pod.kind == "PyTorchJob" and pod.owner.get("restartPolicy") not in OPERATOR_RESTARTS:
        yield "a PyTorchJob restarts Always, OnFailure, Never or by ExitCode"


@BUNDLE_RULES.rule("W10")
def names_are_dns_labels(bundle: Bundle) -> Flaws:
    """Yield names that Kubernetes refuses."""
    for document in bundle.documents:
        name = str((document.get("metadata") or {}).get("name", ""))
        if not DNS_LABEL.fullmatch(name):
            yield f"{document.get('kind')}: {name!r} is no DNS label"
    for pod in pods_of(bundle):
        for container in pod.containers:
            if not DNS_LABEL.fullmatch(str(container.get("name", ""))):
                yield f"{pod.where}: container {container.get('name')!r} is no DNS label"


@BUNDLE_RULES.rule("W11")
def services_hide_no_setting(bundle: Bundle) -> Flaws:
    """Yield Service names that would overwrite a program's setting, and illegal variables."""
    for service in bundle.named("Service"):
        name = str(service["metadata"]["name"])
        if not SERVICE_NAME.fullmatch(name):
            yield f"Service {name!r} must start with a letter"
        if name in ENVIRONMENT_NAMES:
            yield f"Service {name!r} would set {name.upper()}_PORT in every pod"
    for pod in pods_of(bundle):
        for container in pod.containers:
            for variable in container.get("env", ()):
                if not ENV_NAME.fullmatch(str(variable.get("name", ""))):
                    yield f"{pod.where}: {variable.get('name')!r} is no environment name"
                if variable.get("name") == "NVIDIA_VISIBLE_DEVICES":
                    yield f"{pod.where}: NVIDIA_VISIBLE_DEVICES bypasses the scheduler"


@POD_RULES.rule("W15")
def images_are_pinned_and_run_here(pod: PodAt) -> Flaws:
    """Yield images without a fixed tag, and images of another architecture."""
    arch = pod.bundle.pool.arch
    for container in pod.containers:
        image = str(container.get("image", ""))
        if not TAGGED.fullmatch(image) or image.endswith(":latest"):
            yield f"image {image!r} has no fixed tag"
        elif image.startswith(EVERY_ARCH):
            continue
        elif _image_arch(image) != arch:
            yield f"image {image} is for {_image_arch(image)}, the nodes are {arch}"


@POD_RULES.rule("W16")
def start_is_given_time(pod: PodAt) -> Flaws:
    """Yield liveness probes that may kill a container before it has started."""
    for container in pod.spec.get("containers", ()):
        if "livenessProbe" in container and "startupProbe" not in container:
            yield f"container {container.get('name')}: liveness without a startup probe before it"


@BUNDLE_RULES.rule("W17")
def scalers_have_a_target(bundle: Bundle) -> Flaws:
    """Yield scalers of nothing, and metric names that the metrics interface cannot carry."""
    for kind in ("HorizontalPodAutoscaler", "ScaledObject"):
        for scaler in bundle.named(kind):
            target = (scaler["spec"].get("scaleTargetRef") or {}).get("name")
            if target not in bundle.workloads:
                yield f"{kind} {scaler['metadata']['name']}: no workload is called {target!r}"
            yield from (
                f"{kind}: the metric name {name!r} holds a colon"
                for name in _metric_names(scaler["spec"])
                if ":" in name
            )


@POD_RULES.rule("W18")
def jobs_are_not_disrupted(pod: PodAt) -> Flaws:
    """Yield Jobs whose nodes Karpenter may take away to save money."""
    annotations = pod.metadata.get("annotations") or {}
    protected = annotations.get("karpenter.sh/do-not-disrupt") == "true"
    if pod.kind in JOBS and pod.bundle.karpenter is not None and not protected:
        yield 'needs the annotation karpenter.sh/do-not-disrupt: "true"'


def _labels(pod: PodAt) -> Mapping[str, Any]:
    return pod.metadata.get("labels") or {}


def _covers(labels: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether labels hold all that is wanted, but for what Kubernetes adds."""
    return all(
        labels.get(key) == value for key, value in wanted.items() if key not in SET_BY_KUBERNETES
    )


def _image_arch(image: str) -> str:
    """Return the architecture that an image's tag names; amd64 where it names none."""
    tag = image.rpartition(":")[2]
    named: Iterable[str] = (
        arch for arch, words in ARCH_WORDS.items() if any(word in tag for word in words)
    )
    return next(iter(named), "amd64")


def _metric_names(spec: Document) -> Iterator[str]:
    for metric in spec.get("metrics", ()):
        for source in ("pods", "external", "object"):
            name = ((metric.get(source) or {}).get("metric") or {}).get("name")
            if name is not None:
                yield str(name)


@BUNDLE_RULES.rule("W24")
def volumes_are_there(bundle: Bundle) -> Flaws:
    """Yield claims that nothing makes or binds, and volumes that cannot be where the pods are."""
    claims = {str(c["metadata"]["name"]): c["spec"] for c in bundle.named("PersistentVolumeClaim")}
    for name, claim in claims.items():
        for what in _unbound(claim, bundle):
            yield f"claim {name}: {what}"
    for volume in bundle.named("PersistentVolume"):
        yield from _unreachable(volume)
    for pod in pods_of(bundle):
        for what in _mounted_wrongly(pod, claims):
            yield f"{pod.where}: {what}"


def _unbound(claim: Document, bundle: Bundle) -> Iterator[str]:
    class_name, volume_name = claim.get("storageClassName"), claim.get("volumeName")
    classes = {c["metadata"]["name"] for c in bundle.named("StorageClass")}
    if class_name and class_name not in classes:
        yield f"no StorageClass is called {class_name}"
    if class_name:
        return
    volumes = {v["metadata"]["name"]: v["spec"] for v in bundle.named("PersistentVolume")}
    volume = volumes.get(volume_name)
    if volume is None:
        yield f"no PersistentVolume is called {volume_name}"
    elif not set(claim["accessModes"]) <= set(volume["accessModes"]):
        yield f"asks for {claim['accessModes']}, {volume_name} has {volume['accessModes']}"
    elif _storage(claim["resources"]["requests"]) > _storage(volume["capacity"]):
        yield f"asks for more than {volume_name} has"


def _unreachable(volume: Document) -> Iterator[str]:
    csi = volume["spec"].get("csi") or {}
    bucket = (csi.get("volumeAttributes") or {}).get("bucketName")
    if csi.get("driver") == "s3.csi.aws.com" and not BUCKET.fullmatch(str(bucket)):
        yield f"volume {volume['metadata']['name']}: {bucket!r} is no bucket"


def _mounted_wrongly(pod: PodAt, claims: Mapping[str, Document]) -> Iterator[str]:
    for volume in pod.spec.get("volumes", ()):
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if name is None:
            continue
        if name not in claims:
            yield f"no claim is called {name}"
            continue
        modes = set(claims[name]["accessModes"])
        if pod.kind in JOBS and pod.copies > 1 and modes == {ONE_NODE}:
            yield f"{name} is attached to one node, and {pod.copies} pods mount it"
        if modes == {"ReadOnlyMany"} and not all(_read_only(pod, volume["name"])):
            yield f"{name} can only be read, and is mounted for writing"


def _read_only(pod: PodAt, volume: str) -> Iterator[bool]:
    for container in pod.containers:
        for mount in container.get("volumeMounts", ()):
            if mount.get("name") == volume:
                yield bool(mount.get("readOnly"))


def _storage(amounts: Document) -> float:
    return quantity(amounts["storage"]) or 0.0
