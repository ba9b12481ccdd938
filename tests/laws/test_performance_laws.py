"""Laws of physics and of queues that every speed estimate keeps, whatever the model and machine."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.facts.coefficients import load_coefficients
from engine.core.dtypes import DTYPES
from engine.core.plan import TrainingJob
from engine.performance.bytes import (
    distinct_experts,
    kv_read_bytes,
    precision_of,
    weight_read_bytes,
)
from engine.performance.closed_loop import closed_loop
from engine.performance.cpu import cpu_replica
from engine.performance.cpu_socket import bandwidth_bytes_s, peak_flops_per_core, socket_of
from engine.performance.decode import compute_s, decode_step_s
from engine.performance.gpu import queue_of
from engine.performance.machine import TERA, flops_16bit, flops_peak, gguf_peak
from engine.performance.neuron import neuron_replica, prompt_bucket
from engine.performance.prefill import prefill_marginal_s, prefill_pass_s
from engine.performance.training import training_performance
from engine.shape.shape import transformer_of
from tests.engine.performance_cases import (
    catalog,
    chip,
    estimate,
    gpu_host,
    host,
    load,
    model,
    plan,
    replica,
)

COEFFICIENTS = load_coefficients()
GPUS = sorted(
    a.id for a in catalog().accelerators.values() if a.vendor == "nvidia" and a.mem_bw_gb_s > 200
)
GENERATORS = (
    *("llama-3.1-8b", "llama-3.1-70b", "gemma-3-27b", "mixtral-8x7b", "deepseek-v3"),
    *("gpt-oss-120b", "qwen3.5-397b-a17b", "llama-2-7b", "qwen2.5-0.5b"),
)
ENGINES = ("vllm", "tensorrt_llm", "sglang", "llama_cpp")
WEIGHTS = sorted(DTYPES)

gpus = st.sampled_from(GPUS)
models = st.sampled_from(GENERATORS)
engines = st.sampled_from(ENGINES)
weights = st.sampled_from(WEIGHTS)
ways = st.sampled_from((1, 2, 4, 8))
batches = st.floats(1, 512)
contexts = st.integers(1, 131_072)
concurrencies = st.floats(1, 500)
laws = settings(max_examples=60, deadline=None)
ROUNDING = 1 + 1e-9


def step(the_replica, batch, context):
    return decode_step_s(the_replica.decode, batch, context)


def flow(the_replica, concurrency=8.0, tokens=1024, output=256, capacity=1e6):
    return closed_loop(
        the_replica,
        queue_of(COEFFICIENTS),
        concurrency=concurrency,
        capacity=capacity,
        input_tokens=tokens,
        output_tokens=output,
    )


# Physics: bytes over bandwidth, FLOPs over the peak.


@laws
@given(models, gpus, ways, weights, engines, batches, contexts)
def test_no_step_beats_the_memory_bandwidth(name, gpu, n, dtype, engine, batch, context):
    the_replica = replica(name, chip(gpu), n, dtype, "auto", engine)
    shape = transformer_of(model(name))
    precision = precision_of(dtype, "auto", moe=shape.moe)
    touched = distinct_experts(shape.experts, shape.experts_per_token, batch)
    dense = shape.body_params * precision.dense + shape.head_params * precision.table
    read = dense + touched * shape.expert_params * precision.expert
    read += batch * kv_read_bytes(shape, precision, context)
    cards = 1 if engine == "llama_cpp" else n
    assert step(the_replica, batch, context) >= read / (cards * chip(gpu).mem_bw_gb_s * 1e9)


@laws
@given(models, gpus, ways, weights, engines, st.integers(1, 131_072))
def test_no_prefill_beats_the_peak_flops(name, gpu, n, dtype, engine, tokens):
    the_replica, card = replica(name, chip(gpu), n, dtype, "auto", engine), chip(gpu)
    shape = transformer_of(model(name))
    flops = 2 * tokens * (shape.active_params - shape.head_params)
    peak = max(flops_peak(card, dtype), flops_16bit(card), gguf_peak(card))
    if engine != "llama_cpp":  # layer split overlaps prompts over its cards
        assert prefill_marginal_s(the_replica.prefill, tokens) >= flops / (n * peak)
    assert prefill_pass_s(the_replica.prefill, tokens) >= flops / (n * peak)


@laws
@given(models, gpus, ways, weights, concurrencies)
def test_throughput_beats_neither(name, gpu, n, dtype, concurrency):
    the_replica, card = replica(name, chip(gpu), n, dtype, "auto"), chip(gpu)
    shape = transformer_of(model(name))
    found = flow(the_replica, concurrency)
    tokens_per_s = found.requests_per_s * 256
    flops_per_token = 2 * shape.active_params
    assert tokens_per_s * flops_per_token <= n * max(flops_peak(card, dtype), flops_16bit(card))
    precision = precision_of(dtype, "auto", moe=shape.moe)
    cache_s = kv_read_bytes(shape, precision, 1024) / (n * card.mem_bw_gb_s * 1e9)
    assert tokens_per_s * cache_s <= 1


@laws
@given(models, gpus, ways, weights, concurrencies, st.floats(1.01, 4), st.sampled_from("bfl"))
def test_better_hardware_is_never_slower(name, gpu, n, dtype, concurrency, factor, part):
    card = chip(gpu)
    link = card.link_gb_s_per_direction or 8.0
    better = {
        "b": {"mem_bw_gb_s": card.mem_bw_gb_s * factor},
        "f": {
            field: value * factor
            for field in ("tflops_bf16", "tflops_fp16", "tflops_fp8", "tops_int8", "tflops_fp4")
            if (value := getattr(card, field)) is not None
        },
        "l": {"link_gb_s_per_direction": link * factor},
    }[part]
    before = flow(replica(name, replace(card, link_gb_s_per_direction=link), n, dtype), concurrency)
    after = flow(
        replica(name, replace(card, **{"link_gb_s_per_direction": link} | better), n, dtype),
        concurrency,
    )
    assert after.ttft_s <= before.ttft_s * ROUNDING
    assert after.e2e_s <= before.e2e_s * ROUNDING
    assert after.requests_per_s >= before.requests_per_s / ROUNDING
    # Prompts read faster leave more of the requests decoding at once, which each step feels.
    assert after.tpot_s <= before.tpot_s * 1.05


# What a step grows with.


@laws
@given(models, gpus, ways, weights, engines, batches, contexts, st.floats(1, 3))
def test_steps_grow_with_batch_and_context(name, gpu, n, dtype, engine, batch, context, factor):
    the_replica = replica(name, chip(gpu), n, dtype, "auto", engine)
    once = step(the_replica, batch, context)
    assert step(the_replica, batch * factor, context) >= once / ROUNDING
    assert step(the_replica, batch, context * factor) >= once / ROUNDING


@laws
@given(models, gpus, batches, contexts, st.sampled_from((1, 2, 4)))
def test_twice_the_accelerators_are_less_than_twice_as_fast(name, gpu, batch, context, n):
    one, two = replica(name, chip(gpu), n), replica(name, chip(gpu), 2 * n)
    assert step(two, batch, context) > step(one, batch, context) / 2


@laws
@given(models, gpus)
def test_one_accelerator_has_no_link_time(name, gpu):
    links = replica(name, chip(gpu), 1).decode.links
    assert links == (0.0, 0.0)


@laws
@given(st.integers(1, 512), st.integers(1, 32), st.floats(1, 1e4))
def test_distinct_experts(experts, chosen, batch):
    chosen = min(chosen, experts)
    touched = distinct_experts(experts, chosen, batch)
    assert distinct_experts(experts, chosen, 1.0) == pytest.approx(chosen)
    assert chosen <= touched <= min(experts, batch * chosen) * ROUNDING
    assert distinct_experts(experts, chosen, batch * 2) >= touched / ROUNDING
    assert distinct_experts(experts, chosen, 1e9) == pytest.approx(experts)


def test_a_dense_model_is_one_expert_always_chosen():
    assert distinct_experts(1, 1, 100.0) == 1


@laws
@given(models, st.integers(1, 200_000), batches)
def test_weights_read_never_exceed_all_of_them(name, context, batch):
    shape = transformer_of(model(name))
    precision = precision_of("bf16", "bf16", moe=shape.moe)
    assert weight_read_bytes(shape, precision, batch) <= 2 * shape.total_params * ROUNDING
    one, two = (kv_read_bytes(shape, precision, c) for c in (context, 2 * context))
    assert one <= two


@pytest.mark.parametrize("window", [128, 4096])
def test_caches_by_attention_kind(window):
    shape = transformer_of(model("llama-3.1-70b"))
    precision = precision_of("bf16", "bf16", moe=False)
    every_head = replace(shape, kv_elements=shape.kv_elements * shape.heads // shape.kv_heads)
    ratio = shape.kv_heads / shape.heads
    grouped = kv_read_bytes(shape, precision, 8192)
    assert grouped == pytest.approx(kv_read_bytes(every_head, precision, 8192) * ratio)
    windowed = replace(shape, full_layers=0, window_layers=shape.layers, window=window)
    assert kv_read_bytes(windowed, precision, 8192) <= grouped


@laws
@given(gpus, st.sampled_from((1, 2, 4)))
def test_latent_caches_do_not_shrink_with_tensor_parallelism(gpu, n):
    one, more = (replica("deepseek-v3", chip(gpu), ways) for ways in (n, 2 * n))
    assert more.decode.cache_full_s == one.decode.cache_full_s
    grouped = (replica("llama-3.1-70b", chip(gpu), ways).decode.cache_full_s for ways in (8, 16))
    assert len(set(grouped)) == 1  # eight KV heads: no further split


# Queues.


@laws
@given(models, gpus, ways, engines)
def test_one_request_meets_nobody(name, gpu, n, engine):
    the_replica = replica(name, chip(gpu), n, engine=engine)
    alone = flow(the_replica, 1.0)
    assert alone.tpot_s == step(the_replica, 1, 1024 + 128)
    assert alone.interference_s == 0
    expected = the_replica.engine.request_ms / 1e3 + prefill_pass_s(the_replica.prefill, 1024)
    assert alone.ttft_s == pytest.approx(expected)


@laws
@given(models, gpus, ways, concurrencies, st.integers(1, 8000), st.integers(1, 4000))
def test_littles_law(name, gpu, n, concurrency, tokens, output):
    found = flow(replica(name, chip(gpu), n), concurrency, tokens, output)
    assert found.requests_per_s * found.e2e_s == pytest.approx(concurrency)
    assert found.e2e_s == pytest.approx(found.ttft_s + (output - 1) * found.tpot_s)


@laws
@given(models, gpus, ways, engines, concurrencies, st.floats(1, 2))
def test_latency_and_throughput_rise_with_concurrency(name, gpu, n, engine, concurrency, factor):
    the_replica = replica(name, chip(gpu), n, engine=engine)
    less, more = flow(the_replica, concurrency), flow(the_replica, concurrency * factor)
    assert more.tpot_s >= less.tpot_s * (1 - 1e-6)
    assert more.ttft_s >= less.ttft_s * (1 - 1e-6)
    assert more.requests_per_s >= less.requests_per_s * (1 - 1e-6)


@laws
@given(models, gpus, ways, st.floats(1, 64), st.integers(1, 8000), st.integers(2, 2000))
def test_longer_prompts_and_outputs_take_longer(name, gpu, n, concurrency, tokens, output):
    the_replica = replica(name, chip(gpu), n)
    once = flow(the_replica, concurrency, tokens, output)
    assert flow(the_replica, concurrency, tokens * 2, output).ttft_s >= once.ttft_s / ROUNDING
    assert flow(the_replica, concurrency, tokens, output * 2).e2e_s >= once.e2e_s / ROUNDING


@laws
@given(models, gpus, st.floats(1, 64), st.floats(1, 10))
def test_a_full_cache_makes_requests_wait_and_nothing_else(name, gpu, capacity, times):
    the_replica = replica(name, chip(gpu), 4)
    full = flow(the_replica, capacity, capacity=capacity)
    over = flow(the_replica, capacity * times, capacity=capacity)
    assert over.tpot_s == pytest.approx(full.tpot_s)
    assert over.ttft_s >= full.ttft_s / ROUNDING
    assert over.requests_per_s <= full.requests_per_s * 2.6  # 1/(share of the wait counted)


@laws
@given(models, gpus, ways, st.integers(8, 400), st.integers(64, 8000))
def test_no_jumps(name, gpu, n, concurrency, tokens):
    the_replica = replica(name, chip(gpu), n)
    here = flow(the_replica, concurrency, tokens)
    for there in (
        flow(the_replica, concurrency + 0.1, tokens),
        flow(the_replica, concurrency, tokens + 1),
    ):
        assert there.tpot_s == pytest.approx(here.tpot_s, rel=0.05)
        assert there.ttft_s == pytest.approx(here.ttft_s, rel=0.05)


@laws
@given(st.floats(0.01, 100), st.floats(1, 3), st.sampled_from(("g6e.xlarge", "inf2.xlarge")))
def test_more_arrivals_never_make_anything_faster(rps, factor, machine):
    the_plan = plan(tp=2) if machine.startswith("inf2") else plan()
    less, more = (
        estimate("llama-3.1-8b", machine, the_plan, load("open", rps=rate), held=32)
        for rate in (rps, rps * factor)
    )
    slack = 0.98  # the concurrency is bisected to 2 %
    assert more.ttft_ms.value >= less.ttft_ms.value * slack
    assert more.tpot_ms.value >= less.tpot_ms.value * slack
    assert more.requests_per_s.value >= less.requests_per_s.value * (1 - 1e-9)
    assert more.saturated or not less.saturated


# Figures.


@laws
@given(
    st.sampled_from(("llama-3.1-8b", "gpt-oss-20b", "bge-large-en-v1.5", "whisper-large-v3")),
    st.sampled_from(("g6.xlarge", "g5g.xlarge", "p5.48xlarge", "inf2.xlarge", "c7i.4xlarge")),
    st.sampled_from(("single", "closed", "open", "max", "batch")),
    st.floats(1, 200),
)
def test_every_range_holds_its_figure(name, machine, kind, amount):
    output = 0 if name.startswith("bge") else 100
    the_plan = plan(tp=2) if machine.startswith("inf2") else plan()
    the_load = load(kind, 512, output, concurrency=amount, rps=amount)
    found = estimate(name, machine, the_plan, the_load, held=50)
    figures = (
        *(found.ttft_ms, found.tpot_ms, found.e2e_ms),
        *(found.output_tokens_per_s, found.total_tokens_per_s, found.requests_per_s),
    )
    for figure in figures:
        if figure is not None:
            assert 0 < figure.low <= figure.value <= figure.high < float("inf")
    if found.ttft_ms is not None and machine.startswith(("g", "p")):
        assert found.ttft_ms.high <= 4 * found.ttft_ms.value * ROUNDING


# Neuron.


@laws
@given(
    st.sampled_from(GENERATORS),
    st.sampled_from(("Inferentia2", "Trainium1", "Trainium2")),
    st.sampled_from((2, 4, 8, 16)),
    st.sampled_from((1, 2, 4, 8, 16)),
    st.integers(64, 32_000),
)
def test_neuron_steps(name, accelerator, cores, batch, tokens):
    the_replica = neuron_replica(model(name), chip(accelerator), plan(tp=cores), COEFFICIENTS)
    wider = neuron_replica(model(name), chip(accelerator), plan(tp=2 * cores), COEFFICIENTS)
    once = the_replica.step_s(batch, tokens)
    assert once >= model(name).layers * COEFFICIENTS.neuron.layer_us / 1e6
    twice = the_replica.step_s(2 * batch, tokens)
    assert once <= twice <= 2 * once * ROUNDING  # neither faster, nor fewer tokens/s in all
    assert the_replica.step_s(batch, 2 * tokens) >= once
    assert wider.weights_s(batch, 1.0) <= the_replica.weights_s(batch, 1.0)
    assert (
        the_replica.weights_bytes(batch) / (the_replica.chips * chip(accelerator).mem_bw_gb_s * 1e9)
        <= once
    )


@laws
@given(
    st.sampled_from(GENERATORS),
    st.sampled_from(("Inferentia2", "Trainium1", "Trainium2")),
    st.sampled_from((2, 4, 8, 16)),
    st.sampled_from(("vllm", "optimum-neuron", "transformers-neuronx")),
    st.integers(1, 32_000),
)
def test_neuron_prompts(name, accelerator, cores, engine, tokens):
    the_plan = plan(tp=cores, engine=engine)
    the_replica = neuron_replica(model(name), chip(accelerator), the_plan, COEFFICIENTS)
    length = prompt_bucket(tokens)
    assert tokens <= length <= max(128, 2 * tokens)
    once = the_replica.prompt_s(tokens)
    assert once == the_replica.prompt_s(length)  # padded: a compiled length costs the same whole
    assert once <= the_replica.prompt_s(tokens, prompts=2) <= 2 * once * ROUNDING
    assert once <= the_replica.prompt_s(2 * length) * ROUNDING
    shape = the_replica.reader
    peak = the_replica.chips * chip(accelerator).tflops_bf16 * 1e12
    assert once >= 2 * shape.active_params * 0.5 * length / peak  # half: heads are not computed


# CPU.

CPU_TYPES = ("m7i.24xlarge", "c7a.48xlarge", "r8g.24xlarge", "m5.24xlarge", "c6a.12xlarge")


@laws
@given(st.sampled_from(CPU_TYPES), st.sampled_from(GENERATORS), st.integers(1, 96))
def test_cpu_rates_stay_under_the_socket(instance_type, name, threads):
    the_plan = plan(weights="q4_k_m", engine="llama.cpp", threads=threads)
    socket = socket_of(host(instance_type), the_plan, 4e9, COEFFICIENTS)
    the_replica = cpu_replica(model(name), socket, the_plan, COEFFICIENTS)
    sockets = 2 if socket.two_sockets else 1
    bandwidth = sockets * socket.rates.socket_gb_s * 1e9
    shape = transformer_of(model(name))
    read = weight_read_bytes(shape, the_replica.precision, 1.0)
    assert the_replica.step_s(1, 1) >= read / bandwidth
    peak = threads * max(
        peak_flops_per_core(socket, "int8", COEFFICIENTS),
        socket.rates.prefill_gops_per_core * 1e9,
    )
    body = 2 * 512 * (shape.active_params - shape.head_params)
    assert the_replica.prompt_s(512) >= body / peak


@laws
@given(st.sampled_from(CPU_TYPES), st.integers(1, 95))
def test_more_threads_of_one_socket_never_draw_less(instance_type, threads):
    machine = host(instance_type)

    def drawn(count):
        socket = socket_of(machine, plan(threads=count), 4e9, COEFFICIENTS)
        return None if socket.two_sockets else bandwidth_bytes_s(socket, COEFFICIENTS)

    fewer, more = drawn(threads), drawn(threads + 1)
    assert more is None or more >= fewer


# Training.

TRAINED = ("llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "bert-large", "gemma-2b")
TRAINERS = ("A100-80", "H100-80", "B200", "L40S", "V100-32", "Trainium1")


def trained(name, card, method="full", seq_len=2048, degrees=None, count=8, **settings_):
    chosen = {"sharding": "zero3", "checkpointing": "full", "software": "fused"} | settings_
    the_job = TrainingJob(method=method, seq_len=seq_len, tokens_total=1e9, **chosen)
    degrees = degrees or {}
    ranks = count // (degrees.get("tp", 1) * degrees.get("pp", 1))
    the_plan = replace(plan(dp=ranks, instances=max(1, count // 8), **degrees), accelerators=count)
    found = training_performance(model(name), gpu_host(card, 8), the_plan, the_job, COEFFICIENTS)
    return found.tokens_per_s_per_accelerator.value


trained_models, trainers = st.sampled_from(TRAINED), st.sampled_from(TRAINERS)
sequences = st.sampled_from((512, 1024, 4096, 16_384))


@laws
@given(trained_models, trainers, sequences, st.sampled_from(("bf16", "fp8")))
def test_training_never_beats_the_peak(name, accelerator, seq_len, precision):
    card = chip(accelerator)
    rate = trained(name, card, seq_len=seq_len, precision=precision)
    peak = max(flops_16bit(card), (card.tflops_fp8 or 0) * TERA)
    shape = transformer_of(model(name))
    assert rate * 6 * (shape.active_params - shape.head_params) <= peak


@laws
@given(trained_models, trainers, sequences, st.floats(1.1, 10))
def test_training_slows_with_worse_links_longer_sequences_and_recomputation(
    name, accelerator, seq_len, factor
):
    card = replace(chip(accelerator), id=f"{accelerator} relinked", link_gb_s_per_direction=50.0)
    slower = replace(card, link_gb_s_per_direction=50.0 / factor)
    here = trained(name, card, seq_len=seq_len)
    assert trained(name, slower, seq_len=seq_len) <= here * ROUNDING
    halves = trained(name, card, seq_len=seq_len // 2, micro_batch=2)
    assert halves >= here / ROUNDING
    assert trained(name, card, seq_len=seq_len, checkpointing="none") >= here / ROUNDING


@laws
@given(trained_models, trainers, sequences)
def test_adapters_and_fp8_are_never_slower(name, accelerator, seq_len):
    card = chip(accelerator)
    full = trained(name, card, seq_len=seq_len)
    assert trained(name, card, "lora", seq_len) >= full / ROUNDING
    assert trained(name, card, seq_len=seq_len, precision="fp8") >= full / ROUNDING
    one = {"count": 1, "sharding": "ddp"}
    assert trained(name, card, "qlora", seq_len, **one) <= (
        trained(name, card, "lora", seq_len, **one) * ROUNDING
    )


@laws
@given(st.sampled_from(("llama-3.1-8b", "llama-3.1-70b")), trainers, st.sampled_from((8, 16, 64)))
def test_more_accelerators_never_raise_the_rate_of_one(name, accelerator, count):
    fewer, more = (
        trained(name, chip(accelerator), count=n, global_batch_tokens=8192.0 * n, seq_len=8192)
        for n in (count, 2 * count)
    )
    assert more <= fewer * 1.02  # the sharded optimiser's share


@laws
@given(trainers, st.sampled_from((1, 2, 4)))
def test_deeper_pipelines_idle_more(accelerator, stages):
    shallow, deep = (
        trained(
            "llama-3.1-70b",
            chip(accelerator),
            count=64,
            degrees={"pp": pp},
            sharding="zero1",
            global_batch_tokens=64 * 8192.0 / pp,
        )
        for pp in (stages, 2 * stages)
    )
    assert deep <= shallow * 1.02


def test_products_of_a_step_follow_the_batch():
    costs = replica("llama-3.1-70b", chip("H100-80"), 4).decode
    assert compute_s(costs, 64) == pytest.approx(64 * compute_s(costs, 1))
