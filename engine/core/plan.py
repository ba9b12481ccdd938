"""How a model is laid out on machines: host, plan, load, job. Values only, no estimates."""

from typing import Literal

from catalog.facts.schema import Accelerator, Cpu
from engine.core.value import kw_value

LoadKind = Literal["single", "closed", "open", "max", "batch"]
TrainMethod = Literal["full", "lora", "qlora"]
Sharding = Literal["ddp", "zero1", "zero2", "zero3"]
Checkpointing = Literal["none", "selective", "full"]
Logits = Literal["plain", "in_place", "chunked"]
Optimizer = Literal["adamw", "adamw_8bit", "adamw_bf16", "paged_adamw_8bit"]


@kw_value
class Host:
    """One machine as the estimates see it; types may share one (`g5.xlarge`, `g5.2xlarge`).

    `accelerator` is None on CPU hosts. `network_gb_s` is one direction, all cards together.
    """

    accelerator: Accelerator | None
    accelerators: int
    cpu: Cpu | None
    cores: int
    host_mem_gib: float
    network_gb_s: float | None
    efa: bool


@kw_value
class ServingOptions:
    """What an engine may add to plain serving; by default nothing.

    `cached_share` of a prompt's tokens is found in the prefix cache; a pass reads at most
    `chunk_tokens` of a prompt (None: the engine's own size). Each step proposes `draft_tokens`,
    each accepted with `draft_acceptance`; making one costs `draft_cost` of a plain step.
    """

    cached_share: float = 0.0
    chunk_tokens: int | None = None
    draft_tokens: int = 0
    draft_acceptance: float = 0.7
    draft_cost: float = 0.05


PLAIN = ServingOptions()


@kw_value
class Plan:
    """Instance type x count, split into replicas of tensor x pipeline parallel accelerators.

    One replica uses `tensor_parallel * pipeline_parallel` accelerators (Neuron: tensor_parallel
    counts cores); `expert_parallel` and `attention_data_parallel` divide work inside a replica.
    """

    instance_type: str | None
    instances: int
    accelerators: int  # devices at work, all instances together; 0 on CPU
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int  # replicas
    expert_parallel: int
    weights_dtype: str
    kv_dtype: str
    serving_engine: str
    memory_utilisation: float
    threads: int | None = None  # CPU: threads one replica runs on
    replicas_share_host: bool = True
    attention_data_parallel: int = 1  # copies of the attention inside a replica (MoE serving)
    options: ServingOptions = PLAIN

    def __hash__(self) -> int:
        """Hash what tells plans of one question apart; equality decides."""
        split = (self.tensor_parallel, self.pipeline_parallel, self.data_parallel, self.threads)
        return hash(split)


@kw_value
class Load:
    """What is sent to the whole deployment.

    `single` one request at a time; `closed` `concurrency` always in flight; `open` `rps` arriving;
    `max` everything queued; `batch` a static batch of `concurrency`. `output_tokens` is 0 for
    encoders. `burst` is true only for benchmark runs that start all clients at once.
    """

    kind: LoadKind
    input_tokens: int
    output_tokens: int
    concurrency: float | None = None
    rps: float | None = None
    burst: bool = False
    steps: int | None = None  # of an image; None for the usual number
    image_px: int | None = None  # side of a square of as many pixels; None for the model's own

    def __hash__(self) -> int:
        """Hash what tells loads of one question apart; equality decides."""
        return hash((self.kind, self.concurrency, self.rps))


@kw_value
class TrainingJob:
    """What is trained and how. `None` where the estimate's default shall hold."""

    method: TrainMethod
    seq_len: int
    tokens_total: float | None
    global_batch_tokens: float | None = None
    micro_batch: int = 1  # sequences per accelerator and step
    precision: str = "bf16"
    base_bits: int = 4  # of the frozen weights under QLoRA: 4, or 8 (LoRA over LLM.int8)
    sharding: Sharding | None = None
    checkpointing: Checkpointing | None = None
    optimizer: Optimizer = "adamw"
    lora_rank: int | None = None
    software: Literal["megatron", "fused", "eager"] | None = None  # kernels: vendor's, fused, none
    cpu_offload: bool = False
    context_parallel: int = 1
    virtual_pipeline: int = 1
    logits: Logits | None = None  # how the loss holds them
    host_checkpoints: bool | None = None  # activation checkpoints kept in host memory
    padding: float = 1.0  # positions computed per useful token; 1.0 is packed
