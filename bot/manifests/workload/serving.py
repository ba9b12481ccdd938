"""The serving workload of a pick: replicas, server, pod, probes, as the templates lay them out."""

from dataclasses import dataclass
from math import ceil

from bot.manifests.legal_names import dns_name
from bot.manifests.nodes import replicas_on_a_node, spans_machines
from bot.manifests.pool import Pool, pool_of
from bot.manifests.served_model import ServedModel, served_model
from bot.manifests.workload.guarded import draining, guarded, with_user
from bot.manifests.workload.pod import PodView, pod_of, share_of
from bot.manifests.workload.server import COMPILE_CACHE_PATH, ServerContainer, server_of
from bot.manifests.workload.server_flags import serving_of
from bot.manifests.workload.storage import (
    ModelStore,
    VolumeClaim,
    VolumeUser,
    artefact_claim,
    model_store,
)
from catalog.catalog import Catalog
from catalog.facts.schema import Model
from catalog.reference import start_figures
from engine.core.result import Pick, Recommendation
from engine.memory.neuron import compile_host_gib
from engine.plans.phases import COMPILE_H
from engine.plans.scaling import scale_up_of
from engine.plans.sides import side_of

DEFAULT_NAME = "model"
PROBE_PERIOD_S = 10
START_MARGIN = 2.0  # a slow registry or hub must not end in a restart loop
SHORTEST_GRACE_S, LONGEST_GRACE_S = 30, 600
# Endpoints forget a pod within the pause; the spare is for the server to shut down.
PAUSE_S, SPARE_S = 15, 15
COMPILE_CACHE_GI = 100
S_PER_H = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingView:
    """A Deployment, or for a replica over several machines a StatefulSet, and what goes with it."""

    name: str
    replicas: int
    nodes_per_replica: int
    server: ServerContainer
    pod: PodView
    start_s: int  # until the server answers, with margin
    compiles: bool  # at the first start, into a volume
    compile_gib: float  # host memory that compiling takes; 0 where nothing is compiled
    gated: bool  # the model needs a token
    pool: Pool
    weights_gb: float
    store: ModelStore
    served: ServedModel

    @property
    def pause_s(self) -> int:
        """Seconds before a pod is told to end, for its traffic to go elsewhere."""
        return PAUSE_S

    @property
    def key_secret(self) -> str:
        """The Secret with the key that clients send."""
        return f"{self.name}-api-key"

    @property
    def groups(self) -> tuple[str, ...]:
        """One name for the Deployment, or one for each replica that spans machines."""
        if self.nodes_per_replica == 1:
            return (self.name,)
        return tuple(f"{self.name}-replica-{i}" for i in range(self.replicas))

    @property
    def leader_probe(self) -> str:
        """The shell line that asks pod 0 and takes the others' word."""
        url = f"http://localhost:{self.server.port}{self.server.health_path}"
        return f'[ "$NODE_RANK" != 0 ] || curl -fsS {url}'

    @property
    def start_failures(self) -> int:
        """Failed probes, one every ten seconds, before the start is given up."""
        return ceil(self.start_s / PROBE_PERIOD_S)

    @property
    def pods_total(self) -> int:
        """Pods of the whole workload."""
        return self.replicas * self.nodes_per_replica


def serving_view(model: Model, result: Recommendation, pick: Pick, catalog: Catalog) -> ServingView:
    """Return the workload that serves a model.

    Raises:
        ManifestError: the pick's nodes cannot be used from Kubernetes, or cannot hold the pods.
    """
    pool = pool_of(pick, result.workload, catalog)
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    name = dns_name(result.workload.name or result.workload.model, DEFAULT_NAME)
    served = served_model(pick, result.workload, model, catalog)
    store = model_store(
        result.workload.model_source,
        VolumeUser(name=name, nodes=pick.instances, region=pick.region),
        served.pulled_gb,
    )
    server = server_of(serving_of(pick, result.workload, served, store), pool, chip)
    seconds = drain_s(pick, result.workload.output_tokens)
    spans = spans_machines(pick)
    plan = pick.estimate.plan
    nodes = pick.instances // plan.data_parallel if spans else 1
    ways = (
        pool.count * pool.cores_per_chip if spans else plan.tensor_parallel * plan.pipeline_parallel
    )
    share = share_of(pool, 1 if spans else replicas_on_a_node(pick), ways)
    compiles = pool.accelerator_class == "neuron" and server.metrics
    replicas = plan.data_parallel if spans else share.pods_per_node * pick.instances
    pod = pod_of(
        pool,
        share=share,
        store=store,
        grace_s=termination_s(seconds),
        claims=artefact_claims(name, pick.region) if compiles else (),
        over_efa=spans,
    )
    pod = with_user(pod, server, pool, spans=spans)
    return ServingView(
        name=name,
        replicas=replicas,
        nodes_per_replica=nodes,
        server=guarded(draining(server, seconds), pod),
        pod=pod,
        start_s=start_s(pick, served.pulled_gb, compiles=compiles),
        compiles=compiles,
        compile_gib=compile_host_gib(model) if compiles else 0.0,
        gated=model.gated and not store.path,
        pool=pool,
        weights_gb=served.pulled_gb,
        store=store,
        served=served,
    )


def artefact_claims(name: str, region: str) -> tuple[VolumeClaim, ...]:
    """Return the volume of compiled artefacts of a workload on Neuron."""
    return (artefact_claim(name, COMPILE_CACHE_PATH, COMPILE_CACHE_GI, region),)


def start_s(pick: Pick, pulled_gb: float, *, compiles: bool) -> int:
    """Return seconds from the container's start to its first answer, doubled for a slow day.

    Weights are fetched and loaded; on Neuron the first start also compiles.
    """
    up = scale_up_of(pick, side_of(pick), pulled_gb, start_figures())
    nodes = max(1, pick.instances // pick.estimate.plan.data_parallel)
    # Every node of a replica fetches the whole checkpoint, whatever it loads of it.
    seconds = up.weights_s * nodes + up.engine_s + (COMPILE_H * S_PER_H if compiles else 0.0)
    return ceil(START_MARGIN * seconds / 60) * 60


def termination_s(drained_s: int) -> int:
    """Return how long a pod may take to end: it leaves the endpoints, answers, then stops."""
    return PAUSE_S + drained_s + SPARE_S


def drain_s(pick: Pick, output_tokens: int | None) -> int:
    """Return how long a pod may finish its answers: the longest the estimate expects."""
    timed = pick.estimate.at_max or pick.estimate.performance
    longest_ms = 0.0
    if timed is not None and timed.e2e_ms is not None:
        longest_ms = timed.e2e_ms.high
    elif timed is not None and timed.tpot_ms is not None:
        longest_ms = timed.tpot_ms.high * (output_tokens or 0)
    return min(LONGEST_GRACE_S, max(SHORTEST_GRACE_S, ceil(longest_ms / 1000 / 10) * 10))
