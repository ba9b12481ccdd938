"""The plans that are worth estimating on one instance type."""

from dataclasses import replace

import pytest

from engine.core.plan import TrainingJob
from engine.memory.serving import serving_memory
from engine.memory.training import training_memory
from engine.placement.parallel import serving_plans, training_plans
from engine.shape.attention import padded_model
from tests.engine.plans import host_named, model_named


def plans(name, instance, dtype="bf16", **more):
    return list(
        serving_plans(model_named(name), instance, host_named(instance), dtype=dtype, **more)
    )


# (model, instance, dtype, tensor, pipeline, expert parallel, replicas, instances) of the first plan
FIRST = [
    ("llama-3-70b", "p5.48xlarge", "fp8", 2, 1, 1, 4, 1),  # replicas, not more tensor parallelism
    ("llama-3.1-8b", "g6.xlarge", "bf16", 1, 1, 1, 1, 1),
    ("llama-3.1-8b", "g5.48xlarge", "bf16", 1, 1, 1, 8, 1),
    ("llama-2-70b", "g5.48xlarge", "fp16", 8, 1, 1, 1, 1),
    ("llama-3-70b", "inf2.48xlarge", "bf16", 16, 1, 1, 1, 1),
    ("llama-4-scout", "trn1.32xlarge", "bf16", 32, 1, 1, 1, 1),  # 40 heads filled up to 64
    ("opt-66b", "inf2.48xlarge", "fp16", 24, 1, 1, 1, 1),
    ("llama-3.1-405b", "p5.48xlarge", "bf16", 8, 2, 1, 1, 2),  # 810 GB: two hosts
    ("minimax-m2", "p5.48xlarge", "fp8", 4, 1, 1, 2, 1),
    ("falcon-40b", "g5.48xlarge", "bf16", 8, 1, 1, 1, 1),
    ("falcon-40b", "p4d.24xlarge", "fp32", 8, 1, 1, 1, 1),
    ("bert-base", "g5.12xlarge", "fp16", 1, 1, 1, 4, 1),
    ("bert-base", "inf1.6xlarge", "fp16", 1, 1, 1, 16, 1),
    ("flux.1-dev", "g6e.12xlarge", "bf16", 1, 1, 1, 4, 1),
]


@pytest.mark.parametrize("row", FIRST, ids=str)
def test_first_plan(row):
    name, instance, dtype, *expected = row
    plan = plans(name, instance, dtype)[0]
    found = [
        plan.tensor_parallel,
        plan.pipeline_parallel,
        plan.expert_parallel,
        plan.data_parallel,
        plan.instances,
    ]
    assert found == expected


def test_other_degrees_follow_ascending():
    degrees = [plan.tensor_parallel for plan in plans("llama-3.1-8b", "p5.48xlarge")]
    assert degrees == [1, 2, 4, 8]


def test_experts_stay_whole_where_slices_are_invalid():
    """Tensor parallel 8 of Qwen3-235B in fp8 needs whole experts on the ranks."""
    found = {
        p.tensor_parallel: p.expert_parallel for p in plans("qwen3-235b-a22b", "p5.48xlarge", "fp8")
    }
    assert found == {4: 1, 8: 8}


def test_neuron_counts_cores_and_chips():
    plan = plans("llama-3.1-8b", "inf2.24xlarge")[0]
    cores = plan.tensor_parallel * plan.data_parallel
    assert cores <= 12
    assert plan.accelerators == cores // 2
    assert plan.serving_engine == "neuronx"


# Published on Neuron although the heads do not divide: (model, instance, degree, heads held).
PADDED = [
    ("llama-3-70b", "inf2.48xlarge", 24, 72),
    ("llama-2-13b", "inf2.24xlarge", 12, 48),
    ("llama-4-scout", "trn1.32xlarge", 32, 64),
]


@pytest.mark.parametrize(("name", "instance", "tp", "heads"), PADDED, ids=str)
def test_heads_are_filled_up_on_neuron(name, instance, tp, heads):
    model, host = model_named(name), host_named(instance)
    held = padded_model(model, tp)
    assert held.heads == heads
    assert held.total_params_b > model.total_params_b
    (plan,) = plans(name, instance, tensor_parallel=tp)
    found = serving_memory(model, host, plan, context_tokens=4096)
    assert found.fits
    assert "padded_heads" in found.notes


def test_nothing_is_filled_up_where_heads_divide_or_on_gpus():
    assert padded_model(model_named("llama-3-70b"), 16) is model_named("llama-3-70b")
    assert plans("llama-4-scout", "p5.48xlarge", tensor_parallel=3) == []
    (plan,) = plans("llama-3-70b", "inf2.48xlarge", tensor_parallel=16)
    found = serving_memory(
        model_named("llama-3-70b"), host_named("inf2.48xlarge"), plan, context_tokens=4096
    )
    assert "padded_heads" not in found.notes


def test_key_heads_that_do_not_repeat_evenly_are_not_filled_up():
    """8 KV heads over 12 cores: nobody published that."""
    assert plans("llama-3-70b", "inf2.24xlarge", tensor_parallel=12) == []


def test_stages_where_heads_do_not_divide():
    """Falcon-7B has 71 heads: in fp32 it is split by layers over two small cards."""
    plan = plans("falcon-7b", "g4dn.12xlarge", "fp32")[0]
    assert plan.tensor_parallel == 1
    assert plan.pipeline_parallel > 1
    host = host_named("g4dn.12xlarge")
    found = serving_memory(model_named("falcon-7b"), host, plan, context_tokens=4096)
    assert found.fits
    assert "pipeline_parallel_slower" in found.notes


def test_llama_cpp_splits_by_layers():
    plan = plans("llama-3-70b", "g5.12xlarge", "q4_k_m", engine="llama.cpp")[0]
    assert (plan.tensor_parallel, plan.pipeline_parallel) == (1, 2)


def test_no_second_host_without_a_fast_network():
    """g5.12xlarge has 40 Gbit/s: the plan that comes closest is one host, and it does not fit."""
    found = plans("llama-3-70b", "g5.12xlarge")
    assert [(plan.tensor_parallel, plan.instances) for plan in found] == [(4, 1)]
    host = host_named("g5.12xlarge")
    assert not serving_memory(model_named("llama-3-70b"), host, found[0], context_tokens=4096).fits


def test_tensor_parallelism_over_two_hosts_has_to_be_asked_for():
    """Stages are faster over EFA; a group of 16 is planned where it is wanted, and told slower."""
    (staged,) = plans("deepseek-r1", "p5.48xlarge", "fp8")
    assert (staged.tensor_parallel, staged.pipeline_parallel, staged.instances) == (8, 2, 2)
    (asked,) = plans("deepseek-r1", "p5.48xlarge", "fp8", tensor_parallel=16)
    assert (asked.tensor_parallel, asked.instances, asked.data_parallel) == (16, 2, 1)
    model, host = model_named("deepseek-r1"), host_named("p5.48xlarge")
    notes = serving_memory(model, host, asked, context_tokens=4096).notes
    assert "tensor_parallel_over_hosts" in notes
    assert plans("deepseek-r1", "g6e.48xlarge", "fp8", tensor_parallel=16) == []


def test_neuron_spans_hosts():
    """405B is published over the 128 cores of four trn1.32xlarge; two cannot compile it."""
    found = plans("llama-3.1-405b", "trn1.32xlarge")
    model, host = model_named("llama-3.1-405b"), host_named("trn1.32xlarge")
    able = [
        plan
        for plan in found
        if serving_memory(model, host, plan, context_tokens=16_384, compile_on_host=True).fits
    ]
    assert [(plan.tensor_parallel, plan.instances) for plan in able] == [(128, 4)]
    assert plans("llama-3.1-405b", "inf2.48xlarge")[0].instances == 1  # without EFA


def test_asked_degrees_are_kept_or_nothing():
    assert [p.tensor_parallel for p in plans("llama-3-70b", "p5.48xlarge", tensor_parallel=4)] == [
        4
    ]
    assert plans("llama-3-70b", "p5.48xlarge", tensor_parallel=6) == []
    staged = plans("llama-3-8b", "p5.48xlarge", pipeline_parallel=2)
    assert {plan.pipeline_parallel for plan in staged} == {2}


CPU_THREADS = [
    ("llama-3.1-8b", "q4_k_m", "m7i.4xlarge", 8, "llama.cpp"),
    ("llama-3.1-8b", "q4_k_m", "m7i.48xlarge", 48, "llama.cpp"),  # one socket of two
    ("qwen3-0.6b", "q4_k_m", "r8g.24xlarge", 48, "llama.cpp"),
    ("smollm2-135m", "q4_k_m", "r8g.24xlarge", 16, "llama.cpp"),
    ("llama-3.1-8b", "bf16", "m7i.4xlarge", 8, "vllm"),
]


@pytest.mark.parametrize(("name", "dtype", "instance", "threads", "engine"), CPU_THREADS)
def test_cpu_plan(name, dtype, instance, threads, engine):
    (plan,) = plans(name, instance, dtype)
    assert (plan.accelerators, plan.data_parallel, plan.threads) == (0, 1, threads)
    assert plan.serving_engine == engine


def training(name, instance, method="full", **more):
    job = TrainingJob(**{"method": method, "seq_len": 2048, "tokens_total": None, **more})
    host = host_named(instance)
    return list(training_plans(model_named(name), instance, host, job)), host, job


# (model, instance, method, tensor parallel, accelerators, instances)
TRAINING = [
    ("llama-3.1-8b", "p4d.24xlarge", "full", 1, 8, 1),
    ("llama-3.1-8b", "g5.xlarge", "qlora", 1, 1, 1),
    ("llama-2-70b", "g5.48xlarge", "qlora", 1, 8, 1),
    ("llama-3.1-70b", "p5.48xlarge", "full", 2, 16, 2),
    ("llama-3.1-405b", "p5.48xlarge", "full", 2, 128, 16),
    ("llama-3-8b", "trn1.32xlarge", "full", 4, 16, 1),
]


@pytest.mark.parametrize("row", TRAINING, ids=str)
def test_training_plan(row):
    name, instance, method, *expected = row
    (plan, *_), host, job = training(name, instance, method)
    assert [plan.tensor_parallel, plan.accelerators, plan.instances] == expected
    assert training_memory(model_named(name), host, plan, job).fits


def test_qlora_is_never_cut_by_tensor_parallelism():
    (plan,), _, _ = training("llama-3.1-405b", "p4d.24xlarge", "qlora")
    assert plan.tensor_parallel == 1
    assert plan.instances > 1


def test_training_that_fits_nowhere_yields_the_closest():
    (plan,), host, job = training("llama-3.1-70b", "g5.xlarge")
    assert not training_memory(model_named("llama-3.1-70b"), host, plan, job).fits


def test_cpu_hosts_do_not_train():
    assert training("bert-base", "m7i.4xlarge")[0] == []


def test_plans_do_not_depend_on_the_instance_name():
    model, host = model_named("llama-3.1-8b"), host_named("g5.xlarge")
    first, second = (
        next(serving_plans(model, name, host, dtype="bf16")) for name in ("g5.xlarge", "g5.2xlarge")
    )
    assert replace(first, instance_type=None) == replace(second, instance_type=None)
