"""Which layers of a config attend to everything, to a window or to a state, and which hold experts.

Every way in which published files say so is one function; the first that speaks decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from catalog.huggingface.config_fields import MOST_LAYERS, ConfigFields, shown
from catalog.huggingface.traits import Traits

LAYER_NAMES: Final = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
KIND_NAMES: Final = ("layer_types", "layers_block_type", "block_types")
KINDS: Final = {
    "full_attention": "full",
    "attention": "full",
    "hybrid": "full",
    "deepseek_sparse_attention": "full",
    "sliding_attention": "window",
    "chunked_attention": "window",
    "linear_attention": "linear",
    "lightning_attention": "linear",
    "mamba": "linear",
    "mamba2": "linear",
    "recurrent": "linear",
    "conv": "linear",
    "short_conv": "linear",
    "mlp": "ffn",
    "moe": "experts",
}
PATTERN: Final = {"M": "linear", "*": "full", "-": "ffn", "E": "experts"}
WINDOW_NAMES: Final = ("sliding_window", "sliding_window_size", "attention_chunk_size")

Layers = list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerPlan:
    """Layers by what they do. A hybrid's blocks may do one thing each, so these need not add up."""

    layers: int
    full: int
    window: int
    linear: int
    window_tokens: int | None
    dense_ffn: int
    experts: int


def layer_plan(fields: ConfigFields, traits: Traits, *, moe: bool) -> LayerPlan:
    """Return the layers by kind.

    Raises:
        ModelConfigError: a list of layers that cannot be read, or of the wrong length.
    """
    kinds = _kinds(fields, traits)
    window_tokens = fields.count(*WINDOW_NAMES, "local_attention", "window_size")
    blocks = sum(kind in {"ffn", "experts"} for kind in kinds)
    experts = kinds.count("experts") if blocks else 0
    dense = kinds.count("ffn") if blocks else len(kinds)
    if moe and not blocks:
        experts = expert_layers(fields, len(kinds))
        dense -= experts if traits.sub_layers == 1 else 0  # else the experts run beside them
    kinds, dense = kinds * traits.sub_layers, dense * traits.sub_layers
    return LayerPlan(
        layers=len(kinds),
        full=kinds.count("full"),
        window=kinds.count("window"),
        linear=kinds.count("linear"),
        window_tokens=window_tokens if "window" in kinds else None,
        dense_ffn=dense,
        experts=experts,
    )


def _kinds(fields: ConfigFields, traits: Traits) -> Layers:
    pattern = fields.text("hybrid_override_pattern")
    if pattern:
        return _pattern(fields, pattern)
    if fields.items("layers_block_type") and not fields.has(*LAYER_NAMES):
        return _layers_listed(fields, len(fields.items("layers_block_type") or []))
    layers = fields.need(*LAYER_NAMES, most=MOST_LAYERS)
    if fields.items(*KIND_NAMES):
        return _layers_listed(fields, layers)
    for said in SAID:
        kinds = said(fields, traits, layers)
        if kinds is not None:
            return kinds
    return ["full"] * layers


def _pattern(fields: ConfigFields, pattern: str) -> Layers:
    """Return the blocks of a Nemotron-H pattern such as `M-M*ME`."""
    name = "hybrid_override_pattern"
    unknown = sorted(set(pattern) - set(PATTERN))
    if unknown:
        raise fields.wrong(name, f"has blocks {shown(''.join(unknown))}; known: M * - E")
    if len(pattern) > MOST_LAYERS:
        raise fields.wrong(name, f"has {len(pattern):,} blocks, at most {MOST_LAYERS} are read")
    return [PATTERN[block] for block in pattern]


def _layers_listed(fields: ConfigFields, layers: int) -> Layers:
    name, _ = fields.raw(*KIND_NAMES)
    listed = fields.items(name) or []
    unknown = [kind for kind in listed if not isinstance(kind, str) or kind not in KINDS]
    if unknown:
        raise fields.wrong(name, f"has the kind {shown(unknown[0])}; known: {', '.join(KINDS)}")
    if name == "block_types":  # a group that repeats (RecurrentGemma)
        listed = (listed * layers)[:layers]
    if len(listed) != layers:
        raise fields.wrong(name, f"has {len(listed)} entries for {layers} layers")
    return [KINDS[str(kind)] for kind in listed]


def _minimax_layers(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """MiniMax: one number a layer, 1 attends to everything."""
    del traits
    numbers = fields.items("attn_type_list")
    if numbers is None:
        return None
    if len(numbers) != layers:
        raise fields.wrong("attn_type_list", f"has {len(numbers)} entries for {layers} layers")
    return ["full" if number == 1 else "linear" for number in numbers]


def _interval(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """Qwen3-Next: every so many layers one attends to everything, the others keep a state."""
    if not fields.has("linear_num_value_heads"):
        return None
    every = fields.count("full_attention_interval") or traits.full_every or 4
    return [full_or(layer % every == every - 1, "linear") for layer in range(layers)]


def _jamba_layers(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """Jamba: one attention layer a period, at an offset."""
    del traits
    period = fields.count("attn_layer_period")
    if period is None:
        return None
    offset = fields.count("attn_layer_offset", least=0) or 0
    return [full_or(layer % period == offset, "linear") for layer in range(layers)]


def _indices(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """Bamba, LFM2 and Kimi-Linear: the numbers of the layers that attend."""
    del traits
    linear = fields.part("linear_attn_config")
    numbers, first = fields.items("attn_layer_indices", "full_attn_idxs"), 0
    if linear is not None:
        numbers, first = linear.items("full_attn_layers"), 1
    if numbers is None:
        return None
    attending = {number - first for number in _layer_numbers(numbers, layers + first)}
    return [full_or(layer in attending, "linear") for layer in range(layers)]


def _without_rope(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """Llama 4: layers without a rotary embedding attend to everything, the others in chunks."""
    if not fields.has("attention_chunk_size"):
        return None
    marks = fields.items("no_rope_layers") or []
    if len(marks) == layers:
        return [full_or(mark == 0, "window") for mark in marks]
    every = fields.count("no_rope_layer_interval") or traits.full_every or 4
    return [full_or(layer % every == every - 1, "window") for layer in range(layers)]


def _all_linear(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """Mamba: no attention heads at all, every layer keeps a state."""
    del fields
    return ["linear"] * layers if traits.all_linear else None


def _windowed(fields: ConfigFields, traits: Traits, layers: int) -> Layers | None:
    """A window of tokens: on all layers, on the last ones, or on all but one in so many."""
    window = fields.count("sliding_window", "sliding_window_size", least=0)
    if not window or not fields.flag("use_sliding_window", default=not traits.window_opt_in):
        return None
    if window >= (fields.count("max_position_embeddings") or window + 1):
        return None
    first = fields.count("max_window_layers", least=0)
    if first is not None:
        return [full_or(layer < first, "window") for layer in range(layers)]
    every = _full_every(fields) or traits.full_every
    if every is None:
        return ["window"] * layers
    return [full_or(layer % every == every - 1, "window") for layer in range(layers)]


def _full_every(fields: ConfigFields) -> int | None:
    """Return the period of a window pattern: a number, or letters such as LLLG."""
    name, value = fields.raw("sliding_window_pattern", "_sliding_window_pattern")
    return len(value) or None if isinstance(value, str) else fields.count(name)


def full_or(full: bool, other: str) -> str:  # noqa: FBT001  # reads as the sentence it is
    """Return "full" or the other kind of layer."""
    return "full" if full else other


SAID: Final[tuple[Callable[[ConfigFields, Traits, int], Layers | None], ...]] = (
    _minimax_layers,
    _interval,
    _jamba_layers,
    _indices,
    _without_rope,
    _all_linear,
    _windowed,
)


def expert_layers(fields: ConfigFields, layers: int) -> int:
    """Return how many layers hold experts, of those that could.

    Raises:
        ModelConfigError: a list or number that cannot be read.
    """
    listed, marks = fields.items("moe_layers"), fields.raw("moe_layer_freq")[1]
    if listed is not None:
        return len(_layer_numbers(listed, layers))
    if isinstance(marks, list):
        return sum(mark == 1 for mark in marks[:layers])
    period = fields.count("expert_layer_period")
    if period is not None:
        offset = fields.count("expert_layer_offset", least=0) or 0
        return sum(layer % period == offset for layer in range(layers))
    first = fields.count(*DENSE_FIRST_NAMES, least=0) or 0
    every = fields.count("moe_layer_freq") or 1
    step = fields.count("decoder_sparse_step", "interleave_moe_layer_step") or 1
    dense = _layer_numbers(fields.items("mlp_only_layers") or [], layers)
    placed = (n for n in range(first, layers) if n % every == 0 and (n + 1) % step == 0)
    return sum(layer not in dense for layer in placed)


DENSE_FIRST_NAMES: Final = ("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index")


def _layer_numbers(listed: list[object], layers: int) -> frozenset[int]:
    return frozenset(n for n in listed if isinstance(n, int) and 0 <= n < layers)
