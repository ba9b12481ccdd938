"""Sizes of weights: published checkpoints, and what parallelism divides."""

import pytest

from engine.memory.weights import total_weights_gb, weights_gib
from tests.engine.plans import model_named

# (model, dtype, published GB, tolerance): checkpoint sizes on the model hubs.
PUBLISHED = [
    ("llama-3.1-8b", "bf16", 16.06, 0.01),
    ("llama-3.1-8b", "q4_k_m", 4.92, 0.02),
    ("llama-3.1-70b", "awq", 39.8, 0.01),
    ("llama-3.1-70b", "q4_k_m", 42.5, 0.02),
    ("mixtral-8x22b", "bf16", 281.0, 0.01),
    ("kimi-k2-thinking", "int4", 594.0, 0.01),
    ("gpt-oss-20b", "mxfp4", 13.8, 0.02),
    ("bert-large", "fp32", 1.34, 0.01),
]


@pytest.mark.parametrize(("name", "dtype", "gb", "tolerance"), PUBLISHED)
def test_total_is_as_published(name, dtype, gb, tolerance):
    assert total_weights_gb(model_named(name), dtype) == pytest.approx(gb, rel=tolerance)


def test_expert_parallel_divides_the_experts():
    """Eight ranks hold an eighth of the experts each, and all of the rest."""
    model = model_named("qwen3-235b-a22b")
    whole, split = weights_gib(model, "bf16"), weights_gib(model, "bf16", ep=8)
    experts = 3 * 4096 * 1536 * 128 * 94 * 2 / 2**30
    assert whole - split == pytest.approx(experts * 7 / 8, rel=1e-6)


def test_attention_data_parallel_as_logged():
    """Qwen3-30B-A3B, two ranks with whole attention and half of the experts: 29.88 GiB logged."""
    model = model_named("qwen3-30b-a3b")
    assert weights_gib(model, "bf16", attention_dp=2) == pytest.approx(29.88, rel=0.005)


def test_latent_projections_are_on_every_rank():
    """DeepSeek-R1 in fp8 at tensor parallel 8, two stages: 39.66 GiB logged."""
    model = model_named("deepseek-r1")
    assert weights_gib(model, "fp8", 8, 2) == pytest.approx(39.66, rel=0.03)


def test_expert_routers_are_on_every_rank():
    model = model_named("qwen3-30b-a3b")
    divided = (weights_gib(model, "bf16") - 0.03) / 8 + 0.03
    heads = 2 * 2048 * 128 * 48 * 2 * (1 - 4 / 8)  # four KV heads on eight ranks
    routers = 2048 * 128 * 48 * 2 * (1 - 1 / 8)
    found = weights_gib(model, "bf16", 8)
    assert (found - divided) * 2**30 == pytest.approx(heads + routers)


def test_vendor_fp8_checkpoint_keeps_attention_in_16_bit():
    """Llama-3.1-405B FP8 took 57.75 GiB a GPU at tensor parallel 8; one byte everywhere: 47.8."""
    assert weights_gib(model_named("llama-3.1-405b"), "fp8", 8) == pytest.approx(57.75, rel=0.03)


def test_mxfp4_is_padded_on_hopper_only():
    model = model_named("gpt-oss-20b")
    assert weights_gib(model, "mxfp4", capability=8.6) == pytest.approx(12.88, rel=0.01)
    assert weights_gib(model, "mxfp4", capability=9.0) == pytest.approx(13.55, rel=0.02)
    assert weights_gib(model, "mxfp4", capability=10.0) == weights_gib(model, "mxfp4")


def test_four_bits_are_more_than_half_a_byte():
    model = model_named("llama-3.1-8b")
    assert total_weights_gb(model, "gptq") > 8.03 / 2


def test_an_unknown_dtype_is_named():
    with pytest.raises(ValueError, match="unknown weights dtype 'int3'"):
        total_weights_gb(model_named("llama-3.1-8b"), "int3")
