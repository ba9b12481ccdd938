"""The Karpenter pool of a pick: rendered, parsed back and checked before it leaves."""

from collections.abc import Iterable, Iterator, Sequence

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import manifest_environment
from bot.manifests.comments import purchase_notes, purpose_comments
from bot.manifests.eksctl.cluster import spans_machines
from bot.manifests.eksctl.eksctl import (
    DEFAULT_CLUSTER_NAME,
    KUBERNETES_VERSION,
    GroupPurpose,
    efa_plugin_values,
)
from bot.manifests.karpenter.node_pool import KarpenterView, karpenter_view, role_of
from bot.manifests.karpenter.rule import PoolFacts
from bot.manifests.karpenter.rules import broken_karpenter_rules
from bot.manifests.names import legal_name
from bot.manifests.parsed import parsed
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation

# Karpenter releases: Kubernetes 1.34 and capacity blocks since 1.6, networkInterfaces and
# placement groups since 1.11.
KARPENTER, EFA_KARPENTER = "1.6", "1.11"
DEVICE_PLUGINS = {
    "nvidia.com/gpu": "NVIDIA device plugin: helm upgrade --install nvidia-device-plugin "
    "nvdp/nvidia-device-plugin --version 0.20.0 -n kube-system",
    "aws.amazon.com/neuron": "Neuron device plugin: helm upgrade --install neuron "
    "oci://public.ecr.aws/neuron/neuron-helm-chart -n kube-system",
}


def karpenter_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the NodePool and EC2NodeClass that bring the pick's machines.

    Raises:
        ManifestError: no valid file can be written for this pick; says why and what to do.
    """
    part = GroupPurpose(pick=pick, workload=result.workload, assumptions=result.assumptions)
    return karpenter_pools((part,), catalog)


def karpenter_pools(parts: Sequence[GroupPurpose], catalog: Catalog) -> Manifest:
    """Return a NodePool and an EC2NodeClass for each part, as mixed hardware needs.

    Raises:
        ManifestError: a part cannot be run; says why and what to do.
    """
    cluster, name_note = legal_name(parts[0].workload.name, DEFAULT_CLUSTER_NAME)
    views = [karpenter_view(part.pick, part.workload, catalog, cluster) for part in parts]
    pairs = list(zip(parts, views, strict=True))
    notes = _once([name_note, *(n for part, view in pairs for n in _notes(part.pick, view))])
    text = (
        manifest_environment()
        .get_template("karpenter/pool.yaml.j2")
        .render(views=views, comments=_once(_comments(parts, views, catalog)), notes=notes)
    )
    check_karpenter(text, catalog)
    taints = _once(v.pool.taint_key or "" for v in views if v.node_class.interfaces)
    extras = efa_plugin_values(taints) if taints else ()
    return Manifest(kind="karpenter", yaml_text=text, notes=notes, extras=extras)


def _comments(
    parts: Sequence[GroupPurpose], views: Sequence[KarpenterView], catalog: Catalog
) -> Iterator[str]:
    for part in parts:
        yield from purpose_comments(part.pick, part.workload, catalog, part.assumptions)
    yield from _how_to_apply(views)


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for line in lines if line))


def check_karpenter(text: str, catalog: Catalog) -> None:
    """Parse the text back and hold it against the rules; never let a broken file out.

    Raises:
        ManifestError: it does not parse, or breaks a rule.
    """
    facts = PoolFacts(eks=catalog.eks, instances=catalog.instances)
    broken = broken_karpenter_rules(parsed(text, "the Karpenter file"), facts)
    if broken:
        raise ManifestError(f"the Karpenter file breaks {'; '.join(map(str, broken))}")


def _how_to_apply(views: Sequence[KarpenterView]) -> Iterator[str]:
    needed = EFA_KARPENTER if any(view.node_class.interfaces for view in views) else KARPENTER
    yield f"Needs Karpenter {needed} or newer (Kubernetes {KUBERNETES_VERSION})"
    yield "kubectl apply -f FILE"


def _notes(pick: Pick, view: KarpenterView) -> Iterator[str]:
    """Yield what a person has to make, fill in or know before applying."""
    cluster = view.node_class.cluster
    yield (
        f"Tag the subnets and security groups of the nodes karpenter.sh/discovery={cluster}; the "
        f"node role is {role_of(cluster)}."
    )
    if view.pool.taint_key:
        yield f"{DEVICE_PLUGINS[view.pool.taint_key]}. Without it pods stay pending."
    yield from _place_notes(view)
    yield from _efa_notes(pick, view)
    yield from purchase_notes(pick, view.purchase, view.pool.types)
    if view.pool.capacity_types[0] != "on-demand" and view.pool.capacity_types[1:]:
        yield (
            f"Falls back to on-demand where {view.pool.capacity_types[0]} capacity is out: remove "
            "it from capacity-type never to pay that price."
        )


def _place_notes(view: KarpenterView) -> Iterator[str]:
    if view.purchase == "capacity_block":
        yield (
            "Fill in the id and the zone of your Capacity Block. Its machines are drained 40 "
            "minutes before it ends: save checkpoints before that."
        )
    elif view.purchase == "reservation":
        yield f"Fill in the zone of {view.node_class.reservation_id}."
    elif view.pool.zone:
        yield f"Everything runs in {view.pool.zone}: change it to a zone that offers the type."


def _efa_notes(pick: Pick, view: KarpenterView) -> Iterator[str]:
    if not view.node_class.interfaces:
        if spans_machines(pick):
            yield f"{pick.instance.instance_type} has no EFA: machines talk over plain networking."
        return
    group = view.node_class.placement_group
    if group:
        yield f"First: aws ec2 create-placement-group --strategy cluster --group-name {group}"
    yield "The security group must let its members talk to each other, in and out (EFA)."
    yield (
        "EFA plugin: helm upgrade --install aws-efa-k8s-device-plugin "
        "eks/aws-efa-k8s-device-plugin -n kube-system -f efa-plugin-values.yaml"
    )
