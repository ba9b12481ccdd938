"""A NodePool (which machines) and its EC2NodeClass (how), checked before they leave."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import manifest_environment
from bot.manifests.karpenter.rules import broken_karpenter_rules
from bot.manifests.legal_names import dns_name, legal_name
from bot.manifests.node_file import (
    DEFAULT_CLUSTER_NAME,
    KUBERNETES_VERSION,
    NO_NEEDS,
    ClusterNeeds,
    GroupPurpose,
    Nodes,
    efa_plugin,
    efa_plugin_values,
    neuron_plugin,
    nodes_of,
    nvidia_plugin,
    once,
    part_of,
    purchase_notes,
    purpose_comments,
)
from bot.manifests.nodes import (
    ARCH,
    Purchase,
    refuse_edge_zones,
    refuse_what_eks_cannot,
    spans_machines,
    trains,
)
from bot.manifests.rule import RuleFacts, parsed, refuse_broken
from bot.manifests.tools import release_of, tool_name
from catalog.catalog import Catalog
from catalog.facts.schema import EksType
from engine.core.result import Pick, Recommendation

# Karpenter releases: Kubernetes 1.34 and capacity blocks since 1.6, networkInterfaces and
# placement groups since 1.11.
KARPENTER, EFA_KARPENTER = release_of("karpenter-1.6"), release_of("karpenter-1.11")
DEVICE_PLUGINS = {
    "nvidia.com/gpu": f"NVIDIA device plugin: {nvidia_plugin()}",
    "aws.amazon.com/neuron": f"Neuron device plugin: {neuron_plugin()}",
}
# The EKS image release of 2026-07: NVIDIA driver 580, Neuron driver 2.29. `latest` would replace
# nodes whenever an image is published, and has shipped broken drivers.
AMI_ALIAS = f"{tool_name('ami-al2023')}@{release_of('ami-al2023')}"
ROLE_PREFIX, ROLE_CHARS = "KarpenterNodeRole-", 64
# An idle machine costs; one that is dropped too soon has to load its model again.
SERVING_IDLE, STEADY_IDLE = "10m", "30m"
# A node is replaced after a month; a training job, or a replica over several, may not be.
SERVING_AGE, STEADY_AGE = "720h", "Never"


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterView:
    """Both documents: which machines may start, how they do, and when they may be stopped."""

    nodes: Nodes
    name: str  # of the pool, its class and its placement group
    cluster: str  # tags of its subnets and security groups name it
    role: str
    arch: str
    capacity_types: tuple[str, ...]
    steady: bool  # one node stopped or replaced ends the work of all
    idle: str
    age: str
    limit: tuple[str, int]  # the most of a resource that the pool may grow to
    ami_alias: str = AMI_ALIAS


def karpenter_manifest(
    result: Recommendation, pick: Pick, catalog: Catalog, needs: ClusterNeeds = NO_NEEDS
) -> Manifest:
    """Return the NodePool and EC2NodeClass that bring the pick's machines.

    Raises:
        ManifestError: no valid file can be written for this pick; says why and what to do.
    """
    return karpenter_pools((part_of(result, pick, needs),), catalog)


def karpenter_pools(parts: Sequence[GroupPurpose], catalog: Catalog) -> Manifest:
    """Return a NodePool and an EC2NodeClass for each part, as mixed hardware needs.

    Raises:
        ManifestError: a part cannot be run; says why and what to do.
    """
    cluster, name_note = legal_name(parts[0].workload.name, DEFAULT_CLUSTER_NAME)
    views = [_pool_view(part, catalog, cluster) for part in parts]
    purpose = [line for part in parts for line in purpose_comments(part, catalog)]
    fill_ins = [n for p, view in zip(parts, views, strict=True) for n in _pool_notes(p.pick, view)]
    notes = once((name_note, *fill_ins))
    template = manifest_environment().get_template("karpenter/pool.yaml.j2")
    text = template.render(
        views=views, comments=once((*purpose, *_how_to_apply(views))), notes=notes
    )
    check_karpenter(text, catalog)
    taints = once(view.nodes.taint_key for view in views if view.nodes.interfaces)
    extras = efa_plugin_values(taints) if taints else ()
    return Manifest(kind="karpenter", yaml_text=text, notes=notes, extras=extras)


def check_karpenter(text: str, catalog: Catalog) -> None:
    """Parse the text back and hold it against the rules; never let a broken file out.

    Raises:
        ManifestError: it does not parse, or breaks a rule.
    """
    what, facts = "the Karpenter file", RuleFacts(eks=catalog.eks, instances=catalog.instances)
    refuse_broken(what, broken_karpenter_rules(parsed(text, what), facts))


def _pool_view(part: GroupPurpose, catalog: Catalog, cluster: str) -> KarpenterView:
    pick = part.pick
    eks = catalog.eks.get(pick.instance.instance_type)
    _refuse_what_karpenter_cannot(pick, catalog, eks)
    nodes, training = nodes_of(part, catalog), trains(part.workload)
    steady = training or spans_machines(pick)
    return KarpenterView(
        nodes=nodes,
        name=dns_name(f"{pick.instance.instance_type} {part.workload.model or ''}", "nodes"),
        cluster=cluster,
        role=_role_of(cluster),
        arch=ARCH[pick.instance.arch],
        capacity_types=_capacity_types(pick, nodes.purchase, training=training),
        steady=steady,
        idle=STEADY_IDLE if steady else SERVING_IDLE,
        age=STEADY_AGE if steady else SERVING_AGE,
        limit=_pool_limit(pick, eks, machines=_most_machines(part, steady=steady)),
    )


def _role_of(cluster: str) -> str:
    """Return the node role that Karpenter's guide makes for a cluster, within IAM's length."""
    return f"{ROLE_PREFIX}{cluster}"[:ROLE_CHARS]


def _capacity_types(pick: Pick, purchase: Purchase, *, training: bool) -> tuple[str, ...]:
    """Return what Karpenter may buy, which tries reserved, then spot, then on demand.

    A server falls back to on demand rather than stop; a job on spot waits for spot.
    """
    on_demand = ("on-demand",) if pick.instance.on_demand_sold else ()
    if purchase in {"capacity_block", "reservation"}:
        return ("reserved",)  # what was reserved, and nothing bought beside it unasked
    if purchase == "spot":
        return ("spot",) if training else ("spot", *on_demand)
    return ("on-demand",)


def _most_machines(part: GroupPurpose, *, steady: bool) -> int:
    """Return the machines that scaling may ask for, and a spare that lets the pool replace one."""
    return max(part.pick.instances, part.needs.most_nodes) + (0 if steady else 1)


def _pool_limit(pick: Pick, eks: EksType | None, *, machines: int) -> tuple[str, int]:
    """Return the most the pool may grow to, which caps what it costs."""
    if eks is None or not eks.resource_name or not eks.resource_count:
        return "cpu", pick.instance.vcpus * machines
    return eks.resource_name, eks.resource_count * machines


def _refuse_what_karpenter_cannot(pick: Pick, catalog: Catalog, eks: EksType | None) -> None:
    instance = pick.instance
    name = instance.instance_type
    if eks is not None and eks.karpenter_refusal is not None:
        raise ManifestError(f"Karpenter cannot run {name}: {eks.karpenter_refusal}")
    refuse_what_eks_cannot(instance, eks)
    if eks is not None and not eks.karpenter_known:
        raise ManifestError(f"Karpenter 1.14 does not know {name}: use a node group")
    refuse_edge_zones(pick, catalog)


def _how_to_apply(views: Sequence[KarpenterView]) -> Iterator[str]:
    needed = EFA_KARPENTER if any(view.nodes.interfaces for view in views) else KARPENTER
    yield f"Needs Karpenter {needed} or newer (Kubernetes {KUBERNETES_VERSION})"
    yield "kubectl apply -f FILE"


def _pool_notes(pick: Pick, view: KarpenterView) -> Iterator[str]:
    """Yield what a person has to make, fill in or know before applying."""
    yield (
        "Tag the subnets and security groups of the nodes karpenter.sh/discovery="
        f"{view.cluster}; the node role is {view.role}."
    )
    if view.nodes.taint_key:
        yield f"{DEVICE_PLUGINS[view.nodes.taint_key]}. Without it pods stay pending."
    yield from _pool_place_notes(view.nodes)
    yield from _efa_notes(pick, view)
    yield from purchase_notes(pick, view.nodes)
    first, *others = view.capacity_types
    if first != "on-demand" and others:
        yield (
            f"Falls back to on-demand where {first} capacity is out: remove it from capacity-type "
            "never to pay that price."
        )


def _pool_place_notes(nodes: Nodes) -> Iterator[str]:
    if nodes.purchase == "capacity_block":
        yield (
            "Fill in the id and the zone of your Capacity Block. Its machines are drained 40 "
            "minutes before it ends: save checkpoints before that."
        )
    elif nodes.purchase == "reservation":
        yield f"Fill in the zone of {nodes.reservation_id}."
    elif nodes.zone:
        yield f"Everything runs in {nodes.zone}: change it to a zone that offers the type."


def _efa_notes(pick: Pick, view: KarpenterView) -> Iterator[str]:
    if not view.nodes.interfaces:
        if spans_machines(pick):
            yield f"{pick.instance.instance_type} has no EFA: machines talk over plain networking."
        return
    if view.nodes.grouped:
        yield f"First: aws ec2 create-placement-group --strategy cluster --group-name {view.name}"
    yield "The security group must let its members talk to each other, in and out (EFA)."
    yield f"EFA plugin: {efa_plugin()}"
