"""Rules on training jobs: enough devices, pods that find each other, what each operator asks for.

Read from the types and controllers of JobSet and of Kubeflow's Training Operator.
"""

import re
from collections.abc import Iterator
from typing import Final

from bot.manifests.rule import Document
from bot.manifests.workload.workload_rule import BUNDLE_RULES, JOBS, Bundle, Flaws, PodAt, pods_of

MASTER_FLAG: Final = "--master-addr="
OPERATOR_ADDRESS: Final = "$(MASTER_ADDR)"
# Names that JobSet and the operator make: NAME-node-0-0, NAME-worker-12.
HOST_CHARS: Final = 63
RULE_NAME: Final = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")


@BUNDLE_RULES.rule("W21")
def jobs_hold_the_plan(bundle: Bundle) -> Flaws:
    """Yield when the pods of a training job ask for more or fewer devices than was estimated."""
    resource, jobs = bundle.pool.resource, [p for p in pods_of(bundle) if p.kind in JOBS]
    if not (bundle.devices and resource and jobs):
        return
    held = sum(pod.asked(resource) * pod.copies for pod in jobs)
    if held != bundle.devices:
        yield f"the pods ask for {held:g} {resource}, the plan is of {bundle.devices}"
    pods = sum(pod.copies for pod in jobs)
    for pod in jobs:
        yield from _wrong_counts(pod, pods)


def _wrong_counts(pod: PodAt, pods: int) -> Iterator[str]:
    """Yield numbers handed to torchrun that are not those of the pods."""
    for flag, right in (("--nnodes=", pods), ("--nproc-per-node=", _processes(pod))):
        said = [a.removeprefix(flag) for a in _pod_arguments(pod) if a.startswith(flag)]
        if said and said != [str(right)]:
            yield f"{pod.where}: {flag}{said[0]}, and there are {right}"


@BUNDLE_RULES.rule("W22")
def pods_find_the_first(bundle: Bundle) -> Flaws:
    """Yield jobs of several pods whose address of pod 0 nothing answers to."""
    hosts = {host for document in bundle.documents for host in _hosts(document, bundle)}
    for pod in pods_of(bundle):
        if pod.kind not in JOBS or not any(a.startswith("--nnodes=") for a in _pod_arguments(pod)):
            continue
        said = [
            a.removeprefix(MASTER_FLAG) for a in _pod_arguments(pod) if a.startswith(MASTER_FLAG)
        ]
        if not said or said[0] not in hosts:
            yield f"{pod.where}: nothing answers to {said[0] if said else 'no master address'}"


@BUNDLE_RULES.rule("W23")
def operators_take_the_job(bundle: Bundle) -> Flaws:
    """Yield what the controllers of JobSet and PyTorchJob refuse or ignore."""
    for jobset in bundle.named("JobSet"):
        yield from _jobset_faults(jobset)
    for job in bundle.named("PyTorchJob"):
        yield from _pytorchjob_faults(job)


def _jobset_faults(jobset: Document) -> Iterator[str]:
    name, spec = str(jobset["metadata"]["name"]), jobset["spec"]
    for replicated in spec.get("replicatedJobs", ()):
        longest = f"{name}-{replicated['name']}-{replicated.get('replicas', 1)}-9999"
        if len(longest) > HOST_CHARS:
            yield f"JobSet {name}: the host {longest} has more than {HOST_CHARS} characters"
    for rule in (spec.get("failurePolicy") or {}).get("rules", ()):
        if not RULE_NAME.fullmatch(str(rule.get("name", ""))):
            yield f"JobSet {name}: {rule.get('name')!r} cannot name a failure rule"


def _pytorchjob_faults(job: Document) -> Iterator[str]:
    name, roles = str(job["metadata"]["name"]), job["spec"]["pytorchReplicaSpecs"]
    if not roles.keys() <= {"Master", "Worker"}:
        yield f"PyTorchJob {name}: roles are Master and Worker, not {', '.join(roles)}"
    if roles.get("Master", {}).get("replicas", 1) != 1:
        yield f"PyTorchJob {name}: there is one Master"
    if len(f"{name}-worker-9999") > HOST_CHARS:
        yield f"PyTorchJob {name}: the names of its pods have more than {HOST_CHARS} characters"
    for role, spec in roles.items():
        pod = (spec.get("template") or {}).get("spec") or {}
        if "pytorch" not in {c.get("name") for c in pod.get("containers", ())}:
            yield f"PyTorchJob {name}: no container of the {role} is called pytorch"
        if "restartPolicy" in pod:
            yield f"PyTorchJob {name}: the {role}'s own restartPolicy overrides the pod's"


def _hosts(document: Document, bundle: Bundle) -> Iterator[str]:
    """Yield the address of pod 0 of a job, where something makes it resolve."""
    name, spec = (document.get("metadata") or {}).get("name"), document.get("spec") or {}
    if document.get("kind") == "Job":
        subdomain = ((spec.get("template") or {}).get("spec") or {}).get("subdomain")
        headless = {
            s["metadata"]["name"]
            for s in bundle.named("Service")
            if s["spec"].get("clusterIP") == "None"
        }
        if spec.get("completionMode") == "Indexed" and subdomain in headless:
            yield f"{name}-0.{subdomain}"
    elif document.get("kind") == "JobSet":
        network = spec.get("network") or {}
        for replicated in spec.get("replicatedJobs", ()):
            if network.get("enableDNSHostnames"):
                yield f"{name}-{replicated['name']}-0-0.{network.get('subdomain', name)}"
    elif document.get("kind") == "PyTorchJob" and "Master" in spec.get("pytorchReplicaSpecs", ()):
        yield OPERATOR_ADDRESS


def _pod_arguments(pod: PodAt) -> tuple[str, ...]:
    return tuple(str(a) for c in pod.spec.get("containers", ()) for a in c.get("args", ()))


def _processes(pod: PodAt) -> int:
    """Return the training processes of a pod: one a GPU, or one a NeuronCore."""
    pool = pod.bundle.pool
    return int(pod.asked(pool.resource or "") * pool.cores_per_chip)
