"""What is published for a use is assumed of it, unless that costs twice as much or more."""

import pytest

from catalog.facts.coefficients import load_coefficients
from catalog.load import load_catalog
from engine.ask import ask
from engine.core.workload import Workload

CATALOG, COEFFICIENTS = load_catalog(), load_coefficients()
GENERAL = (100.0, 2000.0)


def answered(**said):
    return ask(Workload(**said), CATALOG, COEFFICIENTS, default_region="us-east-1")


ASSUMED = [
    ({"model": "llama-3.1-8b", "use_case": "chat", "concurrency": 10.0}, (50.0, 500.0)),
    ({"model": "llama-3.1-8b", "users": 300}, (50.0, 500.0)),  # people of a decoder chat
    ({"model": "codellama-13b", "use_case": "code_completion"}, (35.0, 200.0)),
    ({"model": "llama-3.1-8b", "concurrency": 10.0}, GENERAL),  # nobody said what for
    (
        {"model": "llama-3.1-8b", "use_case": "agent", "input_tokens": 500},
        GENERAL,
    ),  # none published
    ({"model": "llama-3.1-70b", "use_case": "chat", "concurrency": 50.0}, GENERAL),  # 2.6 x
    ({"model": "qwen2.5-coder-32b", "users": 40}, GENERAL),  # only on chips that need compiling
    ({"model": "llama-3.1-8b", "use_case": "chat", "mode": "batch"}, (None, None)),
]


@pytest.mark.parametrize(("said", "limits"), ASSUMED)
def test_limits_of_a_use_are_assumed_where_they_cost_little(said, limits):
    workload = answered(**said).workload
    assert (workload.latency_ms, workload.first_token_ms) == limits


def test_a_limit_that_was_said_is_the_only_one_assumed_from():
    workload = answered(
        model="llama-3.1-8b", use_case="chat", latency_ms=80.0, latency_kind="per_token"
    ).workload
    assert workload.latency_ms == 80.0


def test_limits_too_dear_to_assume_are_told_with_their_price():
    result = answered(model="llama-3.1-70b", use_case="chat", concurrency=50.0)
    told = next(one for one in result.readings if "usual for chat" in one.phrase)
    assert told.change["first_token_ms"] == 500.0
    assert told.usd_per_hour >= 2 * result.best.quote.usd_per_hour


def test_limits_that_are_assumed_are_no_other_reading():
    result = answered(model="llama-3.1-8b", use_case="chat", concurrency=10.0)
    assert not any("usual for chat" in one.phrase for one in result.readings)


def test_a_cache_must_hold_every_session_that_is_to_find_its_prompt_there():
    result = answered(model="qwen3.6-27b", use_case="coding_agent", users=50)
    pick = result.best
    replicas = pick.estimate.plan.data_parallel
    assert replicas * pick.estimate.memory.sequences_max >= 12.5
