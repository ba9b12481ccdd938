"""The one door to every manifest: a kind by name, made from an answer's pick.

Each kind imports its maker when it is asked for.
"""

from typing import TYPE_CHECKING, Final

from bot.core.manifest import Manifest, ManifestKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.catalog import Catalog
    from engine.core.result import Pick, Recommendation

    Maker = Callable[[Recommendation, Pick, Catalog], Manifest]


def made_manifest(kind: ManifestKind, result: "Recommendation", catalog: "Catalog") -> Manifest:
    """Return the manifest of a kind for the type that was asked about, else for the first pick.

    Raises:
        ManifestError: no valid manifest can be written; the message says why and what to do.
    """
    return MAKERS[kind](result, result.asked or result.picks[0], catalog)


def _make_eksctl(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """Cluster file with its node group, or one for each family, and the commands that follow."""
    from bot.manifests.eksctl.eksctl import eksctl_manifest
    from bot.manifests.everything import with_next_steps
    from bot.manifests.needs import needs_of

    needs = needs_of(result, pick, catalog)
    assumed = result.assumptions
    nodes = eksctl_manifest(pick, result.workload, catalog, assumptions=assumed, needs=needs)
    return with_next_steps(nodes, result, pick, catalog)


def _make_karpenter(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """NodePool and EC2NodeClass instead of node groups."""
    from bot.manifests.karpenter.karpenter import karpenter_manifest
    from bot.manifests.needs import needs_of

    return karpenter_manifest(result, pick, catalog, needs_of(result, pick, catalog))


def _make_terraform(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """`aws_eks_node_group` with its launch template; the way to UltraServers."""
    from bot.manifests.needs import needs_of
    from bot.manifests.terraform import terraform_manifest

    return terraform_manifest(result, pick, catalog, needs_of(result, pick, catalog))


def _make_kubernetes(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """Deployment, StatefulSet over several machines or training Job, with its volumes."""
    from bot.manifests.workload.kubernetes import kubernetes_manifest

    return kubernetes_manifest(result, pick, catalog)


def _make_jobset(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """The training job as a JobSet: all pods start again together."""
    from bot.manifests.workload.kubernetes import jobset_manifest

    return jobset_manifest(result, pick, catalog)


def _make_pytorchjob(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """The training job for Kubeflow's Training Operator."""
    from bot.manifests.workload.kubernetes import pytorchjob_manifest

    return pytorchjob_manifest(result, pick, catalog)


def _make_autoscaling(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """KEDA ScaledObject on requests in flight."""
    from bot.manifests.beside.autoscaling import keda_manifest

    return keda_manifest(result, pick, catalog)


def _make_hpa(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """HorizontalPodAutoscaler with the Prometheus adapter's rule."""
    from bot.manifests.beside.autoscaling import hpa_manifest

    return hpa_manifest(result, pick, catalog)


def _make_monitoring(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """PodMonitors, alert rules, a Grafana dashboard, exporters."""
    from bot.manifests.beside.monitors import monitoring_manifest

    return monitoring_manifest(result, pick, catalog)


def _make_everything(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """All files in the order of use with their commands."""
    from bot.manifests.everything import everything_manifest

    return everything_manifest(result, pick, catalog)


def _make_sharing(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """MIG or time-slicing and the workload of slices."""
    from bot.manifests.beside.sharing import sharing_manifest

    return sharing_manifest(result, pick, catalog)


def _make_quota(result: "Recommendation", pick: "Pick", catalog: "Catalog") -> Manifest:
    """ResourceQuota and LimitRange."""
    from bot.manifests.beside.quota import quota_manifest

    return quota_manifest(result, pick, catalog)


# A move to other silicon ("migration") has two sides and is written by its own answer.
MAKERS: Final[dict[ManifestKind, "Maker"]] = {
    "eksctl": _make_eksctl,
    "karpenter": _make_karpenter,
    "terraform": _make_terraform,
    "kubernetes": _make_kubernetes,
    "jobset": _make_jobset,
    "pytorchjob": _make_pytorchjob,
    "autoscaling": _make_autoscaling,
    "hpa": _make_hpa,
    "monitoring": _make_monitoring,
    "everything": _make_everything,
    "sharing": _make_sharing,
    "quota": _make_quota,
}
