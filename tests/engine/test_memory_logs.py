"""Start-up logs of vLLM on H100 (figures only), against the memory model.

GiB per GPU. Public accuracy study of the llm-d-planner project; 79.19 GiB visible, 8,192 tokens a
step, 1,024 sequences. "old" is vLLM up to about 0.15, "current" 0.19.
"""

from dataclasses import dataclass, replace

import pytest

from catalog.load import load_catalog
from engine.core.plan import Host, Plan
from engine.memory.serving import serving_memory


@dataclass(frozen=True)
class Log:
    model: str
    dtype: str
    tp: int
    utilisation: float
    version: str
    weights: float
    activations: float
    room: float | None
    tokens: int | None


LOGS = [
    # codellama-7b, whose shape is llama-2-7b's with 16 more words
    Log("llama-2-7b", "bf16", 1, 0.95, "current", 12.56, 0.77, 61.66, 126_256),
    Log("deepseek-v2-lite", "bf16", 1, 0.95, "current", 29.43, 1.93, 43.61, 1_505_552),
    Log("llama-3.3-70b", "fp8", 2, 0.95, "current", 33.88, 1.96, 37.28, 244_304),
    Log("llama-3.3-70b", "fp8", 4, 0.95, "current", 16.96, 1.97, 54.09, 708_992),
    Log("qwen2.5-7b", "fp8", 1, 0.95, "current", 8.14, 2.21, 64.64, 1_210_304),
    Log("gemma-2-27b", "bf16", 1, 0.95, "current", 50.72, 3.66, 20.59, 58_672),
    Log("gemma-2-2b", "bf16", 1, 0.95, "current", 4.90, 3.62, 66.47, 670_160),
    Log("gemma-2-9b", "bf16", 1, 0.95, "current", 17.22, 3.65, 54.12, 168_880),
    Log("gemma-3-12b", "bf16", 1, 0.95, "current", 23.31, 3.94, 47.72, 130_304),
    Log("gemma-3-27b", "bf16", 1, 0.95, "current", 51.45, 3.99, 19.53, 36_560),
    Log("gemma-3-4b", "bf16", 1, 0.95, "current", 8.58, 3.89, 62.51, 468_144),
    Log("llama-3.1-8b", "bf16", 1, 0.95, "current", 14.99, 1.89, 58.11, 476_000),
    Log("llama-3.1-8b", "fp8", 1, 0.95, "current", 8.49, 1.89, 64.61, 529_248),
    Log("llama-3.1-8b", "fp32", 1, 0.95, "current", 29.98, 2.21, 42.80, 175_296),
    Log("llama-3.1-8b", "bf16", 2, 0.95, "current", 7.51, 1.89, 63.76, 1_044_688),
    Log("llama-3.1-8b", "bf16", 4, 0.95, "current", 3.77, 1.89, 67.44, 2_209_792),
    Log("llama-3.1-8b", "gptq", 1, 0.95, "current", 5.38, 1.89, 67.71, 554_704),
    Log("phi-4", "bf16", 1, 0.95, "current", 27.39, 1.52, 46.08, 241_568),
    Log("mistral-small-3.1-24b", "bf16", 1, 0.95, "current", 44.76, 2.03, 28.19, 184_752),
    Log("mistral-small-3.1-24b", "int8", 1, 0.95, "current", 24.07, 2.18, 48.73, 319_344),
    Log("mistral-small-3.1-24b", "int8", 2, 0.95, "current", 12.11, 2.03, 59.02, 773_584),
    Log("mixtral-8x7b", "bf16", 2, 0.95, "current", 43.51, 1.21, 28.44, 465_936),
    Log("qwen2.5-72b", "bf16", 2, 0.95, "current", 67.80, 2.29, 3.04, 19_920),
    Log("qwen2.5-72b", "bf16", 4, 0.95, "current", 34.01, 2.29, 36.72, 481_296),
    Log("qwen2.5-7b", "bf16", 1, 0.95, "current", 14.25, 2.21, 58.53, 1_096_000),
    Log("qwen2.5-7b", "bf16", 2, 0.95, "current", 7.12, 2.21, 63.84, 2_390_592),
    Log("qwen2.5-7b", "bf16", 4, 0.95, "current", 3.55, 2.21, 67.34, 5_043_280),
    Log("qwen3-30b-a3b", "bf16", 1, 0.95, "current", 56.88, 2.68, 15.41, 168_288),
    Log("qwen3-8b", "bf16", 1, 0.95, "current", 15.27, 2.21, 57.50, 418_688),
    Log("gpt-oss-20b", "mxfp4", 1, 0.95, "current", 13.64, 2.87, 58.47, 1_277_184),
    # The next eight ran with a maximum length of 16,000 (vLLM 0.11).
    Log("gpt-oss-120b", "mxfp4", 1, 0.95, "old", 64.38, 7.38, 3.33, None),
    Log("llama-3.1-8b", "bf16", 1, 0.90, "old", 14.99, 4.76, 51.38, None),
    Log("qwen3-32b", "bf16", 1, 0.90, "old", 61.03, 5.64, 4.45, None),
    Log("qwen3-32b", "bf16", 2, 0.90, "old", 30.59, 5.64, 34.49, None),
    Log("llama-3.3-70b", "fp8", 2, 0.90, "old", 33.88, 4.84, 32.00, None),
    Log("gpt-oss-20b", "mxfp4", 1, 0.90, "old", 13.47, 7.38, 50.28, None),
    Log("qwen3-0.6b", "bf16", 1, 0.90, "old", 1.12, 5.56, 64.45, None),
    # Mistral Small 3.2, of the same shape, on a release between the two.
    Log("mistral-small-3.1-24b", "bf16", 1, 0.95, "current", 44.76, 2.12, 28.20, None),
]
# The vision towers of gemma-3 weigh 0.3 to 0.6 GiB more than two bytes per listed parameter.
HEAVIER_TOWERS = {"gemma-3-4b": 0.07, "gemma-3-12b": 0.03}


def memory_of(log):
    accelerator = replace(load_catalog().accelerators["H100-80"], mem_gib_usable=79.19)
    host = Host(
        accelerator=accelerator,
        accelerators=8,
        cpu=None,
        cores=96,
        host_mem_gib=2048.0,
        network_gb_s=None,
        efa=True,
    )
    plan = Plan(
        instance_type=None,
        instances=1,
        accelerators=log.tp,
        tensor_parallel=log.tp,
        pipeline_parallel=1,
        data_parallel=1,
        expert_parallel=1,
        weights_dtype=log.dtype,
        kv_dtype="auto",
        serving_engine="vllm",
        memory_utilisation=log.utilisation,
    )
    model = load_catalog().models[log.model]
    return serving_memory(model, host, plan, context_tokens=4096, engine_version=log.version)


def named(log):
    return f"{log.model}-{log.dtype}-tp{log.tp}-{log.version}"


@pytest.mark.parametrize("log", LOGS, ids=named)
def test_weights_as_logged(log):
    tolerance = HEAVIER_TOWERS.get(log.model, 0.02)
    assert memory_of(log).weights == pytest.approx(log.weights, rel=tolerance)


@pytest.mark.parametrize("log", LOGS, ids=named)
def test_activation_peak_as_logged(log):
    assert memory_of(log).activations == pytest.approx(log.activations, rel=0.06)


@pytest.mark.parametrize("log", [log for log in LOGS if log.room], ids=named)
def test_room_for_the_cache_as_logged(log):
    assert memory_of(log).room_gib == pytest.approx(log.room, rel=0.025, abs=0.25)


@pytest.mark.parametrize("log", [log for log in LOGS if log.tokens], ids=named)
def test_tokens_as_printed(log):
    assert memory_of(log).kv_tokens_max == pytest.approx(log.tokens, rel=0.025)


def test_worked_example_to_the_last_token():
    """Llama-3.3-70B in fp8 on two H100 at 0.95: the log's own figures."""
    log = next(log for log in LOGS if log.model == "llama-3.3-70b" and log.tp == 2)
    memory = memory_of(log)
    assert round(memory.weights, 2) == 33.89
    assert round(memory.activations, 2) == 1.96
    assert round(memory.room_gib, 2) == 37.28
    assert memory.kv_tokens_max == 244_304
