"""A training pick as a JobSet or as Kubeflow's PyTorchJob, beside the plain Job."""

from bot.core.manifest import Manifest, ManifestError, ManifestKind
from bot.manifests.workload.kubernetes import training_manifest
from bot.manifests.workload.training import training_view
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation

# Releases whose definitions the files are written for.
JOBSET = (
    "Needs JobSet: kubectl apply --server-side -f "
    "https://github.com/kubernetes-sigs/jobset/releases/download/v0.8.0/manifests.yaml"
)
TRAINING_OPERATOR = (
    "Needs Kubeflow's Training Operator: kubectl apply --server-side -k "
    '"github.com/kubeflow/training-operator.git/manifests/overlays/standalone?ref=v1.8.1"'
)


def jobset_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the JobSet of a training pick: all pods start again together when one ends.

    Raises:
        ManifestError: the pick does not train, or its nodes cannot be used.
    """
    _refuse_serving("jobset", pick)
    view = training_view(result, pick, catalog, "JobSet")
    return training_manifest(result, pick, view, "jobset", needs=(JOBSET,))


def pytorchjob_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the PyTorchJob of a training pick, for Kubeflow's Training Operator.

    Raises:
        ManifestError: the pick does not train, or its nodes cannot be used.
    """
    _refuse_serving("pytorchjob", pick)
    view = training_view(result, pick, catalog, "PyTorchJob")
    return training_manifest(result, pick, view, "pytorchjob", needs=(TRAINING_OPERATOR,))


def _refuse_serving(kind: ManifestKind, pick: Pick) -> None:
    if pick.estimate.training is None:
        name = "JobSet" if kind == "jobset" else "PyTorchJob"
        raise ManifestError(
            f"a {name} trains, and this pick serves: ask for kubernetes, or say train or finetune"
        )
