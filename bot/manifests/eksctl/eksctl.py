"""The eksctl cluster file of a pick: rendered, parsed back and checked before it leaves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import manifest_environment
from bot.manifests.comments import purchase_notes, purpose_comments
from bot.manifests.eksctl.cluster import NodeGroupView, node_group, spans_machines, zones_of
from bot.manifests.eksctl.equivalents import node_types
from bot.manifests.eksctl.rules import broken_rules
from bot.manifests.names import legal_name
from bot.manifests.parsed import parsed
from bot.manifests.rule import GroupFacts
from catalog.catalog import Catalog
from engine.core.result import Pick
from engine.core.workload import Assumption, Workload

__all__ = ["ManifestError", "eksctl_manifest"]

KUBERNETES_VERSION = "1.34"
# eksctl releases: plugin tolerations on tainted AL2023 nodes since 0.221, AL2023 default 0.219.
ACCELERATED_EKSCTL, CPU_EKSCTL = "0.221.0", "0.219.0"
DEFAULT_CLUSTER_NAME = "ec2-pick"
EFA_PLUGIN_TAINT = "aws.amazon.com/efa"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """The whole file: metadata, comments, a node group for each kind of machine."""

    name: str
    region: str
    version: str
    zones: tuple[str, ...]  # of the cluster; given when the group is bound to one
    comments: tuple[str, ...]
    notes: tuple[str, ...]
    efa_tolerations: tuple[str, ...]
    groups: tuple[NodeGroupView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPurpose:
    """What one node group of a cluster is for; `workload` is the filled one."""

    pick: Pick
    workload: Workload
    assumptions: tuple[Assumption, ...] = ()


def eksctl_manifest(
    pick: Pick,
    workload: Workload,
    catalog: Catalog,
    *,
    assumptions: Sequence[Assumption] = (),
) -> Manifest:
    """Return the ClusterConfig that runs the pick.

    Raises:
        ManifestError: no valid file can be written for this pick; says why and what to do.
    """
    part = GroupPurpose(pick=pick, workload=workload, assumptions=tuple(assumptions))
    return eksctl_cluster((part,), catalog)


def eksctl_cluster(parts: Sequence[GroupPurpose], catalog: Catalog) -> Manifest:
    """Return one ClusterConfig with a node group for each part, as mixed hardware needs.

    Raises:
        ManifestError: a part cannot be run, or parts lie in several regions.
    """
    view = _cluster_view(parts, catalog)
    text = manifest_environment().get_template("eksctl/cluster.yaml.j2").render(cluster=view)
    _check(text, view, catalog)
    extras = _efa_values_file(view.efa_tolerations) if view.efa_tolerations else ()
    return Manifest(kind="eksctl", yaml_text=text, notes=view.notes, extras=extras)


def efa_plugin_values(taint_keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the file of chart values with which the EFA plugin runs on the tainted nodes."""
    return _efa_values_file((EFA_PLUGIN_TAINT, *taint_keys))


def _efa_values_file(tolerated: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    values = manifest_environment().get_template("eksctl/efa-plugin-values.yaml.j2")
    return (("efa-plugin-values.yaml", values.render(keys=tolerated)),)


def _tolerated(taint_key: str | None) -> tuple[str, ...]:
    return (EFA_PLUGIN_TAINT, taint_key) if taint_key else (EFA_PLUGIN_TAINT,)


def _cluster_view(parts: Sequence[GroupPurpose], catalog: Catalog) -> ClusterView:
    regions = sorted({part.pick.region for part in parts})
    if len(regions) > 1:
        raise ManifestError(f"a cluster lies in one region, not in {' and '.join(regions)}")
    groups = tuple(_group(part, catalog) for part in parts)
    name, name_note = legal_name(parts[0].workload.name, DEFAULT_CLUSTER_NAME)
    notes = [name_note, *(n for p, g in zip(parts, groups, strict=True) for n in _notes(p.pick, g))]
    efa = [key for group in groups if group.efa for key in _tolerated(group.taint_key)]
    return ClusterView(
        name=name,
        region=regions[0],
        version=KUBERNETES_VERSION,
        zones=zones_of(regions[0]) if any(group.zone for group in groups) else (),
        comments=tuple(dict.fromkeys(line for part in parts for line in _purpose(part, catalog)))
        + tuple(_how_to_apply(parts)),
        notes=tuple(dict.fromkeys(note for note in notes if note)),
        efa_tolerations=tuple(dict.fromkeys(efa)),
        groups=groups,
    )


def _group(part: GroupPurpose, catalog: Catalog) -> NodeGroupView:
    types = node_types(part.pick, part.workload, catalog)
    return node_group(part.pick, part.workload, catalog, types)


def _purpose(part: GroupPurpose, catalog: Catalog) -> Iterator[str]:
    return purpose_comments(part.pick, part.workload, catalog, part.assumptions)


def _how_to_apply(parts: Sequence[GroupPurpose]) -> Iterator[str]:
    accelerated = any(part.pick.instance.accelerators for part in parts)
    needed = ACCELERATED_EKSCTL if accelerated else CPU_EKSCTL
    yield f"Needs eksctl {needed} or newer. New cluster: eksctl create cluster -f FILE"
    if all(part.pick.instance.accelerators for part in parts):
        cluster, _ = legal_name(parts[0].workload.name, DEFAULT_CLUSTER_NAME)
        system = system_nodes(cluster, parts[0].pick.region)
        yield f"A new one needs nodes without a taint for all else: {system}"
    yield "Existing cluster: put its name and version below, then eksctl create nodegroup -f FILE"


def system_nodes(cluster: str, region: str) -> str:
    """Return the command for the nodes of what tolerates no taint: DNS, charts, controllers."""
    nodes = "--name system --node-type m7i.large --nodes 2"
    return f"eksctl create nodegroup --cluster {cluster} --region {region} {nodes}"


def _notes(pick: Pick, group: NodeGroupView) -> Iterator[str]:
    """Yield what a person has to fill in or know before applying."""
    yield from _place_notes(group)
    name = pick.instance.instance_type
    if group.ami_placeholder:
        yield f"eksctl has no right image for {name}: fill in one with its driver."
    if group.plugin_by_hand:
        yield f"eksctl does not know {name}: install the device plugin yourself."
    if spans_machines(pick) and not group.efa:
        yield f"{name} has no EFA here: machines talk over plain networking."
    if group.efa:
        yield (
            "EFA plugin: delete the DaemonSet eksctl installs, then helm upgrade --install "
            "aws-efa-k8s-device-plugin eks/aws-efa-k8s-device-plugin -n kube-system "
            "-f efa-plugin-values.yaml"
        )
    yield from purchase_notes(pick, group.purchase, group.types)


def _place_notes(group: NodeGroupView) -> Iterator[str]:
    if group.purchase == "capacity_block":
        yield "Fill in the id and the zone of your Capacity Block; scale up once it has started."
    elif group.purchase == "reservation":
        yield f"Fill in the zone of {group.reservation_id}."
    elif group.zone:
        yield f"Everything runs in {group.zone}: change it to a zone that offers the type to you."


def _check(text: str, view: ClusterView, catalog: Catalog) -> None:
    """Parse the text back and hold it against the rules; never let a broken file out."""
    documents = parsed(text, "the eksctl file")
    if len(documents) != 1:
        raise ManifestError(f"the eksctl file holds {len(documents)} documents in place of one")
    facts = GroupFacts(
        eks=catalog.eks,
        instances=catalog.instances,
        root_need_gb={group.name: group.need_gb for group in view.groups},
        efa_tolerations=frozenset(view.efa_tolerations),
    )
    broken = broken_rules(documents[0], facts)
    if broken:
        raise ManifestError(f"the eksctl file breaks {'; '.join(map(str, broken))}")
