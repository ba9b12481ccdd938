"""The fleet is the cheapest one: checked against every combination of small cases."""

from itertools import combinations, product
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.workload import Workload
from engine.pick.serving import MAX_INSTANCES, ServingEvaluator
from engine.what_if.capacity import at_load
from engine.what_if.crossover import cheapest
from engine.what_if.fleet import MOST_TYPES, cheapest_fleet
from tests.engine.beyond import asked, unit, units_of

OPEN = Workload(model="llama-3.1-8b", rps=20.0)
TYPES = st.lists(
    st.tuples(st.floats(0.5, 20.0), st.floats(1.0, 20.0), st.integers(1, 3)),
    min_size=1,
    max_size=4,
)


def brute_force(made, load):
    best = float("inf")
    for size in range(1, MOST_TYPES + 1):
        for chosen in combinations(made, size):
            counts = [range(ceil(load / one.capacity) + 1) for one in chosen]
            for many in product(*counts):
                machines = sum(n * one.instances for n, one in zip(many, chosen, strict=True))
                carried = sum(n * one.capacity for n, one in zip(many, chosen, strict=True))
                if machines <= MAX_INSTANCES and carried >= load:
                    usd = sum(n * one.usd_per_hour for n, one in zip(many, chosen, strict=True))
                    best = min(best, usd)
    return best


@settings(deadline=None, max_examples=60)
@given(TYPES, st.floats(1.0, 25.0))
def test_no_combination_is_cheaper(found, load):
    made = [unit(f"t{i}.x", *one) for i, one in enumerate(found)]
    fleet, best = cheapest_fleet(made, load), brute_force(made, load)
    if fleet is None:
        assert best == float("inf")
        return
    assert fleet.usd_per_hour == pytest.approx(best, rel=1e-6)
    assert fleet.capacity >= load * (1 - 1e-6)
    assert len(fleet.parts) <= MOST_TYPES
    assert sum(part.instances for part in fleet.parts) <= MAX_INSTANCES


@settings(deadline=None, max_examples=60)
@given(TYPES, st.floats(1.0, 400.0))
def test_a_fleet_never_costs_more_than_the_best_single_type(found, load):
    made = [unit(f"t{i}.x", *one) for i, one in enumerate(found)]
    fleet, single = cheapest_fleet(made, load), cheapest(made, load)
    if single is not None:
        assert fleet is not None
        assert fleet.usd_per_hour <= single.usd_per_hour * (1 + 1e-9)
        assert 0.0 <= fleet.saving < 1.0


def test_a_load_beyond_every_fleet_has_none():
    assert cheapest_fleet([unit("a.x", 1.0, 1.0)], 65.0) is None
    assert cheapest_fleet([], 1.0) is None


def test_a_mix_that_hardly_saves_is_not_offered():
    big, small = unit("big.x", 10.0, 10.0), unit("small.x", 9.7, 1.0)
    assert not cheapest_fleet([big, small], 11.0).worth_it
    cheap = cheapest_fleet([big, unit("small.x", 2.0, 1.0)], 11.0)
    assert cheap.worth_it
    assert [part.unit.name for part in cheap.parts] == ["big.x", "small.x"]
    assert cheap.saving == pytest.approx(0.4)
    assert sum(cheap.share(part) for part in cheap.parts) == pytest.approx(1.0)


@pytest.mark.parametrize("load", [12.0, 25.0, 60.0, 130.0])
def test_every_part_of_a_real_fleet_carries_its_share(load):
    fleet = cheapest_fleet(units_of(OPEN, "rps"), load)
    assert fleet is not None
    for part in fleet.parts:
        question = at_load(asked(OPEN), "rps", load * fleet.share(part) * 0.999)
        found = ServingEvaluator(question).evaluate(part.unit.instance)
        assert found.meets_limits
        assert found.instances <= part.instances
