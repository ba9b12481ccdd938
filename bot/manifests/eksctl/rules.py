"""Rules an eksctl ClusterConfig must keep that its JSON Schema cannot say.

Read from eksctl's own validation and type table (0.231.0-dev, 2026-08-21) and the EKS user guide.
The ids are cited in error messages and tests. Rules over one node group are in two files: what
it runs on (`eksctl_node_rules`) and how it is bought and placed (`eksctl_capacity_rules`).
"""

import re
from collections.abc import Iterator
from typing import Any

from bot.manifests.eksctl.capacity_rules import CAPACITY_RULES
from bot.manifests.eksctl.node_rules import NODE_RULES
from bot.manifests.rule import Broken, Document, Group, GroupFacts

GROUP_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]*")
CLUSTER_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,99}")
GROUP_LISTS = {"managedNodeGroups": True, "nodeGroups": False}
GROUP_CHECKS = NODE_RULES.checks | CAPACITY_RULES.checks


def broken_rules(document: Document, facts: GroupFacts) -> tuple[Broken, ...]:
    """Return every rule the parsed ClusterConfig breaks; empty when it keeps them all."""
    broken = [*_metadata(document), *_group_names(document), *_cluster_network(document)]
    for where, group in _groups(document, facts):
        for rule_id, check in GROUP_CHECKS.items():
            broken += [Broken(rule_id, where, what) for what in check(group)]
    return tuple(broken)


def _groups(document: Document, facts: GroupFacts) -> Iterator[tuple[str, Group]]:
    metadata = document.get("metadata") or {}
    for key, managed in GROUP_LISTS.items():
        for i, body in enumerate(document.get(key) or ()):
            group = Group(
                body=body,
                managed=managed,
                region=str(metadata.get("region", "")),
                kubernetes=str(metadata.get("version", "")),
                facts=facts,
            )
            yield f"{key}[{i}]", group


def _metadata(document: Document) -> Iterator[Broken]:
    """E2: name and region are given; the version is a string (a bare 1.34 is a float)."""
    metadata: dict[str, Any] = document.get("metadata") or {}
    if not CLUSTER_NAME.fullmatch(str(metadata.get("name", ""))):
        yield Broken("E2", "metadata.name", "starts with a letter, then letters, digits, -")
    if not metadata.get("region"):
        yield Broken("E2", "metadata.region", "is missing")
    if not isinstance(metadata.get("version", ""), str):
        yield Broken("E2", "metadata.version", "must be a quoted string")


def _group_names(document: Document) -> Iterator[Broken]:
    """E3: node groups have legal names, each used once."""
    names = [str(g.get("name", "")) for key in GROUP_LISTS for g in document.get(key) or ()]
    for name in names:
        if not GROUP_NAME.fullmatch(name):
            yield Broken("E3", f"group {name!r}", "starts with a letter, then letters, digits, -")
    for name in {name for name in names if names.count(name) > 1}:
        yield Broken("E3", f"group {name!r}", "occurs twice")


def _cluster_network(document: Document) -> Iterator[Broken]:
    """E30: two zones or more; a private cluster has private groups."""
    zones = document.get("availabilityZones")
    if zones is not None and len(zones) < 2:
        yield Broken("E30", "availabilityZones", "a cluster needs two zones or more")
    if not (document.get("privateCluster") or {}).get("enabled"):
        return
    for key in GROUP_LISTS:
        for i, group in enumerate(document.get(key) or ()):
            if not group.get("privateNetworking"):
                yield Broken("E30", f"{key}[{i}]", "a private cluster needs privateNetworking")
