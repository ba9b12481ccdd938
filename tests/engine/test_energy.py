"""Energy adds up, grows with work, and is unknown where a figure is."""

from dataclasses import replace

import pytest

from catalog.load import load_catalog
from engine.core.estimate import Figure
from engine.core.workload import Workload
from engine.pick.energy import ALWAYS, PUE, energy_of, watts
from engine.pick.recommend import evaluate, recommend, with_workload
from tests.engine.beyond import SERVICE, asked

CATALOG = load_catalog()
JOB = Workload(model="llama-3-8b", task="finetune", method="lora", tokens_total=5e7)


def first_pick(said=SERVICE):
    return recommend(asked(said)).picks[0]


@pytest.mark.parametrize("name", ["g6.xlarge", "p5.48xlarge", "m5.large", "c5a.4xlarge"])
def test_power_grows_with_work_and_with_machines(name):
    instance = CATALOG.instances[name]
    idle = watts(instance, 1, CATALOG, busy=Figure(0.0, 0.0, 0.0))
    full = watts(instance, 1, CATALOG, busy=ALWAYS)
    four = watts(instance, 4, CATALOG, busy=ALWAYS)
    assert 0 < idle.low <= idle.value <= idle.high
    assert full.low <= full.value <= full.high
    assert idle.value < full.value
    assert four.value == pytest.approx(4 * full.value)


def test_a_whole_machine_draws_more_than_a_part_of_its_chips_rating():
    """p5.48xlarge: eight 700 W chips; the servers are rated near 10 kW."""
    full = watts(CATALOG.instances["p5.48xlarge"], 1, CATALOG, busy=ALWAYS)
    assert full.low > 8 * 700 * 0.6
    assert full.high < 12_000


@pytest.mark.parametrize("name", ["inf2.xlarge", "trn1.32xlarge", "m8g.large", "g6f.large"])
def test_what_nobody_published_is_unknown_and_says_why(name):
    instance = CATALOG.instances[name]
    assert watts(instance, 1, CATALOG, busy=ALWAYS) is None
    pick = replace(first_pick(), instance=instance)
    found = energy_of(pick, CATALOG, "us-east-1")
    assert found.watts is found.kwh_per_million_tokens is found.kg_co2e_per_million_tokens is None
    assert found.why_unknown


def test_kilowatt_hours_are_watts_by_time():
    pick = first_pick(JOB)
    found = energy_of(pick, CATALOG, "us-east-1")
    hours = pick.estimate.training.time_h.value
    assert found.kwh_total.value == pytest.approx(found.watts_full.value * hours / 1000)
    served = first_pick()
    found = energy_of(served, CATALOG, "us-east-1")
    tokens_an_hour = served.estimate.performance.output_tokens_per_s.value * 3600
    per_million = found.watts.value / 1000 * 1e6 / tokens_an_hour
    assert found.kwh_per_million_tokens.value == pytest.approx(per_million)
    assert found.kwh_per_million_tokens_full.value < found.kwh_per_million_tokens.value


def test_emissions_follow_the_grid():
    pick = first_pick()
    here, there = (energy_of(pick, CATALOG, region) for region in ("us-east-1", "eu-north-1"))
    ratio = here.grid.g_co2e_per_kwh / there.grid.g_co2e_per_kwh
    assert here.kg_co2e_per_million_tokens.value == pytest.approx(
        ratio * there.kg_co2e_per_million_tokens.value
    )
    unknown = energy_of(pick, CATALOG, "ca-central-1")
    assert unknown.grid is None
    assert unknown.kg_co2e_per_million_tokens is None
    assert unknown.kwh_per_million_tokens is not None


def test_the_objective_ranks_by_energy_and_the_unknown_last():
    question = with_workload(asked(), objective="energy")
    ranked = [
        energy_of(option, CATALOG, "us-east-1").kwh_per_million_tokens
        for option in evaluate(question).meeting
    ]
    known = [figure.value for figure in ranked if figure is not None]
    assert len(known) > 1
    assert known[1:] == sorted(known[1:])  # the first may be a safer one
    assert all(figure is None for figure in ranked[len(known) :])


def test_the_assumptions_are_in_order():
    assert 1.0 < PUE < 1.5
    for grid in CATALOG.grids.values():
        assert 5 < grid.g_co2e_per_kwh < 1200
    for power in CATALOG.cpu_powers.values():
        assert power.idle_w_per_vcpu < power.full_w_per_vcpu
