"""What a config.json leaves unsaid: the traits that come with its `model_type`.

Each row states a fact of the architecture as transformers implements it (its configuration and
modelling modules, release 5.23): files leave out fields that equal their class's default.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Facts of one architecture that its files need not state."""

    gated: bool = True  # three FFN matrices instead of two
    tied: bool = False  # one table for both ends, where the file does not say
    encoder: bool = False  # reads the whole text at once, writes nothing
    positions: bool = False  # a learned position table
    query_gate: bool = False  # queries come with a gate of the same size
    extra_attention: float = 0.0  # matrices of hidden x hidden beside Q, K, V and output
    window_opt_in: bool = False  # a window counts only where `use_sliding_window` is true
    full_every: int | None = None  # one layer in so many attends to everything
    ffn_ratio: float | None = None  # FFN width over hidden size, where the file does not say
    ffn_share: float = 1.0  # FFN width over the stated one
    shared_expert: bool = False  # one shared expert as wide as a routed one, unstated
    defaults: Mapping[str, object] = field(default_factory=dict)


TWO_MATRICES: Final = Traits(gated=False, ffn_ratio=4)
TWO_TIED: Final = Traits(gated=False, tied=True, ffn_ratio=4)
TWO_TIED_POSITIONS: Final = Traits(gated=False, tied=True, positions=True, ffn_ratio=4)
TIED: Final = Traits(tied=True)
ENCODER: Final = Traits(gated=False, tied=True, encoder=True, positions=True)
GATED_ENCODER: Final = Traits(tied=True, encoder=True)
QWEN: Final = Traits(window_opt_in=True)
QWEN_GATED: Final = Traits(window_opt_in=True, query_gate=True, full_every=4)
GEMMA_3: Final = Traits(
    tied=True,
    full_every=6,
    defaults={
        "vocab_size": 262_208,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "max_position_embeddings": 131_072,
    },
)
LLAMA: Final = Traits()
ALTERNATING: Final = Traits(full_every=2)

TRAITS: Final[Mapping[str, Traits]] = MappingProxyType(
    {
        "albert": ENCODER,
        "bert": ENCODER,
        "bloom": TWO_TIED,
        "camembert": ENCODER,
        "codegen": TWO_MATRICES,
        "cohere": TIED,
        "cohere2": Traits(tied=True, full_every=4),
        "deberta": ENCODER,
        "deberta-v2": ENCODER,
        "distilbert": ENCODER,
        "electra": ENCODER,
        "ernie4_5": TIED,
        "ernie4_5_moe": TIED,
        "esm": ENCODER,
        "exaone4": Traits(full_every=4),
        "falcon": TWO_TIED,
        "gemma": TIED,
        "gemma2": Traits(tied=True, full_every=2, defaults={"head_dim": 256}),
        "gemma3": GEMMA_3,
        "gemma3_text": GEMMA_3,
        "gpt2": TWO_TIED_POSITIONS,
        "gpt_bigcode": TWO_TIED_POSITIONS,
        "gpt_neo": TWO_TIED_POSITIONS,
        "gpt_neox": TWO_MATRICES,
        "gpt_oss": ALTERNATING,
        "gptj": TWO_MATRICES,
        "gte": GATED_ENCODER,
        "lfm2": TIED,
        "llama4_text": Traits(full_every=4, shared_expert=True),
        "minimax": ALTERNATING,
        "modernbert": GATED_ENCODER,
        "mpnet": ENCODER,
        "mpt": TWO_TIED,
        "nemotron": Traits(gated=False),
        "nemotron_h": Traits(gated=False),
        "new": GATED_ENCODER,
        "nomic_bert": GATED_ENCODER,
        "olmo3": Traits(full_every=4),
        "opt": TWO_TIED_POSITIONS,
        "persimmon": Traits(gated=False),
        "phi": TWO_MATRICES,
        "qwen": Traits(ffn_share=0.5),  # the file states both halves of the gated FFN together
        "qwen2": QWEN,
        "qwen2_5_vl": QWEN,
        "qwen2_5_vl_text": QWEN,
        "qwen2_moe": QWEN,
        "qwen2_vl": QWEN,
        "qwen2_vl_text": QWEN,
        "qwen3": QWEN,
        "qwen3_5_moe_text": QWEN_GATED,
        "qwen3_5_text": QWEN_GATED,
        "qwen3_moe": QWEN,
        "qwen3_next": QWEN_GATED,
        "refinedweb": TWO_TIED,
        "refinedwebmodel": TWO_TIED,
        "roberta": ENCODER,
        "smollm3": TIED,
        "starcoder2": Traits(gated=False, tied=True),
        "xlm-roberta": ENCODER,
    }
)

# A nested text part leaves out all that equals the defaults of its class.
NESTED_DEFAULTS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "llama": {
            "vocab_size": 32000,
            "hidden_size": 4096,
            "intermediate_size": 11008,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
        },
        "mistral": {
            "vocab_size": 32000,
            "hidden_size": 4096,
            "intermediate_size": 14336,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
        },
    }
)


def traits_of(model_type: str) -> Traits:
    """Return the traits of an architecture; one without a row is taken as Llama-like."""
    return TRAITS.get(model_type.lower(), LLAMA)
