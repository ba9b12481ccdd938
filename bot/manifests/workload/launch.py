"""How the pods of a training job are started and find pod 0, by the kind of object that runs them.

torchrun is handed everything by flags. What differs is who numbers the pods and names pod 0: a Job
and a JobSet by completion index and a headless Service, Kubeflow's operator by variables.
"""

from dataclasses import dataclass
from typing import Literal

Runner = Literal["Job", "JobSet", "PyTorchJob"]
MASTER_PORT = 29500
REPLICATED_JOB = "node"


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
