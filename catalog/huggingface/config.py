"""A model the catalog has never seen, from its Hugging Face config.json.

Reads decoders, mixtures of experts, latent, windowed and hybrid attention, text encoders, and the
text part of vision-language models. What the file leaves out comes from the architecture's traits;
what cannot be sized without is refused by name. Outside text: nothing in it is trusted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog.facts.schema import Attention, Model, ModelTask
from catalog.huggingface.config_fields import ConfigFields, ModelConfigError
from catalog.huggingface.dtype import native_dtypes
from catalog.huggingface.layers import WINDOW_NAMES, LayerPlan, layer_plan
from catalog.huggingface.params import (
    CONTEXT_NAMES,
    Counts,
    Dimensions,
    audio_params,
    counts,
    dimensions,
    vision_params,
)
from catalog.huggingface.traits import LLAMA_LIKE, Traits, settings
from catalog.load import load_catalog

__all__ = ["ModelConfigError", "model_from_config"]

TEXT_PARTS: Final = ("text_config", "llm_config", "language_config", "thinker_config")
VISION_PARTS: Final = ("vision_config", "vision_tower_config", "vision_encoder_config")
AUDIO_PARTS: Final = ("audio_config", "audio_encoder_config", "speech_config")
NESTING_MAX: Final = 3
MOST_PARAMS: Final = 10**14
EMBEDDING_HEADS: Final = ("BertModel", "XLMRobertaModel", "NewModel", "NomicBertModel")
NAME_CHARS: Final = 80


def model_from_config(config: Mapping[str, object], name: str = "config") -> Model:
    """Return the model that a config.json describes, its parameters counted from the shape.

    Raises:
        ModelConfigError: a field is missing, unreadable or beyond every published model; the
            message and `field` name it.
    """
    if not isinstance(config, Mapping):
        raise ModelConfigError("file", "should hold a JSON object")
    read = _read_config(ConfigFields(config))
    if not 0 < read.total < MOST_PARAMS:
        raise ModelConfigError("hidden_size", "and the layers make more parameters than any model")
    return _model_read(read, name[:NAME_CHARS])


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """A config once read: its levels, and what they amount to."""

    whole: ConfigFields
    fields: ConfigFields  # of the text model
    traits: Traits
    plan: LayerPlan
    size: Dimensions
    count: Counts
    vision: int  # parameters of a vision tower
    audio: int  # and of one that hears

    @property
    def total(self) -> int:
        """All parameters."""
        return self.count.total + self.towers

    @property
    def towers(self) -> int:
        """Parameters of what sees and hears for the text model."""
        return self.vision + self.audio

    @property
    def active(self) -> int:
        """All but those of the experts that a token does not choose."""
        idle = (self.size.experts - self.size.chosen) * self.count.one_expert
        return self.total - idle * self.plan.experts

    @property
    def sees(self) -> bool:
        """Whether there is a vision tower, sized or not."""
        return any(self.whole.has(part) for part in VISION_PARTS)


def _read_config(whole: ConfigFields) -> ModelConfig:
    if whole.flag("is_encoder_decoder", default=False):
        problem = "is true: encoder-decoders are not read from a config, name one of the catalog"
        raise ModelConfigError("is_encoder_decoder", problem)
    fields, traits, levels = _text_part(whole)
    plan = layer_plan(fields, traits, moe=_config_has_experts(fields))
    size = dimensions(fields, traits, heads_needed=plan.full + plan.window > 0)
    ear = _tower_of(levels, AUDIO_PARTS)
    return ModelConfig(
        whole=whole,
        fields=fields,
        traits=traits,
        plan=plan,
        size=size,
        count=counts(fields, traits, size, plan),
        vision=_config_vision(_tower_of(levels, VISION_PARTS), size.hidden),
        audio=0 if ear is None else audio_params(ear, size.hidden),
    )


def _tower_of(levels: list[ConfigFields], names: tuple[str, ...]) -> ConfigFields | None:
    """Return what describes a tower, in the file or beside the text part."""
    found = (level.part(name) for level in levels for name in names if level.has(name))
    return next(found, None)


def _text_part(whole: ConfigFields) -> tuple[ConfigFields, Traits, list[ConfigFields]]:
    """Return the text model's level, its traits, and the levels it is nested in with itself."""
    fields = whole
    levels = [whole]
    for _ in range(NESTING_MAX):
        part = next((name for name in TEXT_PARTS if fields.has(name)), None)
        inner = fields.part(part) if part else None
        if inner is None:
            break
        fields = inner
        levels.append(fields)
    model_type = fields.text("model_type") or whole.text("model_type")
    traits = _traits_of(model_type)
    shared = {
        name: whole.values[name]
        for name in ("tie_word_embeddings", "model_type")
        if fields is not whole and whole.values.get(name) is not None
    }
    nested = settings(traits.nested_defaults) if fields is not whole else {}
    defaults = {**settings(traits.defaults), **nested, **shared}
    return ConfigFields(fields.values, fields.path, defaults), traits, levels


def _traits_of(model_type: str) -> Traits:
    return load_catalog().architectures.get(model_type.lower(), LLAMA_LIKE)


def _config_vision(tower: ConfigFields | None, hidden: int) -> int:
    if tower is None:
        return 0
    return vision_params(tower, hidden, gated=_traits_of(tower.text("model_type")).gated_tower)


def _config_has_experts(fields: ConfigFields) -> bool:
    part = fields.part("ffn_config") or fields
    names = ("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
    return (part.count(*names, least=0) or 0) > 1


def _model_read(read: ModelConfig, name: str) -> Model:
    fields, size, plan = read.fields, read.size, read.plan
    attention, words = _attention_kind(read)
    native, body = native_dtypes(read.whole, fields, moe=size.experts > 0)
    latent = attention == "mla"
    shared = max(1, round(size.shared_width / size.expert_width)) if size.shared_width else 0
    return Model(
        id=name,
        aliases=(),
        family=fields.text("model_type") or "unnamed architecture",
        task=_task_of(read),
        total_params_b=read.total / 1e9,
        active_params_b=read.active / 1e9,
        layers=plan.layers,
        encoder_layers=None,
        hidden_size=size.hidden,
        intermediate_size=size.ffn or None,
        moe_intermediate_size=size.expert_width or None,
        heads=size.heads or None,
        kv_heads=1 if latent else size.kv_heads or None,
        head_dim=fields.count("v_head_dim") if latent else size.head_dim or None,
        vocab_size=size.vocab,
        attention=attention,
        attention_text=words,
        sliding_window=plan.window_tokens,
        full_attention_layers=plan.layers if read.traits.encoder else plan.full,
        linear_layers=plan.linear,
        mla_kv_lora_rank=fields.count("kv_lora_rank") if latent else None,
        mla_rope_head_dim=fields.count("qk_rope_head_dim") if latent else None,
        sparse_indexer=fields.has("index_head_dim", "index_topk"),
        num_experts=size.experts or None,
        experts_per_token=size.chosen or None,
        shared_experts=shared,
        expert_input_size=size.expert_input if size.expert_input != size.hidden else None,
        moe_layers=plan.experts,
        gated_ffn=size.matrices == 3,
        vision_params_b=read.towers / 1e9,
        max_context=fields.count(*CONTEXT_NAMES),
        native_dtype=native,
        body_dtype=body,
        tied_embeddings=size.tied,
        kv_approximate=plan.linear > 0,
        licence="",
        gated=False,
        hf_repo="",
        typical=False,
        source=f"config.json of {name}; parameters counted from the shape",
        notes="",
    )


def _task_of(read: ModelConfig) -> ModelTask:
    if not read.traits.encoder:
        return "vision_language" if read.sees else "decoder"
    architectures = read.whole.items("architectures") or []
    return "embedding" if set(map(str, architectures)) & set(EMBEDDING_HEADS) else "encoder"


def _attention_kind(read: ModelConfig) -> tuple[Attention, str]:
    """Return the attention kind and its long name."""
    fields, size, plan = read.fields, read.size, read.plan
    if read.traits.encoder:
        return "bidirectional", "bidirectional MHA"
    heads = "MHA" if size.kv_heads == size.heads else "MQA" if size.kv_heads == 1 else "GQA"
    latent = fields.has("kv_lora_rank")
    if plan.linear:
        kind = f"hybrid linear ({_state_kind(fields, read.traits)})"
        return ("mla", f"{kind} + MLA") if latent else ("hybrid_linear", kind)
    if latent:
        return "mla", "MLA"
    if plan.window:
        name, _ = fields.raw(*WINDOW_NAMES)
        words = "chunked local" if name == "attention_chunk_size" else "sliding window"
        return "window", f"{heads} + {words} ({plan.window}:{plan.full})"
    return "full", heads


def _state_kind(fields: ConfigFields, traits: Traits) -> str:
    if fields.has("linear_num_value_heads"):
        return "gated delta-net"
    if fields.has("linear_attn_config"):
        return "KDA"
    if fields.has("attn_type_list") or traits.lightning:
        return "lightning"
    return "short convolution" if fields.has("conv_L_cache") else "Mamba"
