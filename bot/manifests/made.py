"""The one door to every manifest: a kind by name, made from an answer's pick."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from bot.core.manifest import Manifest, ManifestKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.catalog import Catalog
    from engine.core.result import Pick, Recommendation

# Module and function of each kind; imported when asked for.
MAKERS: Final[dict[ManifestKind, tuple[str, str]]] = {
    "karpenter": ("bot.manifests.karpenter.karpenter", "karpenter_manifest"),
    "terraform": ("bot.manifests.terraform", "terraform_manifest"),
    "kubernetes": ("bot.manifests.workload.kubernetes", "kubernetes_manifest"),
    "jobset": ("bot.manifests.workload.kubernetes", "jobset_manifest"),
    "pytorchjob": ("bot.manifests.workload.kubernetes", "pytorchjob_manifest"),
    "autoscaling": ("bot.manifests.beside.autoscaling", "keda_manifest"),
    "hpa": ("bot.manifests.beside.autoscaling", "hpa_manifest"),
    "monitoring": ("bot.manifests.beside.monitors", "monitoring_manifest"),
    "everything": ("bot.manifests.everything", "everything_manifest"),
    "sharing": ("bot.manifests.beside.sharing", "sharing_manifest"),
    "quota": ("bot.manifests.beside.quota", "quota_manifest"),
}


def made_manifest(kind: ManifestKind, result: "Recommendation", catalog: "Catalog") -> Manifest:
    """Return the manifest of a kind for the type that was asked about, else for the first pick.

    Raises:
        ManifestError: no valid manifest can be written; the message says why and what to do.
    """
    pick = result.asked or result.picks[0]
    if kind in MAKERS:
        module, function = MAKERS[kind]
        make: Callable[[Recommendation, Pick, Catalog], Manifest] = getattr(
            import_module(module), function
        )
        return make(result, pick, catalog)
    from bot.manifests.eksctl.eksctl import eksctl_manifest
    from bot.manifests.everything import with_next_steps

    nodes = eksctl_manifest(pick, result.workload, catalog, assumptions=result.assumptions)
    return with_next_steps(nodes, result, pick, catalog)
