"""Rules on how a node group is sized, bought, placed and connected."""

from collections.abc import Iterator, Mapping

from bot.manifests.rule import Group, RuleBook

CAPACITY_RULES: RuleBook[Group] = RuleBook()

# eksctl lays out one EFA interface per network card; on these card 0 has none (eksctl #8685).
WRONG_EFA_LAYOUT = ("p6-b200.", "p6-b300.")
RESERVATION_KEYS = frozenset({"capacityReservationPreference", "capacityReservationTarget"})
TARGET_KEYS = frozenset({"capacityReservationID", "capacityReservationResourceGroupARN"})


@CAPACITY_RULES.rule("E4")
def sizes_are_ordered(group: Group) -> Iterator[str]:
    """Yield when minSize, desiredCapacity and maxSize are out of order."""
    keys = ("minSize", "desiredCapacity", "maxSize")
    sizes = [group.body[k] for k in keys if k in group.body]
    if sizes != sorted(sizes) or any(size < 0 for size in sizes):
        yield "minSize <= desiredCapacity <= maxSize does not hold"


@CAPACITY_RULES.rule("E9")
def efa_only_where_it_works(group: Group) -> Iterator[str]:
    """Yield types on which eksctl's EFA set-up is refused or wrong."""
    if not group.body.get("efaEnabled"):
        return
    for name in group.types:
        eks = group.facts.eks.get(name)
        if eks is None or not (eks.eksctl_efa and eks.efa_interfaces):
            yield f"{name} has no EFA that eksctl can set up"
        if name.startswith(WRONG_EFA_LAYOUT):
            yield f"eksctl lays out the network cards of {name} wrongly"


@CAPACITY_RULES.rule("E10")
def efa_in_one_private_place(group: Group) -> Iterator[str]:
    """Yield when EFA nodes are spread or public."""
    if not group.body.get("efaEnabled"):
        return
    if len(_places(group)) != 1:
        yield "efaEnabled needs exactly one zone or subnet"
    if not group.body.get("privateNetworking"):
        yield "efaEnabled needs privateNetworking"


@CAPACITY_RULES.rule("E11")
def zones_are_in_the_region(group: Group) -> Iterator[str]:
    """Yield zones outside the region, and zones beside subnets."""
    zones = group.body.get("availabilityZones") or ()
    if zones and group.body.get("subnets"):
        yield "give either availabilityZones or subnets"
    for zone in zones:
        if not (zone.startswith(group.region) and zone[len(group.region) :].isalpha()):
            yield f"zone {zone} is not in {group.region}"


@CAPACITY_RULES.rule("E12")
def placement_names_a_group(group: Group) -> Iterator[str]:
    """Yield a placement that is not an object with groupName."""
    placement = group.body.get("placement")
    if placement is not None and not (
        isinstance(placement, Mapping) and placement.get("groupName")
    ):
        yield "placement must be an object with groupName"


@CAPACITY_RULES.rule("E13")
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


@CAPACITY_RULES.rule("E14")
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


@CAPACITY_RULES.rule("E15")
def capacity_block_is_in_one_zone(group: Group) -> Iterator[str]:
    """Yield a Capacity Block without its one zone."""
    if "instanceMarketOptions" in group.body and len(_places(group)) != 1:
        yield "a Capacity Block lies in one zone: name it"


@CAPACITY_RULES.rule("E26")
def efa_plugin_reaches_the_nodes(group: Group) -> Iterator[str]:
    """Yield taints that keep the EFA plugin off although EFA is on."""
    if not group.body.get("efaEnabled"):
        return
    for key in sorted(set(group.taint_keys) - group.facts.efa_tolerations):
        yield f"EFA plugin values must tolerate {key}"


@CAPACITY_RULES.rule("E29")
def spot_is_not_reserved(group: Group) -> Iterator[str]:
    """Yield spot beside a reservation or a Capacity Block."""
    reserved = {"capacityReservation", "instanceMarketOptions"} & set(group.body)
    if group.body.get("spot") and reserved:
        yield f"spot cannot stand beside {', '.join(sorted(reserved))}"


def _places(group: Group) -> list[str]:
    zones, subnets = group.body.get("availabilityZones"), group.body.get("subnets")
    return list(zones or subnets or ())
