"""The phases of a move to other hardware: compile job, pilot, canary stages."""

from dataclasses import dataclass
from math import ceil

from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from engine.core.dtypes import GENERATIVE_TASKS
from engine.core.result import Pick, Recommendation
from engine.memory.neuron import compile_host_gib
from engine.performance.neuron import SHORTEST_BUCKET, prompt_bucket
from engine.plans.sides import Side

# Shares of traffic on the new side, one stage after the other: the usual canary steps.
CANARY_PERCENT = (5, 25, 50, 100)
CANARY_STAGE_H = 24.0  # one daily peak in each stage
# Three days of mirrored traffic hold three daily peaks; a compile job of every bucket is given an
# hour: first compilations of an 8B take tens of minutes.
PILOT_SERVING_H = 72.0
COMPILE_H = 1.0
# A training pilot runs a hundredth of the job, and at least an hour after compiling: enough steps
# to lay two loss curves over each other.
PILOT_TRAINING_SHARE = 0.01
PILOT_TRAINING_MIN_H = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileJob:
    """Compiling ahead of the pilot. Host memory: three times the 16-bit weights."""

    instance_type: str
    host_gib_needed: float
    host_gib: float
    on_pick: bool  # the machine that serves can compile by itself
    hours: float
    usd: float | None
    prompt_buckets: tuple[int, ...]  # compiled prompt lengths; empty for training
    batch: int | None  # sequences compiled in
    sequence_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """Running the new side beside the old one, without users depending on it."""

    instance_type: str
    instances: int
    hours: float
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryStage:
    """One step of the rollout; the weights are percent and sum to 100."""

    source_weight: int
    target_weight: int
    source_instances: int  # kept whole until parity is measured
    target_instances: int
    hours: float


def compile_job(target: Recommendation, pick: Pick, catalog: Catalog) -> CompileJob | None:
    """Return the compile job: on the pick where its host has the memory, else on a larger type.

    None where no type with the same chip has the memory.
    """
    if target.model is None:
        return None
    needed = compile_host_gib(target.model)
    on_pick = pick.instance.host_mem_gib >= needed
    machine = pick.instance if on_pick else _larger_host(pick, needed, catalog)
    if machine is None:
        return None
    trains = pick.estimate.training is not None
    writes = target.model.task in GENERATIVE_TASKS
    workload = target.workload
    context = (workload.seq_len if trains else workload.context) or SHORTEST_BUCKET
    on_demand = catalog.prices.quote(machine, pick.region, "on_demand")
    price = (pick.quote if on_pick else on_demand).usd_per_hour
    full = pick.estimate.at_max
    replicas = pick.estimate.plan.data_parallel
    batch = None if full is None or full.concurrency is None else full.concurrency / replicas
    return CompileJob(
        instance_type=machine.instance_type,
        host_gib_needed=needed,
        host_gib=machine.host_mem_gib,
        on_pick=on_pick,
        hours=COMPILE_H,
        usd=None if price is None else price * COMPILE_H,
        prompt_buckets=prompt_buckets(context) if writes and not trains else (),
        batch=None if batch is None else max(1, int(batch)),
        sequence_length=context,
    )


def prompt_buckets(context_tokens: int) -> tuple[int, ...]:
    """Return the prompt lengths to compile: powers of two from 128 up to the whole context."""
    lengths = [SHORTEST_BUCKET]
    while lengths[-1] < prompt_bucket(context_tokens):
        lengths.append(lengths[-1] * 2)
    return tuple(min(length, context_tokens) for length in lengths)


def _larger_host(pick: Pick, needed_gib: float, catalog: Catalog) -> Instance | None:
    """Return the cheapest type with the pick's chip, sold in its region, with enough memory."""
    same = [
        (price, instance.instance_type, instance)
        for instance in catalog.instances.values()
        if instance.accelerator_id == pick.instance.accelerator_id
        and instance.host_mem_gib >= needed_gib
        and pick.region in instance.regions
        and (price := catalog.prices.quote(instance, pick.region, "on_demand").usd_per_hour)
        is not None
    ]
    return min(same)[2] if same else None


def pilot_of(after: Side) -> Pilot:
    """Return the pilot: one replica on days of mirrored traffic, or a hundredth of the job."""
    trains = after.tokens_per_s_per_accelerator is not None
    instances, hours = replica_instances(after), PILOT_SERVING_H
    if trains:
        whole = after.time_h.value if after.time_h is not None else 0.0
        instances = after.instances
        hours = max(PILOT_TRAINING_MIN_H, PILOT_TRAINING_SHARE * whole)
    usd = None
    if after.usd_per_hour is not None:
        usd = after.usd_per_hour / after.instances * instances * hours
    return Pilot(instance_type=after.instance_type, instances=instances, hours=hours, usd=usd)


def replica_instances(side: Side) -> int:
    """Return the machines that come together: those of one serving replica."""
    return max(1, side.instances // max(1, side.replicas))


def canary_stages(before: Side, after: Side) -> tuple[CanaryStage, ...]:
    """Return the stages of the rollout; the old pool stays whole until the last is measured.

    A replica that spans machines comes with all of them.
    """
    together = replica_instances(after)
    groups = after.instances / together
    return tuple(
        CanaryStage(
            source_weight=100 - percent,
            target_weight=percent,
            source_instances=before.instances,
            target_instances=ceil(groups * percent / 100) * together,
            hours=CANARY_STAGE_H,
        )
        for percent in CANARY_PERCENT
    )
