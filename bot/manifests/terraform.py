"""The node group of a pick as Terraform: rendered and checked before it leaves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import hcl_environment
from bot.manifests.legal_names import dns_name, legal_name
from bot.manifests.node_file import (
    DEFAULT_CLUSTER_NAME,
    NO_NEEDS,
    ClusterNeeds,
    GroupPurpose,
    Nodes,
    efa_plugin,
    efa_plugin_values,
    nodes_of,
    once,
    part_of,
    purchase_notes,
    purpose_comments,
)
from bot.manifests.nodes import Purchase, refuse_edge_zones, refuse_what_eks_cannot
from catalog.catalog import Catalog
from catalog.facts.schema import EksType
from engine.core.result import Pick, Recommendation

STANDARD_AMI = {"x86_64": "AL2023_x86_64_STANDARD", "arm64": "AL2023_ARM_64_STANDARD"}
CAPACITY_TYPES: dict[Purchase, str] = {
    "on_demand": "ON_DEMAND",
    "spot": "SPOT",
    "reservation": "ON_DEMAND",
    "capacity_block": "CAPACITY_BLOCK",
}
# Cluster Autoscaler reads these tags where the group has no node to look at.
SCALE_FROM_ZERO = "k8s.io/cluster-autoscaler/node-template"
DEVICE_PLUGINS = {"nvidia.com/gpu": "NVIDIA", "aws.amazon.com/neuron": "Neuron"}
NEEDED = frozenset({"aws_launch_template", "aws_eks_node_group", "aws_autoscaling_group_tag"})
ALLOWED = NEEDED | {"aws_placement_group"}
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<comment>#[^\n]*)|(?P<open>[\[{(])|(?P<close>[\]})])'
    r'|(?P<quote>["`\'])|(?P<other>[^"#\[\]{}()`\']+)'
)
_PAIRS = {"]": "[", "}": "{", ")": "("}
# `$${` and `%%{` are how HCL writes these literally.
_INTERPOLATION = re.compile(r"(?<!\$)\$\{|(?<!%)%\{")
_RESOURCE = re.compile(r'^resource "([^"]+)" "[^"]+" \{', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformView:
    """The node group. Cluster, role, subnets and security group are variables of the module."""

    nodes: Nodes
    name: str
    cluster: str
    region: str
    ami_type: str
    capacity_type: str
    tags: tuple[tuple[str, str], ...]  # for the autoscaler
    ultra_server: bool


def terraform_manifest(
    result: Recommendation, pick: Pick, catalog: Catalog, needs: ClusterNeeds = NO_NEEDS
) -> Manifest:
    """Return the `aws_eks_node_group` that runs the pick, with its launch template.

    Raises:
        ManifestError: no valid file can be written for this pick; says why and what to do.
    """
    part = part_of(result, pick, needs)
    cluster, name_note = legal_name(part.workload.name, DEFAULT_CLUSTER_NAME)
    view = _terraform_view(part, catalog, cluster)
    notes = once((name_note, *_terraform_notes(pick, view)))
    comments = (*purpose_comments(part, catalog), "terraform init, then terraform apply")
    template = hcl_environment().get_template("terraform/node_group.tf.j2")
    text = template.render(group=view, nodes=view.nodes, comments=comments, notes=notes)
    check_terraform(text)
    extras = efa_plugin_values((view.nodes.taint_key,)) if view.nodes.interfaces else ()
    return Manifest(kind="terraform", yaml_text=text, notes=notes, extras=extras)


def _terraform_view(part: GroupPurpose, catalog: Catalog, cluster: str) -> TerraformView:
    instance = part.pick.instance
    eks = catalog.eks.get(instance.instance_type)
    _refuse_what_eks_cannot(part.pick, catalog, eks)
    nodes = nodes_of(part, catalog)
    return TerraformView(
        nodes=nodes,
        name=dns_name(f"{instance.instance_type} {part.workload.model or ''}", "nodes"),
        cluster=cluster,
        region=part.pick.region,
        ami_type=eks.managed_ami_types[0] if eks else STANDARD_AMI[instance.arch],
        capacity_type=CAPACITY_TYPES[nodes.purchase],
        tags=tuple(_autoscaler_tags(nodes, eks)),
        ultra_server=instance.ultra_server is not None,
    )


def _autoscaler_tags(nodes: Nodes, eks: EksType | None) -> Iterator[tuple[str, str]]:
    for key, value in nodes.labels:
        yield f"{SCALE_FROM_ZERO}/label/{key}", value
    if eks is not None:
        yield f"{SCALE_FROM_ZERO}/taint/{nodes.taint_key}", "true:NoSchedule"
        yield f"{SCALE_FROM_ZERO}/resources/{eks.resource_name}", str(eks.resource_count)


def _refuse_what_eks_cannot(pick: Pick, catalog: Catalog, eks: EksType | None) -> None:
    instance = pick.instance
    name = instance.instance_type
    refuse_what_eks_cannot(instance, eks)
    if eks is not None and eks.managed_ami_types[0] == "CUSTOM":
        raise ManifestError(
            f"EKS has no image with the driver for {name}: --manifest eksctl takes your own image"
        )
    refuse_edge_zones(pick, catalog)


def _terraform_notes(pick: Pick, view: TerraformView) -> Iterator[str]:
    """Yield what a person has to fill in or know before applying."""
    nodes = view.nodes
    if view.ultra_server:
        yield (
            f"{nodes.types[0]} is a part of an UltraServer, which neither eksctl nor Karpenter can "
            "bring: this launch template takes it from your Capacity Block."
        )
    if nodes.purchase == "capacity_block":
        yield "Fill in the id of your Capacity Block and give its zone's subnet; then scale up."
    elif nodes.purchase == "reservation":
        yield f"Give the subnet in the zone of {nodes.reservation_id}."
    if nodes.taint_key:
        yield f"Install the {DEVICE_PLUGINS[nodes.taint_key]} device plugin: EKS does not."
    yield from _network_notes(pick, view)
    yield from purchase_notes(pick, nodes)


def _network_notes(pick: Pick, view: TerraformView) -> Iterator[str]:
    if view.nodes.interfaces:
        yield f"EFA plugin: {efa_plugin()}"
    elif view.ultra_server and pick.instances > 1:
        yield "Lay out its network cards by EC2's guide: which of them carry EFA is not known here."
    if view.ultra_server and view.nodes.taint_key == "nvidia.com/gpu":
        yield "The NVIDIA DRA driver lets its machines share memory (Kubernetes 1.33 or newer)."


def check_terraform(text: str) -> None:
    """Hold the text against HCL's form and the resources it may have.

    Raises:
        ManifestError: it is malformed, lacks a resource or has one too many.
    """
    faults, types = list(hcl_faults(text)), _RESOURCE.findall(text)
    if not set(types) >= NEEDED or set(types) - ALLOWED or len(types) != len(set(types)):
        faults.append(f"resources are {', '.join(types)}")
    if faults:
        raise ManifestError(f"the Terraform file is malformed: {'; '.join(faults)}")


def hcl_faults(text: str) -> Iterator[str]:
    """Yield what is wrong: brackets that do not pair, open quotes, values that would be run."""
    open_brackets: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "open":
            open_brackets.append(token)
        elif kind == "close" and (not open_brackets or open_brackets.pop() != _PAIRS[token]):
            yield f"{token} closes nothing"
        elif kind == "quote":
            yield f"an open quote at {match.start()}"
        elif kind == "string" and _INTERPOLATION.search(token):
            yield f"{token} would be evaluated"
    if open_brackets:
        yield f"{open_brackets[-1]} is never closed"
