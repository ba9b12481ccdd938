"""Whatever a workload says, the form says again: nothing of it is lost on the way and back."""

from dataclasses import fields

import pytest

from bot.language.parse import parse
from bot.slack.form.form_fields import BY_NAME, MORE
from bot.slack.form.form_words import request_of, typed_of
from catalog.load import load_catalog
from engine.core.workload import Workload

VALUES = {
    "task": "finetune",
    "mode": "batch",
    "model": "llama-3-8b",
    "models": ("llama-3-8b", "qwen2.5-7b"),
    "params_b": 7.5,
    "active_params_b": 3.0,
    "quant": "int4",
    "kv_dtype": "fp8",
    "context": 131072,
    "input_tokens": 512,
    "output_tokens": 1048576,
    "concurrency": 32.0,
    "rps": 0.5,
    "runs_per_month": 30.0,
    "vcpus_max": 64,
    "tokens_per_day": 1e9,
    "avg_tokens_per_s": 50.0,
    "latency_ms": 100.5,
    "latency_kind": "per_token",
    "percentile": 95.0,
    "objective": "max_savings",
    "method": "qlora",
    "seq_len": 4096,
    "tokens_total": 1e12,
    "deadline_h": 72.0,
    "budget_usd_per_hour": 5.25,
    "budget_usd_per_month": 900.0,
    "budget_usd_total": 2000.0,
    "region": "eu-central-1",
    "regions": ("eu-central-1", "us-east-1"),
    "market": "capacity_block",
    "term_years": 3.0,
    "instance": "g6.xlarge",
    "gpu": "L4",
    "gpu_count": 2,
    "gpu_memory_gb": 80.0,
    "nodes": 2,
    "framework": "vllm",
    "needs_cuda": True,
    "allow": ("g6", "g5"),
    "exclude": ("p5",),
    "without": ("p5", "Ohio"),
    "owned": "3x p4d.24xlarge at 32.77 USD/h",
    "compare_family": "g5",
    "use_case": "coding_chat",
    "users": 200,
    "active_share": 0.25,
    "requests_per_user_min": 0.5,
    "peak_factor": 2.5,
    "cached_share": 0.4,
    "items": 2e7,
    "tokens_per_item": 500,
    "duty_h_per_day": 8.0,
    "steps": 4,
    "image_px": 768,
    "replicas_min": 2,
    "zones_min": 3,
    "throughput": "ultra_high",
    "network": "ultra_high",
    "network_gbps": 400.0,
    "tensor_parallel": 4,
    "pipeline_parallel": 2,
    "memory_utilisation": 0.85,
    "batch": 8,
    "global_batch_tokens": 4000000,
    "optimizer": "adamw_8bit",
    "sharding": "zero2",
    "offload": "cpu",
    "first_token_ms": 300.0,
    "per_token_ms": 40.0,
    "model_task": "embedding",
    "model_kind": "speech",
    "guide": "001",
    "name": "my-cluster",
    "reservation": "cr-0123456789abcdef0",
    "model_source": "s3://bucket/prefix",
    "checkpoint_store": "fsx",
}


# A served model has no sequence length of training: beside nothing else it is the context.
BESIDE = {"seq_len": {"task": "finetune"}, "runs_per_month": {"model": "llama-3.1-8b"}}


def read_again(said):
    return parse(request_of(typed_of(said)), load_catalog()).workload


def test_every_field_of_a_workload_is_here():
    assert VALUES.keys() == {field.name for field in fields(Workload)}


@pytest.mark.parametrize("name", VALUES)
def test_each_field_comes_back_as_it_was(name):
    said = BESIDE.get(name, {}) | {name: VALUES[name]}
    assert getattr(read_again(said), name) == VALUES[name]


@pytest.mark.parametrize(
    "text",
    [
        "inference 7B latency<100ms",
        "inference llama-3-70b 32 users ttft p95<300ms context=8k int4 in Frankfurt on spot",
        "serve mixtral-8x7b 2 billion tokens per day budget=$9000/month",
        "finetune llama-3-8b qlora tokens=50M deadline=12h only g6 g5",
        "train 30B on 1T tokens in 30 days us-east-1 capacity block",
        "inference 13B in europe avoid p5 needs cuda tp=2 util=0.85",
        "inference deepseek-v3 8xH200 3-year savings plan",
        "whisper-large-v3 real time on g5.xlarge",
    ],
)
def test_a_whole_workload_comes_back_as_it_was(text):
    workload = parse(text, load_catalog()).workload
    assert read_again(workload.said()) == workload


def test_a_field_of_the_form_is_not_said_twice():
    typed = typed_of({"task": "inference", "model": "llama-3-8b", "params_b": 8.0, "quant": "int4"})
    assert typed == {"task": "inference", "model": "llama-3-8b", MORE: "params_b=8 quant=int4"}


def test_what_is_typed_is_put_in_the_order_of_the_form():
    typed = {MORE: "quant=int4", "region": "Frankfurt", "task": "inference"}
    assert request_of(typed) == "task=inference region=Frankfurt quant=int4"
    assert list(BY_NAME)[-1] == MORE
