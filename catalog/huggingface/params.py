"""Parameters of a config by role: embeddings, attention of every kind, dense FFN, experts.

Counted as the architecture multiplies them. Biases are left out: below 0.1 % of any model of a
billion parameters.
"""

import math
from dataclasses import dataclass
from typing import Final

from catalog.huggingface.config_fields import ConfigFields
from catalog.huggingface.layers import LayerPlan
from catalog.huggingface.traits import Traits

HEAD_NAMES: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads")
HIDDEN_NAMES: Final = ("hidden_size", "n_embd", "d_model", "n_embed", "dim")
KV_NAMES: Final = ("num_key_value_heads", "num_kv_heads", "multi_query_group_num", "kv_n_heads")
FFN_NAMES: Final = ("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "hidden_dim")
VOCAB_NAMES: Final = ("vocab_size", "padded_vocab_size")
CONTEXT_NAMES: Final = (
    "max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
    "max_sequence_length", "model_max_length",
)  # fmt: skip
EXPERT_NAMES: Final = ("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
CHOSEN_NAMES: Final = (
    "num_experts_per_tok", "experts_per_token", "num_experts_per_token", "moe_top_k", "moe_topk",
    "moe_k",
)  # fmt: skip
SHARED_WIDTH_NAMES: Final = (
    "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
    "shared_intermediate_size",
)  # fmt: skip
EXPERT_WIDTH_NAMES: Final = ("moe_intermediate_size", "expert_ffn_hidden_size")
EXPERT_INPUT_NAMES: Final = ("routed_expert_hidden_size", "moe_latent_size")
WHISPER_POSITIONS: Final = 1500  # of half a minute
WHISPER_BANDS: Final = 128
DT_RANK_SHARE: Final = 16  # Mamba-1 steps are projected from hidden / 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions:
    """The sizes that the counts are made of."""

    hidden: int
    vocab: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int  # dense FFN width, 0 where every layer holds experts and no width is given
    matrices: int  # of one FFN: 3 gated, 2 plain
    experts: int
    chosen: int
    expert_width: int
    expert_input: int  # what a routed expert reads: the hidden size, or a latent made of it
    shared_width: int
    tied: bool


def dimensions(fields: ConfigFields, traits: Traits, *, heads_needed: bool) -> Dimensions:
    """Return the sizes of a text model.

    Raises:
        ModelConfigError: one is missing or unreadable.
    """
    hidden = fields.need(*HIDDEN_NAMES)
    heads = fields.need(*HEAD_NAMES) if heads_needed else 0
    ffn_part = fields.part("ffn_config") or fields
    experts = ffn_part.count(*EXPERT_NAMES) or 0
    experts = experts if experts > 1 else 0
    gated = traits.gated and fields.text("mlp_hidden_act") != "relu2"
    width = _expert_width(fields, ffn_part) if experts else 0
    return Dimensions(
        hidden=hidden,
        vocab=fields.need(*VOCAB_NAMES),
        heads=heads,
        kv_heads=_kv_heads(fields, traits, heads),
        head_dim=_head_dim(fields, hidden, heads) if heads else 0,
        ffn=_ffn_width(fields, traits, hidden, needed=not experts),
        matrices=3 if gated else 2,
        experts=experts,
        chosen=_chosen_experts(ffn_part, experts) if experts else 0,
        expert_width=width,
        expert_input=fields.count(*EXPERT_INPUT_NAMES) or hidden,
        shared_width=_shared_width(fields, traits, width) if experts else 0,
        tied=fields.flag("tie_word_embeddings", default=traits.tied),
    )


def _head_dim(fields: ConfigFields, hidden: int, heads: int) -> int:
    stated = fields.count("head_dim", "kv_channels", "attention_head_dim")
    if stated is None and fields.has("kv_lora_rank"):
        stated = fields.count("v_head_dim")  # latent attention has widths of its own
    if stated is not None:
        return stated
    if hidden % heads:
        problem = f"is missing, and hidden size {hidden} does not divide by {heads} heads"
        raise fields.wrong("head_dim", problem)
    return hidden // heads


def _kv_heads(fields: ConfigFields, traits: Traits, heads: int) -> int:
    """Return the key-value heads: as stated, one where queries share them all, else as many."""
    part = fields.part("attn_config") or fields
    stated = part.count(*KV_NAMES)
    shared = traits.multi_query and not fields.flag("new_decoder_architecture", default=False)
    if fields.flag("multi_query", default=traits.multi_query) and (shared or stated is None):
        return 1
    if stated is not None and heads and stated > heads:
        raise part.wrong(KV_NAMES[0], f"is {stated}, more than the {heads} attention heads")
    return stated or heads


def _ffn_width(fields: ConfigFields, traits: Traits, hidden: int, *, needed: bool) -> int:
    ratio = fields.count("expansion_ratio") or traits.ffn_ratio
    stated = fields.count("intermediate_size_mlp", *FFN_NAMES)
    if stated is None and ratio is not None:
        return int(ratio * hidden)
    if stated is None and needed:
        stated = fields.need(*FFN_NAMES)
    return int((stated or 0) * traits.ffn_share)


def _expert_width(fields: ConfigFields, ffn_part: ConfigFields) -> int:
    return fields.count(*EXPERT_WIDTH_NAMES) or ffn_part.need(*FFN_NAMES)


def _chosen_experts(part: ConfigFields, experts: int) -> int:
    """Return how many experts a token takes, of those with weights (LongCat's others have none)."""
    empty = part.count("zero_expert_num", least=0) or 0
    chosen = part.need(*CHOSEN_NAMES, most=experts + empty)
    return max(1, round(chosen * experts / (experts + empty)))


def _shared_width(fields: ConfigFields, traits: Traits, width: int) -> int:
    stated = fields.count(*SHARED_WIDTH_NAMES, least=0)
    if stated is not None:
        return stated
    count = fields.count("n_shared_experts", "num_shared_experts", "moe_num_shared_experts",
                         least=0, most=64)  # fmt: skip
    return (int(traits.shared_expert) if count is None else count) * width


@dataclass(frozen=True, slots=True)
class Counts:
    """Parameters of the text part."""

    embedding: int
    attention: int
    dense_ffn: int
    experts: int  # all routed experts
    beside_experts: int  # shared experts, routers, projections of a latent
    one_expert: int  # of one layer

    @property
    def total(self) -> int:
        """All of them."""
        parts = self.embedding + self.attention + self.dense_ffn
        return parts + self.experts + self.beside_experts


def counts(fields: ConfigFields, traits: Traits, size: Dimensions, plan: LayerPlan) -> Counts:
    """Return the parameters by role.

    Raises:
        ModelConfigError: a field of latent or linear attention is missing or unreadable.
    """
    hidden, attending = size.hidden, plan.full + plan.window
    one_expert = size.matrices * size.expert_input * size.expert_width
    shared = size.matrices * hidden * size.shared_width + size.experts * hidden
    if size.expert_input != hidden:
        shared += 2 * hidden * size.expert_input  # into the latent and out of it
    linear = linear_layer_params(fields, traits, size) if plan.linear else 0
    attention = attention_params(fields, traits, size) if attending else 0
    return Counts(
        embedding=_embedding(fields, traits, size),
        attention=attending * attention + plan.linear * linear + 2 * plan.layers * hidden,
        dense_ffn=plan.dense_ffn * size.matrices * hidden * size.ffn,
        experts=plan.experts * size.experts * one_expert,
        beside_experts=plan.experts * shared,
        one_expert=one_expert,
    )


def _embedding(fields: ConfigFields, traits: Traits, size: Dimensions) -> int:
    """Return the tables: tokens, output head, and learned positions where there are any."""
    tables = size.vocab * size.hidden * (1 if size.tied else 2)
    if not traits.positions:
        return tables
    rows = fields.count(*CONTEXT_NAMES) or 0
    return tables + (rows + (fields.count("type_vocab_size", least=0) or 0)) * size.hidden


def attention_params(fields: ConfigFields, traits: Traits, size: Dimensions) -> int:
    """Return the parameters of one attention layer (latent where `kv_lora_rank` is given).

    Raises:
        ModelConfigError: a field of latent attention is missing or unreadable.
    """
    if fields.has("kv_lora_rank"):
        return _latent_attention(fields, size) + _indexer(fields, size)
    wide = size.heads * size.head_dim
    gated = fields.flag("attn_output_gate", default=traits.query_gate)
    keys = 2 * size.hidden * size.kv_heads * size.head_dim
    return size.hidden * wide * (3 if gated else 2) + keys


def _latent_attention(fields: ConfigFields, size: Dimensions) -> int:
    """Return Q through its low rank (or straight), the shared latent, and what expands it."""
    rank, rope = fields.need("kv_lora_rank"), fields.need("qk_rope_head_dim")
    nope, value = fields.need("qk_nope_head_dim"), fields.need("v_head_dim")
    query_rank, query = fields.count("q_lora_rank"), size.heads * (nope + rope)
    queries = size.hidden * query
    if query_rank is not None:
        queries = query_rank * (size.hidden + query)
    latent = size.hidden * (rank + rope) + rank * size.heads * (nope + value)
    return queries + latent + size.heads * value * size.hidden


def _indexer(fields: ConfigFields, size: Dimensions) -> int:
    """Return the sparse indexer of DeepSeek-V3.2: keys, queries from the query rank, weights."""
    heads, width = fields.count("index_n_heads"), fields.count("index_head_dim")
    if heads is None or width is None:
        return 0
    query_rank = fields.count("q_lora_rank") or size.hidden
    return size.hidden * (width + heads) + query_rank * heads * width


def linear_layer_params(fields: ConfigFields, traits: Traits, size: Dimensions) -> int:
    """Return the parameters of one layer that keeps a state, by the fields its kind has.

    Raises:
        ModelConfigError: no known kind of linear layer.
    """
    if fields.has("linear_num_value_heads"):
        return _delta_net(fields, size.hidden)
    part = fields.part("linear_attn_config")
    if part is not None:
        return _kimi_delta(part, size.hidden)
    if fields.has("mamba_num_heads", "mamba_n_heads", "n_mamba_heads", "state_size"):
        return _mamba_2(fields, size.hidden)
    if fields.has("mamba_d_state"):
        return _mamba_1(fields, size.hidden)
    if fields.has("attn_type_list") or traits.lightning:
        wide = size.heads * size.head_dim
        return 5 * size.hidden * wide  # Q, K, V, output and its gate
    if fields.has("conv_L_cache"):
        return 4 * size.hidden * size.hidden  # LFM2: three gates in, one out
    raise fields.wrong(
        "linear_num_value_heads",
        "is missing: layers without full attention are read as gated delta-net, Mamba, lightning "
        "or Kimi delta attention, and none of their fields is there",
    )


def _delta_net(fields: ConfigFields, hidden: int) -> int:
    """Return Q, K, V, gate and output of a gated delta-net, its decay and its convolution."""
    values = fields.need("linear_num_value_heads")
    value = values * fields.need("linear_value_head_dim")
    key = fields.need("linear_num_key_heads") * fields.need("linear_key_head_dim")
    kernel = fields.count("linear_conv_kernel_dim", most=64) or 4
    projections = hidden * (2 * key + 2 * value + 2 * values) + value * hidden
    return projections + kernel * (2 * key + value)


def _kimi_delta(part: ConfigFields, hidden: int) -> int:
    """Return Q, K, V and output, and two low-rank gates, of Kimi delta attention."""
    head_dim = part.need("head_dim")
    wide = part.need("num_heads") * head_dim
    return 4 * hidden * wide + 2 * (hidden * head_dim + head_dim * wide)


def _mamba_2(fields: ConfigFields, hidden: int) -> int:
    """Return the projections of Mamba-2: value, gate, groups of B and C, one step a head."""
    expand = fields.count("expand", "mamba_expand", most=64) or 2
    heads = fields.count("mamba_num_heads", "mamba_n_heads", "n_mamba_heads", "num_heads")
    head_dim = fields.raw("mamba_head_dim", "mamba_d_head", "head_dim")[1]
    inner = expand * hidden
    if heads is not None and isinstance(head_dim, int):
        inner = heads * head_dim
    groups = fields.count("n_groups", "mamba_n_groups", "mamba_ngroups", most=4096) or 1
    state = fields.need("ssm_state_size", "mamba_d_state", "state_size")
    kernel = fields.count("conv_kernel", "mamba_d_conv", most=64) or 4
    mixed = 2 * groups * state
    heads = heads or inner // 64
    return hidden * (2 * inner + mixed + heads) + kernel * (inner + mixed) + inner * hidden


def _mamba_1(fields: ConfigFields, hidden: int) -> int:
    """Return the projections of Mamba-1: value and gate, state, step of low rank, output."""
    inner = (fields.count("mamba_expand", most=64) or 2) * hidden
    state = fields.need("mamba_d_state")
    rank = math.ceil(hidden / DT_RANK_SHARE)
    kernel = fields.count("mamba_d_conv", most=64) or 4
    return 3 * hidden * inner + inner * (kernel + 2 * rank + 3 * state)


def audio_params(fields: ConfigFields, hidden: int) -> int:
    """Return the parameters of a Whisper-like encoder with its projector, 0 where unreadable."""
    width = fields.count("hidden_size", "d_model")
    layers = fields.count("num_hidden_layers", "encoder_layers", most=4096)
    if width is None or layers is None:
        return 0
    wide = fields.count("intermediate_size", "encoder_ffn_dim") or 4 * width
    positions = fields.count("max_source_positions") or WHISPER_POSITIONS
    convolutions = 3 * width * (WHISPER_BANDS + width)  # kernels of three frames
    layer = 4 * width * width + 2 * width * wide
    projector = (wide + hidden) * hidden
    return layers * layer + convolutions + positions * width + projector


def vision_params(fields: ConfigFields, hidden: int, *, gated: bool) -> int:
    """Return the parameters of a vision tower with its projector, 0 where they cannot be read."""
    width = fields.count("embed_dim", "hidden_size", "width")
    layers = fields.count("depth", "num_hidden_layers", "layers", most=4096)
    # Qwen2-VL states the text width as its tower's hidden size, and its own as embed_dim.
    if width is None or layers is None:
        return 0
    ratio = fields.raw("mlp_ratio")[1]
    wide = fields.count("intermediate_size")
    if wide is None:
        wide = (
            int(width * ratio) if isinstance(ratio, int | float) and 0 < ratio < 64 else 4 * width
        )
    layer = 4 * width * width + (3 if gated else 2) * width * wide
    patch = fields.count("patch_size", most=1024) or 14
    merged = width * (fields.count("spatial_merge_size", most=64) or 1) ** 2
    projector = merged * merged + merged * hidden if merged > width else (width + hidden) * hidden
    return layers * layer + 3 * patch * patch * width + projector
