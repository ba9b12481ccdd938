"""Serving on GPUs: text generators, encoder-decoders and encoders under one engine."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Accelerator
from engine.core.estimate import Basis, BoundBy
from engine.core.plan import PLAIN, Load, Plan
from engine.core.tasks import READING_TASKS
from engine.performance.closed_loop import Flow, QueueingConstants, closed_loop, static_batch
from engine.performance.decode import (
    attention_s,
    compute_s,
    host_overhead_s,
    kv_read_s,
    weight_read_s,
)
from engine.performance.device import Device, Serving
from engine.performance.encoder import encoder_batch_max, encoder_flow, request_tokens
from engine.performance.figures import FigureFactors
from engine.performance.links import all_reduce_s
from engine.performance.loads import DeploymentFlow, Server, flow_under
from engine.performance.machine import is_measured, machine_of
from engine.performance.options import with_options
from engine.performance.prefill import gemm_s, prefill_attention_s, prefill_read_s
from engine.performance.ranges import RangeClass, range_factors
from engine.performance.replica import Replica, engine_class, replica_of

# Text generators and text encoders are what the coefficients were fitted on.
MEASURED_TASKS = READING_TASKS | {"decoder", "vision_language"}


class GpuReplica(NamedTuple):
    """One replica of a GPU plan, and what it is asked."""

    replica: Replica
    engine: str  # fitted class
    timed: Load  # with the positions that an input takes
    stages: int  # that serve a batch each
    room: float  # sequences that the cache of one copy holds


class PlanUnderLoad(NamedTuple):
    """A GPU plan under a load: what happens, and by what."""

    outcome: DeploymentFlow
    run: GpuReplica
    copies: int  # replicas, each pipeline stage counted


def gpu_device(asked: Serving) -> Device:
    """Return how a GPU plan serves.

    Raises:
        ValueError: the host has no accelerator, or a dtype is unknown.
    """
    run = _gpu_run(asked)
    chip = asked.accelerator
    basis = _measured_basis(asked, chip)
    return Device(
        _gpu_server(asked, run),
        basis,
        _gpu_factors(asked, chip, run.engine, basis),
        lambda flow: bound_by(run.replica, flow, run.timed),
    )


def gpu_outcome(asked: Serving) -> PlanUnderLoad:
    """Return the flow of a GPU plan under a load, before ranges and percentiles.

    Raises:
        ValueError: the host has no accelerator, or a dtype is unknown.
    """
    run = _gpu_run(asked)
    server = _gpu_server(asked, run)
    return PlanUnderLoad(flow_under(asked.load, server), run, server.copies)


def _gpu_run(asked: Serving) -> GpuReplica:
    plan, load, coefficients = asked.plan, asked.load, asked.coefficients
    name = gpu_engine(plan, load, coefficients)
    plain = replica_of(
        asked.model,
        machine_of(asked.accelerator, asked.host, plan),
        weights_dtype=plan.weights_dtype,
        kv_dtype=plan.kv_dtype,
        engine_name=name,
        coefficients=coefficients,
    )
    replica = plain if plan.options is PLAIN else with_options(plain, plan.options)
    tokens = request_tokens(asked.model, load, coefficients)
    timed = load if tokens == load.input_tokens else replace(load, input_tokens=tokens)
    # Pipeline stages hold a batch each, except llama.cpp's: one stream runs through all of them.
    stages = 1 if name == "llama_cpp" else max(1, plan.pipeline_parallel)
    most = asked.sequences_max
    room = replica.engine.sequences_max if most is None else most / stages
    return GpuReplica(replica, name, timed, stages, room)


def gpu_engine(plan: Plan, load: Load, coefficients: Coefficients) -> str:
    """Return the fitted engine class that runs a load: encoders have their own."""
    name = engine_class(plan.serving_engine, coefficients)
    return "encoder" if load.output_tokens == 0 and name != "llama_cpp" else name


@lru_cache(maxsize=8)
def queue_of(coefficients: Coefficients) -> QueueingConstants:
    """Return the queueing constants."""
    shared = coefficients.serving.shared
    return QueueingConstants(
        shared.prefill_overhead_share,
        shared.prefill_chunk_tokens,
        shared.wait_steps,
        shared.cache_wait_share,
    )


def _gpu_server(asked: Serving, run: GpuReplica) -> Server:
    """Return the copies under a load: of an encoder, or of a generator and its cache's room."""
    replica, load = run.replica, run.timed
    if not asked.generates:
        most = encoder_batch_max(load.input_tokens, asked.coefficients)

        def encoded(concurrency: float) -> Flow:
            return encoder_flow(replica, load.input_tokens, concurrency=concurrency, batch_max=most)

        return asked.server(encoded, most, stages=run.stages)
    queue, capacity = queue_of(asked.coefficients), max(1.0, run.room)
    if replica.prefill.chunk_tokens < queue.prefill_chunk_tokens:
        queue = queue._replace(prefill_chunk_tokens=replica.prefill.chunk_tokens)

    def flow_at(concurrency: float) -> Flow:
        return closed_loop(
            replica,
            queue,
            concurrency=concurrency,
            capacity=capacity,
            input_tokens=load.input_tokens,
            output_tokens=load.output_tokens,
            burst=load.burst,
        )

    def batch_at(batch: float) -> Flow:
        return static_batch(
            replica,
            batch=batch,
            capacity=capacity,
            input_tokens=load.input_tokens,
            output_tokens=load.output_tokens,
        )

    most = min(replica.engine.sequences_max, capacity)
    return asked.server(flow_at, most, batch_at=batch_at, stages=run.stages)


def bound_by(replica: Replica, flow: Flow, load: Load) -> BoundBy:
    """Return what most of a request's time goes to: reading memory, products, links or the host.

    Prompts of other requests inside one's decode count as products.
    """
    decode, prefill, tokens = replica.decode, replica.prefill, load.input_tokens
    steps, batch = load.output_tokens, flow.decoding
    context = tokens + steps / 2
    products = gemm_s(prefill, tokens) + prefill_attention_s(prefill, tokens)
    read = prefill_read_s(prefill, tokens)
    seconds: dict[BoundBy, float] = {
        "memory_bandwidth": max(0.0, read - products),
        "compute": products + steps * flow.interference_s,
        "interconnect": all_reduce_s(prefill.links, tokens),
        "overhead": prefill.launch_s + replica.engine.request_ms / 1e3,
    }
    if steps:
        cache, attention = kv_read_s(decode, batch, context), attention_s(decode, batch, context)
        linear, multiply = weight_read_s(decode, batch), compute_s(decode, batch)
        seconds["memory_bandwidth"] += steps * ((linear >= multiply) * linear + cache)
        seconds["compute"] += steps * ((multiply > linear) * multiply + max(0, attention - cache))
        seconds["interconnect"] += steps * all_reduce_s(decode.links, batch)
        seconds["overhead"] += steps * host_overhead_s(decode, batch)
    return max(seconds, key=seconds.__getitem__)


def _measured_basis(asked: Serving, chip: Accelerator) -> Basis:
    """Return whether this card ran this kind of model in the measured rows, on one host."""
    plan, coefficients = asked.plan, asked.coefficients
    if not is_measured(chip, coefficients):
        return "not_measured"
    replica = plan.tensor_parallel * plan.pipeline_parallel * plan.attention_data_parallel
    across_hosts = replica > asked.host.accelerators
    known_engine = plan.serving_engine.lower() in coefficients.aliases.engine
    # A prefix cache leaves out prompt work that is measured; what it adds to each step is nothing.
    plain = plan.options == PLAIN or replace(plan.options, cached_share=0.0) == PLAIN
    unusual = not known_engine or asked.model.task not in MEASURED_TASKS or not plain
    return "not_measured" if across_hosts or unusual else "measured_class"


def _gpu_factors(
    asked: Serving, chip: Accelerator, engine_name: str, basis: Basis
) -> FigureFactors:
    """Return the range factors of every figure."""
    coefficients, load = asked.coefficients, asked.load.kind
    special = engine_name if engine_name in {"encoder", "llama_cpp"} else load
    kind = RangeClass(
        population=coefficients.aliases.serving_population.get(chip.id, "inference"),
        load=special,
        moe=bool(asked.model.num_experts) and special != "encoder",  # encoders share one class
        measured=basis == "measured_class",
    )
    latency = kind._replace(load="closed") if special == "max" else kind
    return _figure_factors(kind, latency, coefficients)


@lru_cache(maxsize=256)
def _figure_factors(
    kind: RangeClass, latency: RangeClass, coefficients: Coefficients
) -> FigureFactors:
    return FigureFactors(
        ttft=range_factors("ttft", latency, coefficients),
        tpot=range_factors("tpot", latency, coefficients),
        e2e=range_factors("e2e", latency, coefficients),
        throughput=range_factors("throughput", kind, coefficients),
    )
