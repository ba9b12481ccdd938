"""What a training run is, with every default filled: shape, method, software, parallel degrees."""

from catalog.facts.coefficients import Coefficients, TrainingAccelerator
from catalog.facts.schema import Accelerator, Model
from engine.core.plan import Checkpointing, Host, Plan, TrainingJob
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.core.value import kw_value
from engine.memory.training import resolved_job
from engine.performance.machine import GIGA, TERA, flops_16bit
from engine.performance.training_flops import Flops, forward_flops
from engine.shape.shape import Shape, transformer_of

ADAPTER_METHODS = frozenset({"lora", "qlora"})
MANY_EXPERTS = 32  # from here on experts stay on their ranks; only the rest is exchanged
NO_PEER_LINKS = frozenset({"pcie_host", "none"})  # copies through the host do not overlap


@kw_value
class Run:
    """One training run on one kind of accelerator."""

    shape: Shape
    flops: Flops  # of one token's forward run
    encoder: bool
    adapters: bool  # LoRA or QLoRA
    four_bit: bool
    precision: str
    fused: bool
    vendor_attention: bool  # Megatron-like stacks; others run FlashAttention-2
    checkpointing: Checkpointing
    seq_len: int
    tensor_ways: int
    pipeline_ways: int
    virtual_stages: int
    context_ways: int
    expert_ways: int
    accelerators: int
    data_ways: float  # data-parallel ranks
    rank_accelerators: float  # accelerators of one of them
    node: int  # accelerators of one node
    domain: int  # accelerators that reach each other over links
    cores: int  # of one accelerator, as parallel degrees count them: 1 for a GPU
    tokens_per_rank: float  # per optimiser step
    micro_tokens: float
    micro_batches: float
    offloaded: bool  # weights and moments live on the host
    sharded: bool  # parameters gathered for each micro-batch (ZeRO-3)
    states_sharded: bool
    bandwidth: float  # bytes/s
    peak_16bit: float  # FLOP/s
    peak_fp8: float
    rates: TrainingAccelerator
    generation: str
    flash_attention_3: bool
    link_rate: float  # bytes/s one way
    network_rate: float  # bytes/s of a node
    overlaps: bool

    @property
    def nodes(self) -> int:
        """Link domains the run spans."""
        return -(-self.accelerators // self.domain)


def is_encoder(model: Model) -> bool:
    """Whether the model reads its input in one pass and generates nothing."""
    return model.task in SINGLE_SHOT_TASKS


def run_of(
    model: Model, host: Host, plan: Plan, job: TrainingJob, coefficients: Coefficients
) -> Run:
    """Return the run with its defaults: those that the memory estimate of the plan takes.

    Raises:
        ValueError: the host has no accelerator.
    """
    chip = host.accelerator
    if chip is None:
        raise ValueError("a training run needs a host with an accelerator")
    shape, settled = transformer_of(model), resolved_job(model, host, plan, job)
    cores = (chip.cores_per_chip or 1) if chip.vendor == "aws" else 1
    ways = max(1, plan.tensor_parallel) * max(1, plan.pipeline_parallel) * job.context_parallel
    accelerators = max(1, plan.accelerators)
    data_ways = max(1.0, accelerators * cores / ways)
    per_rank, micro = _step_tokens(job, data_ways, plan.pipeline_parallel, coefficients)
    rates = coefficients.training.accelerator
    return Run(
        shape=shape,
        flops=forward_flops(shape, job.seq_len, encoder=is_encoder(model)),
        encoder=is_encoder(model),
        adapters=job.method in ADAPTER_METHODS,
        four_bit=job.method == "qlora",
        precision=job.precision,
        fused=_fused(plan, job),
        vendor_attention=_vendor_attention(plan, job),
        checkpointing=settled.checkpointing or "full",
        seq_len=job.seq_len,
        tensor_ways=max(1, plan.tensor_parallel),
        pipeline_ways=max(1, plan.pipeline_parallel),
        virtual_stages=job.virtual_pipeline,
        context_ways=job.context_parallel,
        expert_ways=max(1, plan.expert_parallel),
        accelerators=accelerators,
        data_ways=data_ways,
        rank_accelerators=max(1.0, ways / cores),
        node=max(1, host.accelerators),
        domain=chip.rack_domain or max(1, host.accelerators),
        cores=cores,
        tokens_per_rank=per_rank,
        micro_tokens=micro,
        micro_batches=max(1.0, round(per_rank / micro)),
        offloaded=job.cpu_offload,
        sharded=settled.sharding == "zero3",
        states_sharded=settled.sharding != "ddp",
        bandwidth=chip.mem_bw_gb_s * GIGA,
        peak_16bit=flops_16bit(chip),
        peak_fp8=(chip.tflops_fp8 or 0.0) * TERA,
        rates=rates.get(chip.id, rates["other"]),
        generation=chip.fitted_as,
        flash_attention_3=chip.flash_attention_3,
        link_rate=_link_gb_s(chip, coefficients) * GIGA,
        network_rate=GIGA
        * (host.network_gb_s or coefficients.serving.shared.network_fallback_gb_s),
        overlaps=chip.link not in NO_PEER_LINKS,
    )


def _step_tokens(
    job: TrainingJob, data_ways: float, pipeline_ways: int, coefficients: Coefficients
) -> tuple[float, float]:
    """Return tokens per rank and step, and tokens per micro-batch.

    With an unknown global batch a pipeline is taken to run four micro-batches a stage.
    """
    micro = float(job.micro_batch * job.seq_len)
    if job.global_batch_tokens is not None:
        per_rank = job.global_batch_tokens / data_ways
        return per_rank, min(per_rank, micro)
    if pipeline_ways > 1:
        return 4 * pipeline_ways * micro, micro
    return max(micro, coefficients.training.shared.default_tokens), micro


def _fused(plan: Plan, job: TrainingJob) -> bool:
    """Return whether fused kernels run; unsaid: for full training over several hosts."""
    if job.software is not None:
        return job.software != "eager"
    return plan.instances > 1 and job.method == "full"


def _vendor_attention(plan: Plan, job: TrainingJob) -> bool:
    """Return whether attention is the vendor's; unsaid: where fused software splits the model."""
    if job.software is not None:
        return job.software == "megatron"
    return _fused(plan, job) and plan.tensor_parallel * plan.pipeline_parallel > 1


def _link_gb_s(chip: Accelerator, coefficients: Coefficients) -> float:
    rates = coefficients.training.accelerator
    if chip.id in rates:
        return rates[chip.id].link_gb_s
    return chip.link_gb_s_per_direction or rates["other"].link_gb_s
