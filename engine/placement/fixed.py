"""Estimates one fixed plan: the same memory and speed as a pick would use, without ranking."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from catalog.catalog import Catalog
from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Accelerator, Instance, Model
from engine.core.estimate import Estimate, Memory
from engine.core.plan import PLAIN, Host, Load, Plan, ServingOptions, TrainingJob
from engine.memory.serving import serving_memory
from engine.memory.training import training_memory
from engine.performance.serving import serving_performance
from engine.performance.training import training_performance
from engine.placement.hosts import host_of
from engine.placement.parallel import serving_plans, training_plans

# Devices that share one machine where no instance type was named: what EC2 builds.
DEVICES_PER_MACHINE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Degrees:
    """Parallel degrees asked for; None leaves one to the planner."""

    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    expert_parallel: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """How the serving engine is set."""

    weights_dtype: str
    kv_dtype: str = "auto"
    serving_engine: str = "vllm"
    memory_utilisation: float = 0.9
    options: ServingOptions = PLAIN


def machine_with(accelerator: Accelerator, count: int, catalog: Catalog) -> Host:
    """Return a host with `count` of these devices, as EC2 would build it.

    Host memory, cores and network are those of the smallest type that has at least that many, else
    of the largest there is. More devices than one machine holds stand for several machines.
    """
    types = [i for i in catalog.instances.values() if i.accelerator_id == accelerator.id]
    if not types:
        return Host(
            accelerator=accelerator,
            accelerators=count,
            cpu=None,
            cores=1,
            host_mem_gib=1.0,
            network_gb_s=None,
            efa=False,
        )
    host = host_of(_smallest_with(types, count), catalog)
    return replace(host, accelerators=min(count, max(host.accelerators, DEVICES_PER_MACHINE)))


def _smallest_with(types: Iterable[Instance], count: int) -> Instance:
    ordered = sorted(types, key=lambda i: (i.accelerators, i.vcpus, i.instance_type))
    return next((i for i in ordered if i.accelerators >= count), ordered[-1])


def fixed_serving(
    model: Model,
    host: Host,
    *,
    engine: Engine,
    degrees: Degrees,
    load: Load,
    coefficients: Coefficients,
    context_tokens: int,
) -> Estimate | None:
    """Return the estimate of one serving plan; None where the degrees are not valid here."""
    plans = serving_plans(
        model,
        None,
        host,
        dtype=engine.weights_dtype,
        kv_dtype=engine.kv_dtype,
        engine=engine.serving_engine,
        context_tokens=context_tokens,
        memory_utilisation=engine.memory_utilisation,
        tensor_parallel=degrees.tensor_parallel,
        pipeline_parallel=degrees.pipeline_parallel,
    )
    plan = next(iter(plans), None)
    if plan is None:
        return None
    plan = replace(with_degrees(plan, degrees), options=engine.options)
    memory = serving_memory(model, host, plan, context_tokens=context_tokens, compile_on_host=True)
    timed = None
    if memory.fits:
        timed = serving_performance(
            model,
            host,
            plan,
            load,
            sequences_max=memory.sequences_max,
            coefficients=coefficients,
        )
    return Estimate(plan=plan, memory=memory, performance=timed)


def with_degrees(plan: Plan, degrees: Degrees) -> Plan:
    """Return the plan with the replicas and expert-parallel ways that were asked for."""
    expert = degrees.expert_parallel or plan.expert_parallel
    replicas = degrees.data_parallel or plan.data_parallel
    per_replica = plan.accelerators // max(1, plan.data_parallel)
    return replace(
        plan,
        expert_parallel=expert,
        data_parallel=replicas,
        accelerators=per_replica * replicas,
    )


def fixed_training(
    model: Model,
    host: Host,
    plan: Plan | None,
    job: TrainingJob,
    coefficients: Coefficients,
) -> Estimate | None:
    """Return the estimate of one training plan (the planner's, where none is given)."""
    chosen = plan or next(iter(training_plans(model, None, host, job)), None)
    if chosen is None:
        return None
    memory: Memory = training_memory(model, host, chosen, job)
    timed = training_performance(model, host, chosen, job, coefficients=coefficients)
    return Estimate(plan=chosen, memory=memory, training=timed if memory.fits else None)
