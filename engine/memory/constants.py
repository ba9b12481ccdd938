"""Overheads of serving and training, none of which belongs to a model or a device.

"Start-up logs" are 38 public start-up logs of vLLM on H100 (figures only: model, weights,
activation, non-torch and KV room); each constant states the range seen in them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

# old: up to about vLLM 0.15; current: 0.16-0.20, and the default for every release since;
# graphs_inside: 0.21 and later at a utilisation the user chose (CUDA graphs count inside it).
EngineVersion = Literal["old", "current", "graphs_inside"]

# Sampler profiling run, bytes for each (sequence, vocabulary entry): 16-bit logits, 32-bit logits,
# probabilities and scratch = 14 (seen 13.9-14.5 in 26 logs); the sort-based top-k/top-p sampler
# adds sorted values, 64-bit indices and sums = 37.5 (seen 37.4-37.6 in 7 logs).
SAMPLER_BYTES: Final[Mapping[EngineVersion, float]] = MappingProxyType(
    {"old": 37.5, "current": 14.0, "graphs_inside": 14.0}
)
SAMPLER_BASE_GIB: Final = 0.12  # start-up logs, 0.10-0.20
FORWARD_BASE_GIB: Final = 0.08  # start-up logs, 0.10-0.20 with the sampler's
# vLLM's buffers for sparse latent attention, bytes a token of the maximum length: 5 latents of 576
# 16-bit values, and 40 index keys of 132 bytes (flashmla_sparse.py, indexer.py).
SPARSE_WORKSPACE_BYTES: Final = 5 * 576 * 2 + 40 * 132
VISION_ACTIVATION_GIB: Final = 0.2  # encoder cache of vision-language models

# Non-torch memory (NCCL buffers, workspaces): one GPU; NVSwitch cards of capability 9.0 and above;
# other groups. Seen 0.13-0.46, 0.54-2.5 and 0.2-0.35.
NON_TORCH_GIB: Final[Mapping[EngineVersion, tuple[float, float, float]]] = MappingProxyType(
    {"old": (0.2, 0.55, 0.3), "current": (0.25, 2.1, 0.35), "graphs_inside": (0.25, 2.1, 0.35)}
)
NVSWITCH_BUFFERS_FROM_CAPABILITY: Final = 9.0

# CUDA graphs, 102 sizes captured: base + a share per layer (30 logs, median error 8 %).
GRAPHS_BASE_GIB: Final = 0.2
GRAPHS_PER_LAYER_GIB: Final = 0.02
GRAPHS_MLA_GIB: Final = 0.7
GRAPHS_MOE_GIB: Final = 0.3
CUDA_CONTEXT_GIB: Final = 0.5  # outside the engine's own account; seen 0.5-1.5

# vLLM's defaults of its API server: tokens per step and sequences, by the card's memory.
LARGE_CARD_GIB: Final = 70.0
LARGE_CARD_BATCH: Final = (8192, 1024)
SMALL_CARD_BATCH: Final = (2048, 256)

WEIGHTS_BASE_GIB: Final = 0.03  # buffers, rotary tables; start-up logs
BLOCK_TOKENS: Final = 16  # paged attention block
HYBRID_GROUP_RATIO: Final = 1.5  # vLLM's hybrid cache manager joins layer kinds below this ratio

# Other engines; few measurements, +-15 % of the room.
TRTLLM_MAX_SEQUENCES: Final = 256
TRTLLM_DECODER_BYTES: Final = 18.0  # per sequence and vocabulary entry, one log
SGLANG_STATIC_FRACTION: Final = 0.88  # 0.83-0.93 seen as engine defaults
SGLANG_RESERVE_GIB: Final = 0.5
TGI_SEQUENCES: Final = 128
TGI_EXTRA_PREFILL_TOKENS: Final = 50
TGI_RESERVE_GIB: Final = 0.3
TRANSFORMERS_BASE_GIB: Final = 0.25  # Qwen-14B table of its vendor, bf16, int8, int4: +4 to +7 %
LLAMA_CPP_MICRO_BATCH: Final = 512
LLAMA_CPP_BASE_GIB: Final = 0.5
LLAMA_CPP_CELL_TOKENS: Final = 256  # its cache is padded to this many cells

# CPU hosts: what the operating system and the serving process leave to the model.
HOST_SHARE: Final = 0.9
HOST_RESERVE_GIB: Final = 1.0

# Encoders run one padded batch of at least this many tokens; no sampler.
ENCODER_TOKENS: Final = 8192
ENCODER_BASE_GIB: Final = 0.2
SHAPELESS_ACTIVATION_GIB: Final = 1.0  # convolutional networks; judgement, not measured
DIFFUSION_IMAGE_GIB: Final = 2.5  # one 1,024-pixel image; 1.5-5 seen, not measured here

# Neuron: code, scratch, collectives and DMA rings of one core (1-7 GiB seen in two reports).
NEURON_CORE_GIB: Final = 1.75
NEURON_CORE_LEAST_GIB: Final = 1.0  # what fits with this much is tight, not refused
NEURON_ENCODER_CORE_GIB: Final = 0.3  # judgement: BERT-large runs on a 2 GiB Inferentia1 core
NEURON_COMPILE_FACTOR: Final = 2.4  # host memory over 16-bit weights; known to lie in 2.1-2.5
NEURON_COMPILE_RESERVE_GIB: Final = 2.0  # the system and the compiler itself; judgement
NEURON_COMPILE_DIFFUSION_FACTOR: Final = 5.0  # the same; SDXL (7 GB): 35 GB, optimum-neuron's guide

# When "fits" is tight.
TIGHT_ABOVE_UTILISATION: Final = 0.95
TIGHT_FREE_SHARE: Final = 0.10  # weights leave less than this of the card
TIGHT_CORE_SHARE: Final = 0.90  # Neuron cores and training
OLD_OVERHEADS_UP_TO_UTILISATION: Final = 0.90
SMALL_CARD_FOR_GRAPHS_GIB: Final = 24.0  # 4-bit Mixtral ran out on 22 GiB cards with CUDA graphs

# Off-load to host memory beside GPUs: share of each that weights can take, less a reserve.
OFFLOAD_SHARE: Final = 0.9
OFFLOAD_RESERVE_GB: Final = 4.0
