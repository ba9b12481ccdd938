"""A typical architecture for a model of which only the size is known ("7B", "671B-A37B").

Sizes climb one ladder of shapes, each rung wider or deeper than the one below in one dimension and
smaller in none, so that a bigger model never has a smaller layer, cache or count of heads. The
proportions are those of public dense decoders since 2024: KV shared by 8 heads of 128, FFN 3.5
times the hidden size, 32 layers up to a hidden size of 4096 (8B), 80 at 8192 (70B), 126 at 16384
(405B), a vocabulary of 128 thousand from 4B on.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from catalog.facts.schema import Attention, Model, ModelTask

HEAD_DIM: Final = 128
KV_HEADS: Final = 8
FFN_RATIO: Final = 3.5
LARGEST_B: Final = 5000.0
CONTEXT_TOKENS: Final = 131_072
ENCODER_CONTEXT_TOKENS: Final = 512
VISION_PARAMS_B: Final = 0.42  # a SigLIP-So400m tower, the commonest
EXPERTS_PER_TOKEN: Final = 8
EXPERT_GROUP: Final = 8  # expert counts and widths are multiples: they divide over 2, 4, 8 GPUs
BIDIRECTIONAL: Final = frozenset({"encoder", "embedding", "reranker", "vision"})


@dataclass(frozen=True, slots=True)
class Rung:
    """One shape of the ladder."""

    hidden: int
    layers: int
    heads: int
    ffn: int
    vocab: int

    @property
    def attention_params(self) -> int:
        """Parameters of one layer's attention: Q and output, K and V."""
        return 2 * self.hidden * HEAD_DIM * (self.heads + KV_HEADS)

    @property
    def embedding_params(self) -> int:
        """Parameters of the embedding and of the output head."""
        return 2 * self.vocab * self.hidden

    @property
    def params(self) -> int:
        """All parameters (norms are too few to count)."""
        layer = self.attention_params + 3 * self.hidden * self.ffn
        return self.layers * layer + self.embedding_params


LOWEST: Final = Rung(hidden=64, layers=2, heads=8, ffn=128, vocab=2048)


@lru_cache(maxsize=256)
def typical_model(
    params_b: float, active_params_b: float | None = None, task: ModelTask = "decoder"
) -> Model:
    """Return a model of that many billion parameters with the usual proportions.

    The shape's own count is within 1.7 % of the size from 1B on (a layer or a group of heads more
    is a step of that order), looser for smaller ones; the total is the size as given.

    With fewer active than total parameters it is a mixture of experts: layers and attention of a
    dense model of the active size, its FFN split into experts of which about 8 are used per token.

    Raises:
        ValueError: a size that is not positive, or more active than total parameters.
    """
    active_b = params_b if active_params_b is None else active_params_b
    if not 0 < active_b <= params_b:
        raise ValueError(f"no model has {params_b:g}B parameters of which {active_b:g}B are active")
    rung = _rung(active_b)
    model = _dense(rung, params_b, active_b, task)
    return model if active_b == params_b else _with_experts(model, rung, params_b)


def size_name(params_b: float, active_params_b: float | None = None) -> str:
    """Return a size as people write it: `7B`, `350M`, `671B-A37B`."""
    name = f"{params_b * 1000:.4g}M" if params_b < 1 else f"{params_b:.6g}B"
    return name if active_params_b in {None, params_b} else f"{name}-A{active_params_b:.6g}B"


@cache
def _ladder() -> tuple[Rung, ...]:
    rungs = [LOWEST]
    while rungs[-1].params < LARGEST_B * 1e9:
        rungs.append(_next_rung(rungs[-1]))
    return tuple(rungs)


def _next_rung(rung: Rung) -> Rung:
    """Return the next rung: whatever lags behind the width grows first, else the width."""
    width = rung.hidden
    if rung.ffn + 64 <= FFN_RATIO * width:
        return replace(rung, ffn=rung.ffn + max(64, 2 ** (rung.ffn.bit_length() - 8)))
    if rung.vocab < _usual_vocab(width):
        return replace(rung, vocab=rung.vocab + 1024)
    if rung.layers < _usual_layers(width):
        return replace(rung, layers=rung.layers + 1)
    if rung.heads < _usual_heads(width):
        return replace(rung, heads=rung.heads + 8)
    return replace(rung, hidden=width + max(8, 2 ** (width.bit_length() - 7)))


def _usual_vocab(hidden: int) -> int:
    return min(128 * 1024, 40 * hidden)


def _usual_layers(hidden: int) -> int:
    if hidden <= 1024:
        return max(2, hidden // 32)
    if hidden <= 4096:
        return 32
    if hidden <= 8192:
        return 32 + (hidden - 4096) * 48 // 4096
    return min(126, 80 + (hidden - 8192) * 46 // 8192)


def _usual_heads(hidden: int) -> int:
    if hidden <= 4096:
        return min(32, max(8, hidden // 32))
    return max(32, hidden // HEAD_DIM)


def _rung(params_b: float) -> Rung:
    """Return the rung whose parameters are nearest to the size."""
    ladder = _ladder()
    at = bisect_left(ladder, params_b * 1e9, key=lambda rung: rung.params)
    near = ladder[max(0, at - 1) : at + 1] or ladder[-1:]
    return min(near, key=lambda rung: abs(rung.params - params_b * 1e9))


def _dense(rung: Rung, params_b: float, active_b: float, task: ModelTask) -> Model:
    without_text = task == "diffusion"
    both_ends = task in {"enc_dec", "speech"}
    decoder_layers = max(1, rung.layers // 2) if both_ends else rung.layers
    return Model(
        id=size_name(params_b, active_b),
        aliases=(),
        family="typical",
        task=task,
        total_params_b=params_b,
        active_params_b=active_b,
        layers=None if without_text else decoder_layers,
        encoder_layers=rung.layers - decoder_layers if both_ends else None,
        hidden_size=None if without_text else rung.hidden,
        intermediate_size=None if without_text else rung.ffn,
        moe_intermediate_size=None,
        heads=None if without_text else rung.heads,
        kv_heads=None if without_text else KV_HEADS,
        head_dim=None if without_text else HEAD_DIM,
        vocab_size=None if without_text else rung.vocab,
        attention=_usual_attention(task),
        attention_text="GQA" if _usual_attention(task) == "full" else "",
        sliding_window=None,
        full_attention_layers=None if without_text else decoder_layers,
        linear_layers=0,
        mla_kv_lora_rank=None,
        mla_rope_head_dim=None,
        sparse_indexer=False,
        num_experts=None,
        experts_per_token=None,
        shared_experts=0,
        moe_layers=0,
        gated_ffn=not without_text,
        vision_params_b=min(VISION_PARAMS_B, params_b / 2) if task == "vision_language" else 0,
        max_context=_context(task),
        native_dtype="bf16",
        body_dtype="bf16",
        tied_embeddings=False,
        kv_approximate=False,
        licence="",
        gated=False,
        hf_repo="",
        typical=True,
        source="proportions of public models since 2024",
        notes="a typical architecture of this size, not a named model",
    )


def _usual_attention(task: ModelTask) -> Attention:
    if task == "diffusion":
        return "none"
    return "bidirectional" if task in BIDIRECTIONAL else "full"


def _context(task: ModelTask) -> int | None:
    if task in {"diffusion", "vision"}:
        return None
    return CONTEXT_TOKENS if task in {"decoder", "vision_language"} else ENCODER_CONTEXT_TOKENS


def _with_experts(model: Model, rung: Rung, params_b: float) -> Model:
    """Return the model with its FFN split into as many experts as fill the size."""
    outside = rung.layers * rung.attention_params + rung.embedding_params
    all_widths = (params_b * 1e9 - outside) / (rung.layers * 3 * rung.hidden)
    groups = all_widths / (rung.ffn / EXPERTS_PER_TOKEN) / EXPERT_GROUP
    experts = EXPERT_GROUP * max(2, round(groups))
    width = EXPERT_GROUP * max(1, round(all_widths / experts / EXPERT_GROUP))
    return replace(
        model,
        intermediate_size=None,
        moe_intermediate_size=width,
        num_experts=experts,
        experts_per_token=min(experts, max(1, round(rung.ffn / width))),
        moe_layers=rung.layers,
    )
