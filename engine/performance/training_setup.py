"""What a training run is, with every default filled: shape, method, software, parallel degrees."""

from dataclasses import dataclass

from catalog.coefficients import Coefficients, TrainingAccelerator
from catalog.schema import Accelerator, Model
from engine.performance.machine import GIGA, TERA, flops_16bit
from engine.performance.shape import Shape, shape_of
from engine.performance.training_flops import Flops, forward_flops
from engine.plan import Checkpointing, Host, Plan, TrainingJob

ENCODER_TASKS = frozenset({"encoder", "embedding", "vision"})
ADAPTER_METHODS = frozenset({"lora", "qlora"})
MANY_EXPERTS = 32  # from here on experts stay on their ranks; only the rest is exchanged
CHECKPOINT_ALL_PARAMS = 20e9
CHECKPOINT_SOME_PARAMS = 10e9
NVL72_NODE = 4  # GPUs of one node of a 72-GPU link domain
NVL72_DOMAIN = 64
NO_PEER_LINKS = frozenset({"pcie_host", "none"})  # copies through the host do not overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One training run on one kind of accelerator."""

    shape: Shape
    flops: Flops  # of one token's forward run
    encoder: bool
    adapters: bool  # LoRA or QLoRA
    four_bit: bool
    precision: str
    fused: bool
    checkpointing: Checkpointing
    seq_len: int
    tensor_ways: int
    pipeline_ways: int
    virtual_stages: int
    context_ways: int
    expert_ways: int
    accelerators: int
    node: int  # accelerators of one node
    domain: int  # accelerators that reach each other over links
    tokens_per_rank: float  # per optimiser step
    micro_tokens: float
    micro_batches: float
    sharded: bool  # parameters gathered for each micro-batch (ZeRO-3)
    states_sharded: bool
    bandwidth: float  # bytes/s
    peak_16bit: float  # FLOP/s
    peak_fp8: float
    rates: TrainingAccelerator
    generation: str
    link_rate: float  # bytes/s one way
    network_rate: float  # bytes/s of a node
    overlaps: bool

    @property
    def model_ways(self) -> int:
        """Accelerators of one data-parallel rank."""
        return self.tensor_ways * self.pipeline_ways * self.context_ways

    @property
    def data_ways(self) -> float:
        """Data-parallel ranks."""
        return max(1.0, self.accelerators / self.model_ways)

    @property
    def nodes(self) -> int:
        """Link domains the run spans."""
        return -(-self.accelerators // self.domain)


def is_encoder(model: Model) -> bool:
    """Whether the model reads its input in one pass and generates nothing."""
    return model.task in ENCODER_TASKS


def run_of(
    model: Model, host: Host, plan: Plan, job: TrainingJob, coefficients: Coefficients
) -> Run:
    """Return the run with its defaults. The host must have an accelerator.

    Raises:
        ValueError: the host has no accelerator.
    """
    chip = host.accelerator
    if chip is None:
        raise ValueError("a training run needs a host with an accelerator")
    shape = shape_of(model)
    ways = max(1, plan.tensor_parallel) * max(1, plan.pipeline_parallel) * job.context_parallel
    accelerators = max(1, plan.accelerators)
    data_ways = max(1.0, accelerators / ways)
    per_rank, micro = _tokens(job, data_ways, plan.pipeline_parallel, coefficients)
    rates = coefficients.training.accelerator
    fused = _fused(plan, job)
    sharding = job.sharding or ("zero3" if accelerators > ways else "ddp")
    return Run(
        shape=shape,
        flops=forward_flops(shape, job.seq_len, encoder=is_encoder(model)),
        encoder=is_encoder(model),
        adapters=job.method in ADAPTER_METHODS,
        four_bit=job.method == "qlora",
        precision=job.precision,
        fused=fused,
        checkpointing=job.checkpointing or default_checkpointing(shape, fused=fused),
        seq_len=job.seq_len,
        tensor_ways=max(1, plan.tensor_parallel),
        pipeline_ways=max(1, plan.pipeline_parallel),
        virtual_stages=job.virtual_pipeline,
        context_ways=job.context_parallel,
        expert_ways=max(1, plan.expert_parallel),
        accelerators=accelerators,
        node=max(1, host.accelerators),
        domain=NVL72_DOMAIN if chip.id in {"GB200", "GB300"} else max(1, host.accelerators),
        tokens_per_rank=per_rank,
        micro_tokens=micro,
        micro_batches=max(1.0, round(per_rank / micro)),
        sharded=sharding == "zero3",
        states_sharded=sharding != "ddp",
        bandwidth=chip.mem_bw_gb_s * GIGA,
        peak_16bit=flops_16bit(chip),
        peak_fp8=(chip.tflops_fp8 or 0.0) * TERA,
        rates=rates.get(chip.id, rates["other"]),
        generation=generation_of(chip),
        link_rate=_link_gb_s(chip, coefficients) * GIGA,
        network_rate=GIGA
        * (host.network_gb_s or coefficients.serving.shared.network_fallback_gb_s),
        overlaps=chip.link not in NO_PEER_LINKS,
    )


def _tokens(
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
        return job.software == "fused"
    return plan.instances > 1 and job.method == "full"


def default_checkpointing(shape: Shape, *, fused: bool) -> Checkpointing:
    """Return what is recomputed when nobody says: everything, except where fused stacks avoid it.

    Hugging Face and torchtune examples recompute all layers; compiled FSDP runs do above 20 B
    parameters, and selectively above 10 B; mixtures of experts and small compiled models do not.
    """
    if not fused:
        return "full"
    if shape.moe or shape.total_params < CHECKPOINT_SOME_PARAMS:
        return "none"
    return "full" if shape.total_params > CHECKPOINT_ALL_PARAMS else "selective"


def generation_of(chip: Accelerator) -> str:
    """Return which fitted matrix share applies to a chip."""
    if chip.vendor == "aws":
        return "neuron"
    for name in ("blackwell", "hopper"):
        if name in chip.architecture.lower() and "rtx" not in chip.id.lower():
            return name
    return "ampere"  # Volta to Ada, and the workstation Blackwell cards


def _link_gb_s(chip: Accelerator, coefficients: Coefficients) -> float:
    rates = coefficients.training.accelerator
    if chip.id in rates:
        return rates[chip.id].link_gb_s
    return chip.link_gb_s_per_direction or rates["other"].link_gb_s
