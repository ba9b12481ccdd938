"""Which of two number formats is the weights' and which the cache's."""

import pytest

from bot.answers.world import load_world
from bot.core.errors import RequestError
from bot.language.parse import parse


@pytest.mark.parametrize(
    ("text", "weights", "cache"),
    [
        ("llama-3.1-70b awq kv fp8", "awq", "fp8"),
        ("8B kv cache fp8", None, "fp8"),
        ("8B fp8 kv", None, "fp8"),
        ("8B int4 with fp8 kv cache", "int4", "fp8"),
        ("8B kv_dtype=fp8_e4m3", None, "fp8"),
        ("8B fp8 weights and kv cache", "fp8", None),
        ("8B awq kv", "awq", None),  # no cache is kept in AWQ
    ],
)
def test_weights_and_cache(text, weights, cache):
    workload = parse(text, load_world().catalog).workload
    assert (workload.quant, workload.kv_dtype) == (weights, cache)


@pytest.mark.parametrize(
    ("text", "word"), [("8B kv cache in awq", "awq"), ("8B kv cache int4", "int4")]
)
def test_a_format_no_cache_has_is_not_said_of_the_weights(text, word):
    understood = parse(text, load_world().catalog)
    assert (understood.workload.quant, understood.workload.kv_dtype) == (None, None)
    assert [span.text for span in understood.not_understood] == [word]


@pytest.mark.parametrize("value", ["awq", "gptq", "q4_k_m", "nonsense"])
def test_the_field_takes_cache_formats_alone(value):
    with pytest.raises(RequestError, match="kv_dtype"):
        parse(f"8B kv_dtype={value}", load_world().catalog)
