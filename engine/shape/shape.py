"""The one Shape of a model: its parameters by role, its attention, experts and towers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from typing import Final

from catalog.facts.schema import Model
from engine.core.tasks import ENCODER_DECODER_TASKS
from engine.core.value import kw_value
from engine.shape.attention import (
    SPARSE_INDEXER_BYTES,
    AttentionLayers,
    attention_layers,
    head_widths,
    state_bytes,
)
from engine.shape.parameters import dense_ffn, parameters

USUAL_LAYERS: Final = 24  # of a network whose row has none, for times
USUAL_HEAD_DIM: Final = 64


@kw_value
class Shape:
    """Sizes of one model. Parameters are counts, not billions; 0 stands for "has none".

    Every parameter has one role: tables, towers, routed experts, and the body with what is left.
    Of the body the layers' shape tells attention, dense FFN, shared experts and routers.
    """

    layers: int
    hidden: int
    vocab: int
    ffn: int  # dense FFN width, 0 where every layer holds experts
    # Parameters by role
    embedding_params: float  # one table
    embedding_tables: int  # 1 tied, 2 separate
    head_params: float  # output head: what a token's last product reads
    body_params: float
    attention_params: float  # of the body, as are the next three
    dense_ffn_params: float
    shared_expert_params: float
    router_params: float
    expert_params: float  # one routed expert, over all layers that hold experts
    vision_params: float  # tower and projector, of the total
    assumed_vision_params: float  # of a tower that nobody sized; counted with the body
    vision_profile_gib: float | None  # of an engine's trial run of the tower; None: the usual
    # Experts
    experts: int
    experts_per_token: int
    expert_width: int  # the dense FFN's where there are no experts
    moe_layers: int
    # Attention
    heads: int
    kv_heads: int
    head_dim: int
    full_layers: int  # attend to everything
    window_layers: int  # to the last `window` tokens
    linear_layers: int  # keep a fixed state
    window: int
    bidirectional: bool
    kept_layers: AttentionLayers  # those that keep something of a sequence being generated
    mla_width: int  # latent and rotary part cached per token and layer; 0 without MLA
    indexer_bytes: float  # cached beside a latent, per token and layer
    kv_elements: int  # values cached per token and layer
    kv_splits: int  # most ways the cache divides under tensor parallelism
    prefill_head_dims: int  # query-key plus value width of one head
    decode_head_dims: int  # the same against the cache
    state_bytes: float  # per linear layer and sequence, not divided
    sequence_state_bytes: float  # all linear layers together

    @property
    def moe(self) -> bool:
        """Whether the model routes tokens to experts."""
        return self.expert_params > 0

    @property
    def mla(self) -> bool:
        """Whether attention is latent."""
        return self.mla_width > 0

    @property
    def sees(self) -> bool:
        """Whether there is a vision tower."""
        return self.vision_params + self.assumed_vision_params > 0

    @property
    def caching_layers(self) -> int:
        """Layers that keep keys and values."""
        return self.kept_layers.full + self.kept_layers.window

    @property
    def table_params(self) -> float:
        """Embedding and output head as stored."""
        return self.embedding_params * self.embedding_tables

    @property
    def routed_params(self) -> float:
        """All routed experts."""
        return self.experts * self.expert_params

    @property
    def total_params(self) -> float:
        """All parameters."""
        return self.table_params + self.body_params + self.routed_params + self.vision_params

    @property
    def active_params(self) -> float:
        """Parameters that multiply one token, the output head included."""
        return self.body_params + self.head_params + self.experts_per_token * self.expert_params

    @property
    def roles(self) -> Mapping[str, float]:
        """Parameters by role; they add up to the total.

        "other" is what the layers' shape does not tell: norms, biases, linear attention, cross
        attention, and what a published total is rounded by (so it can be negative).
        """
        told = {
            "attention": self.attention_params,
            "dense FFN": self.dense_ffn_params,
            "shared experts": self.shared_expert_params,
            "routers": self.router_params,
        }
        return {
            "embedding": self.embedding_params,
            "output head": self.embedding_params * (self.embedding_tables - 1),
            **told,
            "routed experts": self.routed_params,
            "towers": self.vision_params,
            "other": self.body_params - sum(told.values()),
        }


@lru_cache(maxsize=1024)
def shape_of(model: Model) -> Shape:
    """Return a model's sizes as its catalog row or config has them; 0 where it has none."""
    hidden, heads = model.hidden_size or 0, model.heads or 0
    head_dim = model.head_dim or (hidden // heads if heads else 0)
    layers, latent = (
        attention_layers(model, model.layers or 0, heads),
        model.mla_kv_lora_rank is not None,
    )
    state = state_bytes(model)
    once = model.attention in {"bidirectional", "none"}  # nothing is generated
    counts, widths = parameters(model, layers, head_dim), head_widths(model, heads, head_dim)
    width = model.moe_intermediate_size or model.intermediate_size or 4 * hidden
    return Shape(
        layers=model.layers or 0,
        hidden=hidden,
        vocab=model.vocab_size or 0,
        ffn=dense_ffn(model),
        embedding_params=counts.embedding,
        embedding_tables=counts.tables,
        head_params=counts.embedding,
        body_params=counts.body,
        attention_params=counts.attention,
        dense_ffn_params=counts.dense_ffn,
        shared_expert_params=counts.shared_experts,
        router_params=counts.routers,
        expert_params=counts.expert,
        vision_params=counts.vision,
        assumed_vision_params=counts.assumed_vision,
        vision_profile_gib=model.vision_profile_gib,
        experts=counts.experts,
        experts_per_token=(model.experts_per_token or 0) if counts.experts else 0,
        expert_width=width,
        moe_layers=model.moe_layers,
        heads=heads,
        kv_heads=widths.kv_heads,
        head_dim=head_dim,
        full_layers=layers.full,
        window_layers=layers.window,
        linear_layers=layers.linear,
        window=model.sliding_window or 0,
        bidirectional=model.attention == "bidirectional",
        kept_layers=layers._replace(full=0, window=0) if once else layers,
        mla_width=widths.kv_elements if latent else 0,
        indexer_bytes=SPARSE_INDEXER_BYTES if latent and model.sparse_indexer else 0.0,
        kv_elements=widths.kv_elements,
        kv_splits=widths.kv_splits,
        prefill_head_dims=widths.prefill,
        decode_head_dims=widths.decode,
        state_bytes=state,
        sequence_state_bytes=layers.linear * state,
    )


@lru_cache(maxsize=1024)
def transformer_of(model: Model) -> Shape:
    """Return a model's shape for the time formulas, which need a width.

    A network whose row has none (convolutions) stands as a plain transformer of as many parameters.
    """
    if model.layers and model.hidden_size and model.heads:
        return shape_of(model)
    layers = model.layers or USUAL_LAYERS
    params = (model.total_params_b - model.vision_params_b) * 1e9
    hidden = model.hidden_size or max(USUAL_HEAD_DIM, int(sqrt(params / (12 * layers))))
    heads = model.heads or max(1, hidden // USUAL_HEAD_DIM)
    plain = replace(model, layers=layers, hidden_size=hidden, heads=heads)
    return shape_of.__wrapped__(plain)  # the same id: not to be cached as the model itself


@lru_cache(maxsize=1024)
def reader_and_writer(model: Model, decoder_weight_ratio: float) -> tuple[Shape, Shape]:
    """Return what reads a prompt and what writes the answer: one stack for most models.

    Of an encoder-decoder they are its two. A decoder layer holds a second (cross) attention, so it
    weighs 4/3 of an encoder layer at the usual FFN width of four times the hidden size. The decoder
    reads the encoder's keys and values like a prompt's.
    """
    whole = transformer_of(model)
    if model.task not in ENCODER_DECODER_TASKS:
        return whole, whole
    encoder_layers = model.encoder_layers or whole.layers
    decoder_weight = whole.layers * decoder_weight_ratio
    share = encoder_layers / (encoder_layers + decoder_weight)
    encoder = replace(
        whole,
        layers=encoder_layers,
        full_layers=encoder_layers,
        body_params=whole.body_params * share,
        head_params=0.0,
        bidirectional=True,
    )
    return encoder, replace(whole, body_params=whole.body_params * (1 - share))
