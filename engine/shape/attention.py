"""A model's attention: which layers see everything, a window or a state, and what they cache."""

from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from catalog.facts.schema import Model

SPARSE_INDEXER_BYTES: Final = 132.0  # index key of 128 one-byte values and a scale
# Multi-head latent attention as published with DeepSeek-V2: 128 wide queries, keys and values
# before compression, beside which the rotary part travels.
MLA_HEAD_DIM: Final = 128
# MLA models this wide also have a query down-projection that every rank holds (rank 1536).
MLA_QUERY_RANK: Final = 1536
MLA_QUERY_FROM_HIDDEN: Final = 5120

USUAL_DELTA_NET_VALUE_HEADS: Final = 32  # of 128 x 128; checked against engine logs (Qwen3-Next)
STATE_SIDE: Final = 128  # rows and columns of a linear-attention state
MAMBA_HEAD: Final = 64


class AttentionLayers(NamedTuple):
    """Layers by what they see. Linear ones keep a state of fixed size."""

    full: int
    window: int
    linear: int


class HeadWidths(NamedTuple):
    """What one layer caches of a token, and how wide its products are."""

    kv_heads: int
    kv_elements: int  # values cached per token and layer
    kv_splits: int  # most ways the cache divides under tensor parallelism
    prefill: int  # query-key plus value width of one head
    decode: int  # the same against the cache


def attention_layers(model: Model, layers: int, heads: int) -> AttentionLayers:
    """Return the layers by kind, of `layers` in all. Without heads none attends."""
    if not heads:
        return AttentionLayers(0, 0, model.linear_layers)
    windowed = model.sliding_window is not None and model.attention in {"window", "bidirectional"}
    full = model.full_attention_layers
    if full is None:
        full = 0 if windowed else layers - model.linear_layers
    window = layers - full - model.linear_layers if windowed else 0
    return AttentionLayers(full, window, model.linear_layers)


def head_widths(model: Model, heads: int, head_dim: int) -> HeadWidths:
    """Return the widths of one attention layer: latent (MLA), or keys and values by head."""
    if model.mla_kv_lora_rank is not None:
        rank, rope = model.mla_kv_lora_rank, model.mla_rope_head_dim or 0
        # Every rank needs the whole latent vector; scores are taken against latent and rotary part.
        return HeadWidths(1, rank + rope, 1, 2 * MLA_HEAD_DIM + rope, 2 * rank + rope)
    kv_heads = model.kv_heads or heads
    return HeadWidths(kv_heads, 2 * kv_heads * head_dim, kv_heads, 2 * head_dim, 2 * head_dim)


def attention_params(model: Model, hidden: int, heads: int, head_dim: int) -> int:
    """Return the parameters of one attention layer's projections.

    Q and output, K and V; latent (MLA): queries through their rank, the latent and what expands it.
    """
    if model.mla_kv_lora_rank is None:
        return 2 * hidden * head_dim * (heads + (model.kv_heads or heads))
    rank, rope = model.mla_kv_lora_rank, model.mla_rope_head_dim or 0
    query, wide = heads * (MLA_HEAD_DIM + rope), heads * MLA_HEAD_DIM
    query_rank = mla_query_rank(hidden)
    queries = query_rank * (hidden + query) if query_rank else hidden * query
    return queries + hidden * (rank + rope) + 2 * rank * wide + wide * hidden


def mla_query_rank(hidden: int) -> int:
    """Return the rank of a latent model's query down-projection, 0 where it has none."""
    return MLA_QUERY_RANK if hidden >= MLA_QUERY_FROM_HIDDEN else 0


def state_bytes(model: Model) -> float:
    """Return the bytes of one linear layer's state for one sequence (32-bit states).

    Gated delta-net: value heads x 128 x 128, and three steps of convolution input in 16 bit.
    Mamba-2: heads x 64 x 128. Lightning attention: heads x 128 x 128.
    """
    if not model.linear_layers:
        return 0.0
    kind = model.attention_text.lower()
    if "mamba" in kind:
        heads = 2 * (model.hidden_size or 0) // MAMBA_HEAD
        return heads * MAMBA_HEAD * STATE_SIDE * 4.0
    if "lightning" in kind:
        return (model.heads or 0) * STATE_SIDE * STATE_SIDE * 4.0
    values = model.delta_net_value_heads or USUAL_DELTA_NET_VALUE_HEADS
    convolution = 3 * (values + 32) * STATE_SIDE * 2.0
    return values * STATE_SIDE * STATE_SIDE * 4.0 + convolution


@lru_cache(maxsize=1024)
def padded_model(model: Model, ways: int) -> Model:
    """Return the model as Neuron's software holds it over `ways` cores.

    Query heads are filled up with zeros to a multiple of the cores, key and value heads with them
    where there are as many (`gqa.py` of NxD Inference and optimum-neuron). What is added is stored
    and read like any weight. Published: 64 heads over 24 cores, 40 over 12 and over 32.
    """
    heads = model.heads or 0
    if not heads or heads % ways == 0:
        return model
    filled = -(-heads // ways) * ways
    kv_heads = filled if model.kv_heads in {None, heads} else model.kv_heads
    head_dim = model.head_dim or (model.hidden_size or 0) // heads
    wider = replace(model, heads=filled, kv_heads=kv_heads, head_dim=head_dim)
    added = _all_attention_params(wider) - _all_attention_params(model)
    return replace(wider, total_params_b=model.total_params_b + added / 1e9)


def _all_attention_params(model: Model) -> int:
    heads, hidden = model.heads or 0, model.hidden_size or 0
    by_kind = attention_layers(model, model.layers or 0, heads)
    one = attention_params(model, hidden, heads, model.head_dim or hidden // heads)
    return (by_kind.full + by_kind.window) * one
