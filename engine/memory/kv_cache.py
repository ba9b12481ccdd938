"""The cache of keys, values and states: bytes per token and sequence, and what a pool holds.

An engine keeps its cache in blocks. A `CacheLayout` says how many blocks a sequence pins; with the
room for the cache it gives the tokens an engine prints, and the sequences it can hold.
"""

import math
from typing import Final, Literal

from catalog.facts.schema import Model
from engine.core.dtypes import kv_cache_bytes
from engine.core.value import value
from engine.memory.constants import (
    BLOCK_TOKENS,
    HYBRID_GROUP_RATIO,
    LLAMA_CPP_CELL_TOKENS,
    LLAMA_CPP_MICRO_BATCH,
)
from engine.shape.shape import Shape, shape_of

SPEECH_ENCODER_POSITIONS: Final = 1500  # a Whisper encoder always sees a 30 s window
SPEECH_DECODER_POSITIONS: Final = 448
STATES_BESIDE_PREFIXES: Final = 2  # the one that grows and the one a later prompt may start from
# How an engine stores windowed layers beside full ones: vLLM groups layers of one kind into shared
# blocks; TensorRT-LLM, SGLang and transformers keep a pool per window; older engines and TGI keep
# every token of every layer; llama.cpp pads a window cache to whole cells.
Manager = Literal["grouped", "per_layer", "in_full", "llama.cpp"]


def layer_token_bytes(shape: Shape, kv_bytes: float, tp: int = 1) -> float:
    """Return bytes one token takes in one caching layer on one accelerator.

    2 x max(1, KV heads / tp) x head size x bytes; a head is never split. MLA caches one latent and
    a rotary part, the same on every rank.
    """
    if shape.mla_width:
        return shape.mla_width * kv_bytes + shape.indexer_bytes
    return 2.0 * max(1.0, shape.kv_heads / tp) * shape.head_dim * kv_bytes


def kv_bytes_per_token(model: Model, kv_dtype: str = "bf16", tp: int = 1) -> float:
    """Return bytes of cache one token adds on one accelerator, all caching layers together.

    With `tp=1` that is the figure of the whole replica, as users know it
    (2 x KV heads x head size x layers x bytes). Windowed layers count: they write every token.

    Raises:
        ValueError: no such cache dtype.
    """
    shape = shape_of(model)
    return layer_token_bytes(shape, kv_cache_bytes(kv_dtype), tp) * shape.caching_layers


def sequence_kv_gib(
    model: Model, context_tokens: int, kv_dtype: str = "bf16", tp: int = 1
) -> float:
    """Return GiB one sequence of that length keeps on one accelerator, per layer and unpadded.

    Full layers keep every token, windowed ones the window, linear ones a state.

    Raises:
        ValueError: no such cache dtype.
    """
    shape = shape_of(model)
    token = layer_token_bytes(shape, kv_cache_bytes(kv_dtype), tp)
    layers = shape.kept_layers
    kept = layers.full * context_tokens + layers.window * min(shape.window, context_tokens)
    return (token * kept + layers.linear * shape.state_bytes / tp) / 2**30


def cached_tokens(model: Model, context_tokens: int) -> int:
    """Return the positions one sequence caches.

    Encoder-decoders cache their output once and their input once (cross attention), which adds up
    to input + output; a speech model caches its fixed audio window and what it writes.
    """
    if model.task == "speech":
        return SPEECH_ENCODER_POSITIONS + min(context_tokens, SPEECH_DECODER_POSITIONS)
    return context_tokens


@value
class CacheLayout:
    """How an engine lays out one stage's cache on one accelerator."""

    block_tokens: int
    block_bytes: float
    full_groups: int
    window_groups: int
    window: int
    state_blocks: int  # a sequence pins these whatever its length
    printed_groups: int  # blocks one printed token's block stands for; 0: nothing grows
    in_flight_tokens: int = 0  # kept beyond the window between steps (llama.cpp's micro-batch)

    def blocks(self, room_bytes: float) -> int:
        """Return the blocks a room holds."""
        return max(0, int(room_bytes // self.block_bytes))

    def printed_tokens(self, blocks: int, context_tokens: int) -> int | None:
        """Return the "KV cache size" an engine prints, None where no layer grows with tokens.

        Beside layers with a state it is the sequences of the longest length times that length:
        what they pin whatever their length weighs less the longer they are (`num_tokens` of vLLM's
        kv_cache_utils; quoted in vllm-project/vllm#51041).
        """
        if self.printed_groups == 0:
            return None
        if self.state_blocks:
            return blocks * context_tokens // self.sequence_blocks(context_tokens)
        return blocks // self.printed_groups * self.block_tokens

    def sequence_blocks(self, tokens: int, in_flight: int = 0) -> int:
        """Return blocks one sequence pins, with `in_flight` prompt tokens kept past a window."""
        pinned = self.state_blocks + self.full_groups * -(-tokens // self.block_tokens)
        if self.window_groups:
            kept = self.window + max(self.in_flight_tokens, in_flight - 1)
            pinned += self.window_groups * (-(-min(kept, tokens) // self.block_tokens) + 1)
        return pinned

    def longest_sequence(self, blocks: int, in_flight: int = 0) -> float:
        """Return the tokens of the longest single sequence the blocks hold (inf: any length)."""
        free = blocks - self.state_blocks - self.window_groups
        if free < self.full_groups + self.window_groups:
            return math.inf if free >= 0 and self.full_groups + self.window_groups == 0 else 0.0
        kept = self.window + max(self.in_flight_tokens, in_flight - 1) if self.window_groups else 0
        beyond = free - self.window_groups * -(-kept // self.block_tokens)
        if self.full_groups == 0:
            return math.inf if beyond >= 0 else free // self.window_groups * self.block_tokens
        longest = beyond // self.full_groups * self.block_tokens
        if not self.window_groups or longest >= kept:
            return longest
        groups = self.full_groups + self.window_groups
        return min(kept, free // groups * self.block_tokens)


def cache_layout(
    shape: Shape, kv_bytes: float, tp: int, pp: int, manager: Manager
) -> CacheLayout | None:
    """Return the layout of the fullest pipeline stage, None where nothing is cached."""
    full, windowed, linear = shape.kept_layers
    if pp > 1:
        full, windowed, linear = (-(-layers // pp) for layers in shape.kept_layers)
    token = layer_token_bytes(shape, kv_bytes, tp)
    state = shape.state_bytes / tp
    if full + windowed == 0:
        return _state_layout(linear, state) if linear else None
    if linear:
        return _linear_layout(full, linear, token, state, manager)
    if manager == "in_full" or (windowed == 0 and manager == "grouped"):
        return CacheLayout(BLOCK_TOKENS, BLOCK_TOKENS * token * (full + windowed), 1, 0, 0, 0, 1)
    if manager == "grouped":
        return _grouped_layout(full, windowed, shape.window, token)
    cells = LLAMA_CPP_CELL_TOKENS if manager == "llama.cpp" else BLOCK_TOKENS
    slack = LLAMA_CPP_MICRO_BATCH if manager == "llama.cpp" else 0
    window = shape.window
    return CacheLayout(cells, cells * token, full, windowed, window, 0, full + windowed, slack)


def _grouped_layout(full: int, windowed: int, window: int, token: float) -> CacheLayout:
    """Return vLLM's hybrid manager: layers of a kind share blocks in groups of equal size.

    The group is the smaller kind, or the larger one where it is below 1.5 times the smaller.
    Checked on seven start-up logs of gemma-2, gemma-3 and gpt-oss (tokens within 0.1 %).
    """
    small, large = min(full, windowed) or windowed, max(full, windowed)
    size = large if large < HYBRID_GROUP_RATIO * small else small
    full_groups, window_groups = -(-full // size), -(-windowed // size)
    block_bytes = BLOCK_TOKENS * token * size
    groups = full_groups + window_groups
    return CacheLayout(BLOCK_TOKENS, block_bytes, full_groups, window_groups, window, 0, groups)


def _linear_layout(
    full: int, linear: int, token: float, state: float, manager: Manager
) -> CacheLayout:
    """Return the layout of attention layers beside linear ones.

    vLLM makes an attention block as large as one state (checked: 1,568-token blocks in a log of
    Qwen3.5-27B). Beside a prefix cache, its default, a sequence pins two for each group of linear
    layers: 90 of 784 tokens at 65,536 (aarora79/agentic-coding-harness-benchmarks qwen3.8-27b.md:
    173 blocks, 1.92 sequences), 2.16 GiB a GPU at 131,072 (mitchross/talos-argocd-proxmox#1995).
    """
    if manager == "grouped":
        block = BLOCK_TOKENS * math.ceil(state / (BLOCK_TOKENS * token))
        groups = -(-linear // full)
        pinned = STATES_BESIDE_PREFIXES * groups
        return CacheLayout(block, block * token * full, 1, 0, 0, pinned, 1 + groups)
    block_bytes = BLOCK_TOKENS * token * full
    states = math.ceil(linear * state / block_bytes)
    return CacheLayout(BLOCK_TOKENS, block_bytes, 1, 0, 0, states, 1)


def _state_layout(linear: int, state: float) -> CacheLayout:
    return CacheLayout(BLOCK_TOKENS, max(1.0, linear * state), 0, 0, 0, 1, 0)
