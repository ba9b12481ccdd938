"""What a serving engine leaves for the KV cache of a GPU, engine by engine."""

from typing import Final

from catalog.facts.schema import Accelerator
from catalog.facts.units import BYTES_PER_GIB
from engine.core.dtypes import dtype_named
from engine.core.value import value
from engine.memory import constants as c
from engine.memory.constants import EngineVersion
from engine.memory.kv_cache import Manager
from engine.shape.shape import Shape

TRTLLM: Final = "tensorrt-llm"
SGLANG: Final = "sglang"
TGI: Final = "tgi"
TRANSFORMERS: Final = "transformers"
LLAMA_CPP: Final = "llama.cpp"

MANAGERS: Final[dict[str, Manager]] = {
    TRTLLM: "per_layer",
    SGLANG: "per_layer",
    TRANSFORMERS: "per_layer",
    TGI: "in_full",
    LLAMA_CPP: "llama.cpp",
}


@value
class GpuTerms:
    """GiB on one GPU beside weights and cache, and how the engine caps the sum.

    The room for the cache is `scale x (budget - weights - activations - runtime)`; `outside` is
    what the engine does not count but the card must hold (context, graphs).
    """

    activations: float
    runtime: float
    outside: float
    budget: float
    scale: float = 1.0
    grown_before: float = 0.0  # more activations in older releases, which users may still run

    def room(self, weights: float) -> float:
        """Return GiB left for the cache; negative where not even the weights fit."""
        return self.scale * (self.budget - weights - self.activations - self.runtime)


@value
class GpuRun:
    """The settings of one serving run that decide its overheads."""

    weights_dtype: str
    utilisation: float
    tp: int
    ranks: int  # GPUs of one replica
    context_tokens: int
    sequences: float
    version: EngineVersion = "current"
    chunked_prefill: bool = True
    eager: bool = False


def manager_of(serving_engine: str) -> Manager:
    """Return how that engine stores windowed layers (unknown engines: as vLLM does)."""
    return MANAGERS.get(serving_engine, "grouped")


def step_tokens(accelerator: Accelerator, memory_gib: float, run: GpuRun) -> tuple[int, int]:
    """Return tokens per step and sequences that vLLM's API server profiles with by default.

    8,192 and 1,024 on cards of 70 GiB and more other than A100, else 2,048 and 256 (its source).
    Without chunked prefill a step must take the longest prompt whole.
    """
    large = memory_gib >= c.LARGE_CARD_GIB and not accelerator.vllm_small_batches
    tokens, sequences = c.LARGE_CARD_BATCH if large else c.SMALL_CARD_BATCH
    if not run.chunked_prefill:
        tokens = max(tokens, run.context_tokens)
    return tokens, sequences


def gpu_terms(
    serving_engine: str, shape: Shape, accelerator: Accelerator, memory_gib: float, run: GpuRun
) -> GpuTerms:
    """Return the terms of that engine on one GPU (engines not listed: as vLLM)."""
    if serving_engine == TRTLLM:
        return _trtllm_terms(shape, accelerator, memory_gib, run)
    if serving_engine == SGLANG:
        return _sglang_terms(shape, accelerator, memory_gib, run)
    if serving_engine == TGI:
        return _tgi_terms(shape, accelerator, memory_gib, run)
    if serving_engine == TRANSFORMERS:
        return _transformers_terms(shape, memory_gib, run)
    if serving_engine == LLAMA_CPP:
        return _llama_cpp_terms(shape, memory_gib, run)
    return vllm_terms(shape, accelerator, memory_gib, run)


def vllm_terms(shape: Shape, accelerator: Accelerator, memory_gib: float, run: GpuRun) -> GpuTerms:
    """Return vLLM's terms: room = min(u M, M - 0.5 - graphs) - weights - activations - non-torch.

    The KV room comes out within 0.04 GiB of 38 start-up logs in the median, worst 0.66.
    """
    tokens, sequences = step_tokens(accelerator, memory_gib, run)
    activations = activation_gib(shape, run, tokens, sequences, run.version)
    graphs = graphs_gib(shape, run)
    runtime = non_torch_gib(accelerator, run) + sparse_workspace_gib(shape, run)
    inside = graphs if run.version == "graphs_inside" else 0.0
    cap = run.utilisation * memory_gib
    hard_cap = memory_gib - c.CUDA_CONTEXT_GIB - (graphs - inside)
    return GpuTerms(
        activations=activations,
        runtime=runtime + inside,
        outside=c.CUDA_CONTEXT_GIB + graphs - inside,
        budget=min(cap, hard_cap),
        grown_before=activation_gib(shape, run, tokens, sequences, "old") - activations,
    )


def activation_gib(
    shape: Shape, run: GpuRun, tokens: int, sequences: int, version: EngineVersion
) -> float:
    """Return the activation peak of vLLM's profiling run, GiB.

    The larger of the sampler over sequences x vocabulary (not divided by tensor parallelism) and
    the forward pass; each with the expert workspace. What a vision tower takes is added.
    """
    value = 4.0 if dtype_named(run.weights_dtype).name == "fp32" else 2.0
    experts = expert_workspace_bytes(shape, run, tokens, value)
    per_entry = c.SAMPLER_BYTES[version] - 2.0 + value
    sampler = per_entry * sequences * shape.vocab + value * tokens * shape.hidden + experts
    forward = forward_bytes(shape, run.tp, tokens, value) + experts
    peak = max(
        sampler / BYTES_PER_GIB + c.SAMPLER_BASE_GIB, forward / BYTES_PER_GIB + c.FORWARD_BASE_GIB
    )
    return peak + vision_gib(shape)


def vision_gib(shape: Shape) -> float:
    """Return GiB that vLLM sets aside for a vision tower by a trial run of it, 0 without one."""
    if not shape.sees:
        return 0.0
    return shape.vision_profile_gib or c.VISION_ACTIVATION_GIB


def forward_bytes(shape: Shape, tp: int, tokens: int, value_bytes: float) -> float:
    """Return bytes of one layer's live activations: tokens x (3 FFN / tp + 3 hidden) values.

    Two logs of an 8B without chunking (20,000 to 29,000 tokens): 0.93 GiB predicted, 0.92 seen.
    """
    return value_bytes * tokens * (3.0 * shape.ffn / tp + 3.0 * shape.hidden)


def expert_workspace_bytes(shape: Shape, run: GpuRun, tokens: int, value_bytes: float) -> float:
    """Return bytes of the mixture-of-experts workspace; MXFP4 kernels work in place."""
    if not shape.experts or run.weights_dtype == "mxfp4":
        return 0.0
    width = shape.expert_width / run.tp
    return value_bytes * tokens * shape.experts_per_token * (max(2 * width, shape.hidden) + width)


def non_torch_gib(accelerator: Accelerator, run: GpuRun) -> float:
    """Return GiB of NCCL buffers and workspaces: more on NVSwitch cards from capability 9.0."""
    alone, nvswitch, others = c.NON_TORCH_GIB[run.version]
    if run.ranks == 1:
        return alone
    capability = accelerator.compute_capability or 0.0
    switched = accelerator.link == "nvswitch" and capability >= c.NVSWITCH_BUFFERS_FROM_CAPABILITY
    return nvswitch if switched and run.tp > 1 else others


def sparse_workspace_gib(shape: Shape, run: GpuRun) -> float:
    """Return GiB of sparse latent attention's buffers, which grow with the length allowed.

    GLM-5.2 at its million tokens: 10.8 GiB, where about 13 were seen.
    """
    if not shape.indexer_bytes:
        return 0.0
    return c.SPARSE_WORKSPACE_BYTES * run.context_tokens / BYTES_PER_GIB


def graphs_gib(shape: Shape, run: GpuRun) -> float:
    """Return GiB of CUDA graphs, none when run eagerly."""
    if run.eager:
        return 0.0
    size = c.GRAPHS_BASE_GIB + c.GRAPHS_PER_LAYER_GIB * shape.layers
    if shape.mla_width:
        return size + c.GRAPHS_MLA_GIB
    return size + (c.GRAPHS_MOE_GIB if shape.experts else 0.0)


def _trtllm_terms(
    shape: Shape, accelerator: Accelerator, memory_gib: float, run: GpuRun
) -> GpuTerms:
    """TensorRT-LLM takes a share of what is free after loading (64.9 GiB for 64.75 logged)."""
    tokens, _ = step_tokens(accelerator, memory_gib, run)
    decoder = c.TRTLLM_DECODER_BYTES * shape.vocab * c.TRTLLM_MAX_SEQUENCES
    work = forward_bytes(shape, run.tp, tokens, 2.0) + expert_workspace_bytes(
        shape, run, tokens, 2.0
    )
    return GpuTerms(
        activations=(decoder + work) / BYTES_PER_GIB,
        runtime=non_torch_gib(accelerator, run),
        outside=c.CUDA_CONTEXT_GIB,
        budget=memory_gib - c.CUDA_CONTEXT_GIB,
        scale=run.utilisation,
    )


def _sglang_terms(
    shape: Shape, accelerator: Accelerator, memory_gib: float, run: GpuRun
) -> GpuTerms:
    """SGLang's static share holds weights and cache; activations and graphs stay outside it."""
    tokens, _ = step_tokens(accelerator, memory_gib, run)
    work = forward_bytes(shape, run.tp, tokens, 2.0) + expert_workspace_bytes(
        shape, run, tokens, 2.0
    )
    activations = work / BYTES_PER_GIB + c.FORWARD_BASE_GIB
    static = min(c.SGLANG_STATIC_FRACTION * memory_gib, memory_gib - activations)
    return GpuTerms(
        activations=activations,
        runtime=c.SGLANG_RESERVE_GIB,
        outside=0.0,
        budget=static + activations,
    )


def _tgi_terms(shape: Shape, accelerator: Accelerator, memory_gib: float, run: GpuRun) -> GpuTerms:
    """TGI profiles with its longest prompt; 20 and 26 % below two logs, so on the safe side."""
    tokens = run.context_tokens + c.TGI_EXTRA_PREFILL_TOKENS
    return GpuTerms(
        activations=activation_gib(shape, run, tokens, c.TGI_SEQUENCES, run.version),
        runtime=non_torch_gib(accelerator, run),
        outside=c.TGI_RESERVE_GIB,
        budget=run.utilisation * memory_gib - c.TGI_RESERVE_GIB,
    )


def _transformers_terms(shape: Shape, memory_gib: float, run: GpuRun) -> GpuTerms:
    """Plain transformers: no cap, prompts are computed whole."""
    work = forward_bytes(shape, run.tp, run.context_tokens, 2.0)
    return GpuTerms(
        activations=work / BYTES_PER_GIB,
        runtime=c.TRANSFORMERS_BASE_GIB,
        outside=c.CUDA_CONTEXT_GIB,
        budget=memory_gib - c.CUDA_CONTEXT_GIB,
    )


def llama_cpp_buffer_gib(shape: Shape, context_tokens: int, sequences: float) -> float:
    """Return llama.cpp's compute buffer: micro-batch x (4 vocab + 24 hidden + 2 cells) bytes.

    302 MiB predicted and 296 logged, 789 and 808 for a second model.
    """
    cells = context_tokens * max(1.0, sequences)
    row = 4.0 * shape.vocab + 24.0 * shape.hidden + 2.0 * cells
    return c.LLAMA_CPP_MICRO_BATCH * row / BYTES_PER_GIB


def _llama_cpp_terms(shape: Shape, memory_gib: float, run: GpuRun) -> GpuTerms:
    """llama.cpp with every layer on the card: no cap, buffers known beforehand."""
    return GpuTerms(
        activations=llama_cpp_buffer_gib(shape, run.context_tokens, run.sequences),
        runtime=c.LLAMA_CPP_BASE_GIB,
        outside=0.0,
        budget=memory_gib,
    )
