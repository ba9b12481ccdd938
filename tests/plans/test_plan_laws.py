"""What a plan says must follow from the estimates, whatever the workload."""

from dataclasses import replace
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from catalog.reference import start_figures
from engine.ask import ask
from engine.core.estimate import Figure
from engine.core.workload import Workload
from engine.plans.migration import chips_of, migration_plan
from engine.plans.money import break_even_load
from engine.plans.phases import canary_stages, prompt_buckets
from engine.plans.practices import practices_of
from engine.plans.scaling import TARGET_SHARE, cooldown_s, replicas_for, scaling_plan
from engine.plans.sides import Side, side_of

SIDE = Side(
    instance_type="g6.xlarge",
    instances=1,
    region="us-east-1",
    market="on_demand",
    price_as_of="2026-01-01",
    accelerator="L4",
    accelerators=1,
    replicas=1,
    tensor_parallel=1,
    dtype="bf16",
    serving_engine="vllm",
    usd_per_hour=1.0,
    usd_per_month=730.0,
    usd_per_million_tokens=1.0,
    usd_total=None,
    ttft_ms=Figure(100.0, 80.0, 150.0),
    tpot_ms=Figure(20.0, 15.0, 30.0),
    e2e_ms=Figure(2000.0, 1500.0, 3000.0),
    output_tokens_per_s=Figure(300.0, 200.0, 400.0),
    requests_per_s=Figure(2.0, 1.5, 3.0),
    concurrency=16.0,
    tokens_per_s_per_accelerator=None,
    time_h=None,
    measured=True,
)


def ask_for(workload: Workload, **options):
    world = load_world()
    return ask(workload, world.catalog, world.coefficients, **options)


def rate(value: float) -> Figure:
    return Figure(value, value, value)


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 8))
def test_canary_weights_sum_to_100_and_pools_never_shrink(source, groups, together):
    before = replace(SIDE, instances=source)
    after = replace(SIDE, instances=groups * together, replicas=groups)
    stages = canary_stages(before, after)
    assert all(s.source_weight + s.target_weight == 100 for s in stages)
    assert [s.target_weight for s in stages] == sorted(s.target_weight for s in stages)
    assert all(s.source_instances == source for s in stages)
    assert stages[-1].target_weight == 100
    assert stages[-1].target_instances == after.instances
    assert all(s.target_instances % together == 0 for s in stages)
    assert all(s.target_instances >= after.instances * s.target_weight / 100 for s in stages)


@given(st.floats(0.01, 1e4), st.floats(0.01, 1e3), st.integers(1, 8))
def test_the_most_replicas_carry_the_peak(peak, per_replica, replicas):
    side = replace(SIDE, replicas=replicas, requests_per_s=rate(per_replica * replicas))
    most = replicas_for(side, peak, None)
    assert most is not None
    assert most * per_replica * TARGET_SHARE >= peak * (1 - 1e-9)
    assert (most - 1) * per_replica * TARGET_SHARE < peak * (1 + 1e-9)


@given(st.floats(1, 1e5), st.floats(1, 512))
def test_the_most_replicas_hold_the_concurrent_peak(peak, in_flight):
    side = replace(SIDE, concurrency=in_flight)
    most = replicas_for(side, None, peak)
    assert most is not None
    assert most * in_flight >= peak * (1 - 1e-9)


def test_without_a_stated_peak_there_is_no_maximum():
    assert replicas_for(SIDE, None, None) is None


@given(st.floats(0, 1e4))
def test_cooldown_outlasts_the_scale_up(scale_up):
    wait = cooldown_s(scale_up)
    assert wait >= 2 * scale_up
    assert wait >= 300
    assert wait % 60 == 0


def bill(side: Side, load: float) -> float:
    """USD/h of whole copies of a side that carry a load."""
    copies = max(1, ceil(load / side.requests_per_s.value))
    return copies * side.usd_per_hour


@given(st.floats(0.1, 20), st.floats(0.1, 20), st.floats(0.1, 50), st.floats(0.1, 50))
def test_the_break_even_load_is_where_the_new_side_starts_to_win(old_usd, new_usd, old, new):
    before = replace(SIDE, usd_per_hour=old_usd, requests_per_s=rate(old))
    after = replace(SIDE, usd_per_hour=new_usd, requests_per_s=rate(new))
    load = break_even_load(before, after)
    above = [n * old * (1 + 1e-6) + 1e-9 for n in range(60)]  # just where `before` adds a copy
    wins = [bill(after, at) < bill(before, at) for at in above]
    if load is None:
        assert not any(wins)
    else:
        first = round(load / old)
        assert not any(wins[:first])
        assert first >= len(wins) or wins[first]


@given(st.integers(1, 200_000))
def test_buckets_reach_the_context_and_no_further(context):
    lengths = prompt_buckets(context)
    assert lengths[-1] == context
    assert list(lengths) == sorted(set(lengths))
    assert all(longer <= 2 * shorter for shorter, longer in pairwise(lengths))


MOVES = [
    (Workload(model="llama-3.1-8b"), "g5", "inf2"),
    (Workload(model="llama-3.1-8b", rps=20.0), "g5", "inf2"),
    (Workload(model="llama-3.1-8b", latency_ms=400.0), "g6e", "trn1"),
    (Workload(model="bert-base", mode="batch"), "g4dn", "inf2"),
    (Workload(task="train", model="llama-3.1-8b", tokens_total=1e10), "p4d", "trn1"),
    (Workload(task="finetune", model="llama-3.1-8b"), "g5", "trn1"),
    (Workload(task="train", model="llama-3.1-8b", tokens_total=1e10), "g5", "trn1"),
]


@pytest.mark.parametrize(("workload", "source", "target"), MOVES, ids=lambda v: str(v)[:24])
def test_a_migration_says_what_the_estimates_say(workload, source, target):
    catalog = load_world().catalog
    old = ask_for(replace(workload, allow=(source,)))
    new = ask_for(replace(workload, allow=(target,)), compiled_ahead=True)
    plan = migration_plan(old, new, target, chips_of(target, catalog), catalog)
    assert plan.source is not None
    assert plan.target == side_of(new.picks[0])
    mine, its = new.picks[0].estimate, old.picks[0].estimate
    timed = {
        "first token": "ttft_ms",
        "time per token": "tpot_ms",
        "whole request": "e2e_ms",
    }
    for number in plan.success:
        assert number.target_low <= number.target <= number.target_high
        if number.name in timed:
            assert number.target == getattr(mine.performance, timed[number.name]).value
            assert number.source == getattr(its.performance, timed[number.name]).value
    per_million = next(n for n in plan.success if n.unit == "USD")
    assert per_million.target == new.picks[0].cost.usd_per_million_tokens_full_load
    assert per_million.source == old.picks[0].cost.usd_per_million_tokens_full_load
    money = plan.money
    assert money is not None
    assert money.saved_usd == pytest.approx(money.source_usd - money.target_usd)
    assert (plan.refusal == "costs_more") == (money.saved_usd <= 0)
    if plan.break_even is not None:
        hourly = plan.break_even.target_usd_per_hour
        cost = money.target_usd * hourly / plan.target.usd_per_hour
        assert cost == pytest.approx(money.source_usd)
    if money.pays_back_after is not None:
        assert money.pays_back_after * money.saved_usd == pytest.approx(money.one_off_usd)


def test_a_stated_limit_is_the_number_to_pass():
    workload = Workload(model="llama-3.1-8b", latency_ms=400.0, latency_kind="ttft")
    catalog = load_world().catalog
    old = ask_for(replace(workload, allow=("g5",)))
    new = ask_for(replace(workload, allow=("inf2",)), compiled_ahead=True)
    plan = migration_plan(old, new, "inf2", chips_of("inf2", catalog), catalog)
    first = next(n for n in plan.success if n.name == "first token")
    assert first.from_limit
    assert first.pass_at == 400.0


def test_a_small_host_serves_what_a_larger_one_compiled():
    """38 GiB to compile an 8B: not on inf2.xlarge (16 GiB), which can serve it."""
    workload = Workload(model="llama-3.1-8b", allow=("inf2",))
    assert ask_for(workload).picks[0].instance.instance_type == "inf2.8xlarge"
    new = ask_for(workload, compiled_ahead=True)
    assert new.picks[0].instance.instance_type == "inf2.xlarge"
    catalog = load_world().catalog
    old = ask_for(replace(workload, allow=("g5",)))
    plan = migration_plan(old, new, "inf2", chips_of("inf2", catalog), catalog)
    assert plan.compiling is not None
    assert plan.compiling.instance_type == "inf2.8xlarge"
    assert not plan.compiling.on_pick
    assert plan.compiling.host_gib_needed > 32


REFUSALS = [
    ("migrate llama-3.1-8b from g5 to inf2 with custom cuda kernels", "cuda"),
    ("migrate deepseek-v3 from p5.48xlarge to inf2", "architecture"),
    ("migrate bert-base from g4dn to inf1", "architecture"),
    ("migrate llama-3.1-405b from p5.48xlarge to inf2.xlarge", "nothing_fits"),
    ("migrate llama-3.1-8b qlora finetuning from g5 to trn1", "architecture"),
    ("migrate llama-3.1-8b from g5 to inf2 in eu-south-2", "nothing_fits"),
    ("move bert-base 100 rps from g4dn to inf2", "costs_more"),
]


@pytest.mark.parametrize(("text", "refusal"), REFUSALS)
def test_a_move_that_does_not_work_is_refused_with_its_reason(text, refusal):
    reply = answer(text, load_world())
    assert reply.plan is not None, reply.text
    assert reply.plan["refusal"] == refusal, reply.text
    assert "$ " not in reply.text  # no step to take


@pytest.mark.parametrize("name", ["llama-3.2-1b", "llama-3.1-8b", "qwen2.5-0.5b", "mistral-7b"])
@pytest.mark.parametrize("instance", ["g6e.xlarge", "p5.4xlarge", "g5.xlarge", "g7e.2xlarge"])
def test_copies_that_share_a_gpu_fit_on_it(name, instance):
    result = ask_for(Workload(model=name, instance=instance))
    if result.asked is None:
        pytest.skip(f"{name} does not fit {instance}")
    sharing = practices_of(result, result.asked, load_world().catalog, {}).sharing
    if sharing is None:
        return
    assert sharing.copies >= 2
    assert sharing.needed_gib <= sharing.slice_gib
    assert sharing.copies * sharing.slice_gib <= sharing.device_gib + 1e-9
    if sharing.method == "time_slicing":
        assert sharing.copies * sharing.utilisation_each <= 0.9 + 1e-9


@settings(max_examples=12, deadline=None)
@given(st.floats(0.5, 400))
def test_a_scaling_plan_carries_its_peak(rps):
    result = ask_for(Workload(model="llama-3.1-8b", rps=rps, allow=("g6e",)))
    plan = scaling_plan(result, result.picks[0], load_world().catalog, start_figures())
    assert plan.max_replicas is not None
    assert plan.replica_requests_per_s is not None
    assert plan.max_replicas * plan.replica_requests_per_s >= rps
    assert plan.min_replicas <= plan.max_replicas
    assert plan.max_nodes is not None
    assert plan.max_nodes * plan.pods_per_node >= plan.max_replicas * plan.nodes_per_pod
    assert plan.cooldown_s > plan.scale_up.total_s
