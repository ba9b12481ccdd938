"""Fits, tight or why not, on each kind of device and in each engine."""

from dataclasses import replace

import pytest

from engine.memory.host_cpu import fits_offloaded
from engine.memory.neuron import compile_host_gib
from engine.memory.serving import serving_memory
from tests.engine.plans import host_named, host_with, model_named, plan_of


def memory(model, host, plan=None, context=4096, **more):
    return serving_memory(
        model_named(model), host, plan or plan_of(), context_tokens=context, **more
    )


def test_405b_on_one_h100_is_refused_for_its_weights():
    found = memory("llama-3.1-405b", host_with("H100-80"))
    assert not found.fits
    assert found.why_not == "needs 756.1 GiB of weights per GPU, has 71.3"
    assert found.needed_gib > found.limit_gib


def test_a_long_context_is_refused_for_its_cache():
    found = memory("qwen1.5-7b", host_with("A10G"), context=32_768)
    assert found.why_not.startswith("needs 16.0 GiB of KV cache per GPU for one sequence of 32,768")
    again = memory("qwen1.5-7b", host_with("A10G"), context=found.context_max)
    assert again.fits


def test_terms_add_up_to_the_bar():
    found = memory("llama-3.1-8b", host_with("L4"))
    parts = found.weights + found.kv_cache + found.activations + found.overhead
    assert found.total == pytest.approx(parts)
    assert found.total <= found.available


# A context that fits and one that does not, for engines that account differently.
ENGINES = ["vllm", "tensorrt-llm", "sglang", "tgi", "transformers", "llama.cpp"]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_holds_an_8b_on_24_gb_and_no_70b(engine):
    plan = plan_of(serving_engine=engine)
    small = memory("llama-3.1-8b", host_with("A10G"), plan)
    assert small.fits
    assert small.total <= small.available
    assert not memory("llama-3.1-70b", host_with("A10G"), plan).fits


def test_tensorrt_takes_a_share_of_what_is_free():
    """Llama-2-7B int8 on an A100-80: 64.75 GiB logged."""
    plan = plan_of(serving_engine="tensorrt-llm", weights_dtype="int8")
    assert memory("llama-2-7b", host_with("A100-80"), plan).room_gib == pytest.approx(
        64.75, rel=0.02
    )


def test_without_chunked_prefill_long_prompts_cost_activations():
    """8B on 23.58 GiB, windows of 20,000 and 29,000 tokens: the peaks differ by 0.92 GiB."""
    host = host_with("A10G")
    short = memory("llama-3.1-8b", host, context=20_000, chunked_prefill=False)
    long = memory("llama-3.1-8b", host, context=29_000, chunked_prefill=False)
    assert long.activations - short.activations == pytest.approx(0.92, rel=0.05)


# Against the current release on an H100: the old sampler takes 23.5 bytes more for each of 1,024
# sequences and 128,256 words (and 0.05 GiB less besides); later releases count 0.84 GiB of graphs.
@pytest.mark.parametrize(
    ("version", "less"), [("old", 23.5 * 1024 * 128_256 / 2**30 - 0.05), ("graphs_inside", 0.84)]
)
def test_engine_versions_differ_by_gibibytes(version, less):
    host = host_with("H100-80")
    found = memory("llama-3.1-8b", host, engine_version=version)
    assert memory("llama-3.1-8b", host).room_gib - found.room_gib == pytest.approx(less)


def test_tight_when_the_room_is_barely_enough():
    plan = plan_of(weights_dtype="mxfp4", memory_utilisation=0.97)
    found = memory("gpt-oss-120b", host_with("H100-80"), plan, context=87_040)
    assert found.fits
    assert found.tight


def test_more_sequences_need_more_cache():
    host = host_with("L4")
    one, many = (memory("llama-3.1-8b", host, sequences=n) for n in (1, 4))
    assert many.kv_cache == pytest.approx(4 * one.kv_cache)
    assert not memory("llama-3.1-8b", host, sequences=one.sequences_max + 1).fits
    assert memory("llama-3.1-8b", host, sequences=int(one.sequences_max)).fits


def test_attention_data_parallel_holds_a_cache_in_each_rank():
    """DeepSeek on eight cards: eight separate latent caches instead of one repeated eight times."""
    host = host_with("H200-141", 8)
    split = memory("deepseek-v3", host, plan_of(8, weights_dtype="fp8"))
    copies = memory("deepseek-v3", host, plan_of(1, weights_dtype="fp8", attention_data_parallel=8))
    assert copies.kv_tokens_max > 5 * split.kv_tokens_max


def test_an_unchecked_cache_formula_says_approximate():
    plan = plan_of(8, weights_dtype="mxfp4")
    assert memory("deepseek-v4-flash", host_with("H200-141", 8), plan).approximate
    assert not memory("llama-3.1-8b", host_with("L4")).approximate


def test_a_card_without_a_driver_report_is_taken_below_its_marketed_size():
    found = memory("llama-3.1-8b", host_with("RTX-PRO-4500"))
    assert found.available < 32e9 / 2**30
    assert found.approximate


# ---- encoders, images, speech ----------------------------------------------------------

SINGLE_SHOT = [
    ("bert-large", "T4", True),
    ("bge-m3", "L4-1_8", True),
    ("resnet-50", "T4", True),
    ("flux.1-dev", "L40S", True),
    ("flux.1-dev", "A10G", False),
    ("sdxl-base-1.0", "A10G", True),
    ("whisper-large-v3", "T4", True),
    ("flan-t5-xxl", "A10G", False),  # 11B in 16 bit
    ("flan-t5-xl", "A10G", True),
]


@pytest.mark.parametrize(("name", "accelerator", "fits"), SINGLE_SHOT)
def test_models_that_are_not_text_generators(name, accelerator, fits):
    host = host_with(accelerator)
    plan = plan_of(weights_dtype="fp16")
    assert memory(name, host, plan, context=512).fits is fits


def test_encoders_keep_no_cache():
    found = memory("bert-large", host_with("T4"), plan_of(weights_dtype="fp16"), context=512)
    assert found.kv_cache == 0
    assert found.sequences_max is None
    assert found.kv_tokens_max is None


def test_sparse_attention_has_buffers_as_long_as_its_context():
    """GLM-5.2 took about 13 GiB beside weights and cache at its whole context; dense MLA none."""
    host = host_with("B300", 8)
    short, long = (memory("glm-5.2", host, plan_of(8), context) for context in (4096, 1_048_576))
    assert long.overhead - short.overhead == pytest.approx(10.8, rel=0.02)
    dense = [memory("deepseek-v3", host, plan_of(8), context) for context in (4096, 163_840)]
    assert dense[0].overhead == dense[1].overhead


# ---- Neuron ----------------------------------------------------------------------------

NEURON = [
    ("llama-2-7b", "inf2.xlarge", 2, 2048, True, False),
    ("llama-2-13b", "inf2.8xlarge", 2, 4096, True, True),
    ("llama-2-13b", "inf2.8xlarge", 2, 6000, True, True),  # with 1.6 GiB to a core itself
    ("llama-2-13b", "inf2.8xlarge", 2, 8192, False, False),
    ("llama-3-70b", "inf2.48xlarge", 16, 4096, True, False),
    ("llama-3-70b", "inf2.48xlarge", 8, 4096, False, False),
    ("llama-3.1-405b", "inf2.48xlarge", 16, 4096, False, False),
    ("bert-large", "inf1.xlarge", 1, 512, True, False),
]


@pytest.mark.parametrize("row", NEURON, ids=str)
def test_per_neuron_core(row):
    name, instance, tp, context, fits, tight = row
    found = memory(name, host_named(instance), plan_of(tp, serving_engine="neuronx"), context)
    assert found.fits is fits
    assert found.tight is tight
    assert "static_shapes" in found.notes


def test_llama_7b_on_two_cores_as_measured():
    """20.4 GB on two cores at batch 1 and 784 tokens; a core's overhead is known to 1-7 GiB."""
    found = memory("llama-2-7b", host_named("inf2.8xlarge"), plan_of(2), context=784)
    assert 2 * found.total * 2**30 / 1e9 == pytest.approx(20.4, rel=0.15)


def test_compiling_needs_host_memory():
    """An 8B was killed while compiling on a 32 GiB host; compiled elsewhere it runs there.

    A 109B mixture of experts was served from a host of 512 GiB.
    """
    host, plan = host_named("trn1.2xlarge"), plan_of(2)
    assert compile_host_gib(model_named("llama-3.1-8b")) > 32
    assert compile_host_gib(model_named("llama-4-scout")) < 512
    assert compile_host_gib(model_named("sdxl-base-1.0")) == pytest.approx(35e9 / 2**30, rel=0.1)
    runs = memory("llama-3.1-8b", host, plan, 2048)
    assert runs.fits
    assert "compile_on_larger_instance" in runs.notes
    compiles = memory("llama-3.1-8b", host, plan, 2048, compile_on_host=True)
    assert not compiles.fits
    assert compiles.why_not == (
        "needs 38 GiB of host memory to compile, has 32: compile on a larger instance"
    )


def test_a_static_batch_is_reserved_whole():
    one = memory("llama-2-7b", host_named("inf2.8xlarge"), plan_of(2), 2048)
    four = memory("llama-2-7b", host_named("inf2.8xlarge"), plan_of(2), 2048, sequences=4)
    assert four.kv_cache == pytest.approx(4 * one.kv_cache)


# ---- CPU and off-load ------------------------------------------------------------

CPU = [
    ("llama-3.1-8b", "q4_k_m", "m7i.2xlarge", True),
    ("llama-3.1-8b", "bf16", "m7i.xlarge", False),
    ("llama-3.1-70b", "q4_k_m", "r7i.2xlarge", True),
    ("llama-3.1-70b", "q4_k_m", "m7i.2xlarge", False),
    ("bert-base", "fp32", "c7g.large", True),
]


@pytest.mark.parametrize(("name", "dtype", "instance", "fits"), CPU)
def test_on_the_cpu(name, dtype, instance, fits):
    plan = plan_of(weights_dtype=dtype, serving_engine="llama.cpp", accelerators=0)
    found = memory(name, host_named(instance), plan, 2048)
    assert found.fits is fits
    if not fits:
        assert "per host" in found.why_not


def test_offload_counts_host_and_device():
    host = host_with("L40S", 1, host_mem_gib=640e9 / 2**30)
    assert not fits_offloaded(model_named("deepseek-r1"), "fp8", host)
    assert fits_offloaded(model_named("deepseek-r1"), "fp8", replace(host, host_mem_gib=768.0))
