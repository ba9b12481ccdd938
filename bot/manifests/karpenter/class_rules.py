"""Rules over an EC2NodeClass: kubelet settings, what the API server refuses, a pinned image."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bot.manifests.rule import Document, RuleBook

KUBELET_KEYS = frozenset(
    {
        "clusterDNS",
        "cpuCFSQuota",
        "evictionHard",
        "evictionMaxPodGracePeriod",
        "evictionSoft",
        "evictionSoftGracePeriod",
        "imageGCHighThresholdPercent",
        "imageGCLowThresholdPercent",
        "kubeReserved",
        "maxPods",
        "podsPerCore",
        "systemReserved",
    }
)
ALIAS = re.compile(r"(?P<family>[a-zA-Z0-9]+)@(?P<version>.+)")
ALIAS_FAMILIES = frozenset(
    {"al2", "al2023", "bottlerocket", "windows2019", "windows2022", "windows2025"}
)
RESERVATION_ID = re.compile(r"cr-[0-9a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClass:
    """An EC2NodeClass by itself."""

    body: Document

    @property
    def spec(self) -> Document:
        """Its spec."""
        spec: Document = self.body.get("spec", {})
        return spec


CLASS_RULES: RuleBook[NodeClass] = RuleBook()


@CLASS_RULES.rule("K3")
def kubelet_keys_are_known(node_class: NodeClass) -> Iterator[str]:
    """Yield kubelet settings that Karpenter would only refuse once the class is in use."""
    for key in node_class.spec.get("kubelet") or ():
        if key not in KUBELET_KEYS:
            yield f"kubelet has no setting {key}"


@CLASS_RULES.rule("K4")
def api_server_takes_the_class(node_class: NodeClass) -> Iterator[str]:
    """Yield what the API server refuses of a class."""
    yield from _identity_is_given_once(node_class)
    yield from _selectors_select(node_class)
    yield from _image_is_selected_one_way(node_class)
    yield from _disks_are_well_formed(node_class)
    yield from _cards_are_well_formed(node_class)


def _identity_is_given_once(node_class: NodeClass) -> Iterator[str]:
    """Yield a class without a role, or with an instance profile beside it."""
    if bool(node_class.spec.get("role")) == bool(node_class.spec.get("instanceProfile")):
        yield "give either role or instanceProfile"


def _selectors_select(node_class: NodeClass) -> Iterator[str]:
    """Yield subnet, security group and reservation terms that the API server refuses."""
    spec = node_class.spec
    for name, ways in (
        ("subnetSelectorTerms", {"tags", "id"}),
        ("securityGroupSelectorTerms", {"tags", "id", "name"}),
        ("capacityReservationSelectorTerms", {"tags", "id", "instanceMatchCriteria"}),
    ):
        terms = spec.get(name, ())
        if not terms and name != "capacityReservationSelectorTerms":
            yield f"{name} is empty"
        for term in terms:
            if not ways & set(term) or ("id" in term and len(term) > 1):
                yield f"a term of {name} selects by an id alone, or by other ways"
            if not all(k and v for k, v in (term.get("tags") or {}).items()):
                yield f"a tag of {name} is empty"
    for term in spec.get("capacityReservationSelectorTerms", ()):
        if "id" in term and not RESERVATION_ID.fullmatch(str(term["id"])):
            yield f"{term['id']!r} is no reservation's id"


def _image_is_selected_one_way(node_class: NodeClass) -> Iterator[str]:
    """Yield image terms that the API server refuses."""
    terms = tuple(node_class.spec.get("amiSelectorTerms") or ())
    aliases = [str(term["alias"]) for term in terms if "alias" in term]
    if not terms:
        yield "amiSelectorTerms is missing"
    if aliases and sum(map(len, terms)) > 1:
        yield "an alias stands alone"
    if terms and not aliases and "amiFamily" not in node_class.spec:
        yield "images by id, name or tags need amiFamily"
    for alias in aliases:
        match = ALIAS.fullmatch(alias)
        if match is None or match["family"] not in ALIAS_FAMILIES:
            yield f"alias {alias!r} is not family@version of a known family"


def _disks_are_well_formed(node_class: NodeClass) -> Iterator[str]:
    """Yield disks without a size, and two root disks."""
    disks = node_class.spec.get("blockDeviceMappings", ())
    if sum(bool(disk.get("rootVolume")) for disk in disks) > 1:
        yield "two root volumes"
    for disk in disks:
        if not {"volumeSize", "snapshotID"} & set(disk.get("ebs") or ()):
            yield f"{disk.get('deviceName')} needs a volumeSize"


def _cards_are_well_formed(node_class: NodeClass) -> Iterator[str]:
    """Yield interfaces in a wrong layout."""
    interfaces = node_class.spec.get("networkInterfaces", ())
    places = Counter((i.get("networkCardIndex"), i.get("deviceIndex")) for i in interfaces)
    efas = Counter(
        i.get("networkCardIndex") for i in interfaces if i.get("interfaceType") == "efa-only"
    )
    first = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    if interfaces and first not in list(interfaces):
        yield "the first interface of card 0 carries IP"
    if any(count > 1 for count in (places | efas).values()):
        yield "two interfaces in one place, or two EFAs on one card"
    if len(node_class.spec.get("placementGroupSelector", {"name": ""})) != 1:
        yield "placementGroupSelector takes a name or an id"


@CLASS_RULES.rule("K9")
def image_is_pinned(node_class: NodeClass) -> Iterator[str]:
    """Yield an alias that follows the newest image: nodes would be replaced on its release."""
    for term in node_class.spec.get("amiSelectorTerms") or ():
        version = str(term.get("alias", "@pinned")).partition("@")[2]
        if version == "latest":
            yield "pin the image version instead of @latest"
