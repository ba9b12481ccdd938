"""What a rule over Karpenter documents looks at: a pool with its class, or a class alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.facts.schema import EksType, Instance

NODE_POOL = ("karpenter.sh/v1", "NodePool")
NODE_CLASS = ("karpenter.k8s.aws/v1", "EC2NodeClass")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """What the rules hold the documents against."""

    eks: Mapping[str, EksType]
    instances: Mapping[str, Instance]


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterPool:
    """A NodePool and the EC2NodeClass it names, None where the file has none of that name."""

    body: Mapping[str, Any]
    node_class: Mapping[str, Any] | None
    facts: PoolFacts

    @property
    def node_spec(self) -> Mapping[str, Any]:
        """What the pool says of its nodes."""
        spec: Mapping[str, Any] = self.body.get("spec", {}).get("template", {}).get("spec", {})
        return spec

    @property
    def requirements(self) -> tuple[Mapping[str, Any], ...]:
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
    def class_spec(self) -> Mapping[str, Any]:
        """The spec of the class that the pool names."""
        spec: Mapping[str, Any] = (self.node_class or {}).get("spec", {})
        return spec


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClass:
    """An EC2NodeClass by itself."""

    body: Mapping[str, Any]

    @property
    def spec(self) -> Mapping[str, Any]:
        """Its spec."""
        spec: Mapping[str, Any] = self.body.get("spec", {})
        return spec
