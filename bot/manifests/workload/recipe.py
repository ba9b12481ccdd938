"""A training run that starts as it is: TRL's supervised fine-tuning under torchrun.

Only the data has to be filled in. Flags were read in the releases that `tools.csv` pins: TRL's
`sft_config.py` and `model_config.py`, Transformers' `training_args.py`.
"""

import json
from dataclasses import dataclass
from math import ceil
from typing import Final

from bot.manifests.pool import Pool
from bot.manifests.tools import package_pins
from bot.manifests.workload.storage import CHECKPOINT_PATH
from catalog.facts.schema import Accelerator, Model
from engine.core.plan import Optimizer, Plan, TrainingJob

MODULE = "trl.scripts.sft"
PLACEHOLDER_DATA = "FILL_IN_DATASET"
LORA_RANK, LORA_RATE, FULL_RATE = 16, "2e-4", "2e-5"  # TRL's defaults and its own examples
CHECKPOINTS_KEPT, SAVES = 3, 20  # of a run; spot takes machines within minutes
OPTIMIZERS: Final[dict[Optimizer, str]] = {
    "adamw": "adamw_torch_fused",
    "adamw_bf16": "adamw_torch_fused",
    "adamw_8bit": "adamw_bnb_8bit",
    "paged_adamw_8bit": "paged_adamw_8bit",
}
ZERO_STAGES: Final = {"zero1": 1, "zero2": 2, "zero3": 3}
# Compute capabilities for which the image's flash-attn 2 is made; packing needs it.
FLASH_FROM, FLASH_BELOW = 8.0, 10.0
START = (
    "pip install --quiet {packages} && "
    f"last=`ls -d {CHECKPOINT_PATH}/checkpoint-* 2>/dev/null | sort -V | tail -n 1` && "
    'exec torchrun "$@" ${{last:+--resume_from_checkpoint "$last"}}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRecipe:
    """What the container runs: packages first, then the module under torchrun with its flags."""

    script: str
    flags: tuple[tuple[str, str], ...]
    module: str = MODULE


def recipe_of(
    model: Model, job: TrainingJob, plan: Plan, *, base: str, pool: Pool, chip: Accelerator | None
) -> TrainingRecipe | None:
    """Return the run of a job on these nodes; None where TRL cannot run the plan.

    It shards by ZeRO and trains decoders on NVIDIA's x86 machines: no tensor, pipeline or context
    parallelism, no offloading.
    """
    together = plan.tensor_parallel * plan.pipeline_parallel * job.context_parallel
    if together > 1 or job.cpu_offload or model.task != "decoder":
        return None
    if pool.accelerator_class != "nvidia" or pool.arch != "amd64":
        return None
    quantised = job.method == "qlora"
    packages = ("pip-trl", "pip-transformers", "pip-peft")
    pins = package_pins(*packages, *("pip-bitsandbytes",) * (quantised or "8bit" in job.optimizer))
    flags = (
        ("--model_name_or_path", base),
        ("--dataset_name", PLACEHOLDER_DATA),
        ("--output_dir", CHECKPOINT_PATH),
        *_length_flags(job, plan.accelerators),
        *_number_flags(job),
        *_adapter_flags(job),
        *_attention_flags(chip),
        ("--optim", OPTIMIZERS[job.optimizer]),
        ("--save_total_limit", str(CHECKPOINTS_KEPT)),
        ("--logging_steps", "10"),
        ("--report_to", "none"),
    )
    return TrainingRecipe(script=START.format(packages=" ".join(pins)), flags=flags)


def _length_flags(job: TrainingJob, devices: int) -> tuple[tuple[str, str], ...]:
    """Return sequence, batch and steps: those that the estimate rests on."""
    a_step = job.seq_len * job.micro_batch * devices
    batch = job.global_batch_tokens or a_step
    passes = max(1, round(batch / a_step))
    length = (("--num_train_epochs", "1"), ("--save_strategy", "epoch"))
    if job.tokens_total:
        steps = ceil(job.tokens_total / (a_step * passes))
        length = (("--max_steps", str(steps)), ("--save_steps", str(max(1, steps // SAVES))))
    return (
        ("--max_length", str(job.seq_len)),
        ("--per_device_train_batch_size", str(job.micro_batch)),
        ("--gradient_accumulation_steps", str(passes)),
        *length,
    )


def _number_flags(job: TrainingJob) -> tuple[tuple[str, str], ...]:
    """Return number formats, sharding, and what is computed again."""
    half = job.precision == "fp16"
    stage = ZERO_STAGES.get(job.sharding or "")
    master = job.method == "full" and stage is None  # nobody else keeps a precise copy
    kept = "float32" if master else "float16" if half else "bfloat16"
    again = "false" if job.checkpointing == "none" else "true"
    sharded = (("--deepspeed", _zero(stage)),) if stage else ()
    mixed = ("--fp16" if half else "--bf16", "true")
    return (("--dtype", kept), mixed, ("--gradient_checkpointing", again), *sharded)


def _zero(stage: int) -> str:
    settings: dict[str, object] = {
        "zero_optimization": {"stage": stage, "stage3_gather_16bit_weights_on_model_save": True},
        "bf16": {"enabled": "auto"},
        "fp16": {"enabled": "auto"},
        "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
    }
    return json.dumps(settings)


def _adapter_flags(job: TrainingJob) -> tuple[tuple[str, str], ...]:
    if job.method == "full":
        return (("--learning_rate", FULL_RATE),)
    rank = job.lora_rank or LORA_RANK
    flags = (
        ("--learning_rate", LORA_RATE),
        ("--use_peft", "true"),
        ("--lora_r", str(rank)),
        ("--lora_alpha", str(2 * rank)),
        ("--lora_target_modules", "all-linear"),
    )
    if job.method != "qlora":
        return flags
    if job.base_bits > 4:
        return (*flags, ("--load_in_8bit", "true"))
    stored = "float16" if job.precision == "fp16" else "bfloat16"
    return (*flags, ("--load_in_4bit", "true"), ("--bnb_4bit_quant_storage", stored))


def _attention_flags(chip: Accelerator | None) -> tuple[tuple[str, str], ...]:
    capability = chip.compute_capability if chip else None
    if capability is None or not FLASH_FROM <= capability < FLASH_BELOW:
        return ()
    return (("--attn_implementation", "flash_attention_2"), ("--packing", "true"))
