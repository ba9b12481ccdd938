"""Retired types, rates with their terms, and how few figures a spot ranking rests on."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer


@pytest.fixture(scope="module")
def said():
    world = load_world()
    return lambda text: answer(text, world)


@pytest.mark.parametrize(
    ("text", "since", "instead"),
    [
        ("llama-3.1-8b on g3.4xlarge", "2025-10-31", "g6"),
        ("resnet-50 on p2.8xlarge", "2024", "g6"),
        ("price f1.2xlarge", "2025-12-20", "f2"),
        ("was kostet g3s.xlarge", "2025-10-31", "g6"),
    ],
)
def test_a_retired_type_says_since_when_and_what_took_its_place(said, text, since, instead):
    reply = said(text)
    assert reply.exit_code == 2
    assert f"since {since}" in reply.text
    assert "retired" in reply.text
    assert instead in reply.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("price p6-b200.48xlarge savings plan", "Compute Savings Plan, No Upfront, 1 year"),
        (
            "price p5.48xlarge savings plan 3 years",
            "EC2 Instance Savings Plan, No Upfront, 3 years",
        ),
        ("price g6.xlarge savings plan", "it sells Savings Plans for most types"),
    ],
)
def test_a_rate_says_its_terms_or_that_none_is_kept(said, text, words):
    assert words in said(text).text


@pytest.mark.parametrize("text", ["llama-3.1-8b for 20 users spot", "train 13b on 1B tokens spot"])
def test_a_spot_ranking_says_on_how_many_figures_it_rests(said, text):
    (line,) = (w for w in said(text).recommendation.warnings if "Spot figures" in w)
    known, sold = line.split("for ")[1].split(" types")[0].split(" of ")
    assert 0 < int(known) < int(sold)


def test_an_on_demand_ranking_says_nothing_of_spot_figures(said):
    assert not any(
        "Spot figures" in w for w in said("llama-3.1-8b for 20 users").recommendation.warnings
    )
