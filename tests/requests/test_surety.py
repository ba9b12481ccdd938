"""What nobody measured is no ground to buy several times the machines; a series is its families."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from catalog.facts.instances import series_name


def best(text: str):
    return answer(text, load_world()).recommendation.picks[0]


def test_the_far_end_of_a_guess_does_not_multiply_the_price():
    sure, wished = best("sdxl 2 images a second"), best("sdxl 2 images a second under 5s each")
    assert wished.may_miss
    assert wished.cost.usd_per_month < 3 * sure.cost.usd_per_month


def test_a_measured_class_is_held_as_it_was():
    assert not best("llama-3.1-8b 20 rps first token under 150 ms").may_miss


SERIES = [("p4de", "p4"), ("p6-b200", "p6"), ("inf2", "inf2"), ("u7i-12tb", "u7"), ("c8gn", "c8")]


@pytest.mark.parametrize(("family", "series"), SERIES)
def test_the_series_of_a_family(family: str, series: str):
    assert series_name(family) == series


LEFT_OUT = [
    ("llama 70b no p4", {"p4d", "p4de"}),
    ("llama 70b, not on p6 and not on g4", {"p6-b200", "p6-b300", "g4dn", "g4ad"}),
    ("llama 70b ohne p4", {"p4d", "p4de"}),
]


@pytest.mark.parametrize(("text", "families"), LEFT_OUT)
def test_a_series_left_out_leaves_out_its_families(text: str, families: set[str]):
    result = answer(text, load_world()).recommendation
    assert families.isdisjoint(pick.instance.family for pick in result.picks)
    barred = {
        one.instance_type.partition(".")[0] for one in result.rejected if one.reason == "excluded"
    }
    assert families <= barred


@pytest.mark.parametrize("text", ["llama 70b only p4", "llama 70b on p4"])
def test_a_series_asked_for_is_one_of_its_families(text: str):
    assert best(text).instance.family in {"p4d", "p4de"}


AGENTS = [
    ("gpt-oss-120b for an agent, 15 devs", "agent"),
    ("llama 70b for our agent", "agent"),
    ("a chatbot for 200 support agents with llama 8b", "chat"),
]


@pytest.mark.parametrize(("text", "use"), AGENTS)
def test_an_agent_is_a_use_and_agents_are_people(text: str, use: str):
    assert answer(text, load_world()).recommendation.workload.use_case == use


@pytest.mark.parametrize(
    "text",
    ["llama 3.3 70b in eu with max 5k a month, 10 concurrent", "llama 70b under $1000 a month"],
)
def test_what_nobody_would_wait_for_is_no_answer(text: str):
    result = answer(text, load_world()).recommendation
    assert not result.picks
    assert result.closest[0].instance.accelerator_id
    assert result.relaxations


def test_more_of_a_chip_than_one_machine_has_is_answered():
    reply = answer("16x T4 for llama 8b", load_world())
    assert reply.recommendation.picks
    assert reply.view.asked.startswith("Yes on 16 T4")


def test_a_remedy_says_how_many_and_none_does_more_for_more():
    view = answer(
        "llama 3.3 70b for 10 requests per second, budget $16100 a month", load_world()
    ).view
    assert any("× " in change for change in view.changes)
    result = answer("llama 3.3 70b for 10 rps, budget $16100 a month", load_world()).recommendation
    for one in result.relaxations:
        for other in result.relaxations:
            more = one.change.keys() < other.change.keys()
            assert not more or other.usd_per_hour < one.usd_per_hour
