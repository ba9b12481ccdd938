"""What the rules over workloads look at: pods with their place, and the documents of one answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.manifests.pool import Pool
from bot.manifests.quantity import quantity
from bot.manifests.rule import Document, RuleBook

TEMPLATED = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Job"})
EFA = "vpc.amazonaws.com/efa"
CHIP, CORE = "aws.amazon.com/neuron", "aws.amazon.com/neuroncore"
DEVICES = frozenset({"nvidia.com/gpu", CHIP, CORE})
SLICED = ("nvidia.com/gpu.shared", "nvidia.com/mig-")
Found = Iterator[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The documents that are applied together, and the pool and plan they are for.

    `ways` is tensor x pipeline parallel of one replica; 0 where no plan says it. `targets` are
    workloads of the same answer in another file.
    """

    documents: tuple[Document, ...]
    pool: Pool
    ways: int = 0
    karpenter: tuple[int, int] | None = (1, 14)
    kubernetes: str = "1.34"
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

    @property
    def containers(self) -> tuple[Mapping[str, Any], ...]:
        """All containers, the initial ones too."""
        return (*self.spec.get("initContainers", ()), *self.spec.get("containers", ()))

    def asked(self, name: str, side: str = "requests") -> float:
        """Return how much of a resource the pod's containers ask for together."""
        return sum(_asked(c, name, side) for c in self.spec.get("containers", ()))

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


def is_device(name: str) -> bool:
    """Return whether a resource is an accelerator or a slice of one."""
    return name in DEVICES or name.startswith(SLICED)


def pods_of(bundle: Bundle) -> Iterator[PodAt]:
    """Yield every pod that the documents make."""
    for document in bundle.documents:
        kind = str(document.get("kind"))
        name = (document.get("metadata") or {}).get("name", "")
        if kind == "Pod":
            yield _pod(kind, f"Pod {name}", document, document, bundle)
        elif kind in TEMPLATED:
            owner = document.get("spec") or {}
            yield _pod(kind, f"{kind} {name}", owner.get("template") or {}, owner, bundle)


def _pod(kind: str, where: str, made: Document, owner: Document, bundle: Bundle) -> PodAt:
    return PodAt(
        kind=kind,
        where=where,
        metadata=made.get("metadata") or {},
        spec=made.get("spec") or {},
        owner=owner,
        bundle=bundle,
    )


def _asked(container: Mapping[str, Any], name: str, side: str) -> float:
    resources = container.get("resources") or {}
    value = (resources.get(side) or {}).get(name)
    if value is None and side == "requests":  # Kubernetes takes the limit for it
        value = (resources.get("limits") or {}).get(name)
    return quantity(value) or 0.0
