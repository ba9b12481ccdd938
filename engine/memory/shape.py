"""The parts of a model that memory depends on, worked out once per model."""

from functools import lru_cache
from typing import Final

from catalog.facts.schema import Model
from engine.core.value import value
from engine.memory.constants import SPARSE_INDEXER_BYTES

# Parameters of a vision tower with its projector where the catalog does not know them
# (SigLIP-So400m class, the commonest).
USUAL_VISION_PARAMS: Final = 0.42e9
# FFN width over hidden size where it differs by layer (NAS models): the Llama ratio.
USUAL_FFN_RATIO: Final = 3.5
SPEECH_ENCODER_POSITIONS: Final = 1500  # a Whisper encoder always sees a 30 s window
SPEECH_DECODER_POSITIONS: Final = 448

SINGLE_SHOT_TASKS: Final = frozenset({"encoder", "embedding", "vision"})

USUAL_DELTA_NET_VALUE_HEADS: Final = 32  # of 128 x 128; checked against engine logs (Qwen3-Next)
STATE_SIDE: Final = 128  # rows and columns of a linear-attention state
MAMBA_HEAD: Final = 64


@value
class Shape:
    """Sizes of one model. Parameters are counts, not billions; 0 stands for "has none"."""

    embedding_params: float  # one table
    embedding_tables: int  # 1 tied, 2 separate
    expert_params: float
    body_params: float
    vision_params: float
    dense_ffn_params: float
    layers: int
    full_layers: int  # attend to everything, cache everything
    window_layers: int  # cache at most `window` tokens
    linear_layers: int  # keep a fixed state
    window: int
    state_bytes: float  # per linear layer and sequence, not divided
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    mla_width: int  # latent and rotary part cached per token and layer; 0 without MLA
    indexer_bytes: float
    ffn: int  # dense FFN width, 0 where every layer holds experts
    expert_width: int
    experts: int
    experts_per_token: int
    moe_layers: int
    vocab: int

    @property
    def caching_layers(self) -> int:
        """Layers that keep keys and values."""
        return self.full_layers + self.window_layers

    @property
    def total_params(self) -> float:
        """All parameters, embeddings and experts included."""
        tables = self.embedding_params * self.embedding_tables
        return tables + self.expert_params + self.body_params


@lru_cache(maxsize=1024)
def shape_of(model: Model) -> Shape:
    """Return the sizes memory depends on.

    Routed experts are `matrices x hidden x width x experts x layers with experts`; the body is what
    is left of the total after experts and embeddings (shared experts and routers are body).
    """
    hidden = model.hidden_size or 0
    layers = model.layers or 0
    total = model.total_params_b * 1e9
    table = float((model.vocab_size or 0) * hidden)
    tables = 1 if model.tied_embeddings else 2
    if table * tables > total:  # encoders that publish one table for both ends
        table, tables = min(table, total / 2), 1
    experts = _expert_params(model, total - table * tables)
    full, window_layers = _caching_layers(model)
    ffn = _dense_ffn(model)
    matrices = 3 if model.gated_ffn else 2
    return Shape(
        embedding_params=table,
        embedding_tables=tables,
        expert_params=experts,
        body_params=total - table * tables - experts,
        vision_params=_vision_params(model),
        dense_ffn_params=float(matrices * hidden * ffn * max(0, layers - model.moe_layers)),
        layers=layers,
        full_layers=full,
        window_layers=window_layers,
        linear_layers=model.linear_layers,
        window=model.sliding_window or 0,
        state_bytes=_state_bytes(model),
        hidden=hidden,
        heads=model.heads or 0,
        kv_heads=model.kv_heads or model.heads or 0,
        head_dim=model.head_dim or 0,
        mla_width=_mla_width(model),
        indexer_bytes=SPARSE_INDEXER_BYTES if model.sparse_indexer else 0.0,
        ffn=ffn,
        expert_width=model.moe_intermediate_size or 0,
        experts=model.num_experts or 0,
        experts_per_token=model.experts_per_token or 0,
        moe_layers=model.moe_layers,
        vocab=model.vocab_size or 0,
    )


def _expert_params(model: Model, most: float) -> float:
    if not model.num_experts or not model.moe_intermediate_size or not model.hidden_size:
        return 0.0
    matrices = 3 if model.gated_ffn else 2
    one = matrices * model.hidden_size * model.moe_intermediate_size
    # A published total can be below what the shape gives (latent experts): never more than is left.
    return min(float(one * model.num_experts * model.moe_layers), most)


def _caching_layers(model: Model) -> tuple[int, int]:
    layers = model.layers or 0
    if model.attention in {"bidirectional", "none"} or not model.heads:
        return 0, 0
    windowed = model.attention == "window" and model.sliding_window is not None
    if model.full_attention_layers is not None:
        full = model.full_attention_layers
    else:
        full = 0 if windowed else layers - model.linear_layers
    return full, layers - full - model.linear_layers if windowed else 0


def _dense_ffn(model: Model) -> int:
    layers = model.layers or 0
    if layers and model.moe_layers >= layers:
        return 0
    if model.intermediate_size:
        return model.intermediate_size
    return int(USUAL_FFN_RATIO * (model.hidden_size or 0))


def _vision_params(model: Model) -> float:
    if model.task != "vision_language":
        return 0.0
    return model.vision_params_b * 1e9 or USUAL_VISION_PARAMS


def _mla_width(model: Model) -> int:
    if model.mla_kv_lora_rank is None:
        return 0
    return model.mla_kv_lora_rank + (model.mla_rope_head_dim or 0)


def _state_bytes(model: Model) -> float:
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
