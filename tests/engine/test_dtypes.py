"""What runs which number format, natively, as stored weights only, or not at all."""

import pytest

from catalog.load import load_catalog
from engine.core.dtypes import (
    DTYPES,
    bytes_per_param,
    dtype_named,
    kv_cache_bytes,
    model_support,
    native_weights_dtype,
    support,
)
from tests.engine.plans import model_named


def accelerator(name):
    return load_catalog().accelerators[name] if name else None


# (accelerator, None for the CPU; dtype; engine; kind; what to take instead; topic code)
SUPPORT = [
    ("T4", "bf16", "vllm", "unsupported", "fp16", "bf16_unsupported"),
    ("V100-16", "bf16", "vllm", "unsupported", "fp16", "bf16_unsupported"),
    ("A10G", "bf16", "vllm", "native", None, None),
    ("T4", "fp16", "vllm", "native", None, None),
    ("A10G", "fp8", "vllm", "weight_only", None, "fp8_weight_only_on_ampere"),
    ("A100-80", "fp8", "vllm", "weight_only", None, "fp8_weight_only_on_ampere"),
    ("L4", "fp8", "vllm", "native", None, None),
    ("H100-80", "fp8", "vllm", "native", None, None),
    ("T4", "fp8", "vllm", "unsupported", "int8", "fp8_unsupported"),
    ("V100-16", "fp8", "vllm", "unsupported", "gptq", "fp8_unsupported"),
    ("V100-16", "awq", "vllm", "unsupported", "gptq", "awq_unsupported"),
    ("V100-16", "gptq", "vllm", "weight_only", None, None),
    ("T4", "awq", "vllm", "weight_only", None, None),
    ("V100-16", "int8", "vllm", "weight_only", None, None),
    ("T4", "int8", "vllm", "native", None, None),
    ("B200", "int8", "vllm", "weight_only", None, None),
    ("A100-80", "mxfp4", "vllm", "weight_only", None, None),
    ("B200", "mxfp4", "vllm", "native", None, None),
    ("T4", "mxfp4", "vllm", "unsupported", "q4_k_m", "mxfp4_unsupported"),
    ("T4", "mxfp4", "llama.cpp", "weight_only", None, None),
    ("H100-80", "nvfp4", "vllm", "weight_only", None, None),
    ("RTX-PRO-6000", "nvfp4", "vllm", "native", None, None),
    ("A10G", "q4_k_m", "llama.cpp", "weight_only", None, None),
    ("A10G", "q4_k_m", "tensorrt-llm", "unsupported", "awq", None),
    ("Inferentia2", "bf16", "neuronx", "native", None, None),
    ("Inferentia2", "int8", "neuronx", "weight_only", None, None),
    ("Inferentia1", "int8", "neuronx", "unsupported", "bf16", "neuron_dtype_unsupported"),
    ("Inferentia2", "awq", "neuronx", "unsupported", "bf16", "neuron_dtype_unsupported"),
    ("Trainium1", "q4_k_m", "neuronx", "unsupported", "bf16", "neuron_dtype_unsupported"),
    ("V520", "fp16", "vllm", "unsupported", None, None),
    (None, "q4_k_m", "llama.cpp", "native", None, None),
    (None, "bf16", "vllm", "native", None, None),
    (None, "awq", "vllm", "weight_only", None, None),
    (None, "fp8", "vllm", "unsupported", "int8", None),
    (None, "mxfp4", "llama.cpp", "weight_only", None, None),
    (None, "nvfp4", "vllm", "unsupported", "q4_k_m", None),
]


@pytest.mark.parametrize("row", SUPPORT, ids=str)
def test_support(row):
    name, dtype, engine, kind, alternative, code = row
    found = support(accelerator(name), dtype, engine)
    assert (found.kind, found.alternative, found.code) == (kind, alternative, code)
    if kind == "unsupported":
        assert found.reason
        assert found.compute_dtype is None
    else:
        assert found.compute_dtype in DTYPES


def test_every_alternative_runs_where_it_is_offered():
    for device in [None, *load_catalog().accelerators.values()]:
        for dtype in DTYPES:
            for engine in ("vllm", "llama.cpp"):
                other = support(device, dtype, engine).alternative
                if other is not None:
                    engine_for = "llama.cpp" if dtype_named(other).gguf else engine
                    assert support(device, other, engine_for).kind != "unsupported"


MODELS = [
    ("Inferentia2", "deepseek-r1", "inference", None, None, False, "architecture not supported"),
    ("Inferentia2", "llama-3.1-8b", "inference", None, None, True, ""),
    ("Inferentia2", "mixtral-8x7b", "inference", None, None, True, ""),
    ("Inferentia2", "gpt-oss-20b", "inference", None, None, False, "architecture not supported"),
    ("Inferentia1", "llama-3.2-1b", "inference", None, None, False, "encoders and vision models"),
    ("Inferentia1", "bert-base", "inference", None, None, True, ""),
    ("Trainium2", "llama-3.3-70b", "inference", None, None, True, ""),
    ("Trainium2", "llama-3.3-70b", "inference", None, "optimum-neuron", False, "Trainium2"),
    ("Trainium1", "llama-3-8b", "train", "full", None, True, ""),
    ("Trainium1", "qwen3-8b", "finetune", "lora", None, True, ""),
    ("Trainium1", "mixtral-8x7b", "finetune", "full", None, False, "llama, qwen3 and granite"),
    ("Trainium1", "llama-3-8b", "finetune", "qlora", None, False, "QLoRA"),
    ("Inferentia2", "llama-3-8b", "train", "full", None, False, "does not train"),
    ("Trainium1", "bert-large", "train", "full", None, True, ""),
    ("Gaudi1", "llama-3-8b", "inference", None, None, False, "no serving or training engine"),
    ("AI100", "bert-base", "inference", None, None, False, "no serving or training engine"),
    ("V520", "llama-3-8b", "train", None, None, False, "no serving or training engine"),
    ("A10G", "deepseek-r1", "inference", None, None, True, ""),
    (None, "llama-3-8b", "inference", None, None, True, ""),
]


@pytest.mark.parametrize("row", MODELS, ids=str)
def test_model_support(row):
    name, model, task, method, engine, runs, words = row
    found = model_support(accelerator(name), model_named(model), task, method, engine)
    assert (found.kind == "native") is runs
    assert words in found.reason


NATIVE = [
    ("llama-3.1-8b", "bf16"),
    ("llama-2-7b", "fp16"),
    ("gpt2", "bf16"),  # published in 32 bit, served in 16
    ("bert-base", "fp16"),
    ("deepseek-v3", "fp8"),
    ("gpt-oss-20b", "mxfp4"),
    ("kimi-k2-thinking", "int4"),
]


@pytest.mark.parametrize(("name", "dtype"), NATIVE)
def test_native_dtype(name, dtype):
    assert native_weights_dtype(model_named(name)) == dtype


def test_every_model_of_the_catalog_has_a_known_dtype():
    for model in load_catalog().models.values():
        assert native_weights_dtype(model) in DTYPES
        assert dtype_named(model.body_dtype)


NAMES = [("bfloat16", "bf16"), ("GPTQ-int4", "gptq"), ("half", "fp16"), ("Q4_K_M", "q4_k_m")]


@pytest.mark.parametrize(("spelling", "name"), NAMES)
def test_usual_spellings(spelling, name):
    assert dtype_named(spelling).name == name
    assert bytes_per_param(spelling) == DTYPES[name].bytes_per_param


CACHES = [("auto", "bf16", 2), ("auto", "fp32", 4), ("fp8", "bf16", 1), ("q8_0", "q4_k_m", 1.0625)]


@pytest.mark.parametrize(("kv_dtype", "weights", "size"), CACHES)
def test_bytes_of_a_cached_value(kv_dtype, weights, size):
    assert kv_cache_bytes(kv_dtype, weights) == size


def test_an_unknown_cache_dtype_is_named():
    with pytest.raises(ValueError, match="unknown KV cache dtype 'int3'"):
        kv_cache_bytes("int3")
