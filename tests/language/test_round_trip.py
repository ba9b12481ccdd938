"""parse(format_request(workload)) is the workload."""

from dataclasses import replace
from typing import get_args

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bot.language.draft import completed
from bot.language.parse import parse
from bot.language.readings import format_request
from catalog.load import load_catalog
from engine.core.workload import ModelKind, Objective, Workload

CATALOG = load_catalog()
MODELS = sorted(name for name in CATALOG.model_names if name[0].isalpha())
REGIONS = sorted(code for code, one in CATALOG.regions.items() if one.location_type == "region")
GROUPS = (
    "nvidia",
    "neuron",
    "cpu",
    "graviton",
    "g5",
    "g6e",
    "p5",
    "inf2",
    "trn2",
    "c7i",
    "H100-80",
    "L4",
    "g5.xlarge",
)
QUANTS = ("bf16", "fp16", "fp32", "fp8", "int8", "int4", "awq", "gptq", "mxfp4", "nvfp4")


def figure(low, high):
    return st.none() | st.floats(low, high, allow_nan=False, allow_infinity=False)


def whole(high):
    return st.none() | st.integers(1, high)


def one_of(*values):
    return st.none() | st.sampled_from(values)


def several(values):
    return st.none() | st.lists(st.sampled_from(values), min_size=2, max_size=4, unique=True).map(
        tuple
    )


NAMES = st.none() | st.text("abcXYZ019_-.{}*", min_size=1, max_size=20)
SHARED = {
    "quant": one_of(*QUANTS),
    "batch": whole(512),
    "market": one_of("on_demand", "spot", "reserved", "savings_plan", "capacity_block"),
    "budget_usd_per_hour": figure(0.01, 1e4),
    "budget_usd_per_month": figure(0.01, 1e6),
    "budget_usd_total": figure(0.01, 1e8),
    "gpu_count": whole(64),
    "nodes": whole(64),
    "network": one_of("standard", "ultra_high"),
    "objective": one_of(*get_args(Objective)),
    "exclude": several(GROUPS),
    "gpu": one_of(*sorted(CATALOG.accelerators)),
    "model_kind": one_of(*get_args(ModelKind)),
    "guide": one_of("000", "001", "004"),
    "name": NAMES,
    "model_source": one_of("s3://bucket-1/models/x", "s3", "fsx", "efs", "ebs", "pvc"),
}  # fmt: skip
SERVING = {
    "mode": one_of("realtime", "batch", "edge"),
    "kv_dtype": one_of("fp8", "bf16", "int8"),
    "context": whole(10**6).map(lambda n: n and n + 10**6),
    "input_tokens": whole(10**5),
    "output_tokens": whole(10**5),
    "concurrency": figure(0.1, 1e5),
    "rps": figure(1e-3, 1e5),
    "tokens_per_day": figure(1, 1e12),
    "latency_ms": figure(0.1, 1e6),
    "latency_kind": one_of("ttft", "per_token", "e2e"),
    "percentile": figure(1, 99.9).map(lambda p: p and round(p, 3)),
    "tensor_parallel": whole(64),
    "pipeline_parallel": whole(8),
    "memory_utilisation": figure(0.1, 1),
    "framework": one_of("vllm", "tgi", "sglang", "tensorrt-llm", "llama.cpp", "neuronx"),
    "throughput": one_of("standard", "high", "ultra_high"),
    "use_case": one_of(*CATALOG.use_cases),
    "users": whole(10**6),
    "active_share": figure(0.01, 1),
    "requests_per_user_min": figure(0.01, 100),
    "peak_factor": figure(1, 50),
    "cached_share": figure(0.01, 1),
    "items": figure(1, 1e12),
    "tokens_per_item": whole(10**5),
    "duty_h_per_day": figure(0.5, 24),
    "runs_per_month": figure(0.1, 100),
    "vcpus_max": whole(10**4),
    "steps": whole(100),
    "replicas_min": whole(16),
    "zones_min": whole(6),
}
TRAINING = {
    "task": st.sampled_from(("train", "finetune")),
    "method": one_of("full", "lora", "qlora", "dpo", "grpo"),
    "seq_len": whole(10**6),
    "tokens_total": figure(1, 1e15),
    "deadline_h": figure(0.1, 1e4),
    "global_batch_tokens": whole(10**8),
    "optimizer": one_of("adamw", "adamw_8bit", "adamw_bf16", "paged_adamw_8bit"),
    "sharding": one_of("ddp", "zero1", "zero2", "zero3"),
    "offload": one_of("cpu"),
}


def what_is_run():
    """A model, several, or a size; sizes as people write them."""
    sizes = figure(1e-3, 1e4)
    return (
        st.sampled_from(MODELS).map(lambda name: {"model": name})
        | several(MODELS).map(lambda names: {"models": names})
        | sizes.map(lambda size: {"params_b": size})
        | sizes.map(lambda size: {"params_b": size, "active_params_b": size and size / 2})
    )


def where():
    return st.sampled_from(REGIONS).map(lambda code: {"region": code}) | several(REGIONS).map(
        lambda codes: {"regions": codes}
    )


def one_id_each(said):
    """Return whether names listed together are of different models."""
    names = said.get("models") or ()
    return len({CATALOG.model_names[name] for name in names}) == len(names)


def workload(fields, what, place):
    said = {**what, **place, **fields}
    if "model" in said:
        said["context"] = said["input_tokens"] = said["output_tokens"] = (
            None  # its window is checked
        )
    if said.get("gpu") in (said.get("exclude") or ()):
        said["gpu"] = None  # asked for and left out is refused
    if said.get("latency_ms") is None:
        said["latency_kind"] = said["percentile"] = None
    if said.get("method") in {"lora", "qlora", "dpo", "grpo"}:
        said["task"] = "finetune"
    if said.get("throughput") in {"high", "ultra_high"} and said.get("latency_ms") is None:
        said["objective"] = said["objective"] or "throughput"
    return completed(replace(Workload(), **said))


@st.composite
def serving(draw):
    fields = draw(st.fixed_dictionaries(SHARED | SERVING))
    what = draw(what_is_run())
    assume(one_id_each(what))
    return workload(fields, what, draw(where()))


@st.composite
def training(draw):
    fields = draw(st.fixed_dictionaries(SHARED | TRAINING))
    what = draw(what_is_run())
    assume(one_id_each(what))
    return workload(fields, what, draw(where()))


@settings(max_examples=150, deadline=None)
@given(serving())
@example(completed(Workload(task="inference", params_b=7.0, name="*000")))
def test_a_serving_workload_survives(said):
    assert parse(format_request(said), CATALOG).workload == said


@settings(max_examples=100, deadline=None)
@given(training())
def test_a_training_workload_survives(said):
    assert parse(format_request(said), CATALOG).workload == said


@settings(max_examples=100, deadline=None)
@given(serving())
def test_nothing_of_a_formatted_workload_is_left_over(said):
    assert parse(format_request(said), CATALOG).not_understood == ()
