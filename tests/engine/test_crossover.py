"""The winners along the load are what the real evaluation picks, and cover the whole range."""

from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.workload import Workload
from engine.pick.rank import SAFE_PREMIUM
from engine.pick.recommend import evaluate
from engine.pick.serving import MAX_INSTANCES, ServingEvaluator
from engine.what_if.capacity import SMALLEST, at_load, units
from engine.what_if.crossover import DEFAULT_RANGE, cheapest, crossover
from tests.engine.beyond import SERVICE, asked, unit, units_of

OPEN = Workload(model="llama-3.1-8b", rps=20.0)
QUESTIONS = [(SERVICE, "concurrency"), (OPEN, "rps")]


@pytest.mark.parametrize(("said", "field"), QUESTIONS, ids=["users", "rps"])
def test_segments_cover_the_range(said, field):
    low, high = DEFAULT_RANGE[field]
    lines = crossover(units_of(said, field), field, low, high)
    assert lines.segments[0].first.load == low
    assert lines.segments[-1].last.load == lines.carried_to <= high
    for before, after in pairwise(lines.segments):
        assert before.name != after.name
        assert after.above == before.last.load
        step = 1 if field == "concurrency" else before.last.load * 1e-5
        assert after.first.load == pytest.approx(before.last.load + step, abs=step)


@pytest.mark.parametrize(("said", "field"), QUESTIONS, ids=["users", "rps"])
def test_winners_are_what_the_evaluation_picks_but_for_what_is_surer(said, field):
    low, _ = DEFAULT_RANGE[field]
    lines = crossover(units_of(said, field), field, low, 200.0)
    for segment in lines.segments:
        if segment.last.load < segment.first.load * 1.02 and field == "rps":
            continue  # narrower than a capacity is known
        load = segment.last.load * (0.999 if field == "rps" else 1.0)
        there = at_load(asked(said), field, load)
        winner = ServingEvaluator(there).evaluate(segment.last.unit.instance)
        assert winner.usd_per_hour == pytest.approx(segment.last.usd_per_hour)
        best = evaluate(there).best
        if (best.instance, best.instances) != (winner.instance, winner.instances):
            assert winner.may_miss
            assert not best.may_miss
            assert best.usd_per_hour <= SAFE_PREMIUM * winner.usd_per_hour


@pytest.mark.parametrize(("said", "field"), QUESTIONS, ids=["users", "rps"])
def test_many_units_carry_that_many_times_as_much(said, field):
    for one in units_of(said, field):
        for count in (2, 5):
            load = one.capacity * count
            inside = ServingEvaluator(at_load(asked(said), field, load * 0.999)).evaluate(
                one.instance
            )
            assert inside.meets_limits
            assert inside.instances == count * one.instances
            outside = ServingEvaluator(at_load(asked(said), field, load * 1.01)).evaluate(
                one.instance
            )
            assert outside.instances > count * one.instances


def test_types_that_run_alike_are_one_unit():
    names = {one.name for one in units(asked(), "concurrency")}
    assert "g6.xlarge" in names
    assert "g6.2xlarge" not in names


def test_what_misses_a_limit_alone_is_no_unit():
    assert "c7i.4xlarge" not in {one.name for one in units(asked(), "concurrency")}
    assert SMALLEST["concurrency"] == 1.0


PRICES = st.floats(0.1, 100.0)
CAPACITIES = st.floats(0.5, 50.0)


@settings(deadline=None)
@given(st.lists(st.tuples(PRICES, CAPACITIES), min_size=1, max_size=5), st.data())
def test_no_type_is_cheaper_than_the_winner(found, data):
    made = [unit(f"t{i}.x", usd, capacity) for i, (usd, capacity) in enumerate(found)]
    lines = crossover(made, "rps", 0.1, 100.0)
    load = data.draw(st.floats(0.1, max(0.1, lines.carried_to)))
    winner = cheapest(made, load)
    segment = next((s for s in lines.segments if s.above < load <= s.last.load), None)
    assert (segment is None) == (winner is None)
    if segment is None or winner is None:
        return
    prices = [
        usd * count
        for usd, capacity in found
        if (count := max(1, ceil(load / capacity * (1 - 1e-9)))) <= MAX_INSTANCES
    ]
    assert winner.usd_per_hour <= min(prices) * (1 + 1e-9)
    again = cheapest([segment.first.unit], load)
    assert again is not None
    assert again.usd_per_hour == pytest.approx(winner.usd_per_hour)
