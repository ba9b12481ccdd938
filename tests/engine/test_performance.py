"""GPU serving: the worked examples to half a percent, loads, ranges, and what people measured."""

import pytest

from catalog.facts.coefficients import load_coefficients
from engine.performance import decode, links, prefill
from engine.performance.closed_loop import closed_loop
from engine.performance.gpu import queue_of
from engine.performance.ranges import RangeClass, range_factors, tail_factor
from tests.engine.performance_cases import chip, estimate, load, plan, replica
from tests.shared_data import user_cases

# Two servers in ms, worked out from the formulas: 70 B dense (measured: TPOT 16.5, TTFT 175) and a
# 671 B mixture of experts (measured: TPOT 18.9, TTFT 473).
LLAMA_70B = {
    "weights": 6.5,
    "experts": 0.0,
    "compute": 0.9145,
    "cache": 1.547,
    "host": 1.733,
    "links": 3.127,
    "step": 12.91,
    "prefill_marginal": 47.47,
    "prefill_pass": 70.48,
    "tpot": 14.37,
    "ttft": 193.9,
}
DEEPSEEK_V3 = {
    "weights": 0.3927,
    "experts": 7.35,
    "compute": 0.1657,
    "cache": 0.6618,
    "host": 5.091,
    "links": 3.443,
    "step": 16.94,
    "prefill_marginal": 9.476,
    "prefill_pass": 103.8,
    "tpot": 17.67,
    "ttft": 258.3,
}


def worked_terms(the_replica, concurrency, capacity):
    costs, prompt = the_replica.decode, the_replica.prefill
    flow = closed_loop(
        the_replica,
        queue_of(load_coefficients()),
        concurrency=concurrency,
        capacity=capacity,
        input_tokens=1024,
        output_tokens=1024,
        burst=True,
    )
    batch, context = flow.decoding, 1536
    return {
        "weights": costs.weights_s,
        "experts": decode.weight_read_s(costs, batch) - costs.weights_s,
        "compute": decode.compute_s(costs, batch),
        "cache": decode.kv_read_s(costs, batch, context),
        "host": decode.host_overhead_s(costs, batch),
        "links": links.all_reduce_s(costs.links, batch),
        "step": decode.decode_step_s(costs, batch, context),
        "prefill_marginal": prefill.prefill_marginal_s(prompt, 1024),
        "prefill_pass": prefill.prefill_pass_s(prompt, 1024),
        "tpot": flow.tpot_s,
        "ttft": flow.ttft_s,
    }


@pytest.mark.parametrize(
    ("given", "concurrency", "capacity", "expected"),
    [
        (("llama-3.1-70b", "H100-80", 4, "fp8", "bf16", "vllm"), 32, 416, LLAMA_70B),
        (("deepseek-v3", "B200", 8, "nvfp4", "fp8", "tensorrt_llm"), 64, 5000, DEEPSEEK_V3),
    ],
    ids=["dense on H100", "experts on B200"],
)
def test_worked_examples(given, concurrency, capacity, expected):
    name, accelerator, *rest = given
    terms = worked_terms(replica(name, chip(accelerator), *rest), concurrency, capacity)
    assert {term: seconds * 1e3 for term, seconds in terms.items()} == pytest.approx(
        expected, rel=0.005, abs=0.0005
    )


GENERATION_CASES = [
    # model, machine, plan, load, figure, measured, tolerance
    ("llama-3.1-8b", "g5.4xlarge", plan(), load(), "tpot_ms", 34, 0.35),
    ("qwen-72b", "p4de.24xlarge", plan(tp=2), load(tokens=1, output=2048), "tpot_ms", 56.8, 0.4),
    ("llama-3-8b", "g5.xlarge", plan(), load(tokens=8), "ttft_ms", 62, 0.6),
    (
        "llama-3.1-405b",
        "p5.48xlarge",
        plan(tp=8, weights="fp8"),
        load("max", 224, 190),
        "requests_per_s",
        6.74,
        0.6,
    ),
    (
        "llama-2-70b",
        "g4dn.metal",
        plan(pp=8, weights="q4_k_m", engine="llama.cpp"),
        load(),
        "tpot_ms",
        125,
        1.0,  # a rate of 8 tokens/s, half of it allowed
    ),
]


@pytest.mark.parametrize("case", GENERATION_CASES, ids=lambda case: f"{case[0]} {case[1]}")
def test_near_what_people_measured(case):
    name, machine, the_plan, the_load, figure, measured, tolerance = case
    value = getattr(estimate(name, machine, the_plan, the_load, held=200), figure).value
    assert value == pytest.approx(measured, rel=tolerance)


def test_shared_latency_cases_are_the_ones_above():
    """A latency case added to the shared set must be looked at here."""
    numbers = {
        (number["name"], number["value"])
        for case in user_cases({"latency"})
        for number in case["expected"].get("numbers", ())
        if number["name"] in {"single_stream_rate", "ttft", "request_rate_capacity"}
    }
    known = {
        ("single_stream_rate", 29),
        ("single_stream_rate", 17.6),
        ("single_stream_rate", 8),
        ("ttft", 62),
        ("request_rate_capacity", 6.74),
    }
    if not numbers:
        pytest.skip("user_cases.jsonl is not there: set EC2_PICK_SHARED")
    assert numbers <= known


@pytest.mark.parametrize(("rps", "saturated"), [(0.05, False), (2.0, False), (50.0, True)], ids=str)
def test_arrival_rate_is_completed_until_it_saturates(rps, saturated):
    figures = estimate("llama-3.1-8b", "g6e.xlarge", plan(), load("open", rps=rps), held=100)
    assert figures.saturated is saturated
    if saturated:
        assert figures.requests_per_s.value < rps
    else:
        assert figures.requests_per_s.value == rps
        # Little's law: in flight = rate x time of a request.
        in_flight = rps * figures.e2e_ms.value / 1e3
        assert figures.concurrency == pytest.approx(in_flight, rel=0.05)


def test_open_load_without_a_rate_is_refused():
    with pytest.raises(ValueError, match=r"Load\.rps"):
        estimate("llama-3.1-8b", "g6e.xlarge", plan(), load("open"))


def test_replicas_multiply_rates_and_leave_latency():
    one = estimate("llama-3.1-8b", "g6e.12xlarge", plan(), load("closed", concurrency=8))
    four = estimate("llama-3.1-8b", "g6e.12xlarge", plan(dp=4), load("closed", concurrency=32))
    assert four.tpot_ms == one.tpot_ms
    assert four.ttft_ms == one.ttft_ms
    assert four.requests_per_s.value == pytest.approx(4 * one.requests_per_s.value)


def test_fewer_requests_than_replicas_leave_some_idle():
    one = estimate("llama-3.1-8b", "g6e.12xlarge", plan(dp=4), load("single"))
    four = estimate("llama-3.1-8b", "g6e.12xlarge", plan(dp=4), load("closed", concurrency=4))
    assert one.tpot_ms.value == four.tpot_ms.value
    assert four.requests_per_s.value == pytest.approx(4 * one.requests_per_s.value)


def test_requests_beyond_the_cache_wait():
    held = estimate("llama-3.1-8b", "g6.xlarge", plan(), load("closed", concurrency=20), held=20)
    over = estimate("llama-3.1-8b", "g6.xlarge", plan(), load("closed", concurrency=80), held=20)
    assert over.tpot_ms.value == held.tpot_ms.value
    assert over.ttft_ms.value > 10 * held.ttft_ms.value


def test_steady_arrivals_have_no_start_up_queue():
    steady = estimate("llama-3.1-8b", "g6.xlarge", plan(), load("closed", concurrency=16))
    burst = estimate(
        "llama-3.1-8b", "g6.xlarge", plan(), load("closed", concurrency=16, burst=True)
    )
    assert burst.ttft_ms.value > steady.ttft_ms.value
    assert burst.tpot_ms == steady.tpot_ms


@pytest.mark.parametrize(
    ("name", "machine", "the_plan", "the_load", "bound"),
    [
        ("llama-3.1-70b", "p5.48xlarge", plan(tp=2), load("single", 8, 512), "memory_bandwidth"),
        ("llama-3.1-70b", "p5.48xlarge", plan(tp=2), load("single", 30000, 2), "compute"),
        ("llama-3.1-8b", "g5.48xlarge", plan(tp=8), load("single", 8, 512), "interconnect"),
        ("qwen2.5-0.5b", "p5.48xlarge", plan(), load("single", 8, 512), "overhead"),
    ],
    ids=["weights", "prompt", "PCIe", "launches"],
)
def test_largest_term_bounds(name, machine, the_plan, the_load, bound):
    assert estimate(name, machine, the_plan, the_load).bound_by == bound


@pytest.mark.parametrize(
    ("name", "machine", "the_plan", "basis"),
    [
        ("llama-3.1-8b", "g6.xlarge", plan(), "measured_class"),
        ("llama-3.1-8b", "g5g.xlarge", plan(weights="fp16"), "not_measured"),
        ("llama-3.1-8b", "g6.xlarge", plan(engine="an-engine-of-tomorrow"), "not_measured"),
        ("llama-3.1-405b", "p5.48xlarge", plan(tp=16, instances=2), "not_measured"),
        ("llama-3.1-405b", "p5.48xlarge", plan(tp=8, pp=2, instances=2), "not_measured"),
        ("whisper-large-v3", "g6.xlarge", plan(weights="fp16"), "not_measured"),
    ],
    ids=["L4", "T4G", "engine", "two hosts", "stages on two hosts", "speech"],
)
def test_basis_says_what_was_measured(name, machine, the_plan, basis):
    assert estimate(name, machine, the_plan, load()).basis == basis


def test_tensor_parallel_across_hosts_is_slower_than_inside_one():
    inside = estimate("llama-3.1-405b", "p5.48xlarge", plan(tp=8, weights="fp8"), load())
    across = estimate(
        "llama-3.1-405b", "p4d.24xlarge", plan(tp=16, weights="bf16", instances=2), load()
    )
    assert across.tpot_ms.value > inside.tpot_ms.value


def test_pipeline_stages_add_no_speed_to_one_stream():
    flat = estimate("llama-3.1-70b", "p4d.24xlarge", plan(tp=4), load())
    staged = estimate("llama-3.1-70b", "p4d.24xlarge", plan(tp=4, pp=2), load())
    assert staged.tpot_ms.value >= flat.tpot_ms.value
    busy = load("closed", concurrency=64)
    assert (
        estimate("llama-3.1-70b", "p4d.24xlarge", plan(tp=4, pp=2), busy).requests_per_s.value
        > estimate("llama-3.1-70b", "p4d.24xlarge", plan(tp=4), busy).requests_per_s.value
    )


def test_encoders_have_no_token_figures():
    figures = estimate("bge-large-en-v1.5", "g6.xlarge", plan(weights="fp16"), load(output=0))
    assert figures.ttft_ms is None
    assert figures.tpot_ms is None
    assert figures.output_tokens_per_s is None
    assert 1 < figures.e2e_ms.value < 100


def test_batches_run_in_waves_beyond_the_cache():
    small = estimate("llama-3.1-8b", "g6.xlarge", plan(), load("batch", concurrency=8), held=8)
    large = estimate("llama-3.1-8b", "g6.xlarge", plan(), load("batch", concurrency=32), held=8)
    assert large.e2e_ms.value == pytest.approx(4 * small.e2e_ms.value)
    assert large.requests_per_s.value == pytest.approx(small.requests_per_s.value)


@pytest.mark.parametrize(
    ("percentile", "low", "high"), [(None, 1, 1), (50, 0.8, 1), (95, 1.8, 2.4), (99, 2.5, 3.6)]
)
def test_tail_factor(percentile, low, high):
    assert low <= tail_factor(percentile, 0.55) <= high


def test_percentiles_raise_latency_and_not_throughput():
    mean = estimate("llama-3.1-8b", "g6.xlarge", plan(), load("closed", concurrency=4))
    tail = estimate(
        "llama-3.1-8b", "g6.xlarge", plan(), load("closed", concurrency=4), percentile=99
    )
    assert tail.ttft_ms.value > 2 * mean.ttft_ms.value
    assert tail.requests_per_s == mean.requests_per_s


@pytest.mark.parametrize("figure", ["ttft", "tpot", "e2e", "throughput"])
@pytest.mark.parametrize("kind", ["single", "closed", "open", "max", "batch", "encoder"])
@pytest.mark.parametrize("moe", [False, True])
def test_unmeasured_hardware_has_the_wider_range(figure, kind, moe):
    coefficients = load_coefficients()
    known = range_factors(figure, RangeClass("inference", kind, moe, measured=True), coefficients)
    guess = range_factors(figure, RangeClass("inference", kind, moe, measured=False), coefficients)
    assert guess.high / guess.low > known.high / known.low
    assert guess.low <= known.low <= 1 <= known.high <= guess.high
    assert figure != "ttft" or guess.high <= 4
