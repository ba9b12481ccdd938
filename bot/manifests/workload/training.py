"""The training job of a pick: torchrun on each node, checkpoints, as the template lays it out.

torchrun is handed everything by flags. How pods find pod 0 differs by the kind of object that runs
them: who numbers the pods and names pod 0. A Job and a JobSet do by completion index and a headless
Service, Kubeflow's operator by variables.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from bot.core.manifest import ManifestError
from bot.manifests.legal_names import dns_name
from bot.manifests.pool import Pool, pool_of
from bot.manifests.workload.images import Image, training_image
from bot.manifests.workload.pod import NodeShare, PodView, pod_of
from bot.manifests.workload.recipe import TrainingRecipe, recipe_of
from bot.manifests.workload.server_flags import PLACEHOLDER_MODEL
from bot.manifests.workload.storage import (
    CHECKPOINT_PATH,
    ModelStore,
    VolumeUser,
    checkpoint_claim,
    model_store,
)
from catalog.catalog import Catalog
from catalog.checkpoints import checkpoint_of
from catalog.facts.schema import Model
from engine.core.plan import TrainingJob
from engine.core.question import training_job
from engine.core.result import Pick, Recommendation
from engine.memory.training import resolved_job
from engine.placement.hosts import host_of
from engine.plans.sides import loaded_gb
from engine.shape.shape import shape_of

Runner = Literal["Job", "JobSet", "PyTorchJob"]
MASTER_PORT = 29500
REPLICATED_JOB = "node"
DEFAULT_NAME = "train"
CHECKPOINT_MINUTES = 30
# A full checkpoint in mixed precision: 16-bit weights, fp32 master and two moments (2+4+4+4).
CHECKPOINT_BYTES_PER_PARAM = 14
CHECKPOINTS_KEPT = 3
ADAPTER_CHECKPOINTS_GI = 50
RESTARTS, SPOT_RESTARTS = 5, 50
GRACE_S = 120  # the notice of a spot interruption: time for a last checkpoint
KEPT_S = 86_400
YOUR_BASE = "the Hugging Face repository of your base model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What of the pod depends on the runner. `ranked` pods read their rank from the index."""

    runner: Runner
    container: str
    pod_restarts: str | None  # None: the runner decides, the pod must not say it
    subdomain: str | None  # None: the runner sets it
    ranked: bool
    arguments: tuple[str, ...]
    port: int = MASTER_PORT
    replicated_job: str = REPLICATED_JOB


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingView:
    """A job: one pod a node. `settings` are flags handed to the training script."""

    name: str
    nodes: int
    processes: int  # of one node
    image: Image
    settings: tuple[tuple[str, str], ...]
    model_fill_in: str
    chat_repo: str  # the checkpoint that answers chats, where its base is trained
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
    recipe: TrainingRecipe | None = None  # None: the script is the reader's own

    @property
    def backoff_limit(self) -> int:
        """Failed pods before the job is given up: one failure ends a pod on every node."""
        return self.restarts * self.nodes

    @property
    def pods_total(self) -> int:
        """Pods of the whole job: one a node."""
        return self.nodes


def training_view(
    model: Model, result: Recommendation, pick: Pick, catalog: Catalog, runner: Runner
) -> TrainingView:
    """Return the job that trains a model, as a Job, a JobSet or a PyTorchJob.

    Raises:
        ManifestError: the pick's nodes cannot be used from Kubernetes.
    """
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
    base = checkpoint_of(result.workload.model, model)
    repo = store.path or base.trains
    checkpoints = checkpoint_claim(
        result.workload.checkpoint_store,
        place,
        checkpoints_gi(model, job),
        large=job.method == "full",
    )
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    base_repo = repo or PLACEHOLDER_MODEL
    recipe = recipe_of(model, job, pick.estimate.plan, base=base_repo, pool=pool, chip=chip)
    return TrainingView(
        name=name,
        nodes=pick.instances,
        processes=processes,
        image=training_image(pool),
        settings=(("--model", base_repo), *_settings(result, pick, job)),
        model_fill_in=""
        if repo
        else base.why_not or "the Hugging Face repository of your base model",
        chat_repo="" if repo != base.trains or base.repo == repo else base.repo,
        pod=replace(
            pod_of(
                pool,
                share=NodeShare(pods_per_node=1, resource=pool.resource, devices=pool.count),
                store=store,
                grace_s=GRACE_S,
                claims=(checkpoints,),
                over_efa=several,
            ),
            why_root="packages are installed into the image" if recipe else "its image is for root",
        ),
        env=(("HF_HOME", store.hf_home), *_training_environment(pool, several=several)),
        over_efa=several and pool.efa > 0,
        recipe=recipe,
        launch=launch_of(runner, name, nodes=pick.instances, processes=processes),
        restarts=SPOT_RESTARTS if pool.spot else RESTARTS,
        devices=pick.instances * pool.count,
        gated=model.gated and not store.path,
        spot=pool.spot,
        pool=pool,
        store=store,
    )


def launch_of(runner: Runner, name: str, *, nodes: int, processes: int) -> Launch:
    """Return how the pods of a job called `name` start: `processes` on each of `nodes` machines."""
    several = nodes > 1
    kubeflow = runner == "PyTorchJob"
    return Launch(
        runner=runner,
        container="pytorch" if kubeflow else "train",  # the operator looks for that name
        pod_restarts=None if kubeflow else "Never",
        subdomain=name if several and runner == "Job" else None,
        ranked=several and not kubeflow,
        arguments=(
            f"--nproc-per-node={processes}",
            *(_rendezvous(runner, name, nodes) if several else ("--standalone",)),
        ),
    )


def _rendezvous(runner: Runner, name: str, nodes: int) -> tuple[str, ...]:
    rank, address, port = "$(NODE_RANK)", f"{name}-0.{name}", str(MASTER_PORT)
    if runner == "JobSet":  # JOBSET-REPLICATEDJOB-JOB INDEX-POD INDEX.SUBDOMAIN
        address = f"{name}-{REPLICATED_JOB}-0-0.{name}"
    elif runner == "PyTorchJob":
        rank, address, port = "$(RANK)", "$(MASTER_ADDR)", "$(MASTER_PORT)"
    return (
        f"--nnodes={nodes}",
        f"--node-rank={rank}",
        f"--master-addr={address}",
        f"--master-port={port}",
    )


def checkpoints_gi(model: Model, job: TrainingJob) -> int:
    """Return GiB for the checkpoints that are kept: whole states, or adapters."""
    if job.method != "full":
        return ADAPTER_CHECKPOINTS_GI
    one = shape_of(model).total_params * CHECKPOINT_BYTES_PER_PARAM / 2**30
    return ceil(CHECKPOINTS_KEPT * one)


def _settings(result: Recommendation, pick: Pick, job: TrainingJob) -> list[tuple[str, str]]:
    plan = pick.estimate.plan
    pairs: list[tuple[str, object]] = [
        ("--method", result.workload.method or job.method),
        ("--precision", job.precision),
        ("--seq-len", job.seq_len),
        ("--micro-batch", job.micro_batch),
        ("--global-batch-tokens", _whole_tokens(job.global_batch_tokens)),
        ("--tokens-total", _whole_tokens(job.tokens_total)),
        ("--sharding", job.sharding),
        ("--activation-checkpointing", job.checkpointing),
        ("--tensor-parallel", plan.tensor_parallel),
        ("--pipeline-parallel", plan.pipeline_parallel),
        ("--checkpoint-dir", CHECKPOINT_PATH),
        ("--checkpoint-minutes", CHECKPOINT_MINUTES),
        ("--resume-from", "latest"),
    ]
    return [(flag, str(value)) for flag, value in pairs if value is not None]


def _whole_tokens(tokens: float | None) -> int | None:
    return None if tokens is None else int(tokens)


def _training_environment(pool: Pool, *, several: bool) -> list[tuple[str, str]]:
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
