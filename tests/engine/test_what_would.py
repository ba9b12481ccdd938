"""A solved flip is one: on this side the type loses, on that side it wins."""

from dataclasses import replace

import pytest

from engine.core.workload import Workload
from engine.pick.explain import why_not
from engine.pick.recommend import evaluate, recommend, with_workload
from engine.what_if.capacity import at_load, units
from engine.what_if.crossover import cheapest
from engine.what_if.levers import Flip
from engine.what_if.other_prices import priced_at
from engine.what_if.what_would import WhatWould, what_would
from tests.engine.beyond import SERVICE, asked

BUSY = Workload(model="llama-3.1-8b", rps=20.0)
PRICED = [
    ("g5.xlarge", SERVICE),
    ("g6e.xlarge", SERVICE),
    ("p5.48xlarge", BUSY),
    ("g6.xlarge", BUSY),
    ("g5", Workload(model="llama-3-8b", task="finetune", method="lora", tokens_total=5e7)),
]


def flip(found: WhatWould, lever: str) -> Flip:
    return next(one for one in found.flips if one.lever == lever)


def best_at_price(said: Workload, name: str, price: float):
    question, _ = priced_at(asked(said), asked(said).catalog.instances[name], price)
    return evaluate(question).best


@pytest.mark.parametrize(("subject", "said"), PRICED, ids=lambda value: str(value)[:12])
def test_the_order_flips_at_the_solved_price(subject, said):
    found = flip(what_would(asked(said), subject), "price")
    assert found.found, found.text
    name, price = found.instance_type, found.value
    assert best_at_price(said, name, price * 0.995).instance.instance_type == name
    assert best_at_price(said, name, price * 1.005).instance.instance_type != name


TIED = [("g6e.xlarge", SERVICE), ("p5.48xlarge", SERVICE)]


@pytest.mark.parametrize(("subject", "said"), TIED, ids=lambda value: str(value)[:12])
def test_at_the_solved_price_the_two_tie(subject, said):
    result = what_would(asked(said), subject)
    price = flip(result, "price").value
    assert price * result.nearest.instances == pytest.approx(result.best.usd_per_hour, rel=0.005)
    assert "ties with 1x g5.xlarge" in flip(result, "price").text


def test_what_is_surer_is_first_at_more_than_the_price_and_not_called_a_tie():
    best = flip(what_would(asked(), "g5.xlarge"), "price")
    assert best.value == pytest.approx(1.5 * 0.805, rel=0.005)
    assert "costs 1.50 times the price of 1x g6.xlarge" in best.text
    at_risk = flip(what_would(asked(), "g6.xlarge"), "price")
    assert at_risk.value == pytest.approx(1.006 / 1.5, rel=0.005)
    assert "costs 0.67 times the price of 1x g5.xlarge" in at_risk.text


def test_no_price_puts_what_only_an_older_release_runs_first():
    found = flip(what_would(asked(), "inf2.8xlarge"), "price")
    assert not found.found
    assert "older release" in found.text


def test_the_best_is_the_best_up_to_a_price():
    result = what_would(asked(), "g5")
    assert result.is_best
    assert [one.lever for one in result.flips] == ["price"]
    price = result.flips[0].value
    assert price > result.best.usd_per_hour
    assert best_at_price(SERVICE, "g5.xlarge", price * 1.005).instance.instance_type != "g5.xlarge"


def test_a_load_that_makes_it_the_best_does():
    found = flip(what_would(asked(), "g6e.xlarge"), "load")
    assert found.found, found.text
    best = evaluate(at_load(asked(), "concurrency", found.value)).best
    assert best.instance.instance_type == "g6e.xlarge"
    below = cheapest(units(asked(), "concurrency"), found.value - 1)
    assert below.unit.name != "g6e.xlarge"


@pytest.mark.parametrize(
    ("subject", "beyond"), [("g6.xlarge", 0.99), ("g6e.xlarge", 1.01), ("p5.48xlarge", 1.01)]
)
def test_a_limit_that_makes_it_the_best_does_and_one_just_beyond_does_not(subject, beyond):
    found = flip(what_would(asked(), subject), "limit")
    assert found.found, found.text
    inside = evaluate(with_workload(asked(), latency_ms=found.value)).best
    assert inside.instance.instance_type == subject
    outside = evaluate(with_workload(asked(), latency_ms=found.value * beyond)).best
    assert outside.instance.instance_type != subject


def test_a_budget_in_the_way_is_the_limit_to_move():
    said = Workload(model="llama-3.3-70b", budget_usd_per_hour=20.0, quant="fp8")
    question = asked(said)
    found = flip(what_would(question, "p5.48xlarge"), "limit")
    assert found.found, found.text
    assert found.value == pytest.approx(55.04, rel=0.01)
    raised = with_workload(question, budget_usd_per_hour=found.value)
    assert evaluate(raised).best.instance.instance_type == "p5.48xlarge"


def test_a_number_format_that_makes_it_the_best_does():
    said = Workload(model="llama-3.3-70b")
    found = flip(what_would(asked(said), "g6e.xlarge"), "dtype")
    assert found.found, found.text
    question = with_workload(asked(said), quant=found.value)
    question = replace(question, said=replace(question.said, quant=found.value))
    assert evaluate(question).best.instance.instance_type == "g6e.xlarge"


def test_what_no_lever_moves_says_so_with_its_bounds():
    result = what_would(asked(Workload(model="llama-3.3-70b")), "c7i")
    assert [one.lever for one in result.flips] == ["load", "dtype", "limit"]
    assert not any(one.found for one in result.flips)
    assert "between 1 and" in flip(result, "load").text
    assert "fp8, int4" in flip(result, "dtype").text
    assert "between 1.00 ms and 10,000 ms" in flip(result, "limit").text


def test_what_is_not_offered_has_no_levers():
    result = what_would(asked(), "p5e.48xlarge")
    assert result.flips == ()
    assert "not offered" in result.why_not


def test_an_objective_without_price_has_no_price_lever():
    question = asked(Workload(model="llama-3.1-8b", objective="performance"))
    found = flip(what_would(question, "g6.xlarge"), "price")
    assert not found.found
    assert "performance" in found.text


WHY_NOT = {
    "g6": "may miss",
    "g6e": None,
    "neuron": None,
    "inf2": None,
    "cpu": "too slow",
    "p5": None,
    "p5e": "not offered",
    "H100-80": None,
    "nvidia": "picked",
}


@pytest.mark.parametrize(("word", "verdict"), WHY_NOT.items())
def test_why_not_carries_the_two_numbers(word, verdict):
    found = why_not(recommend(asked()), word, asked())
    assert verdict is None or found.verdict == verdict
    pairs = [number for number in found.numbers if number.limit is not None]
    assert pairs or "not offered" in found.text, found


def test_why_not_of_an_unknown_word_says_so():
    assert why_not(recommend(asked()), "q9", asked()).verdict == "unknown"
