"""The cache by attention kind: bytes exact, tokens and sequences as engines count them."""

import pytest

from engine.memory.kv_cache import (
    cache_layout,
    cached_tokens,
    kv_bytes_per_token,
    layer_token_bytes,
    sequence_kv_gib,
)
from engine.shape.shape import shape_of
from tests.engine.plans import model_named

# (model, tensor parallel, bytes a token adds per accelerator in a 16-bit cache)
PER_TOKEN = [
    ("llama-2-7b", 1, 2 * 32 * 128 * 2 * 32),  # every head has its own keys
    ("llama-3-70b", 1, 2 * 8 * 128 * 2 * 80),  # grouped: 8 of 64 heads
    ("llama-3-70b", 4, 2 * 2 * 128 * 2 * 80),
    ("llama-3-70b", 16, 2 * 1 * 128 * 2 * 80),  # a head is never split
    ("qwen3-0.6b", 1, 2 * 8 * 128 * 2 * 28),  # head size 128, not hidden / heads = 64
    ("gemma-7b", 1, 2 * 16 * 256 * 2 * 28),  # head size 256, not 192
    ("falcon-7b", 1, 2 * 1 * 64 * 2 * 32),  # one head for all
    ("deepseek-v3", 1, (512 + 64) * 2 * 61),  # latent
    ("deepseek-v3", 8, (512 + 64) * 2 * 61),  # … the same on every rank
    ("qwen3.5-27b", 1, 2 * 4 * 256 * 2 * 16),  # 16 of 64 layers cache
    ("qwen3-next-80b-a3b", 1, 2 * 2 * 256 * 2 * 12),
    ("nemotron-3-nano-30b-a3b", 1, 2 * 2 * 128 * 2 * 6),
    ("llama-3.3-nemotron-super-49b", 1, 2 * 8 * 128 * 2 * 49),  # 31 blocks have no attention
    ("llama-3.2-11b-vision", 1, 2 * 8 * 128 * 2 * 32),  # cross-attention layers cache no text
    ("bert-base", 1, 0),
]


@pytest.mark.parametrize(("name", "tp", "expected"), PER_TOKEN)
def test_bytes_per_token(name, tp, expected):
    assert kv_bytes_per_token(model_named(name), "bf16", tp) == expected


def test_grouped_heads_scale_the_cache():
    """KV of grouped attention = KV of full attention x KV heads / heads."""
    grouped, every = model_named("llama-3-8b"), model_named("llama-2-7b")
    ratio = kv_bytes_per_token(grouped) / kv_bytes_per_token(every)
    assert ratio == 8 / 32


# (model, context, GiB of one sequence): full layers keep all, windows the window, states are fixed.
SEQUENCES = [
    ("gemma-3-27b", 131_072, 2 * 16 * 128 * 2 * (10 * 131_072 + 52 * 1024) / 2**30),
    ("gpt-oss-20b", 131_072, 2 * 8 * 64 * 2 * (12 * 131_072 + 12 * 128) / 2**30),
    ("mistral-7b-v0.1", 32_768, 2 * 8 * 128 * 2 * 32 * 4096 / 2**30),
    ("llama-4-scout", 1_048_576, 2 * 8 * 128 * 2 * (12 * 1_048_576 + 36 * 8192) / 2**30),
    ("gemma-2-9b", 2048, 2 * 8 * 256 * 2 * 42 * 2048 / 2**30),  # shorter than the window
]


@pytest.mark.parametrize(("name", "context", "gib"), SEQUENCES)
def test_gib_of_one_sequence(name, context, gib):
    assert sequence_kv_gib(model_named(name), context) == pytest.approx(gib, rel=1e-12)


def test_an_fp8_cache_is_half():
    model = model_named("llama-3-8b")
    assert kv_bytes_per_token(model, "fp8") * 2 == kv_bytes_per_token(model, "bf16")


def layout_of(name, kv_bytes=2.0, tp=1, manager="grouped"):
    return cache_layout(shape_of(model_named(name)), kv_bytes, tp, 1, manager)


def test_windows_share_blocks_with_full_layers():
    """gemma-3-27b, 19.53 GiB: its engine printed 36,560 tokens (52 window layers in 6 groups)."""
    layout = layout_of("gemma-3-27b")
    assert (layout.full_groups, layout.window_groups) == (1, 6)
    assert layout.printed_tokens(layout.blocks(19.53 * 2**30), 4096) == pytest.approx(
        36_560, rel=0.001
    )


def test_layer_kinds_of_like_number_share_one_group_each():
    layout = layout_of("gpt-oss-20b")
    assert (layout.full_groups, layout.window_groups) == (1, 1)
    assert layout.printed_tokens(layout.blocks(58.47 * 2**30), 4096) == pytest.approx(
        1_277_184, rel=1e-3
    )


def test_a_block_is_as_large_as_a_state():
    """Qwen3.5-27B with an fp8 cache: blocks of 1,568 tokens in its log."""
    layout = layout_of("qwen3.5-27b", kv_bytes=1.0)
    assert layout.block_tokens == 1568
    assert layout.sequence_blocks(1) == 1 + 2 * 3  # three groups of linear layers, two states each
    assert layout.sequence_blocks(65_536) == 48  # 228,010 tokens of 8.02 GiB, 3.48 sequences


def test_states_weigh_less_on_longer_sequences():
    """The tokens an engine prints grow with the length it allows: a state is pinned once."""
    layout = layout_of("qwen3.5-27b", kv_bytes=1.0)
    blocks = layout.blocks(40 * 2**30)
    short, long = layout.printed_tokens(blocks, 1568), layout.printed_tokens(blocks, 100 * 1568)
    assert short == blocks * 1568 // 7
    assert 6 * short < long < 7 * short


def test_delta_net_states_as_logged():
    """Two sequences over 24 linear layers with 32 value heads took 100.5 MiB in llama.cpp.

    It keeps the convolution input in 32 bit, the serving engines in 16: a little less.
    """
    convolution_in_32_bit = 3 * (32 + 32) * 128 * 4
    state = shape_of(model_named("qwen3-next-80b-a3b")).state_bytes + convolution_in_32_bit / 2
    assert 2 * 24 * state / 2**20 == pytest.approx(100.5, abs=0.01)


@pytest.mark.parametrize("manager", ["grouped", "per_layer", "in_full", "llama.cpp"])
@pytest.mark.parametrize("name", ["llama-3-8b", "gemma-3-27b", "mistral-7b-v0.1", "qwen3.5-27b"])
def test_the_longest_sequence_fits_and_one_block_more_does_not(name, manager):
    layout = layout_of(name, manager=manager)
    blocks = layout.blocks(30 * 2**30)
    longest = layout.longest_sequence(blocks, 2048)
    if longest == float("inf"):
        assert layout.sequence_blocks(10**8, 2048) <= blocks
        return
    assert layout.sequence_blocks(int(longest), 2048) <= blocks
    assert layout.sequence_blocks(int(longest) + layout.block_tokens, 2048) > blocks


def test_engines_without_a_window_pool_keep_everything():
    whole = layout_of("llama-4-scout", tp=8, manager="in_full")
    kept = whole.sequence_blocks(1_048_576) * whole.block_bytes / 2**30
    assert kept == pytest.approx(24.0)  # as such an engine asked for


def test_speech_models_cache_their_audio_window():
    assert cached_tokens(model_named("whisper-large-v3"), 4096) == 1500 + 448
    assert cached_tokens(model_named("flan-t5-xl"), 700) == 700


def test_a_sparse_indexer_has_its_own_cache():
    plain, sparse = shape_of(model_named("deepseek-v3")), shape_of(model_named("deepseek-v3.2"))
    assert layer_token_bytes(sparse, 2.0) - layer_token_bytes(plain, 2.0) == 132
