"""Nothing is silently dropped: unread words are reported where they stand."""

import pytest


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("inference 7B frobnicate", ["frobnicate"]),
        ("inference 7B flux-capacitor=9", ["flux-capacitor=9"]),
        ("inference 7B on two RTX 4090s", ["two RTX 4090s"]),
        ("inference 7B with quantum entanglement please", ["quantum entanglement"]),
        ("inference 7B 42", ["42"]),
        ("what is the best instance for a 7B model, please?", []),
        ("Could you recommend something cheap for a 7B chatbot in Frankfurt?", []),
        ("inference mymodel-7b", []),
        ("inference 7B, répondre vite", ["répondre vite"]),
    ],
)
def test_reports(text, left, understood):
    assert [span.text for span in understood(text).not_understood] == left


@pytest.mark.parametrize(
    "text",
    [
        "inference  seven billion   frobnicate infrence  zork=1  four",
        "serve “quoted” stuff — 7B … blorp",
        "7B &lt;!channel&gt; zzyzx",
        "half a million flurbs for llama-3-8b",
    ],
)
def test_spans_point_into_the_text(text, understood):
    understanding = understood(text)
    assert understanding.not_understood
    for span in understanding.not_understood:
        assert understanding.text[span.start : span.end] == span.text


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("7B regin=us-east-1", "region=…"),
        ("7B kontextlaenge=5", None),
        ("7B concurency=5", "concurrency=…"),
    ],
)
def test_an_unknown_field_gets_the_nearest_known_one(text, suggestion, understood):
    (span,) = understood(text).not_understood
    assert suggestion is None or span.suggestion == suggestion


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("7B latency<100", "latency_unit"),
        ("7B latency less than 100", "latency_unit"),
        ("llama 8b", "model_assumed"),
        ("mymodel-7b", "unknown_model_sized"),
        ("70B on A100", "gpu_memory_assumed"),
        ("13B on two A10s", "gpu_stand_in"),
        ("fit 7B g5.12xlrage", "instance_spelling"),
        ("infrence 7B", "spelling"),
        ("7B budget=5", "budget_period"),
        ("7B in europe", "area"),
        ("inference llama-3-8b tokens=3000k", "tokens_ambiguous"),
        ("7B p50 ttft<200ms, p99 ttft<900ms", "second_latency"),
        ("7B quantised", "quantised"),
        ("inference and finetuning of 7B", "two_tasks"),
    ],
)
def test_a_reading_that_could_be_another_is_noted(text, code, understood):
    understanding = understood(text)
    assert code in understanding.codes
    assert len(understanding.notes) == len(understanding.codes)


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("finetune 7B compare=full,lora,qlora", "method", ("full", "lora", "qlora")),
        ("70B in fp8 or int8", "quant", ("fp8", "int8")),
        ("g5.xlarge vs g6.xlarge for 7B", "instance", ("g5.xlarge", "g6.xlarge")),
        ("T4 or A10G for 7B", "gpu", ("T4", "A10G")),
        ("compare spot and on-demand for 7B", "market", ("spot", "on_demand")),
    ],
)
def test_values_side_by_side_are_kept(text, field, values, understood):
    understanding = understood(text)
    assert understanding.alternatives[field] == values
    assert getattr(understanding.workload, field) == values[0]


@pytest.mark.parametrize(
    ("text", "detail", "value"),
    [
        ("deploy 7B k8s=1.33", "k8s", "1.33"),
        ("eksctl yaml for p4d on kubernetes 1.33", "k8s", "1.33"),
        ("7B in us-east-1a", "zone", "us-east-1a"),
        ("kv llama-3.1-8b kv_mem=3.81GiB", "kv_mem", "3.81GiB"),
        ("p5.48xlarge is $98.32 an hour, still true?", "claimed_usd_per_hour", "98.32"),
        ("alert me when g5.xlarge drops below $0.5/h", "alert_below_usd_per_hour", "0.5"),
        ("tell me if g5.xlarge drops 10%", "alert_drop_percent", "10"),
        ("batch scoring with a mixture-of-experts model", "architecture", "moe"),
        ("70B q4 on T4s, I only see 8 tokens a second", "observed_tokens_per_s", "8"),
        ("quota trn2.48xlarge limit=256 used=136", "quota_limit", "256"),
    ],
)
def test_facts_that_are_no_field_are_kept(text, detail, value, understood):
    assert understood(text).details[detail] == value
