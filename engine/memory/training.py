"""Memory of one training plan: states, activations, logits, and what sharding does to them."""

from dataclasses import replace
from typing import Final

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan, Sharding, TrainingJob
from engine.core.value import value
from engine.memory import constants as c
from engine.memory.activations import activation_bytes, logit_bytes
from engine.memory.device import cores_per_chip, unit_gib, unit_name
from engine.memory.neuron import compile_host_gib
from engine.shape.shape import Shape, shape_of

# Bytes per parameter of weights, gradients and optimiser for full training. Mixed AdamW keeps
# 32-bit master weights and two moments; the 8-bit one two 1-byte moments.
FULL_BYTES: Final = {
    "adamw": (2.0, 2.0, 12.0),
    "adamw_bf16": (2.0, 2.0, 4.0),
    "adamw_8bit": (2.0, 2.0, 2.0),
    "paged_adamw_8bit": (2.0, 0.0, 0.0),  # moments paged to the host, gradients freed in backward
}
FULL_FP32_BYTES: Final = (4.0, 4.0, 8.0)
# Optimiser bytes per adapter parameter; paged ones move to the host when the device is full.
ADAPTER_OPTIMIZER_BYTES: Final = {
    "adamw": 12.0,
    "adamw_bf16": 4.0,
    "adamw_8bit": 2.0,
    "paged_adamw_8bit": 0.0,
}
QLORA_BYTES: Final = 0.527  # 4-bit base with its scales; embeddings stay 16 bit
QLORA_INT8_BYTES: Final = 1.03
BASE_ALONE_GB: Final = 0.5
BASE_WITH_COMMUNICATION_GB: Final = 1.5
# Adapter rank where nobody says one and the publisher has no recipe (Hugging Face examples: 8-64).
USUAL_LORA_RANK: Final = 16
# The caching allocator cannot hand out the last few percent of a card (fragmentation; judgement).
USABLE_SHARE: Final = 0.97
# Checkpoints quantised beforehand are packed: neither FSDP nor ZeRO-3 can shard them.
PACKED: Final = frozenset({"gptq", "awq"})
LONG_SEQUENCE: Final = 8192  # QLoRA recipes move checkpoints to the host from here on
LARGE_EXPERT_COUNT: Final = 32  # experts stay on their ranks instead of being gathered
SHARDED_PARTS: Final[dict[Sharding, int]] = {"ddp": 0, "zero1": 1, "zero2": 2, "zero3": 3}


@value
class States:
    """Bytes of a whole model in training, before any sharding."""

    weights: float
    gradients: float
    optimizer: float
    adapters: tuple[float, float, float] = (0.0, 0.0, 0.0)  # the same three, never off-loaded

    @property
    def total(self) -> float:
        """All bytes that sharding can divide."""
        return self.weights + self.gradients + self.optimizer + sum(self.adapters)


def training_states(model: Model, job: TrainingJob) -> States:
    """Return the bytes of weights, gradients and optimiser of the whole model.

    Full: 16 bytes per parameter in mixed precision (2 + 2 + 12), 8 in pure bf16, 6 with 8-bit
    moments. LoRA: the frozen base in 16 bit (encoder-decoders in 32: that is how their recipes load
    them), QLoRA 0.527 bytes (1.03 in 8 bit) but for the embeddings, and 16 per adapter parameter
    with AdamW in 32 bit.
    """
    shape = shape_of(model)
    params = shape.total_params
    embeddings = shape.table_params
    if job.method == "full":
        if job.optimizer == "paged_adamw_8bit":
            return States(2.0 * params, 2.0 * shape.embedding_params, 0.0)
        fp32 = job.precision == "fp32" and job.optimizer == "adamw"
        weight, gradient, optimizer = FULL_FP32_BYTES if fp32 else FULL_BYTES[job.optimizer]
        return States(weight * params, gradient * params, optimizer * params)
    base = (params - embeddings) * _base_rate(model, job) + embeddings * _kept_rate(model, job)
    adapter_params = lora_params(shape, job.lora_rank or usual_lora_rank(model))
    moments = ADAPTER_OPTIMIZER_BYTES[job.optimizer] * adapter_params
    return States(base, 0.0, 0.0, (2.0 * adapter_params, 2.0 * adapter_params, moments))


def _kept_rate(model: Model, job: TrainingJob) -> float:
    in_fp32 = job.precision == "fp32" or (model.task == "enc_dec" and job.method == "lora")
    return 4.0 if in_fp32 else 2.0


def _base_rate(model: Model, job: TrainingJob) -> float:
    if job.method == "lora":
        return _kept_rate(model, job)
    eight_bit = job.precision == "int8" or job.base_bits == 8
    return QLORA_INT8_BYTES if eight_bit else QLORA_BYTES


def lora_params(shape: Shape, rank: int) -> float:
    """Return trained parameters of adapters on all linear layers of attention and FFN.

    L r [(d + H) + 2 (d + K) + (H + d) + 3 (d + F)], H query and K key width, F the FFN width (or
    the width of the experts a token takes).
    """
    hidden, query, key, ffn = widths(shape)
    one = 2 * (hidden + query) + 2 * (hidden + key) + 3 * (hidden + ffn)
    return float(shape.layers * rank * one)


def usual_lora_rank(model: Model) -> int:
    """Return the adapter rank taken when none was said."""
    return model.recipe_lora_rank or USUAL_LORA_RANK


def widths(shape: Shape) -> tuple[int, int, int, int]:
    """Return hidden, query, key and FFN width (of the experts one token takes, where larger)."""
    key = shape.mla_width or shape.kv_heads * shape.head_dim
    experts = shape.experts_per_token * shape.expert_width
    return shape.hidden, shape.heads * shape.head_dim, key, max(shape.ffn, experts)


def resolved_job(model: Model, host: Host, plan: Plan, job: TrainingJob) -> TrainingJob:
    """Return the job with every open setting decided.

    Full checkpointing; on Neuron selective where there is room, as its own recipes have it (the
    examples of NxD Training, 7B to 70B). Sharding: none where the states fit on one accelerator,
    optimiser states on Neuron (what its stack does), else everything (FSDP, ZeRO-3); packed
    checkpoints (GPTQ, AWQ) are not sharded. QLoRA on sequences of 8,192 tokens and more takes the
    recipe that keeps checkpoints in host memory and logits in place. Logits stay None: see
    `logit_bytes`.
    """
    long_qlora = job.method == "qlora" and job.seq_len >= LONG_SEQUENCE
    host_checkpoints = long_qlora if job.host_checkpoints is None else job.host_checkpoints
    settled = replace(
        job,
        checkpointing=job.checkpointing or "full",
        host_checkpoints=host_checkpoints,
        logits=job.logits or ("in_place" if host_checkpoints else None),
    )
    if job.sharding is not None:
        return settled
    if host.accelerator is not None and host.accelerator.vendor == "aws":
        return _neuron_job(model, host, plan, replace(settled, checkpointing=job.checkpointing))
    alone = replace(settled, sharding="ddp")
    if job.precision in PACKED:
        return alone
    if ranks(host, plan) == 1 or _run_memory(model, host, plan, alone).fits:
        return alone
    return replace(settled, sharding="zero3")


def _neuron_job(model: Model, host: Host, plan: Plan, job: TrainingJob) -> TrainingJob:
    """Return the job with the optimiser sharded, recomputing little where there is room."""
    sharded = replace(job, sharding="zero1")
    if job.checkpointing is not None:
        return sharded
    selective = replace(sharded, checkpointing="selective")
    found = _run_memory(model, host, plan, selective)
    spare = found.fits and not found.tight
    return selective if spare else replace(sharded, checkpointing="full")


def ranks(host: Host, plan: Plan) -> int:
    """Return the units at work: GPUs, or NeuronCores."""
    per_chip = 1 if host.accelerator is None else cores_per_chip(host.accelerator)
    return max(1, plan.accelerators) * per_chip


def training_memory(model: Model, host: Host, plan: Plan, job: TrainingJob) -> Memory:
    """Return GiB per GPU (NeuronCore) of a training plan; open settings as `resolved_job` says.

    Against 29 public figures (15 of them measured peaks) the median error is 7 %, nine in ten are
    within 18 %.

    Raises:
        TypeError: the host has no accelerator.
    """
    return _run_memory(model, host, plan, resolved_job(model, host, plan, job))


def _run_memory(model: Model, host: Host, plan: Plan, job: TrainingJob) -> Memory:
    if host.accelerator is None:
        raise TypeError("training is planned for accelerators only")
    units = ranks(host, plan)
    shape, states = shape_of(model), training_states(model, job)
    weights, gradients, optimizer = _on_one(states, shape, plan, job, units)
    tokens = job.micro_batch * job.seq_len / (plan.tensor_parallel * job.context_parallel)
    activations = activation_bytes(shape, widths(shape), tokens, job)
    activations += logit_bytes(shape, model, tokens, job)
    base = BASE_ALONE_GB if units == 1 else BASE_WITH_COMMUNICATION_GB
    overhead = base * BYTES_PER_GB + _gather_bytes(shape, states, plan, job, units)
    parts = [p / BYTES_PER_GIB for p in (weights, gradients, optimizer, activations, overhead)]
    kept_wide = _wide_experts_bytes(shape, model, job) * weights / max(1.0, states.weights)
    on_host = training_host_memory_gib(model, job)
    if host.accelerator.vendor == "aws":  # the graph is compiled there, as for serving
        on_host += compile_host_gib(model)
    found = _training_verdict(host, job, parts, on_host / plan.instances)
    if not kept_wide:
        return found
    at_worst = found.total + kept_wide / BYTES_PER_GIB
    return replace(found, at_worst_gib=at_worst, tight=found.tight or at_worst > found.limit_gib)


def _wide_experts_bytes(shape: Shape, model: Model, job: TrainingJob) -> float:
    """Return what QLoRA of a mixture of experts takes more where its experts stay in 16 bit.

    Since transformers 5 they are one fused tensor, which bitsandbytes passes over
    (bitsandbytes-foundation/bitsandbytes#1849): a 30B-A3B was measured at 29.6 GiB where 4 bits
    throughout say 17.9. Recipes that quantise them come to the 4-bit figure (axolotl's
    `quantize_moe_experts`: GLM-4.5-Air 63.4 GiB, Llama 4 Scout 64.5).
    """
    if job.method != "qlora" or not shape.experts:
        return 0.0
    return shape.routed_params * (_kept_rate(model, job) - _base_rate(model, job))


def _on_one(
    states: States, shape: Shape, plan: Plan, job: TrainingJob, units: int
) -> tuple[float, float, float]:
    """Return bytes of weights, gradients and optimiser on one unit."""
    split = plan.tensor_parallel * plan.pipeline_parallel
    sharded_over = max(1, units // split)
    parts = SHARDED_PARTS[job.sharding or "ddp"]
    experts = shape.routed_params / shape.total_params
    divided = split / (1.0 - experts + experts / plan.expert_parallel)
    # A fully sharded model is divided by all ranks, whichever of them hold which experts.
    weight_ways = split * sharded_over if parts >= 3 else divided
    gradient_ways = split * sharded_over if parts >= 2 else divided
    optimizer_ways = split * sharded_over if parts >= 1 else divided
    kept = 0.0 if job.cpu_offload else 1.0
    weight, gradient, optimizer = states.adapters
    return (
        (kept * states.weights + weight) / weight_ways,
        (kept * states.gradients + gradient) / gradient_ways,
        (kept * states.optimizer + optimizer) / optimizer_ways,
    )


def _gather_bytes(shape: Shape, states: States, plan: Plan, job: TrainingJob, units: int) -> float:
    """Return the bytes of layers being gathered: two layers and the embeddings, in their dtype.

    Only where parameters are sharded (FSDP, ZeRO-3) or off-loaded. Many small experts stay on their
    ranks; only the rest of a layer is gathered.
    """
    sharded = job.sharding == "zero3" and units > plan.tensor_parallel * plan.pipeline_parallel
    if not (sharded or job.cpu_offload) or not shape.layers:
        return 0.0
    embeddings = shape.table_params
    linear = shape.total_params - embeddings
    rate = (states.weights - 2.0 * embeddings) / linear
    if shape.experts >= LARGE_EXPERT_COUNT:
        linear -= shape.routed_params
    return (2.0 * rate * linear / shape.layers + 2.0 * embeddings) / plan.tensor_parallel


def training_host_memory_gib(model: Model, job: TrainingJob) -> float:
    """Return GiB of states kept in host memory over all hosts: 0 without off-load.

    Off-loaded full training keeps its 16 bytes per parameter there, adapters stay on the device.
    """
    if not job.cpu_offload:
        return 0.0
    states = training_states(model, job)
    return (states.weights + states.gradients + states.optimizer) / BYTES_PER_GIB


def _training_verdict(host: Host, job: TrainingJob, parts: list[float], on_host: float) -> Memory:
    weights, gradients, optimizer, activations, overhead = parts
    available = 0.0 if host.accelerator is None else unit_gib(host.accelerator)
    total, limit = sum(parts), USABLE_SHARE * available
    host_short = on_host > c.HOST_SHARE * host.host_mem_gib
    fits = total <= limit and not host_short
    why = None
    if total > limit:
        why = (
            f"needs {total:.1f} GiB per {unit_name(host.accelerator)} "
            f"(weights {weights:.1f}, gradients {gradients:.1f}, optimizer {optimizer:.1f}, "
            f"activations {activations:.1f}), has {limit:.1f}"
        )
    elif host_short:
        why = (
            f"needs {on_host:.0f} GiB of host memory {_host_use(job)}, "
            f"has {c.HOST_SHARE * host.host_mem_gib:.0f}"
        )
    return Memory(
        weights=weights,
        kv_cache=0.0,
        activations=activations,
        optimizer=optimizer,
        gradients=gradients,
        overhead=overhead,
        total=total,
        available=available,
        fits=fits,
        tight=fits and total > c.TIGHT_CORE_SHARE * available,
        why_not=why,
        needed_gib=on_host if fits is False and total <= limit else total,
        limit_gib=c.HOST_SHARE * host.host_mem_gib if fits is False and total <= limit else limit,
        host_gib=on_host,
        notes=_training_topics(job, fits=fits),
    )


def _host_use(job: TrainingJob) -> str:
    return "for off-loaded states" if job.cpu_offload else "to compile"


def _training_topics(job: TrainingJob, *, fits: bool) -> tuple[str, ...]:
    codes = []
    if job.cpu_offload:
        codes += ["cpu_offload", "host_memory"]
        if job.method == "qlora":
            codes.append("fragile")
    lean = job.optimizer != "adamw"
    if lean or (job.method == "full" and not fits):
        codes.append("needs_low_memory_optimizer")
    return tuple(codes)
