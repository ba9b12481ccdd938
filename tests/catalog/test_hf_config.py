"""A model from its config.json: what real files give, what is refused, and nothing that crashes."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from catalog.huggingface.config import ModelConfigError, model_from_config
from catalog.load import load_catalog
from engine.memory.kv_cache import kv_bytes_per_token, sequence_kv_gib
from engine.memory.weights import total_weights_gb
from tests.catalog.hf_configs import EVERY_FOURTH_FULL, REAL, dense

PUBLISHED_TOLERANCE = 0.02
SAME_FIELDS = (
    "task", "layers", "hidden_size", "moe_intermediate_size", "heads", "kv_heads", "attention",
    "head_dim", "sliding_window", "full_attention_layers", "linear_layers", "mla_kv_lora_rank",
    "mla_rope_head_dim", "sparse_indexer", "num_experts", "experts_per_token", "moe_layers",
    "gated_ffn", "tied_embeddings",
)  # fmt: skip
ROWS = [real for real in REAL if real.row is not None]
LLAMA = dense("llama", 4096, 14336, 32, 32, 8, 128256)
LATENT = next(real.config for real in REAL if real.name == "DeepSeek-V3")


def named(reals):
    return [pytest.param(real, id=real.name) for real in reals]


@pytest.mark.parametrize("real", named(REAL))
def test_counts_what_the_makers_publish(real):
    model = model_from_config(real.config, real.name)
    assert model.total_params_b == pytest.approx(real.published, rel=PUBLISHED_TOLERANCE)


@pytest.mark.parametrize("real", named(real for real in REAL if real.active))
def test_counts_the_active_parameters_with_or_without_the_tables(real):
    """Makers count them either way: gpt-oss leaves the tables out, Mixtral does not."""
    model = model_from_config(real.config, real.name)
    tables = (1 if model.tied_embeddings else 2) * model.vocab_size * model.hidden_size / 1e9
    least, most = 0.97 * (model.active_params_b - tables), 1.03 * model.active_params_b
    assert least <= real.active <= most


@pytest.mark.parametrize("real", named(ROWS))
def test_agrees_with_the_catalog(real):
    model, row = model_from_config(real.config, real.name), load_catalog().models[real.row]
    differing = {
        name: (getattr(model, name), getattr(row, name))
        for name in SAME_FIELDS
        if getattr(model, name) != getattr(row, name)
    }
    assert not differing
    assert kv_bytes_per_token(model) == kv_bytes_per_token(row)
    # One fp8 build, and the state sizes of some hybrids, are known by name only.
    by_name = {name: getattr(row, name) for name in ("fp8_ffn_only", "delta_net_value_heads")}
    model = replace(model, id=row.id, **by_name)
    assert sequence_kv_gib(model, 8192) == pytest.approx(sequence_kv_gib(row, 8192), rel=0.02)
    for dtype in ("bf16", "fp8", row.native_dtype):
        here, there = total_weights_gb(model, dtype), total_weights_gb(row, dtype)
        assert here == pytest.approx(there, rel=PUBLISHED_TOLERANCE)


def test_there_are_enough_real_files():
    assert len(REAL) >= 40
    assert len(ROWS) >= 40


DTYPES = [
    ({"torch_dtype": "bfloat16"}, ("bf16", "bf16")),
    ({"torch_dtype": None, "dtype": "float16"}, ("fp16", "fp16")),
    ({"torch_dtype": None}, ("fp32", "fp32")),
    ({"quantization_config": {"quant_method": "fp8"}}, ("fp8", "fp8")),
    ({"quantization_config": {"quant_method": "awq", "bits": 4}}, ("awq", "awq")),
    ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, ("gptq", "gptq")),
    ({"quantization_config": {"quant_method": "gptq", "bits": 8}}, ("int8", "int8")),
    ({"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}},
     ("nf4", "nf4")),
    ({"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"}},
     ("nvfp4", "nvfp4")),
    ({"quantization_config": {"quant_method": "compressed-tensors", "config_groups":
      {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}}, ("fp8", "fp8")),
    ({"quantization_config": {"quant_method": "compressed-tensors", "config_groups":
      {"group_0": {"weights": {"num_bits": 8, "type": "int"}}}}}, ("int8", "int8")),
]  # fmt: skip


@pytest.mark.parametrize(("change", "dtypes"), DTYPES)
def test_reads_the_dtype_of_the_checkpoint(change, dtypes):
    model = model_from_config({**LLAMA, **change})
    assert (model.native_dtype, model.body_dtype) == dtypes


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [
        ("gpt-oss-120b", ("mxfp4", "bf16")),
        ("Kimi-K2-Thinking", ("int4", "bf16")),
        ("DeepSeek-V3", ("fp8", "fp8")),
    ],
)
def test_experts_alone_may_be_quantised(name, dtypes):
    model = model_from_config(next(real.config for real in REAL if real.name == name))
    assert (model.native_dtype, model.body_dtype) == dtypes


WINDOWS = [
    ("all layers", {"sliding_window": 4096, "max_position_embeddings": 32768}, 0, 32),
    ("none", {"sliding_window": None}, 32, 0),
    ("not switched on", {"model_type": "qwen2", "sliding_window": 4096}, 32, 0),
    ("from a layer on", {"model_type": "qwen2", "sliding_window": 4096, "max_window_layers": 20,
     "use_sliding_window": True}, 20, 12),
    ("a period", {"sliding_window": 4096, "sliding_window_pattern": 4}, 8, 24),
    ("a period in letters", {"sliding_window": 4096, "sliding_window_pattern": "LLLG"}, 8, 24),
    ("a list", {"sliding_window": 64, "layer_types": ["sliding_attention"] * 31
     + ["full_attention"]}, 1, 31),
    ("as long as the context", {"sliding_window": 8192, "max_position_embeddings": 8192}, 32, 0),
]  # fmt: skip


@pytest.mark.parametrize(("change", "full", "windowed"), [row[1:] for row in WINDOWS],
                         ids=[row[0] for row in WINDOWS])  # fmt: skip
def test_reads_where_the_window_applies(change, full, windowed):
    model = model_from_config({**LLAMA, **change})
    assert model.full_attention_layers == full
    assert model.layers - full == windowed
    assert (model.sliding_window is None) == (windowed == 0)


def without(config, *names):
    return {name: value for name, value in config.items() if name not in names}


REFUSED = [
    ({}, "num_hidden_layers"),
    (without(LLAMA, "hidden_size"), "hidden_size"),
    (without(LLAMA, "num_attention_heads"), "num_attention_heads"),
    (without(LLAMA, "vocab_size"), "vocab_size"),
    (without(LLAMA, "intermediate_size"), "intermediate_size"),
    ({**LLAMA, "hidden_size": "4096"}, "hidden_size"),
    ({**LLAMA, "hidden_size": True}, "hidden_size"),
    ({**LLAMA, "hidden_size": 4096.5}, "hidden_size"),
    ({**LLAMA, "hidden_size": float("nan")}, "hidden_size"),
    ({**LLAMA, "hidden_size": 4100}, "head_dim"),
    ({**LLAMA, "num_hidden_layers": 10**400}, "num_hidden_layers"),
    ({**LLAMA, "num_hidden_layers": -1}, "num_hidden_layers"),
    ({**LLAMA, "num_key_value_heads": 64}, "num_key_value_heads"),
    ({**LLAMA, "num_local_experts": 8}, "num_experts_per_tok"),
    ({**LLAMA, "num_local_experts": 8, "num_experts_per_tok": 9}, "num_experts_per_tok"),
    ({**LLAMA, "layer_types": ["full_attention"]}, "layer_types"),
    ({**LLAMA, "layer_types": ["telepathy"] * 32}, "layer_types"),
    ({**LLAMA, "layer_types": EVERY_FOURTH_FULL[:32]}, "linear_num_value_heads"),
    ({**LLAMA, "tie_word_embeddings": "no"}, "tie_word_embeddings"),
    ({**LLAMA, "torch_dtype": "complex64"}, "torch_dtype"),
    ({**LLAMA, "quantization_config": {"quant_method": "magic"}},
     "quantization_config.quant_method"),
    ({**LLAMA, "quantization_config": 4}, "quantization_config"),
    ({**LLAMA, "is_encoder_decoder": True}, "is_encoder_decoder"),
    (without(LATENT, "v_head_dim"), "v_head_dim"),
    (without(LATENT, "num_experts_per_tok"), "num_experts_per_tok"),
    ({"text_config": {}, "vision_config": {}}, "text_config.num_hidden_layers"),
    ({"text_config": []}, "text_config"),
    ({"hybrid_override_pattern": "MXM"}, "hybrid_override_pattern"),
    (dense("llama", 2**31, 2**31, 4096, 2, 2, 2**31), "hidden_size"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "field"), REFUSED)
def test_names_the_field_at_fault(config, field):
    with pytest.raises(ModelConfigError) as refused:
        model_from_config(config)
    assert refused.value.field == field
    assert field in str(refused.value)
    assert len(str(refused.value)) < 400


LAYER_LISTS = {"layer_types", "attn_type_list", "hybrid_override_pattern"}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from([0, 1, 10**30, -5, "full_attention", "fp8", "llama", "nemotron_h"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["weights", "quant_method", "hidden_size", "a"]), inner),
    max_leaves=8,
)  # fmt: skip
FIELDS = sorted({name for real in REAL for name in real.config} | {
    "attn_type_list", "num_dense_layers", "moe_layers", "no_rope_layers", "block_types",
    "layers_block_type", "mamba_d_head", "expand", "mlp_ratio", "kv_n_heads", "dtype",
})  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    base=st.sampled_from([real.config for real in REAL] + [{}]),
    changes=st.dictionaries(st.sampled_from(FIELDS), JUNK, max_size=5),
)
def test_junk_gives_a_model_or_one_clear_error(base, changes):
    model, fault = None, "model config: "
    try:
        model = model_from_config({**base, **changes})
    except ModelConfigError as error:
        fault = str(error)
    assert fault.startswith("model config: ")
    assert len(fault) < 600
    if model is not None:
        assert 0 < model.active_params_b <= model.total_params_b < 1e5
        assert kv_bytes_per_token(model) >= 0


@settings(max_examples=100, deadline=None)
@given(real=st.sampled_from(REAL), more=st.integers(2, 4))
def test_more_layers_never_make_a_smaller_model(real, more):
    fields = real.config.get("text_config", real.config)
    assume("num_hidden_layers" in fields and not fields.keys() & LAYER_LISTS)
    deeper = {**fields, "num_hidden_layers": fields["num_hidden_layers"] * more}
    config = {**real.config, "text_config": deeper} if "text_config" in real.config else deeper
    assert model_from_config(config).total_params_b > model_from_config(real.config).total_params_b


@pytest.mark.parametrize("value", [None, [], "text", 4, float("nan")])
def test_a_file_that_holds_no_object_is_refused(value):
    with pytest.raises(ModelConfigError, match="JSON object"):
        model_from_config(value)
