"""What nobody's node pool can run on EKS, whichever tool is asked to bring it."""

from bot.core.manifest import ManifestError
from bot.manifests.eksctl.node_rules import TAINT_KEYS
from catalog.catalog import Catalog
from catalog.facts.schema import EksType, Instance, Model
from engine.core.result import Pick, Recommendation


def refuse_what_eks_cannot(instance: Instance, eks: EksType | None) -> None:
    """Let a type pass that EKS can run.

    Raises:
        ManifestError: it is at its end of life, or no image drives its accelerators.
    """
    name = instance.instance_type
    if instance.eol:
        raise ManifestError(f"{name} is at its end of life ({instance.lifecycle}): pick another")
    if instance.accelerators and (eks is None or eks.accelerator_class not in TAINT_KEYS):
        raise ManifestError(f"EKS has no image that drives the accelerators of {name}")


def refuse_edge_zones(pick: Pick, catalog: Catalog) -> None:
    """Let a pick pass that lies in a full region.

    Raises:
        ManifestError: it lies in a Local or Wavelength Zone, which lacks node groups or disks.
    """
    place = catalog.regions.get(pick.region)
    if place is not None and place.location_type != "region":
        raise ManifestError(f"{pick.region} is no full region: deploy to its parent region")


def model_to_run(result: Recommendation) -> Model:
    """Return the model that a workload serves or trains.

    Raises:
        ManifestError: there is none, as on a development machine.
    """
    if result.model is None or result.workload.task == "development":
        raise ManifestError(
            "a development machine has no workload to deploy: name a model to serve or to train"
        )
    return result.model
