"""Rules an eksctl ClusterConfig must keep that its JSON Schema cannot say.

Read from eksctl's own validation and type table (0.231.0-dev, 2026-08-21) and the EKS user guide.
The ids are cited in error messages and tests. Rules on what a node group runs on are in
`node_rules`; here are those on how it is sized, bought, placed and connected, and on the cluster.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.manifests.eksctl.node_rules import GROUP_RULES, Group
from bot.manifests.rule import Breach, Document, RuleFacts

GROUP_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]*")
CLUSTER_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,99}")
GROUP_LISTS = {"managedNodeGroups": True, "nodeGroups": False}
RESERVATION_KEYS = frozenset({"capacityReservationPreference", "capacityReservationTarget"})
TARGET_KEYS = frozenset({"capacityReservationID", "capacityReservationResourceGroupARN"})


def broken_rules(document: Document, facts: RuleFacts) -> tuple[Breach, ...]:
    """Return every rule the parsed ClusterConfig breaks; empty when it keeps them all."""
    broken = [*_metadata(document), *_group_names(document), *_cluster_network(document)]
    for where, group in _node_groups(document, facts):
        broken += GROUP_RULES.broken(group, where)
    return tuple(broken)


def _node_groups(document: Document, facts: RuleFacts) -> Iterator[tuple[str, Group]]:
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


def _metadata(document: Document) -> Iterator[Breach]:
    """E2: name and region are given; the version is a string (a bare 1.34 is a float)."""
    metadata: dict[str, Any] = document.get("metadata") or {}
    if not CLUSTER_NAME.fullmatch(str(metadata.get("name", ""))):
        yield Breach("E2", "metadata.name", "starts with a letter, then letters, digits, -")
    if not metadata.get("region"):
        yield Breach("E2", "metadata.region", "is missing")
    if not isinstance(metadata.get("version", ""), str):
        yield Breach("E2", "metadata.version", "must be a quoted string")


def _group_names(document: Document) -> Iterator[Breach]:
    """E3: node groups have legal names, each used once."""
    names = [str(g.get("name", "")) for key in GROUP_LISTS for g in document.get(key) or ()]
    for name in names:
        if not GROUP_NAME.fullmatch(name):
            yield Breach("E3", f"group {name!r}", "starts with a letter, then letters, digits, -")
    for name in {name for name in names if names.count(name) > 1}:
        yield Breach("E3", f"group {name!r}", "occurs twice")


def _cluster_network(document: Document) -> Iterator[Breach]:
    """E30: two zones or more; a private cluster has private groups."""
    zones = document.get("availabilityZones")
    if zones is not None and len(zones) < 2:
        yield Breach("E30", "availabilityZones", "a cluster needs two zones or more")
    if not (document.get("privateCluster") or {}).get("enabled"):
        return
    for key in GROUP_LISTS:
        for i, group in enumerate(document.get(key) or ()):
            if not group.get("privateNetworking"):
                yield Breach("E30", f"{key}[{i}]", "a private cluster needs privateNetworking")


@GROUP_RULES.rule("E4")
def sizes_are_ordered(group: Group) -> Iterator[str]:
    """Yield when minSize, desiredCapacity and maxSize are out of order."""
    keys = ("minSize", "desiredCapacity", "maxSize")
    sizes = [group.body[k] for k in keys if k in group.body]
    if sizes != sorted(sizes) or any(size < 0 for size in sizes):
        yield "minSize <= desiredCapacity <= maxSize does not hold"


@GROUP_RULES.rule("E9")
def efa_only_where_it_works(group: Group) -> Iterator[str]:
    """Yield types on which eksctl's EFA set-up is refused or wrong."""
    if not group.body.get("efaEnabled"):
        return
    for name in group.types:
        eks = group.facts.eks.get(name)
        if eks is None or not (eks.eksctl_efa and eks.efa_interfaces):
            yield f"{name} has no EFA that eksctl can set up"
        if eks is not None and not eks.eksctl_efa_layout:
            yield f"eksctl lays out the network cards of {name} wrongly"


@GROUP_RULES.rule("E10")
def efa_in_one_private_place(group: Group) -> Iterator[str]:
    """Yield when EFA nodes are spread or public."""
    if not group.body.get("efaEnabled"):
        return
    if len(_group_places(group)) != 1:
        yield "efaEnabled needs exactly one zone or subnet"
    if not group.body.get("privateNetworking"):
        yield "efaEnabled needs privateNetworking"


@GROUP_RULES.rule("E11")
def zones_are_in_the_region(group: Group) -> Iterator[str]:
    """Yield zones outside the region, and zones beside subnets."""
    zones = group.body.get("availabilityZones") or ()
    if zones and group.body.get("subnets"):
        yield "give either availabilityZones or subnets"
    for zone in zones:
        if not (zone.startswith(group.region) and zone[len(group.region) :].isalpha()):
            yield f"zone {zone} is not in {group.region}"


@GROUP_RULES.rule("E12")
def placement_names_a_group(group: Group) -> Iterator[str]:
    """Yield a placement that is not an object with groupName."""
    placement = group.body.get("placement")
    if placement is not None and not (
        isinstance(placement, Mapping) and placement.get("groupName")
    ):
        yield "placement must be an object with groupName"


@GROUP_RULES.rule("E13")
def reservation_is_well_formed(group: Group) -> Iterator[str]:
    """Yield what is wrong with the form of capacityReservation."""
    reservation = group.body.get("capacityReservation")
    if reservation is None:
        return
    if not isinstance(reservation, Mapping):
        yield "capacityReservation must be an object"
        return
    if len(RESERVATION_KEYS & set(reservation)) != 1 or set(reservation) - RESERVATION_KEYS:
        yield "give either capacityReservationPreference or capacityReservationTarget"
    target = reservation.get("capacityReservationTarget")
    if target is not None and (
        not isinstance(target, Mapping) or len(target) != 1 or not set(target) <= TARGET_KEYS
    ):
        yield "the target is either capacityReservationID or capacityReservationResourceGroupARN"


@GROUP_RULES.rule("E14")
def capacity_block_is_whole(group: Group) -> Iterator[str]:
    """Yield what instanceMarketOptions lacks or may not stand beside."""
    options = group.body.get("instanceMarketOptions")
    if options is None:
        return
    if not isinstance(options, Mapping) or options.get("marketType") != "capacity-block":
        yield "instanceMarketOptions.marketType must be capacity-block"
    if "capacityReservation" not in group.body:
        yield "a Capacity Block needs its capacityReservation"
    if len(group.types) != 1:
        yield "a Capacity Block holds one instance type"
    for name in group.types:
        instance, eks = group.facts.instances.get(name), group.facts.eks.get(name)
        if not (instance and instance.capacity_block and eks and eks.eksctl_known):
            yield f"eksctl cannot use a Capacity Block of {name}"


@GROUP_RULES.rule("E15")
def capacity_block_is_in_one_zone(group: Group) -> Iterator[str]:
    """Yield a Capacity Block without its one zone."""
    if "instanceMarketOptions" in group.body and len(_group_places(group)) != 1:
        yield "a Capacity Block lies in one zone: name it"


@GROUP_RULES.rule("E26")
def efa_plugin_reaches_the_nodes(group: Group) -> Iterator[str]:
    """Yield taints that keep the EFA plugin off although EFA is on."""
    if not group.body.get("efaEnabled"):
        return
    for key in sorted(set(group.taint_keys) - group.facts.efa_tolerations):
        yield f"EFA plugin values must tolerate {key}"


@GROUP_RULES.rule("E29")
def spot_is_not_reserved(group: Group) -> Iterator[str]:
    """Yield spot beside a reservation or a Capacity Block."""
    reserved = {"capacityReservation", "instanceMarketOptions"} & set(group.body)
    if group.body.get("spot") and reserved:
        yield f"spot cannot stand beside {', '.join(sorted(reserved))}"


def _group_places(group: Group) -> list[str]:
    zones, subnets = group.body.get("availabilityZones"), group.body.get("subnets")
    return list(zones or subnets or ())
