"""A NodePool, and the types its requirements admit by the labels that Karpenter gives each."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bot.manifests.nodes import ARCH
from bot.manifests.rule import Document, RuleFacts
from catalog.facts.schema import EksType, Instance

AWS = "karpenter.k8s.aws/instance-"
LabelReader = Callable[[Instance, EksType | None], object]
# The labels of a type that the catalog can tell; a requirement on another key admits any type.
LABELS: Mapping[str, LabelReader] = {
    "node.kubernetes.io/instance-type": lambda i, _: i.instance_type,
    "kubernetes.io/arch": lambda i, _: ARCH[i.arch],
    "kubernetes.io/os": lambda _i, _e: "linux",
    f"{AWS}family": lambda i, _: i.family,
    f"{AWS}category": lambda i, _: re.split(r"[0-9]", i.family)[0],
    f"{AWS}size": lambda i, _: i.instance_type.partition(".")[2],
    f"{AWS}cpu": lambda i, _: i.vcpus,
    f"{AWS}memory": lambda i, _: round(i.host_mem_gib * 1024),
    f"{AWS}gpu-name": lambda _, e: e.karpenter_gpu_name if e else None,
    f"{AWS}accelerator-name": lambda _, e: e.karpenter_accelerator_name if e else None,
    f"{AWS}gpu-count": lambda _, e: e.resource_count if e and e.karpenter_gpu_name else None,
    f"{AWS}local-nvme": lambda i, _: i.local_nvme_gb or None,
}
COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    "Gt": lambda have, limit: have > limit,
    "Gte": lambda have, limit: have >= limit,
    "Lt": lambda have, limit: have < limit,
    "Lte": lambda have, limit: have <= limit,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterPool:
    """A NodePool and the EC2NodeClass it names, None where the file has none of that name."""

    body: Document
    node_class: Document | None
    facts: RuleFacts

    @property
    def node_spec(self) -> Document:
        """What the pool says of its nodes."""
        spec: Document = self.body.get("spec", {}).get("template", {}).get("spec", {})
        return spec

    @property
    def requirements(self) -> tuple[Document, ...]:
        """The requirements of the pool."""
        return tuple(self.node_spec.get("requirements", ()))

    def values(self, key: str) -> tuple[str, ...]:
        """Return what a requirement admits by `In`; empty where there is none on that key."""
        return tuple(
            value
            for requirement in self.requirements
            if requirement.get("key") == key and requirement.get("operator") == "In"
            for value in requirement.get("values", ())
        )

    @property
    def class_spec(self) -> Document:
        """The spec of the class that the pool names."""
        spec: Document = (self.node_class or {}).get("spec", {})
        return spec


def admitted(pool: KarpenterPool) -> Iterator[Instance]:
    """Yield the types that Karpenter knows and every requirement of the pool admits."""
    facts = pool.facts
    for instance in _candidate_instances(pool):
        eks = facts.eks.get(instance.instance_type)
        if (eks is None or eks.karpenter_known) and all(
            _admits(requirement, instance, eks) for requirement in pool.requirements
        ):
            yield instance


def _candidate_instances(pool: KarpenterPool) -> Iterator[Instance]:
    instances = pool.facts.instances
    names = pool.values("node.kubernetes.io/instance-type") or tuple(instances)
    return (instances[name] for name in names if name in instances)


def _admits(requirement: Document, instance: Instance, eks: EksType | None) -> bool:
    read = LABELS.get(str(requirement.get("key")))
    if read is None:
        return True
    have, values = read(instance, eks), [str(v) for v in requirement.get("values", ())]
    match requirement.get("operator"):
        case "In":
            return str(have) in values
        case "NotIn":
            return str(have) not in values
        case "Exists":
            return have is not None
        case "DoesNotExist":
            return have is None
        case operator:
            return _compares(str(operator), have, values)


def _compares(operator: str, have: object, values: list[str]) -> bool:
    compare = COMPARED.get(operator)
    if compare is None or not isinstance(have, int) or len(values) != 1 or not values[0].isdigit():
        return False
    return compare(have, int(values[0]))
