"""What the rules over workloads look at: pods with their place, and the documents of one answer."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.manifests.pool import Pool
from bot.manifests.rule import Document, RuleBook

TEMPLATED = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Job"})
# What runs to an end, and selects no pods.
JOBS = frozenset({"Job", "JobSet", "PyTorchJob"})
EFA = "vpc.amazonaws.com/efa"
CHIP, CORE = "aws.amazon.com/neuron", "aws.amazon.com/neuroncore"
DEVICES = frozenset({"nvidia.com/gpu", CHIP, CORE})
SLICED = ("nvidia.com/gpu.shared", "nvidia.com/mig-")
Flaws = Iterator[str]
# Amounts as Kubernetes writes them: `500m`, `5120Mi`, `8`.
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([a-zA-Z]*)")
_SUFFIXES: Final = {
    "": 1.0,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The documents that are applied together, and the pool and plan they are for.

    `ways` is tensor x pipeline parallel of one replica, `devices` the accelerators of a whole
    training job; 0 where no plan says it. `targets` are workloads of the same answer in another
    file.
    """

    pool: Pool
    documents: tuple[Document, ...] = ()
    ways: int = 0
    devices: int = 0
    karpenter: tuple[int, int] | None = (1, 14)
    targets: frozenset[str] = frozenset()
    sharers: int = 1  # pods that one GPU is divided into

    def named(self, kind: str) -> Iterator[Document]:
        """Yield the documents of a kind."""
        return (document for document in self.documents if document.get("kind") == kind)

    @property
    def workloads(self) -> frozenset[str]:
        """The names of what has replicas, here or in the file beside."""
        scaled = (d for d in self.documents if d.get("kind") in {"Deployment", "StatefulSet"})
        return self.targets | {str(d["metadata"]["name"]) for d in scaled}


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAt:
    """A pod (template) and where it stands."""

    kind: str
    where: str
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]
    owner: Document  # the spec of what makes the pods
    bundle: Bundle
    copies: int = 1  # how many of this pod there are

    @property
    def containers(self) -> tuple[Mapping[str, Any], ...]:
        """All containers, the initial ones too."""
        return (*self.spec.get("initContainers", ()), *self.spec.get("containers", ()))

    def asked(self, name: str, side: str = "requests") -> float:
        """Return how much of a resource the pod's containers ask for together."""
        return sum(_container_quantity(c, name, side) for c in self.spec.get("containers", ()))

    @property
    def resources(self) -> frozenset[str]:
        """Every resource named in requests or limits."""
        return frozenset(
            name
            for container in self.containers
            for side in (container.get("resources") or {}).values()
            if isinstance(side, Mapping)
            for name in side
        )


POD_RULES: RuleBook[PodAt] = RuleBook()
BUNDLE_RULES: RuleBook[Bundle] = RuleBook()


def quantity(value: object) -> float | None:
    """Return a quantity as a number; None where it is none."""
    if isinstance(value, bool):
        return None
    match = _QUANTITY.fullmatch(str(value))
    if match is None or match[2] not in _SUFFIXES:
        return None
    return float(match[1]) * _SUFFIXES[match[2]]


def is_device(name: str) -> bool:
    """Return whether a resource is an accelerator or a slice of one."""
    return name in DEVICES or name.startswith(SLICED)


def pods_of(bundle: Bundle) -> Iterator[PodAt]:
    """Yield every kind of pod that the documents make."""
    for document in bundle.documents:
        kind = str(document.get("kind"))
        if kind in POD_MAKERS:
            for owner, made, copies in POD_MAKERS[kind](document):
                yield _pod(document, owner, made, copies, bundle)


def _pod(document: Document, owner: Document, made: Document, copies: int, bundle: Bundle) -> PodAt:
    kind = str(document.get("kind"))
    name = str((document.get("metadata") or {}).get("name", ""))
    return PodAt(
        kind=kind,
        where=f"{kind} {name}",
        metadata=made.get("metadata") or {},
        spec=made.get("spec") or {},
        owner=owner,
        bundle=bundle,
        copies=copies,
    )


# What makes the pods, their template, and how many there are.
PodSource = tuple[Document, Document, int]


def _bare(document: Document) -> Iterator[PodSource]:
    yield document, document, 1


def _templated(document: Document) -> Iterator[PodSource]:
    owner = document.get("spec") or {}
    copies = owner.get("parallelism", owner.get("replicas", 1))
    yield owner, owner.get("template") or {}, copies


def _of_jobset(document: Document) -> Iterator[PodSource]:
    for replicated in (document.get("spec") or {}).get("replicatedJobs", ()):
        job = (replicated.get("template") or {}).get("spec") or {}
        copies = replicated.get("replicas", 1) * job.get("parallelism", 1)
        yield job, job.get("template") or {}, copies


def _of_pytorchjob(document: Document) -> Iterator[PodSource]:
    roles = (document.get("spec") or {}).get("pytorchReplicaSpecs") or {}
    for role in roles.values():
        yield role, role.get("template") or {}, role.get("replicas", 1)


POD_MAKERS: Final[dict[str, Callable[[Document], Iterator[PodSource]]]] = {
    "Pod": _bare,
    "JobSet": _of_jobset,
    "PyTorchJob": _of_pytorchjob,
    **dict.fromkeys(TEMPLATED, _templated),
}


def _container_quantity(container: Mapping[str, Any], name: str, side: str) -> float:
    resources = container.get("resources") or {}
    value = (resources.get(side) or {}).get(name)
    if value is None and side == "requests":  # Kubernetes takes the limit for it
        value = (resources.get("limits") or {}).get(name)
    return quantity(value) or 0.0
