"""The training job of a pick: torchrun on each node, checkpoints, as the template lays it out."""

from dataclasses import dataclass
from math import ceil

from bot.core.manifest import ManifestError
from bot.manifests.names import dns_name
from bot.manifests.pool import Pool, pool_of
from bot.manifests.refusals import model_to_run
from bot.manifests.workload.images import Image, training_image
from bot.manifests.workload.launch import MASTER_PORT, Launch, Runner, launch_of
from bot.manifests.workload.pod import NodeShare, PodView, pod_of
from bot.manifests.workload.server_flags import PLACEHOLDER_MODEL
from bot.manifests.workload.storage import (
    CHECKPOINT_PATH,
    ModelStore,
    VolumeUser,
    checkpoint_claim,
    model_store,
)
from catalog.catalog import Catalog
from catalog.facts.schema import Model
from engine.core.plan import TrainingJob
from engine.core.question import training_job
from engine.core.result import Pick, Recommendation
from engine.memory.training import resolved_job
from engine.placement.hosts import host_of
from engine.plans.sides import loaded_gb

DEFAULT_NAME = "train"
CHECKPOINT_MINUTES = 30
# A full checkpoint in mixed precision: 16-bit weights, fp32 master and two moments (2+4+4+4).
CHECKPOINT_BYTES_PER_PARAM = 14
CHECKPOINTS_KEPT = 3
ADAPTER_CHECKPOINTS_GI = 50
RESTARTS, SPOT_RESTARTS = 5, 50
GRACE_S = 120  # the notice of a spot interruption: time for a last checkpoint
KEPT_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingView:
    """A job: one pod a node. `settings` are flags handed to the training script."""

    name: str
    nodes: int
    processes: int  # of one node
    image: Image
    settings: tuple[tuple[str, str], ...]
    model_fill_in: str
    pod: PodView
    env: tuple[tuple[str, str], ...]
    over_efa: bool
    launch: Launch
    restarts: int  # of the whole job, before it is given up
    devices: int  # of all nodes together
    gated: bool
    spot: bool
    pool: Pool
    store: ModelStore
    port: int = MASTER_PORT
    kept_s: int = KEPT_S

    @property
    def backoff_limit(self) -> int:
        """Failed pods before the job is given up: one failure ends a pod on every node."""
        return self.restarts * self.nodes

    @property
    def pods_total(self) -> int:
        """Pods of the whole job: one a node."""
        return self.nodes


def training_view(
    result: Recommendation, pick: Pick, catalog: Catalog, runner: Runner = "Job"
) -> TrainingView:
    """Return the training job as a Job, a JobSet or a PyTorchJob.

    Raises:
        ManifestError: there is no model, or the pick's nodes cannot be used from Kubernetes.
    """
    model = model_to_run(result)
    pool = pool_of(pick, result.workload, catalog)
    if not pool.count:
        raise ManifestError(f"{pool.instance_type} has no accelerators to train on")
    job = training_job(result.workload)
    job = resolved_job(model, host_of(pick.instance, catalog), pick.estimate.plan, job)
    several = pick.instances > 1
    name = dns_name(result.workload.name or result.workload.model, DEFAULT_NAME)
    processes = pool.count * pool.cores_per_chip
    place = VolumeUser(name=name, nodes=pick.instances, region=pick.region)
    store = model_store(result.workload.model_source, place, loaded_gb(result, pick))
    base = store.path or model.hf_repo
    checkpoints = checkpoint_claim(
        result.workload.checkpoint_store,
        place,
        checkpoints_gi(model, job),
        large=job.method == "full",
    )
    return TrainingView(
        name=name,
        nodes=pick.instances,
        processes=processes,
        image=training_image(pool),
        settings=(("--model", base or PLACEHOLDER_MODEL), *_settings(result, pick, job)),
        model_fill_in="" if base else "the Hugging Face repository of your base model",
        pod=pod_of(
            pool,
            share=NodeShare(pods_per_node=1, resource=pool.resource, devices=pool.count),
            store=store,
            grace_s=GRACE_S,
            claims=(checkpoints,),
            over_efa=several,
        ),
        env=(("HF_HOME", store.hf_home), *_environment(pool, several=several)),
        over_efa=several and pool.efa > 0,
        launch=launch_of(runner, name, nodes=pick.instances, processes=processes),
        restarts=SPOT_RESTARTS if pool.spot else RESTARTS,
        devices=pick.instances * pool.count,
        gated=model.gated and not store.path,
        spot=pool.spot,
        pool=pool,
        store=store,
    )


def checkpoints_gi(model: Model, job: TrainingJob) -> int:
    """Return GiB for the checkpoints that are kept: whole states, or adapters."""
    if job.method != "full":
        return ADAPTER_CHECKPOINTS_GI
    one = model.total_params_b * 1e9 * CHECKPOINT_BYTES_PER_PARAM / 2**30
    return ceil(CHECKPOINTS_KEPT * one)


def _settings(result: Recommendation, pick: Pick, job: TrainingJob) -> list[tuple[str, str]]:
    plan = pick.estimate.plan
    pairs: list[tuple[str, object]] = [
        ("--method", result.workload.method or job.method),
        ("--precision", job.precision),
        ("--seq-len", job.seq_len),
        ("--micro-batch", job.micro_batch),
        ("--global-batch-tokens", _whole(job.global_batch_tokens)),
        ("--tokens-total", _whole(job.tokens_total)),
        ("--sharding", job.sharding),
        ("--activation-checkpointing", job.checkpointing),
        ("--tensor-parallel", plan.tensor_parallel),
        ("--pipeline-parallel", plan.pipeline_parallel),
        ("--checkpoint-dir", CHECKPOINT_PATH),
        ("--checkpoint-minutes", CHECKPOINT_MINUTES),
        ("--resume-from", "latest"),
    ]
    return [(flag, str(value)) for flag, value in pairs if value is not None]


def _whole(tokens: float | None) -> int | None:
    return None if tokens is None else int(tokens)


def _environment(pool: Pool, *, several: bool) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if pool.accelerator_class == "neuron":
        found.append(("NEURON_COMPILE_CACHE_URL", f"{CHECKPOINT_PATH}/neuron-cache"))
    if several:
        # The Pod Identity interface is in every pod and leads nowhere.
        found.append(("NCCL_SOCKET_IFNAME", "^lo,docker,veth,pod-id-link0"))
    if several and pool.efa:
        found.append(("FI_PROVIDER", "efa"))
        if pool.accelerator_class == "neuron":
            found += [("FI_EFA_USE_DEVICE_RDMA", "1"), ("FI_EFA_FORK_SAFE", "1")]
    return found
