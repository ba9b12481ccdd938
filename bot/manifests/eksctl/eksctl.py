"""The eksctl cluster file of a pick: rendered, parsed back and checked before it leaves."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import manifest_environment
from bot.manifests.eksctl.rules import broken_rules
from bot.manifests.eksctl.system_nodes import system_type
from bot.manifests.legal_names import legal_name
from bot.manifests.node_file import (
    DEFAULT_CLUSTER_NAME,
    KUBERNETES_VERSION,
    NO_NEEDS,
    ClusterNeeds,
    GroupPurpose,
    Nodes,
    efa_plugin,
    efa_plugin_values,
    nodes_of,
    once,
    purchase_notes,
    purpose_comments,
)
from bot.manifests.nodes import (
    AL2023,
    refuse_edge_zones,
    refuse_what_eks_cannot,
    spans_machines,
    zones_of,
)
from bot.manifests.rule import RuleFacts, parsed, refuse_broken
from bot.manifests.tools import eksctl_lacks, eksctl_needed, newest_eksctl
from bot.manifests.workload.storage import DRIVERS
from catalog.catalog import Catalog
from catalog.facts.schema import EksType
from engine.core.result import Pick
from engine.core.workload import Assumption, Workload

POD_IDENTITY_AGENT = "eks-pod-identity-agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroupView:
    """One managed node group. A placeholder is a legal value that a person has to replace."""

    nodes: Nodes
    name: str
    ami_family: str
    ami_placeholder: bool
    plugin_by_hand: bool  # eksctl does not know the type, so installs no device plugin
    lacking: tuple[str, ...]  # families without accelerators that no release of eksctl knows
    efa: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonView:
    """An add-on of EKS. `buckets` are the ARNs it may reach, where no default policy knows them."""

    name: str
    default_rights: bool = False  # what EKS recommends, by Pod Identity
    buckets: tuple[str, ...] = ()
    writes: bool = False  # to one of them
    bucket_fill_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """The whole file: metadata, comments, a node group for each kind of machine."""

    name: str
    region: str
    version: str
    zones: tuple[str, ...]  # of the cluster; given when the group is bound to one
    comments: tuple[str, ...]
    notes: tuple[str, ...]
    groups: tuple[NodeGroupView, ...]
    addons: tuple[AddonView, ...]
    oidc: bool  # for the rights of an add-on that takes none from Pod Identity
    grows: bool  # an autoscaler may bring nodes, and needs the right to
    system_type: str | None  # of nodes without a taint; None: made by a command

    @property
    def efa_taints(self) -> tuple[str | None, ...]:
        """The taints of the groups that need the EFA plugin, None where one has no taint."""
        return tuple(group.nodes.taint_key for group in self.groups if group.efa)


def eksctl_manifest(
    pick: Pick,
    workload: Workload,
    catalog: Catalog,
    *,
    assumptions: Sequence[Assumption] = (),
    needs: ClusterNeeds = NO_NEEDS,
) -> Manifest:
    """Return the ClusterConfig that runs the pick.

    Raises:
        ManifestError: no valid file can be written for this pick; says why and what to do.
    """
    part = GroupPurpose(pick=pick, workload=workload, assumptions=tuple(assumptions), needs=needs)
    return eksctl_cluster((part,), catalog)


def eksctl_cluster(parts: Sequence[GroupPurpose], catalog: Catalog) -> Manifest:
    """Return one ClusterConfig with a node group for each part, as mixed hardware needs.

    Raises:
        ManifestError: a part cannot be run, or parts lie in several regions.
    """
    view = _cluster_view(parts, catalog)
    text = manifest_environment().get_template("eksctl/cluster.yaml.j2").render(cluster=view)
    _check_cluster(text, view, catalog)
    extras = efa_plugin_values(view.efa_taints) if view.efa_taints else ()
    return Manifest(kind="eksctl", yaml_text=text, notes=view.notes, extras=extras)


def _cluster_view(parts: Sequence[GroupPurpose], catalog: Catalog) -> ClusterView:
    regions = sorted({part.pick.region for part in parts})
    if len(regions) > 1:
        raise ManifestError(f"a cluster lies in one region, not in {' and '.join(regions)}")
    groups = tuple(_node_group(part, catalog) for part in parts)
    name, name_note = legal_name(parts[0].workload.name, DEFAULT_CLUSTER_NAME)
    notes = (n for p, g in zip(parts, groups, strict=True) for n in _group_notes(p.pick, g))
    place = catalog.regions[regions[0]]
    addons = tuple(_addons(parts, place.partition))
    purpose = once(line for part in parts for line in purpose_comments(part, catalog))
    return ClusterView(
        name=name,
        region=regions[0],
        version=KUBERNETES_VERSION,
        zones=zones_of(place) if any(group.nodes.zone for group in groups) else (),
        comments=(*purpose, *_how_to_create(parts, groups, catalog)),
        notes=once((name_note, *notes)),
        groups=groups,
        addons=(AddonView(name=POD_IDENTITY_AGENT), *addons),
        oidc=any(addon.buckets for addon in addons),
        grows=any(group.nodes.max_size > group.nodes.desired for group in groups)
        and any(part.needs.most_nodes for part in parts),
        system_type=parts[0].needs.system_type,
    )


def _addons(parts: Sequence[GroupPurpose], partition: str) -> Iterator[AddonView]:
    """Yield the storage drivers of the workload's volumes with the rights they need."""
    claims = [claim for part in parts for claim in part.needs.claims]
    for driver in sorted({DRIVERS[claim.backing] for claim in claims}):
        if driver != DRIVERS["s3"]:
            yield AddonView(name=driver, default_rights=True)
            continue
        mounted = [claim for claim in claims if claim.backing == "s3"]
        yield AddonView(
            name=driver,
            buckets=once(f"arn:{partition}:s3:::{claim.bucket}" for claim in mounted),
            writes=not all(claim.read_only for claim in mounted),
            bucket_fill_in=any(claim.bucket_fill_in for claim in mounted),
        )


def _node_group(part: GroupPurpose, catalog: Catalog) -> NodeGroupView:
    """Return the node group that runs a part, where eksctl can express it."""
    pick, name = part.pick, part.pick.instance.instance_type
    eks = catalog.eks.get(name)
    nodes = nodes_of(part, catalog)
    _refuse_what_eksctl_cannot(pick, catalog, eks)
    unknown = eks is not None and not eks.eksctl_known
    if unknown and nodes.purchase == "capacity_block":
        raise ManifestError(
            f"eksctl does not know {name} and takes no Capacity Block of it: use terraform"
        )
    lacking = tuple(eksctl_lacks(families_of(nodes.types, catalog)))
    return NodeGroupView(
        nodes=nodes,
        name=name.replace(".", "-"),
        ami_family=AL2023,
        ami_placeholder=bool(lacking) or (eks is not None and not eks.eksctl_picks_right_ami),
        lacking=lacking if eks is None else (),
        plugin_by_hand=unknown,
        efa=spans_machines(pick) and _efa_ready(pick, eks),
    )


def _refuse_what_eksctl_cannot(pick: Pick, catalog: Catalog, eks: EksType | None) -> None:
    instance = pick.instance
    name = instance.instance_type
    if eks is not None and eks.eksctl_refusal is not None:
        raise ManifestError(f"eksctl cannot run {name}: {eks.eksctl_refusal}")
    refuse_what_eks_cannot(instance, eks)
    refuse_edge_zones(pick, catalog)
    if spans_machines(pick) and eks is not None and not eks.eksctl_efa_layout:
        raise ManifestError(
            f"eksctl lays out the network cards of {name} wrongly, so a job over several of them "
            "would lose EFA: use Karpenter, which sets networkInterfaces, or terraform"
        )


def _efa_ready(pick: Pick, eks: EksType | None) -> bool:
    return eks is not None and pick.instance.efa and eks.eksctl_efa and eks.efa_interfaces > 0


def families_of(types: Iterable[str], catalog: Catalog) -> set[str]:
    """Return the families of some instance types."""
    return {catalog.instances[name].family for name in types}


def _how_to_create(
    parts: Sequence[GroupPurpose], groups: Sequence[NodeGroupView], catalog: Catalog
) -> Iterator[str]:
    accelerated = any(part.pick.instance.accelerators for part in parts)
    types = [name for group in groups for name in group.nodes.types]
    system = parts[0].needs.system_type
    types += [system] if system else []
    needed = eksctl_needed(families_of(types, catalog), accelerated=accelerated)
    yield f"Needs eksctl {needed} or newer. New cluster: eksctl create cluster -f FILE"
    if system is None:
        cluster, _ = legal_name(parts[0].workload.name, DEFAULT_CLUSTER_NAME)
        command = system_nodes(cluster, parts[0].pick.region, catalog)
        yield f"A new one needs nodes without a taint for all else: {command}"
    names = ",".join(group.name for group in groups)
    yield (
        "Existing cluster: put its name and version below, then eksctl create nodegroup -f FILE "
        f"--include={names}, and eksctl create addon -f FILE"
    )


def system_nodes(cluster: str, region: str, catalog: Catalog) -> str:
    """Return the command for the nodes of what tolerates no taint: DNS, charts, controllers."""
    nodes = f"--name system --node-type {system_type(region, catalog)} --nodes 2"
    return f"eksctl create nodegroup --cluster {cluster} --region {region} {nodes}"


def _group_notes(pick: Pick, group: NodeGroupView) -> Iterator[str]:
    """Yield what a person has to fill in or know before applying."""
    yield from _group_place_notes(group.nodes)
    name = pick.instance.instance_type
    for family in group.lacking:
        yield (
            f"No release of eksctl up to {newest_eksctl()} knows {family}, so it would take the "
            "wrong image: fill in the EKS image of the type's architecture."
        )
    if group.ami_placeholder and not group.lacking:
        yield f"eksctl has no right image for {name}: fill in one with its driver."
    if group.plugin_by_hand:
        yield f"eksctl does not know {name}: install the device plugin yourself."
    if spans_machines(pick) and not group.efa:
        yield f"{name} has no EFA here: machines talk over plain networking."
    if group.efa:
        yield f"EFA plugin: delete the DaemonSet eksctl installs, then {efa_plugin()}"
    yield from purchase_notes(pick, group.nodes)


def _group_place_notes(nodes: Nodes) -> Iterator[str]:
    if nodes.purchase == "capacity_block":
        yield "Fill in the id and the zone of your Capacity Block; scale up once it has started."
    elif nodes.purchase == "reservation":
        yield f"Fill in the zone of {nodes.reservation_id}."
    elif nodes.zone:
        yield f"Everything runs in {nodes.zone}: change it to a zone that offers the type to you."


def _check_cluster(text: str, view: ClusterView, catalog: Catalog) -> None:
    """Parse the text back and hold it against the rules; never let a broken file out."""
    documents = parsed(text, "the eksctl file")
    if len(documents) != 1:
        raise ManifestError(f"the eksctl file holds {len(documents)} documents in place of one")
    facts = RuleFacts(
        eks=catalog.eks,
        instances=catalog.instances,
        root_need_gb={group.name: group.nodes.need_gb for group in view.groups},
        efa_tolerations=frozenset(once(view.efa_taints)),
    )
    refuse_broken("the eksctl file", broken_rules(documents[0], facts))
