"""The rule on volumes: what a pod mounts is there, binds, and can be where the pod is."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bot.manifests.quantity import quantity
from bot.manifests.rule import Document
from bot.manifests.workload.workload_rule import BUNDLE_RULES, JOBS, Bundle, Found, PodAt, pods_of

BUCKET: Final = re.compile(r"[a-z0-9](?:[a-z0-9]|[.-](?=[a-z0-9])){1,61}[a-z0-9]")
ONE_NODE: Final = "ReadWriteOnce"


@BUNDLE_RULES.rule("W24")
def volumes_are_there(bundle: Bundle) -> Found:
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
    elif (_asked(claim) or 0.0) > (quantity(volume["capacity"]["storage"]) or 0.0):
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


def _asked(claim: Mapping[str, Any]) -> float | None:
    return quantity(claim["resources"]["requests"]["storage"])
