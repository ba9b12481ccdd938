"""Rules on what a node group runs on: types, images, disks, labels, taints."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from bot.manifests.nodes import AL2023, TAINT_EFFECTS, TAINT_KEYS
from bot.manifests.rule import Document, RuleBook, RuleFacts

MANAGED_ONLY = frozenset(
    {"instanceTypes", "spot", "launchTemplate", "releaseVersion", "nodeRepairConfig"}
)
SELF_MANAGED_ONLY = frozenset(
    {
        "instancesDistribution",
        "kubeletExtraConfig",
        "classicLoadBalancerNames",
        "targetGroupARNs",
        "clusterDNS",
        "cpuCredits",
        "enclaveEnabled",
        "maxInstanceLifetime",
        "localZones",
        "asgMetricsCollection",
        "containerRuntime",
    }
)
LAUNCH_TEMPLATE_EXCLUDES = (
    "instanceType",
    "ami",
    "ssh",
    "volumeSize",
    "volumeType",
    "overrideBootstrapCommand",
    "securityGroups",
    "maxPodsPerNode",
    "placement",
)
GP3_IOPS = range(3000, 16001)
GP3_THROUGHPUT_MB_S = range(125, 1001)
DEFAULT_VOLUME_GB = 80  # eksctl's own default root volume
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_KUBERNETES_DOMAIN = re.compile(r"(^|\.)(kubernetes|k8s)\.io$")
# What the kubelet may set on its own node although the domain is Kubernetes'.
_KUBELET_MAY_SET = re.compile(r"^(node\.kubernetes\.io|kubelet\.kubernetes\.io)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One node group and where it stands."""

    body: Document
    managed: bool
    region: str
    kubernetes: str
    facts: RuleFacts

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


GROUP_RULES: RuleBook[Group] = RuleBook()


@GROUP_RULES.rule("E1")
def taints_are_a_list(group: Group) -> Iterator[str]:
    """Yield what is wrong with the form of the taints."""
    taints = group.body.get("taints")
    if taints is None:
        return
    if not isinstance(taints, list):
        yield "taints must be a list of key, value, effect"
        return
    for taint in taints:
        if not isinstance(taint, Mapping) or not taint.get("key"):
            yield "a taint needs a key"
        elif taint.get("effect") not in TAINT_EFFECTS:
            effects = ", ".join(sorted(TAINT_EFFECTS))
            yield f"taint effect {taint.get('effect')!r} is none of {effects}"


@GROUP_RULES.rule("E5")
def one_way_to_name_types(group: Group) -> Iterator[str]:
    """Yield when the types are given twice or not at all."""
    if ("instanceType" in group.body) == ("instanceTypes" in group.body):
        yield "give either instanceType or instanceTypes"


@GROUP_RULES.rule("E6")
def fields_in_the_right_list(group: Group) -> Iterator[str]:
    """Yield fields that only the other kind of node group has."""
    foreign = SELF_MANAGED_ONLY if group.managed else MANAGED_ONLY
    for name in sorted(foreign & set(group.body)):
        yield f"{name} belongs to {'nodeGroups' if group.managed else 'managedNodeGroups'}"


@GROUP_RULES.rule("E7")
def one_kind_of_machine(group: Group) -> Iterator[str]:
    """Yield when types of several accelerator classes or architectures share one image."""
    if len(group.classes) > 1:
        yield f"mixes {', '.join(sorted(group.classes))}: the first type would decide the image"
    instances = group.facts.instances
    if len({instances[t].arch for t in group.types if t in instances}) > 1:
        yield "mixes x86 and Arm types"


@GROUP_RULES.rule("E8")
def image_is_right(group: Group) -> Iterator[str]:
    """Yield types for which eksctl would pick a wrong image and none is given."""
    for name in group.types:
        if name not in group.facts.instances:
            yield f"{name} is not an instance type"
        eks = group.facts.eks.get(name)
        if eks and not eks.eksctl_picks_right_ami and "ami" not in group.body:
            yield f"eksctl picks a wrong image for {name}: give ami"


@GROUP_RULES.rule("E16")
def volume_in_range(group: Group) -> Iterator[str]:
    """Yield volume settings that EBS refuses."""
    body = group.body
    kind = body.get("volumeType", "gp3")
    throughput, iops = body.get("volumeThroughput"), body.get("volumeIOPS")
    if throughput is not None and kind != "gp3":
        yield "volumeThroughput needs gp3"
    if throughput is not None and kind == "gp3" and throughput not in GP3_THROUGHPUT_MB_S:
        yield f"volumeThroughput {throughput} is outside 125 to 1000"
    if iops is not None and kind == "gp3" and iops not in GP3_IOPS:
        yield f"volumeIOPS {iops} is outside 3000 to 16000"
    if "volumeEncrypted" in body and "volumeSize" not in body:
        yield "volumeEncrypted needs volumeSize"


@GROUP_RULES.rule("E17")
def launch_template_stands_alone(group: Group) -> Iterator[str]:
    """Yield fields that a launch template has to carry itself."""
    if "launchTemplate" in group.body:
        yield from (
            f"{name} cannot stand beside launchTemplate"
            for name in LAUNCH_TEMPLATE_EXCLUDES
            if name in group.body
        )


@GROUP_RULES.rule("E18")
def own_image_is_complete(group: Group) -> Iterator[str]:
    """Yield what an own image lacks or excludes."""
    if "ami" not in group.body:
        return
    if "amiFamily" not in group.body:
        yield "ami needs amiFamily"
    for name in ("maxPodsPerNode", "releaseVersion"):
        if group.managed and name in group.body:
            yield f"{name} cannot stand beside ami"


@GROUP_RULES.rule("E19")
def bootstrap_is_a_node_config(group: Group) -> Iterator[str]:
    """Yield when the bootstrap override is not a NodeConfig or its image cannot read one."""
    override = group.body.get("overrideBootstrapCommand")
    if override is None:
        return
    if group.body.get("amiFamily", AL2023) != AL2023:
        yield "overrideBootstrapCommand as NodeConfig needs AmazonLinux2023"
    try:
        config = yaml.safe_load(override)
    except yaml.YAMLError:
        config = None
    if not isinstance(config, Mapping) or config.get("kind") != "NodeConfig":
        yield "overrideBootstrapCommand does not hold a NodeConfig"


@GROUP_RULES.rule("E20")
def bottlerocket_settings_fit(group: Group) -> Iterator[str]:
    """Yield Bottlerocket settings on another image."""
    family = str(group.body.get("amiFamily", ""))
    if "bottlerocket" in group.body and not family.startswith("Bottlerocket"):
        yield "bottlerocket settings need amiFamily Bottlerocket"


@GROUP_RULES.rule("E21")
def image_family_is_alive(group: Group) -> Iterator[str]:
    """Yield Amazon Linux 2 on a Kubernetes that has no image of it."""
    minor = group.kubernetes.partition(".")[2]
    if group.body.get("amiFamily") == "AmazonLinux2" and minor.isdigit() and int(minor) >= 33:
        yield "AmazonLinux2 has no images from Kubernetes 1.33 on"


@GROUP_RULES.rule("E22")
def image_family_drives_the_chips(group: Group) -> Iterator[str]:
    """Yield Ubuntu on accelerated types: it brings no driver."""
    if str(group.body.get("amiFamily", "")).startswith("Ubuntu") and group.classes != {"cpu"}:
        yield "Ubuntu images bring no driver for the accelerators of this type"


@GROUP_RULES.rule("E23")
def label_keys_are_ours_to_set(group: Group) -> Iterator[str]:
    """Yield label keys that the kubelet may not set on its node."""
    for key in group.body.get("labels") or {}:
        domain, slash, name = str(key).rpartition("/")
        if slash and _KUBERNETES_DOMAIN.search(domain) and not _KUBELET_MAY_SET.match(domain):
            yield f"label {key}: that domain is Kubernetes' own"
        if not _LABEL_NAME.fullmatch(name):
            yield f"label {key}: not a legal key"


@GROUP_RULES.rule("E24")
def label_values_are_legal(group: Group) -> Iterator[str]:
    """Yield label values that are no short strings."""
    for key, value in (group.body.get("labels") or {}).items():
        if not isinstance(value, str) or not _LABEL_VALUE.fullmatch(value):
            yield f"label {key}: {value!r} is not a legal value"


@GROUP_RULES.rule("E25")
def accelerators_are_tainted(group: Group) -> Iterator[str]:
    """Yield the taint an accelerated group lacks: without it anything may run there."""
    for accelerator_class in group.classes:
        key = TAINT_KEYS.get(accelerator_class)
        if key and key not in group.taint_keys:
            yield f"needs the taint {key}"


@GROUP_RULES.rule("E27")
def neuron_taint_is_tolerated(group: Group) -> Iterator[str]:
    """Yield taints that keep the Neuron device plugin off the node."""
    if "neuron" in group.classes:
        others = sorted(set(group.taint_keys) - {TAINT_KEYS["neuron"]})
        yield from (f"the Neuron plugin does not tolerate the taint {key}" for key in others)


@GROUP_RULES.rule("E28")
def disk_holds_the_model(group: Group) -> Iterator[str]:
    """Yield when neither the root volume nor local disks hold images and weights."""
    need_gb = group.facts.root_need_gb.get(str(group.body.get("name")), 0)
    if "launchTemplate" in group.body:
        return  # the disk is the template's affair
    if "localStorage" in str(group.body.get("overrideBootstrapCommand", "")):
        for name in group.types:
            instance = group.facts.instances.get(name)
            if instance and instance.local_nvme_gb < need_gb:
                yield f"the local disks of {name} hold {instance.local_nvme_gb} of {need_gb} GB"
    elif (volume_gb := group.body.get("volumeSize", DEFAULT_VOLUME_GB)) < need_gb:
        yield f"volumeSize {volume_gb} GB is less than the {need_gb} GB needed"
