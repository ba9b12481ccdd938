"""What a rule over a manifest is: an id, what it looks at, and the sentence when it is broken."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from catalog.facts.schema import EksType, Instance

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFacts:
    """What the rules hold a manifest against."""

    eks: Mapping[str, EksType]
    instances: Mapping[str, Instance]
    # What images, weights and scratch take on a node, by the name of its group.
    root_need_gb: Mapping[str, int] = field(default_factory=dict)
    efa_tolerations: frozenset[str] = frozenset()  # taint keys the EFA plugin values tolerate


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One node group and where it stands."""

    body: Document
    managed: bool
    region: str
    kubernetes: str
    facts: GroupFacts

    @property
    def types(self) -> tuple[str, ...]:
        """The instance types of the group."""
        single = self.body.get("instanceType")
        return (single,) if single else tuple(self.body.get("instanceTypes", ()))

    @property
    def classes(self) -> frozenset[str]:
        """The accelerator classes of its types; `cpu` for a type without accelerators."""
        eks = self.facts.eks
        return frozenset(eks[t].accelerator_class if t in eks else "cpu" for t in self.types)

    @property
    def taint_keys(self) -> tuple[str, ...]:
        """The keys of its taints, as far as they are well formed."""
        taints = self.body.get("taints", ())
        return tuple(t.get("key", "") for t in taints if isinstance(t, Mapping))


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a manifest breaks."""

    rule: str
    where: str
    what: str

    def __str__(self) -> str:
        """Return the sentence with its rule and place."""
        return f"{self.rule} {self.where}: {self.what}"


Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class RuleBook(Generic[Subject]):
    """Rules by id, in the order they were written down; each yields what breaks it."""

    checks: dict[str, Callable[[Subject], Iterator[str]]] = field(default_factory=dict)

    def rule(
        self, rule_id: str
    ) -> Callable[[Callable[[Subject], Iterator[str]]], Callable[[Subject], Iterator[str]]]:
        """Return a decorator that files a check under its id."""

        def file(check: Callable[[Subject], Iterator[str]]) -> Callable[[Subject], Iterator[str]]:
            self.checks[rule_id] = check
            return check

        return file
