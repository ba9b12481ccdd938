"""The repository that a workload pulls: by the name that was said, in a format that is ready.

What is pulled decides disks and start-up times: weights that are quantised while they load are
downloaded in their full size.
"""

from dataclasses import dataclass
from typing import Final

from catalog.catalog import Catalog
from catalog.checkpoints import Checkpoint, checkpoint_of
from catalog.facts.schema import Model
from engine.core.plan import Plan
from engine.core.result import Pick
from engine.core.workload import Workload
from engine.memory.weights import total_weights_gb
from engine.plans.sides import weights_gb

FULL_DTYPES: Final = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}
# What vLLM and SGLang can make of 16-bit weights while they load.
QUANTISED_WHILE_LOADING: Final = frozenset({"fp8"})
# Formats that a program reads wherever a GPU multiplies them; older ones convert while loading.
LEAST_CAPABILITY: Final = {"fp8": 8.9, "nvfp4": 10.0, "mxfp8": 10.0}
# FP8 checkpoints hold a scale for a block of so many rows: a rank's share has to be whole blocks.
FP8_BLOCK: Final = 128
SAME_WEIGHTS: Final = {"int4": ("int4", "awq", "gptq")}  # any four-bit checkpoint will do


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """What a server loads. `fill_in` says what a person has to name where nobody knows it."""

    model: Model
    checkpoint: Checkpoint
    repo: str
    fill_in: str
    pulled_gb: float  # what the download weighs
    ready: bool  # stored in the format of the plan


def served_model(pick: Pick, workload: Workload, model: Model, catalog: Catalog) -> ServedModel:
    """Return what a server of the pick loads for the model that was named."""
    plan, checkpoint = pick.estimate.plan, checkpoint_of(workload.model, model)
    dtype = plan.weights_dtype
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    ready = _ready_repo(checkpoint, plan, model, chip.compute_capability if chip else None)
    stored = bool(ready) or dtype == model.native_dtype
    loads = stored or dtype in {*FULL_DTYPES, *QUANTISED_WHILE_LOADING}
    repo = ready or (checkpoint.repo if loads else "")
    return ServedModel(
        model=model,
        checkpoint=checkpoint,
        repo=repo,
        fill_in="" if repo else _fill_in(checkpoint, dtype, loads=loads),
        pulled_gb=weights_gb(pick) if not loads or stored else _published_gb(model, pick),
        ready=stored,
    )


def pulled_gb(pick: Pick, workload: Workload, catalog: Catalog) -> float:
    """Return the GB that a replica of a serving pick downloads."""
    model = catalog.models.get(catalog.model_names.get((workload.model or "").lower(), ""))
    if model is None:
        return weights_gb(pick)
    return served_model(pick, workload, model, catalog).pulled_gb


def _published_gb(model: Model, pick: Pick) -> float:
    """Return the GB of the weights as they are published; a cast to more bits is not downloaded."""
    return max(weights_gb(pick), total_weights_gb(model, model.native_dtype))


def _ready_repo(checkpoint: Checkpoint, plan: Plan, model: Model, capability: float | None) -> str:
    """Return the repository in the plan's format, where this hardware loads it."""
    for dtype in SAME_WEIGHTS.get(plan.weights_dtype, (plan.weights_dtype,)):
        repo = checkpoint.ready(dtype)
        least = LEAST_CAPABILITY.get(dtype)
        multiplies = least is None or (capability is not None and capability >= least)
        if repo and multiplies and (dtype != "fp8" or _whole_blocks(plan, model)):
            return repo
    return ""


def _whole_blocks(plan: Plan, model: Model) -> bool:
    """Return whether each rank gets whole FP8 blocks of the narrowest matrices."""
    if model.moe_intermediate_size and plan.expert_parallel > 1:
        return True
    width = model.moe_intermediate_size or model.intermediate_size or 0
    return width % (FP8_BLOCK * plan.tensor_parallel) == 0


def _fill_in(checkpoint: Checkpoint, dtype: str, *, loads: bool) -> str:
    """Return what has to be filled in for a model."""
    if checkpoint.why_not:
        return checkpoint.why_not
    if checkpoint.repo:
        return f"a checkpoint of {checkpoint.repo} in {dtype}"
    held = "" if loads else f" in {dtype}"
    return f"the Hugging Face repository of your model{held}; one in S3: say from s3://…"
