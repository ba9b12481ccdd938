"""Which degrees are valid, and the sentence for those that are not."""

from dataclasses import replace

import pytest

from engine.placement.parallel import minimal_accelerators, valid_tensor_parallel, why_invalid_tp
from tests.engine.plans import host_named, host_with, model_named

VALID = [
    ("llama-3.1-70b", "p5.48xlarge", "bf16", (1, 2, 4, 8)),
    ("qwen1.5-32b", "p5.48xlarge", "bf16", (1, 2, 4, 8)),
    ("deepseek-r1-distill-qwen-7b", "g5.48xlarge", "bf16", (1, 2, 4)),
    ("gpt2-xl", "g5.48xlarge", "bf16", (1, 5)),
    ("falcon-7b", "g5.48xlarge", "bf16", (1,)),  # 71 heads
    ("deepseek-v3", "p5en.48xlarge", "fp8", (1, 2, 4, 8)),  # a latent cache never rejects
    ("qwen3-235b-a22b", "p5.48xlarge", "bf16", (1, 2, 4, 8)),
    ("qwen3-235b-a22b", "p5.48xlarge", "fp8", (1, 2, 4)),  # 1536 / 8 is one block and a half
    ("llama-3-70b", "inf2.48xlarge", "bf16", (1, 2, 4, 8, 16)),  # 24 cores, 64 heads
    ("llama-3-8b", "g6.xlarge", "bf16", (1,)),
    ("resnet-50", "g5.12xlarge", "fp16", (1,)),
]


@pytest.mark.parametrize(("name", "instance", "dtype", "degrees"), VALID)
def test_valid_degrees(name, instance, dtype, degrees):
    host = host_named(instance)
    assert valid_tensor_parallel(model_named(name), host, dtype) == degrees


REASONS = [
    ("llama-3.1-70b", 6, {}, "64 attention heads do not divide by 6"),
    ("phi-4", 4, {}, "10 KV heads neither divide by 4 nor it by them"),
    ("llama-3-8b", 3, {}, "32 attention heads do not divide by 3"),
    ("smollm2-135m", 9, {}, "the FFN width 1536 does not divide by 9"),
    ("qwen2.5-7b", 7, {}, "4 KV heads neither divide by 7 nor it by them"),
    ("vit-large-patch16-224", 5, {}, "16 attention heads do not divide by 5"),
    ("resnet-50", 2, {}, "it has no attention heads to split"),
    ("llama-3-8b", 8, {"devices": 4}, "tensor parallel 8 needs 8 devices in one host, it has 4"),
    (
        "minimax-m2",
        8,
        {"dtype": "fp8"},
        (
            "expert slices of 192 are not whole fp8 blocks of 128; "
            "use a smaller degree or keep experts whole"
        ),
    ),
    ("minimax-m2", 8, {"dtype": "fp8", "expert_parallel": 8}, None),
    ("mixtral-8x7b", 4, {"expert_parallel": 3}, "8 experts do not divide by 3"),
    ("gpt-oss-20b", 32, {}, None),
    ("llama-3-8b", 1, {"devices": 0}, None),
]


@pytest.mark.parametrize(("name", "tp", "more", "reason"), REASONS)
def test_reasons(name, tp, more, reason):
    assert why_invalid_tp(model_named(name), tp, **more) == reason


def test_experts_of_odd_width_stay_whole():
    odd = replace(model_named("mixtral-8x7b"), moe_intermediate_size=14_340)
    reason = "the expert width 14340 does not divide by 8; keep experts whole instead"
    assert why_invalid_tp(odd, 8) == reason
    assert why_invalid_tp(odd, 8, expert_parallel=8) is None


LEAST = [
    ("llama-3-70b", "A100-80", "bf16", 2),
    ("llama-3-70b", "H100-80", "bf16", 2),
    ("llama-3-70b", "A100-80", "gptq", 1),
    ("llama-2-70b", "A10G", "fp16", 8),
    ("qwen3-235b-a22b", "H100-80", "fp8", 4),
    ("qwen3-next-80b-a3b", "A100-80", "bf16", 4),
    ("llama-3-70b", "L4", "bf16", 8),
    ("llama-3-70b", "T4", "fp16", None),
]


@pytest.mark.parametrize(("name", "accelerator", "dtype", "least"), LEAST)
def test_fewest_accelerators(name, accelerator, dtype, least):
    card = host_with(accelerator).accelerator
    assert minimal_accelerators(model_named(name), card, dtype) == least
