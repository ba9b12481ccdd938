"""The Job that compiles a model for Neuron before any pod serves it: one compiles, all read.

It compiles with the numbers that the server is given, into a folder named after them: another
length, batch or degree is another artefact.
"""

from dataclasses import replace
from math import ceil

from bot.core.manifest import Manifest, ManifestError
from bot.manifests.pool import pool_of
from bot.manifests.served_model import served_model
from bot.manifests.workload.images import serving_image
from bot.manifests.workload.kubernetes import written
from bot.manifests.workload.pod import NodeShare, pod_of
from bot.manifests.workload.server import COMPILE_CACHE_PATH, artefact_path
from bot.manifests.workload.server_flags import ServingReplica, serving_of
from bot.manifests.workload.serving import artefact_claims
from bot.manifests.workload.storage import VolumeUser, model_store
from bot.manifests.workload.workload_rule import Bundle
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation
from engine.plans.phases import CompileJob

COMPILE_GRACE_S = 30
COMPILE_TRIES = 2


def compile_manifest(
    result: Recommendation,
    pick: Pick,
    catalog: Catalog,
    compiling: CompileJob,
    *,
    name: str,
    comments: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> Manifest:
    """Return the volume of artefacts of the workload `name`, and the Job that fills it.

    Raises:
        ManifestError: there is no model, or the nodes cannot be used from Kubernetes.
    """
    model = result.model
    if model is None:
        raise ManifestError("there is no model to compile: name one")
    machine = replace(pick, instance=catalog.instances[compiling.instance_type])
    pool = pool_of(machine, result.workload, catalog)
    place = VolumeUser(name=name, nodes=pick.instances, region=pick.region)
    served = served_model(pick, result.workload, model, catalog)
    store = model_store(result.workload.model_source, place, served.pulled_gb)
    serving = serving_of(pick, result.workload, served, store)
    chip = catalog.accelerators.get(machine.instance.accelerator_id or "")
    image = serving_image("neuronx", pool, chip)
    chips = min(pool.count, ceil(serving.plan.tensor_parallel / pool.cores_per_chip))
    pod = pod_of(
        pool,
        share=NodeShare(pods_per_node=1, resource=pool.resource, devices=chips),
        store=store,
        grace_s=COMPILE_GRACE_S,
        claims=artefact_claims(name, pick.region),
    )
    return written(
        "migration",
        "migration/compile.yaml.j2",
        Bundle(pool=pool),
        comments=comments,
        notes=notes,
        name=f"{name}-compile",
        cache_root=COMPILE_CACHE_PATH,
        artefact_path=artefact_path(serving),
        hf_home=store.hf_home,
        image=image.name if image else "",
        tries=COMPILE_TRIES,
        compiling=compiling,
        pod=replace(pod, selector=_compiling_nodes(compiling, pool.arch)),
        arguments=_neuron_arguments(serving),
        fill_in=serving.fill_in,
        gated=model.gated and not store.path,
    )


def _compiling_nodes(compiling: CompileJob, arch: str) -> tuple[tuple[str, str], ...]:
    return (
        ("node.kubernetes.io/instance-type", compiling.instance_type),
        ("kubernetes.io/arch", arch),
    )


def _neuron_arguments(serving: ServingReplica) -> tuple[str, ...]:
    """Return model, cores, sequences at once and length: those that the workload serves with."""
    numbers = (serving.plan.tensor_parallel, serving.sequences or 1, serving.context)
    return (serving.repo, *map(str, numbers))
