"""What one row of each catalog file holds.

Rows are plain frozen dataclasses so that a request never pays for validation: `catalog.load`
checks every row of every file against these types with pydantic (strict, unknown columns
refused) when the catalog is built and in CI. `None` means unknown or not applicable, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:  # only the building of the catalog reads the constraints, see catalog.facts.rows
    from annotated_types import Interval

    from catalog.facts.constraints import (
        MigProfile,
        Natural,
        Positive,
        PositiveInt,
        Share,
        Text,
        ZoneLetters,
    )

Vendor = Literal["nvidia", "aws", "amd", "habana", "qualcomm"]
LinkClass = Literal["none", "nvswitch", "nvlink", "pcie_p2p", "pcie_host", "neuronlink"]
Arch = Literal["x86_64", "arm64"]
Market = Literal["on_demand", "spot", "reserved", "savings_plan", "capacity_block"]
ModelTask = Literal[
    "decoder",
    "vision_language",
    "encoder",
    "embedding",
    "reranker",
    "enc_dec",
    "speech",
    "diffusion",
    "vision",
]
Attention = Literal["full", "mla", "window", "hybrid_linear", "bidirectional", "none"]


StandsFor = Literal[
    "classifier", "embedding", "vision", "speech", "diffusion", "example", "32B", "70B", "120B MoE"
]


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One chip, or one fraction of a chip that EC2 sells as a device of its own."""

    id: Text  # "H100-80"
    vendor: Vendor
    marketed_name: Text
    architecture: Text
    year: PositiveInt
    mem_gb_marketed: Positive
    mem_gib_usable: Positive | None  # what the driver reports to programs
    mem_bw_gb_s: Positive
    tflops_fp32: Positive | None
    tflops_tf32: Positive | None
    tflops_bf16: Positive | None
    tflops_fp16: Positive | None
    tflops_fp8: Positive | None
    tops_int8: Positive | None
    tflops_fp4: Positive | None
    native_bf16: bool
    link: LinkClass
    link_gb_s_per_direction: Positive | None  # half of the marketed two-way figure
    tdp_w: Positive | None
    compute_capability: Positive | None  # NVIDIA only, 8.9 for L4
    cores_per_chip: PositiveInt | None  # Neuron: cores as software counts them (Trainium2: 4)
    core_mem_gib: Positive | None  # Neuron: memory one such core can use
    mig_max_instances: Natural | None
    measured_max_bf16_tflops: Positive | None
    line: str  # the product line that AWS and people name: "Trainium"; blank where there is none
    mig_profiles: tuple[MigProfile, ...]  # "1g.5gb x7": so many on one, smallest first
    min_driver: PositiveInt | None  # NVIDIA: the first driver branch that runs it, where AMIs lag
    rack_domain: PositiveInt | None  # accelerators of a rack that one run uses as one NVLink domain
    neuron_core_version: PositiveInt | None  # NeuronCore-v2: 2
    neuron_trains: tuple[str, ...]  # architectures that AWS Neuron's training stack has code for
    optimum_neuron_serves: bool  # the vLLM plugin of optimum-neuron supports it
    vllm_small_batches: bool  # vLLM profiles it with small batches whatever its memory
    fitted_as: Text  # the fitted matrix share of training that applies
    flash_attention_3: bool  # training reaches the attention share of FlashAttention 3
    measured: tuple[Literal["serving", "training"], ...]  # what runs on it were measured of
    unsupported: str | None  # why nothing here runs on it, in words for the card
    source: Text
    notes: str

    def __hash__(self) -> int:
        # As for models: the name tells nearly all of them apart, equality decides.
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class Cpu:
    """One EC2 CPU family (`m7i`): what its sockets can do."""

    family: Text
    vendor: Text
    model: Text
    microarchitecture: Text
    arch: Arch
    year: PositiveInt
    clock_ghz: Positive
    vcpus_per_core: Annotated[int, Interval(ge=1, le=2)]
    cores_per_socket: PositiveInt
    sockets_at_max: PositiveInt
    socket_bw_gb_s: Positive
    measured_bw_gb_s: Positive | None
    amx: bool
    avx512_vnni: bool
    sve: bool
    bf16_gflops_per_core: Positive | None
    int8_gops_per_core: Positive | None
    fp32_gflops_per_core: Positive
    current_generation: bool
    source: Text
    notes: str


@dataclass(frozen=True, slots=True)
class Instance:
    """One EC2 instance type as DescribeInstanceTypes tells it, corrected by the overlay rows."""

    instance_type: Text
    family: Text  # "g6e"
    arch: Arch
    vcpus: PositiveInt
    cores: PositiveInt  # physical cores
    host_mem_gib: Positive
    network_gbps: Positive | None  # sustained, all cards together ("up to" types: the baseline)
    network_text: str  # as AWS words it
    efa: bool
    efa_interfaces: Natural
    local_nvme_gb: Natural
    accelerator_id: str | None
    accelerators: Natural  # devices a program sees; a g6f slice counts 1
    current_generation: bool
    bare_metal: bool
    burstable: bool
    hypervisor: str
    lifecycle: str | None  # None: nothing to say; else words for the card
    eol: bool  # end of life or withdrawn: answer when asked, do not recommend
    quota_code_on_demand: str | None
    quota_code_spot: str | None
    capacity_block: bool
    on_demand_sold: bool  # False: capacity block only, or withdrawn
    spot_sold: bool
    regions: tuple[str, ...]  # where it is offered; sorted
    source: Text
    rare_on_spot: bool = False
    ultra_server: str | None = None  # it is sold as part of one
    neuron: bool = False  # its accelerators run AWS Neuron


@dataclass(frozen=True, slots=True)
class Model:
    """One model: its shape, from which memory and speed follow."""

    id: Text
    aliases: tuple[str, ...]
    family: Text
    task: ModelTask
    total_params_b: Positive
    active_params_b: Positive
    layers: PositiveInt | None  # decoder layers (encoder layers where there is no decoder)
    encoder_layers: PositiveInt | None  # encoder-decoder models only
    hidden_size: PositiveInt | None
    intermediate_size: PositiveInt | None
    moe_intermediate_size: PositiveInt | None
    heads: PositiveInt | None
    kv_heads: PositiveInt | None
    head_dim: PositiveInt | None
    vocab_size: PositiveInt | None
    attention: Attention
    attention_text: str  # the long name, for explanations
    sliding_window: PositiveInt | None
    full_attention_layers: Natural | None  # layers that attend to everything
    linear_layers: Natural  # layers with a fixed state instead of a cache
    mla_kv_lora_rank: PositiveInt | None
    mla_rope_head_dim: PositiveInt | None
    sparse_indexer: bool
    num_experts: PositiveInt | None
    experts_per_token: PositiveInt | None
    shared_experts: Natural
    moe_layers: Natural  # layers that hold experts
    gated_ffn: bool  # three FFN matrices instead of two
    vision_params_b: Natural | Positive  # tower and projector, kept in 16 bit
    max_context: PositiveInt | None
    native_dtype: Text  # bf16 fp16 fp32 fp8 mxfp4 int4
    body_dtype: Text  # what the non-expert weights are in a native checkpoint
    tied_embeddings: bool
    kv_approximate: bool  # the cache formula is not checked for this model
    licence: str
    gated: bool  # needs an accepted licence and a token
    hf_repo: str
    typical: bool  # made up from a size ("7B"), not a named model
    source: Text
    notes: str
    active_params_known: bool = True  # False: worked out from the shape, do not trust a speed
    expert_input_size: PositiveInt | None = None  # latent that routed experts read; None: hidden
    # The kind of model that this one stands in for where only the kind was said, or its class of
    # size where nothing was; "example": the one that texts name where any would do, the small size.
    stands_for: StandsFor | None = None
    delta_net_value_heads: PositiveInt | None = None  # of gated delta-net layers, 128 x 128 each
    fp8_ffn_only: bool = False  # its FP8 checkpoint keeps attention, first and last layer in 16 bit
    # Of what makes images or video; None: the usual figure of the coefficients.
    steps: PositiveInt | None = None  # of one, as its maker runs it
    guidance_passes: PositiveInt | None = None  # of the denoiser in a step: 1 where distilled
    image_px: PositiveInt | None = None  # side of a square as large as its own size
    latent_tokens: PositiveInt | None = None  # of one image or clip of that size
    shape_of: str | None = None  # the model whose shape this checkpoint has
    # Of its row in model_families.csv:
    neuron_inference: bool = False
    neuron_archived: bool = False
    neuron_training: str | None = None
    neuron_trains_experts: bool = False
    recipe_lora_rank: PositiveInt | None = None
    fp16_overflows: bool = False  # its activations leave the range of fp16: engines refuse
    vision_profile_gib: Positive | None = None  # what vLLM sets aside to see; None: the usual

    def __hash__(self) -> int:
        # Estimates are cached per model; hashing forty fields would cost more than some of them.
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class Quote:
    """A price. `usd_per_hour` is None when there is none; `why_unpriced` then says why."""

    instance_type: str
    region: str
    market: Market
    usd_per_hour: float | None
    source: str  # snapshot | pricing_api | spot_history | savings_plan | capacity_block
    as_of: str  # ISO date
    why_unpriced: str | None = None
    source_key: str = ""  # which published list the snapshot figure came from
    note: str = ""
    cached: bool = False
    currency: str = "USD"  # of the published figure
    local_price_per_hour: float | None = None  # the published figure where it is not in USD
    list_usd_per_hour: float | None = None  # the list price, where a discount was taken off it


@dataclass(frozen=True, slots=True)
class Region:
    """A region or zone group, and what people call it."""

    code: Text
    name: Text  # "Europe (Frankfurt)"
    location_type: Literal["region", "local-zone", "wavelength-zone"]
    currency: Literal["USD", "CNY"]
    nicknames: tuple[str, ...]
    latitude: Annotated[float, Interval(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Interval(ge=-180, le=180)] | None = None
    partition: Literal["aws", "aws-cn", "aws-us-gov"] = "aws"
    usual_rank: PositiveInt | None = None  # where most work runs, the first choice first
    low_priced: bool = False  # as a rule
    zone_letters: ZoneLetters = "ab"  # of two zones that new accounts get
    source: Text = "AWS"


@dataclass(frozen=True, slots=True)
class EksType:
    """What a Kubernetes manifest must know of one accelerated instance type."""

    instance_type: Text
    accelerator_class: Literal["nvidia", "neuron", "amd", "habana", "other"]
    arch: Literal["amd64", "arm64"]  # as Kubernetes labels it
    resource_name: str | None  # what a pod requests: nvidia.com/gpu
    resource_count: PositiveInt | None
    neuron_devices: PositiveInt | None
    neuron_cores: PositiveInt | None  # as Kubernetes advertises them
    eksctl_known: bool  # eksctl's type table has it
    eksctl_efa: bool
    eksctl_picks_right_ami: bool
    efa_interfaces: Natural
    network_cards: PositiveInt | None
    efa_plugin_lists_it: bool  # the EFA device plugin that eksctl installs
    min_kubernetes: str | None
    capacity_block_only: bool
    ami_families: tuple[str, ...]  # as eksctl writes them, best first; "custom": bring your own
    managed_ami_types: tuple[str, ...]  # as EKS node groups write them, in the same order
    karpenter_known: bool
    karpenter_gpu_name: str | None
    karpenter_accelerator_name: str | None
    allocatable_cpu_m: PositiveInt | None
    allocatable_memory_mib: PositiveInt | None
    max_pods: PositiveInt | None
    source: Text
    note: str
    # Of its family's row:
    torus: bool = False
    pods_by_core: bool = False
    eksctl_refusal: str | None = None
    eksctl_efa_layout: bool = True
    karpenter_refusal: str | None = None
    karpenter_counts: bool = True


@dataclass(frozen=True, slots=True)
class Family:
    """One row of families.csv: what every type of an instance family has in common."""

    family: Text
    accelerator_id: str | None
    cpu_family: str | None  # the row of cpus.csv with the same processor (c5d runs c5's)
    quota_code_on_demand: str | None
    quota_code_spot: str | None
    lifecycle: str | None
    eol: bool
    kind: Text  # what its machines compute on, as the guides call it: gpu, trainium, cpu, other …
    purpose_built: bool  # its price or interfaces only make sense for other work
    capacity_tight: bool  # on-demand capacity is often short
    sagemaker_endpoints: bool  # SageMaker hosts endpoints on it
    neuron_monitor_needs_affinity: bool  # its published DaemonSet does not name these types
    ultra_server: str | None  # sold by the UltraServer of this name …
    ultra_server_machines: PositiveInt | None  # … which is so many machines
    rare_on_spot: bool  # it is reserved or sold in Capacity Blocks
    torus: bool  # Neuron chips in a torus: a pod may take 1, 4, 8 or all of them
    pods_by_core: bool  # pods may take single NeuronCores: Karpenter counts them rightly
    eksctl_refusal: str | None  # why a managed node group cannot express it, and what can
    eksctl_efa_layout: bool  # eksctl lays out the EFA interfaces of its network cards rightly
    karpenter_refusal: str | None
    karpenter_counts: bool  # its devices, and knows it
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """One row of model_families.csv: what every model of a family has in common."""

    family: Text
    neuron_inference: bool  # an inference stack of AWS Neuron has code for it
    neuron_archived: bool  # only transformers-neuronx, which AWS archived in September 2025
    neuron_training: str | None  # under this name its training stack has code for it
    neuron_trains_experts: bool
    recipe_lora_rank: PositiveInt | None  # in the publisher's own recipes
    fp16_overflows: bool
    vision_profile_gib: Positive | None  # seen where images of any size are taken
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class ModelVariant:
    """One row of model_variants.csv: another checkpoint of a known shape; blank: as that model."""

    id: Text
    aliases: tuple[str, ...]
    shape_of: Text  # an id of models.csv
    task: ModelTask | None  # by how it is used: pooling, pipeline
    total_params_b: Positive | None
    max_context: PositiveInt | None
    native_dtype: str | None
    steps: PositiveInt | None
    guidance_passes: PositiveInt | None
    image_px: PositiveInt | None
    latent_tokens: PositiveInt | None
    licence: str | None
    gated: bool
    hf_repo: Text
    source: Text
    as_of: Text
    notes: str


@dataclass(frozen=True, slots=True)
class InstanceGroup:
    """A word for a group of instance types, told apart by their facts; blank: any."""

    word: Text
    vendor: Vendor | None  # of the accelerator
    line: str | None
    generation: str | None  # how the accelerator's architecture begins
    arch: Arch | None
    accelerated: bool | None
    cpu_maker: str | None
    guide_kind: str | None  # the kind of hardware that the written guides mean by it
    source: Text


@dataclass(frozen=True, slots=True)
class UseCase:
    """What a service is for: how long its requests are, how soon they answer, how many come.

    Lengths are the median and the 99th percentile; a latency is good at the first figure and no
    longer accepted beyond the second (95th percentile). A rate is of one user who is there.
    """

    use_case: Text
    input_tokens: PositiveInt | None
    input_tokens_p99: PositiveInt | None
    output_tokens: PositiveInt | None
    output_tokens_p99: PositiveInt | None
    cached_share: Share | None  # of a prompt's tokens, found in the prefix cache
    ttft_ms_good: Positive | None
    ttft_ms_limit: Positive | None
    tpot_ms_good: Positive | None
    tpot_ms_limit: Positive | None
    active_share: Share | None  # of the users, in a usual hour
    requests_per_user_min: Positive | None
    peak_factor: Positive | None  # the busiest minutes over the mean
    usual_for: tuple[str, ...]  # the tasks of models that serve it where nothing else is said
    names: tuple[str, ...]  # parts of the names of models that are made for it
    words: tuple[str, ...]  # what names it, in any language
    source: Text
    as_of: Text
    notes: str


@dataclass(frozen=True, slots=True)
class Stack:
    """Public software that runs kinds of models on a kind of hardware; blank formats: any.

    A kind is the task of a model, with `_moe` behind it for a mixture of experts.
    """

    stack: Text  # its name here
    engines: tuple[str, ...]
    work: Literal["serve", "train"]
    hardware: Text  # a chip, family or group of types
    arch: Arch | None  # of the host
    kinds: tuple[str, ...]  # that its maker documents
    formats: tuple[str, ...]  # of weights, that run there as documented
    # pinned: an older release only; experimental: nobody is known to serve so; none: no build
    status: Literal["supported", "pinned", "experimental", "none"]
    artefact: str  # the image or wheel, or what keeps it from being one
    since: str
    until: str
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class Evidence:
    """Kinds of models of which somebody published measured runs on a chip."""

    hardware: Text
    served: tuple[str, ...]
    trained: tuple[str, ...]
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an AWS service answers that is not in every region; the first is asked."""

    service: Text
    regions: tuple[str, ...]
    why: Text
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class Grid:
    """How much CO2e the electricity of one region's grid emits (location-based)."""

    region: Text
    grid: Text  # which grid stands for the region: a subregion, or a whole country
    g_co2e_per_kwh: Positive
    basis: Literal["direct", "life_cycle"]  # of power plants alone, or fuel and building included
    year: PositiveInt  # of the data
    source: Text


@dataclass(frozen=True, slots=True)
class CpuPower:
    """What whole servers of one CPU design draw, a vCPU."""

    microarchitecture: Text
    idle_w_per_vcpu: Positive
    full_w_per_vcpu: Positive
    source: Text
