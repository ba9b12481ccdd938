"""From the named fields of one plan to its estimate, as the contract's JSON."""

import math
from dataclasses import replace
from typing import Any, NamedTuple

from bot.answers.answer_json import memory_json, performance_json
from bot.answers.estimate.derivation import step_json
from bot.answers.estimate.model_config import model_of_config
from bot.answers.estimate.request import EstimateRequest
from bot.answers.world import World
from bot.core.errors import RequestError
from bot.language.names.gpus import chip_called
from catalog.facts.schema import Accelerator, Model
from catalog.facts.typical import typical_model
from catalog.names import nearest_instances, nearest_models, resolve_model
from engine.core.assumptions import (
    DEFAULT_INPUT_TOKENS,
    fill,
    usual_engine,
)
from engine.core.dtypes import dtype_named, native_weights_dtype, support
from engine.core.estimate import Estimate
from engine.core.plan import PLAIN, Host, Load, Plan, ServingOptions, TrainingJob
from engine.core.workload import Workload
from engine.derivation.derive import serving_derivation, training_derivation
from engine.derivation.step import Step
from engine.placement.fixed import Degrees, Engine, fixed_serving, fixed_training, machine_with
from engine.placement.hosts import compiles, host_of

Json = dict[str, Any]

SERVING_OPTION_FIELDS = ("prefix_cached_share", "prefill_chunk_tokens", "draft_tokens")


def estimate_json(asked: EstimateRequest, world: World) -> Json:
    """Return memory and performance of one fixed plan.

    Raises:
        RequestError: unknown model, instance or accelerator, or a dtype the device cannot run.
    """
    found = estimated(asked, world)
    answer = _as_json(asked, found.estimate)
    if asked.explain:
        answer["derivation"] = [step_json(step) for step in derivation(found, world)]
    return answer


class PlanEstimate(NamedTuple):
    """One fixed plan's estimate, and what was estimated."""

    model: Model
    host: Host
    estimate: Estimate | None
    work: Load | TrainingJob
    context_tokens: int  # that a sequence may reach; serving only


def estimated(asked: EstimateRequest, world: World) -> PlanEstimate:
    """Return the estimate of one fixed plan; None in it where its degrees are not valid.

    Raises:
        RequestError: unknown model, instance or accelerator, or a dtype the device cannot run.
    """
    model, host = model_of(asked, world), alone(asked, host_for(asked, world))
    if asked.task == "inference":
        return _serving_estimate(asked, model, host, world)
    job = _job_asked(asked, _usual_in_picks(asked, model, world))
    plan = _training_plan(asked, host)
    estimate = fixed_training(model, host, plan, job, world.coefficients)
    return PlanEstimate(model, host, estimate, job, 0)


def derivation(found: PlanEstimate, world: World) -> tuple[Step, ...]:
    """Return the steps behind an estimate, none where there is none."""
    if found.estimate is None:
        return ()
    if isinstance(found.work, TrainingJob):
        return training_derivation(
            found.model, found.host, found.estimate, found.work, world.coefficients
        )
    return serving_derivation(
        found.model,
        found.host,
        found.estimate,
        found.work,
        context_tokens=found.context_tokens,
        coefficients=world.coefficients,
    )


def model_of(asked: EstimateRequest, world: World) -> Model:
    """Return the model of a config, the model named, or a typical one of the size given."""
    if asked.hf_config is not None:
        return model_of_config(asked.hf_config, asked.model)
    if asked.model is not None:
        found = resolve_model(world.catalog, asked.model)
        if found is not None:
            return found
        if asked.params_b is None:
            nearest = tuple(nearest_models(world.catalog, asked.model, 3))
            raise RequestError(
                "unknown_model",
                f"no model called {asked.model!r}; nearest: {', '.join(nearest)}",
                field="model",
                suggestions=nearest,
            )
    if asked.params_b is None:
        raise RequestError("invalid_value", "name a model or give params_b", field="model")
    return typical_model(asked.params_b, asked.active_params_b, "decoder")


def host_for(asked: EstimateRequest, world: World) -> Host:
    """Return the machine: that of the instance type, or one with the accelerators named."""
    catalog = world.catalog
    if asked.instance_type is not None:
        instance = catalog.instances.get(asked.instance_type)
        if instance is None:
            nearest = tuple(nearest_instances(catalog, asked.instance_type, 3))
            raise RequestError(
                "unknown_instance",
                f"no instance type called {asked.instance_type!r}; nearest: {', '.join(nearest)}",
                field="instance_type",
                suggestions=nearest,
            )
        return host_of(instance, catalog)
    if asked.accelerator is None:
        raise RequestError(
            "invalid_value", "name an instance_type or an accelerator", field="instance_type"
        )
    chip = accelerator_named(asked.accelerator, world)
    return machine_with(chip, asked.accelerators or 1, catalog)


def alone(asked: EstimateRequest, host: Host) -> Host:
    """Return the host without its network, unless several machines were asked for.

    An estimate is about the machines named: the planner must not add one where one does not do.
    """
    several = (asked.instances or 1) > 1 or (asked.accelerators or 0) > host.accelerators
    return host if several else replace(host, network_gb_s=None, efa=False)


def accelerator_named(name: str, world: World) -> Accelerator:
    """Return the accelerator people mean: an id, or as they write it (`A100-80GB`, `l40s`)."""
    chip = chip_called(name, world.catalog)
    if chip is None:
        raise RequestError(
            "invalid_value", f"no accelerator called {name!r} on EC2", field="accelerator"
        )
    return chip


def _serving_estimate(
    asked: EstimateRequest, model: Model, host: Host, world: World
) -> PlanEstimate:
    """Return the estimate for one sequence of usual length, or of the request's own length.

    The shorter one is taken only where the user named no context and the usual one does not fit.
    """
    load, context = _load_asked(asked, model, _usual_in_picks(asked, model, world))

    def served(context_tokens: int) -> Estimate | None:
        return fixed_serving(
            model,
            host,
            engine=_engine(asked, model, host),
            degrees=_degrees_asked(asked),
            load=load,
            coefficients=world.coefficients,
            context_tokens=context_tokens,
        )

    usual, tokens = served(context), load.input_tokens + load.output_tokens
    if usual is None or usual.fits or asked.context is not None or tokens >= context:
        return PlanEstimate(model, host, usual, load, context)
    shorter = served(tokens)
    if shorter is not None and shorter.fits:
        return PlanEstimate(model, host, shorter, load, tokens)
    return PlanEstimate(model, host, usual, load, context)


def _engine(asked: EstimateRequest, model: Model, host: Host) -> Engine:
    return Engine(
        weights_dtype=_weights_dtype(asked, model, host),
        kv_dtype=asked.kv_dtype or "auto",
        serving_engine=_engine_name(asked, model),
        memory_utilisation=asked.memory_utilisation,
        options=_options(asked, host),
    )


def _engine_name(asked: EstimateRequest, model: Model) -> str:
    return asked.serving_engine or usual_engine(model.task)


def _usual_in_picks(asked: EstimateRequest, model: Model, world: World) -> Workload:
    """Return what the picks assume of the same request where it leaves lengths open."""
    said = Workload(
        task=asked.task,
        input_tokens=asked.input_tokens,
        output_tokens=asked.output_tokens,
        context=asked.context,
        method=asked.method,
        seq_len=asked.seq_len,
    )
    catalog = world.catalog
    return fill(said, model, catalog.use_cases, default_region=catalog.default_region)[0]


def _options(asked: EstimateRequest, host: Host) -> ServingOptions:
    """Return the serving options asked for. They are estimated on GPUs alone."""
    options = ServingOptions(
        cached_share=asked.prefix_cached_share,
        chunk_tokens=asked.prefill_chunk_tokens,
        draft_tokens=asked.draft_tokens,
        draft_acceptance=asked.draft_acceptance if asked.draft_tokens else PLAIN.draft_acceptance,
        draft_cost=asked.draft_cost if asked.draft_tokens else PLAIN.draft_cost,
    )
    if options == PLAIN:
        return PLAIN
    field = next(n for n in SERVING_OPTION_FIELDS if getattr(asked, n))
    if host.accelerator is None or compiles(host):
        message = f"{field} is estimated for GPUs only: name a GPU instance, or leave it out"
        raise RequestError("invalid_value", message, field=field)
    if asked.explain:
        message = f"explain covers plain serving: leave {field} out, or explain"
        raise RequestError("invalid_value", message, field=field)
    return options


def _degrees_asked(asked: EstimateRequest) -> Degrees:
    return Degrees(
        tensor_parallel=asked.tensor_parallel,
        pipeline_parallel=asked.pipeline_parallel,
        data_parallel=asked.data_parallel,
        expert_parallel=asked.expert_parallel,
    )


def _weights_dtype(asked: EstimateRequest, model: Model, host: Host) -> str:
    """Return the dtype to run: as asked, or the checkpoint's own as far as the device runs it."""
    wanted = asked.weights_dtype or native_weights_dtype(model)
    try:
        dtype_named(wanted)
    except ValueError as error:
        raise RequestError("invalid_value", str(error), field="weights_dtype") from None
    verdict = support(host.accelerator, wanted, _engine_name(asked, model))
    if verdict.kind != "unsupported":
        return wanted
    if asked.weights_dtype is None and verdict.alternative:
        return verdict.alternative
    raise RequestError("invalid_value", verdict.reason, field="weights_dtype")


def _load_asked(asked: EstimateRequest, model: Model, usual: Workload) -> tuple[Load, int]:
    """Return the load and the tokens one sequence may reach; `usual` fills what is left open."""
    tokens = asked.input_tokens or usual.input_tokens or DEFAULT_INPUT_TOKENS
    output = usual.output_tokens or 0
    if asked.context is not None and asked.input_tokens is None:
        output = min(output, max(1, asked.context // 4))
        tokens = max(1, asked.context - output)
    queued = Load(kind="max", input_tokens=tokens, output_tokens=output)
    context = asked.context or max(tokens + output, min(4096, model.max_context or 4096))
    if asked.load == "max":
        return queued, context
    if asked.rps is not None:
        return replace(queued, kind="open", rps=asked.rps), context
    if asked.batch is not None:
        return replace(queued, kind="batch", concurrency=float(asked.batch)), context
    concurrency = asked.concurrency or 1.0
    loaded = replace(queued, kind="closed" if concurrency > 1 else "single")
    return replace(loaded, concurrency=concurrency), context


def _job_asked(asked: EstimateRequest, usual: Workload) -> TrainingJob:
    """Return the training job asked for, with what nobody said of its size left open."""
    checkpointing = asked.activation_checkpointing
    if isinstance(checkpointing, bool):
        checkpointing = "full" if checkpointing else "none"
    return TrainingJob(
        method=asked.method or ("full" if asked.task == "train" else "lora"),
        seq_len=usual.seq_len or 2048,
        tokens_total=asked.tokens_total,
        global_batch_tokens=asked.global_batch_tokens,
        micro_batch=asked.batch or 1,
        precision=asked.precision or "bf16",
        sharding="zero3" if asked.sharding == "fsdp" else asked.sharding,
        checkpointing=checkpointing,
        optimizer=asked.optimizer,
        software=asked.software,
        padding=asked.padding,
    )


def _training_plan(asked: EstimateRequest, host: Host) -> Plan | None:
    """Return the plan asked for; None (the planner's choice) where no count or degree was given."""
    degrees = (asked.tensor_parallel, asked.pipeline_parallel, asked.data_parallel)
    if asked.accelerators is None and asked.instances is None and not any(degrees):
        return None
    devices = asked.accelerators or host.accelerators * (asked.instances or 1)
    split = (asked.tensor_parallel or 1) * (asked.pipeline_parallel or 1)
    return Plan(
        instance_type=asked.instance_type,
        instances=max(1, math.ceil(devices / max(1, host.accelerators))),
        accelerators=devices,
        tensor_parallel=asked.tensor_parallel or 1,
        pipeline_parallel=asked.pipeline_parallel or 1,
        data_parallel=asked.data_parallel or max(1, devices // split),
        expert_parallel=asked.expert_parallel or 1,
        weights_dtype=asked.precision or "bf16",
        kv_dtype="auto",
        serving_engine="training",
        memory_utilisation=1.0,
    )


def _as_json(asked: EstimateRequest, estimate: Estimate | None) -> Json:
    if estimate is None:
        why = "the parallel degrees asked for are not valid for this model on this machine"
        return {"id": asked.id, "fits": False, "why_not": why, "plan": None, "memory": None,
                "performance": None}  # fmt: skip
    plan = estimate.plan
    return {
        "id": asked.id,
        "fits": estimate.fits,
        "why_not": estimate.memory.why_not,
        "plan": {
            "instance_type": asked.instance_type,
            "accelerators": plan.accelerators,
            "tensor_parallel": plan.tensor_parallel,
            "pipeline_parallel": plan.pipeline_parallel,
            "data_parallel": plan.data_parallel,
            "expert_parallel": plan.expert_parallel,
            "weights_dtype": plan.weights_dtype,
            "serving_engine": plan.serving_engine,
            "threads": plan.threads,
        },
        "memory": memory_json(estimate.memory),
        "performance": performance_json(estimate.performance or estimate.training),
        "notes": list(estimate.memory.notes),
    }
