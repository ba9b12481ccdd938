"""A job of items is answered in hours and dollars, on as many machines as finish in time."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.facts.coefficients import load_coefficients
from catalog.load import load_catalog
from engine.ask import ask
from engine.core.job import items_of_job
from engine.core.workload import Workload
from engine.pick.cost import SET_UP_H
from engine.pick.jobs import other_fleets
from engine.pick.rank import DARED_PREMIUM

CATALOG, COEFFICIENTS = load_catalog(), load_coefficients()
TICKETS = Workload(model="llama-3.1-8b", items=1e6, use_case="summary", deadline_h=8.0)
EMBEDS = Workload(model="bge-m3", items=2e7, tokens_per_item=500)
IMAGES = Workload(model="sdxl", items=50_000.0)
SPEECH = Workload(model="whisper-large-v3", items=120_000.0, deadline_h=8.0)
JOBS = [TICKETS, EMBEDS, IMAGES, SPEECH]


def answered(said):
    return ask(said, CATALOG, COEFFICIENTS, default_region="us-east-1")


@pytest.mark.parametrize("said", JOBS, ids=lambda said: said.model)
def test_a_job_takes_its_items_over_the_rate(said):
    pick = answered(said).best
    job, rate = pick.estimate.job, pick.estimate.performance.requests_per_s.value
    assert job.items == said.items
    assert job.time_h.value == pytest.approx(said.items / rate / 3600)
    assert pick.cost.usd_total == pytest.approx(
        pick.cost.usd_per_hour * (job.time_h.value + SET_UP_H)
    )


@pytest.mark.parametrize("said", JOBS, ids=lambda said: said.model)
def test_a_deadline_that_was_said_is_held_at_the_far_end(said):
    pick = answered(replace(said, deadline_h=10.0)).best
    assert pick.estimate.job.time_h.high <= 10.0
    wished = answered(replace(said, deadline_h=None)).best  # nobody spoke of tomorrow
    assert wished.estimate.job.time_h.value <= 24.0


@pytest.mark.parametrize("said", JOBS, ids=lambda said: said.model)
def test_what_is_picked_costs_the_least_of_what_is_shown(said):
    result = answered(said)
    totals = [pick.cost.usd_total for pick in result.picks if pick.cost.usd_total is not None]
    least = min(totals)  # what is unproven may cost less, by no more than the premium
    assert least <= result.best.cost.usd_total * (1 + 1e-3)
    assert result.best.cost.usd_total <= DARED_PREMIUM * least


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(JOBS), st.floats(1.5, 20))
def test_more_items_take_more_money_and_no_fewer_machines_of_a_type(said, factor):
    some = answered(said).best
    same = replace(said, instance=some.instance.instance_type)
    more = answered(replace(same, items=said.items * factor)).asked
    assert more is None or more.cost.usd_total > some.cost.usd_total
    assert more is None or more.instances >= some.instances


def test_other_fleets_share_the_items_and_pay_their_starts():
    pick = answered(TICKETS).best
    fleets = other_fleets(pick.estimate, pick.cost, pick.instances)
    assert fleets
    hours = pick.estimate.job.time_h.value * pick.instances
    each = pick.cost.usd_per_hour / pick.instances
    for fleet in fleets:
        assert fleet.hours * fleet.instances == pytest.approx(hours)
        start = each * SET_UP_H * fleet.instances
        assert fleet.usd_total == pytest.approx(each * hours + start)
    assert [f.usd_total for f in fleets] == sorted(f.usd_total for f in fleets)


def test_spot_is_told_with_what_it_risks():
    why = " ".join(answered(TICKETS).best.why)
    assert "on spot about $" in why
    assert "taken back" in why
    assert answered(replace(TICKETS, market="spot")).best.estimate.job.restart_factor > 1.0


NO_JOBS = [
    Workload(rps=5.0, items=50.0),
    Workload(users=200, items=2e6),
    Workload(concurrency=4.0, items=2e6),
    Workload(use_case="reranking", items=50.0),
    Workload(mode="realtime", items=1e6),
    Workload(task="finetune", items=1e6),
    Workload(),
]


@pytest.mark.parametrize("said", NO_JOBS)
def test_what_comes_at_a_rate_or_is_waited_for_is_no_job(said):
    assert items_of_job(said) is None
    assert items_of_job(Workload(use_case="reranking", items=1e6)) == 1e6
