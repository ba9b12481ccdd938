"""A model's shape as the time formulas see it: parameters by role, heads, caching layers."""

from functools import lru_cache
from math import sqrt

from catalog.facts.schema import Model
from engine.core.value import kw_value

# The fraction of all parameters that the dense body has at least, where the published total and
# the shape disagree so much that nothing would be left of it.
DENSE_BODY_MIN_SHARE = 0.02
# Multi-head latent attention as published with DeepSeek-V2: 128 wide queries, keys and values
# before compression, beside which the rotary part travels.
MLA_HEAD_DIM = 128


@kw_value
class Shape:
    """One text or vision stack. `expert_params` is one expert summed over the expert layers."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    dense_params: float
    head_params: float  # output head
    embedding_params: float  # input and output tables as stored
    expert_params: float
    expert_width: int
    experts: int
    experts_per_token: int
    full_layers: int  # attend to everything
    window_layers: int
    window: int
    linear_layers: int
    kv_elements: int  # cached values per token and layer
    kv_splits: int  # most ways the cache divides under tensor parallelism
    prefill_head_dims: int  # query-key plus value width of one head
    decode_head_dims: int  # the same against the cache
    mla: bool
    bidirectional: bool

    @property
    def moe(self) -> bool:
        """Whether the model routes tokens to experts."""
        return self.expert_params > 0

    @property
    def total_params(self) -> float:
        """All parameters of the stack."""
        return self.dense_params + self.embedding_params + self.experts * self.expert_params

    @property
    def active_params(self) -> float:
        """Parameters that multiply one token, the output head included."""
        return self.dense_params + self.head_params + self.experts_per_token * self.expert_params


@lru_cache(maxsize=512)
def shape_of(model: Model) -> Shape:
    """Return the shape of a model's main stack (the decoder, where it has one).

    Fields that a catalog row leaves blank (convolutional networks) fall back to those of a plain
    transformer with the same number of parameters.
    """
    total = (model.total_params_b - model.vision_params_b) * 1e9
    layers = model.layers or 24
    hidden = model.hidden_size or max(64, int(sqrt(total / (12 * layers))))
    heads = model.heads or max(1, hidden // 64)
    tables = 1 if model.tied_embeddings else 2
    head = float((model.vocab_size or 0) * hidden)
    expert, experts, chosen = _experts(model, hidden)
    embedding = tables * head
    dense = max(total - experts * expert - embedding, DENSE_BODY_MIN_SHARE * total)
    mla = model.mla_kv_lora_rank is not None
    return Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        dense_params=dense,
        head_params=head,
        embedding_params=embedding,
        expert_params=expert,
        expert_width=model.moe_intermediate_size or model.intermediate_size or 4 * hidden,
        experts=experts,
        experts_per_token=chosen,
        linear_layers=model.linear_layers,
        mla=mla,
        bidirectional=model.attention == "bidirectional",
        **_attention_layers(model, layers),
        **(_latent_cache(model) if mla else _grouped_cache(model, heads, hidden)),
    )


def _experts(model: Model, hidden: int) -> tuple[float, int, int]:
    """Return the parameters of one expert over all expert layers, the experts, those chosen."""
    if not (model.num_experts and model.experts_per_token and model.moe_layers):
        return 0.0, 1, 1
    width = model.moe_intermediate_size or model.intermediate_size or 4 * hidden
    matrices = 3 if model.gated_ffn else 2
    expert = float(matrices * hidden * width * model.moe_layers)
    most = (1 - DENSE_BODY_MIN_SHARE) * model.total_params_b * 1e9 / model.num_experts
    return min(expert, most), model.num_experts, model.experts_per_token


def _attention_layers(model: Model, layers: int) -> dict[str, int]:
    full = model.full_attention_layers
    if full is None:
        full = 0 if model.sliding_window and not model.linear_layers else layers
        full = max(0, full - model.linear_layers)
    windowed = max(0, layers - full - model.linear_layers) if model.sliding_window else 0
    return {
        "full_layers": full,
        "window_layers": windowed,
        "window": model.sliding_window or 0,
    }


def _latent_cache(model: Model) -> dict[str, int]:
    rank, rope = model.mla_kv_lora_rank or 0, model.mla_rope_head_dim or 0
    return {
        "kv_heads": 1,
        "kv_elements": rank + rope,
        "kv_splits": 1,  # every rank needs the whole latent vector
        "prefill_head_dims": 2 * MLA_HEAD_DIM + rope,
        "decode_head_dims": 2 * rank + rope,  # scores against latent and rope, values from latent
    }


def _grouped_cache(model: Model, heads: int, hidden: int) -> dict[str, int]:
    head_dim = model.head_dim or hidden // heads
    kv_heads = model.kv_heads or heads
    return {
        "kv_heads": kv_heads,
        "kv_elements": 2 * kv_heads * head_dim,
        "kv_splits": kv_heads,
        "prefill_head_dims": 2 * head_dim,
        "decode_head_dims": 2 * head_dim,
    }
