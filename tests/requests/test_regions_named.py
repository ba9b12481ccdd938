"""Several regions named: the answer is in the best of them, by the same measure as within one."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers.world import load_world
from bot.conversation.conversation import answer

WORLD = load_world()


def best_in(text, *regions):
    """Return the first pick of a request in these regions, alone or in the best of several."""
    said = replace(answer(text, WORLD).workload, region=None, regions=None)
    places = {"region": regions[0]} if len(regions) == 1 else {"regions": regions}
    named = " ".join(
        f"{name}={','.join(v) if name == 'regions' else v}" for name, v in places.items()
    )
    result = answer(f"{text} {named}", WORLD).recommendation
    assert replace(result.said, region=None, regions=None) == said
    return result.best


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("inference 8B in Frankfurt or Ohio", "us-east-2"),
        ("inference 8B in Ohio or Frankfurt", "us-east-2"),
        ("8B in us-west-2 or us-east-1", "us-west-2"),  # at the same price the first one named
        ("8B on spot in Frankfurt or Stockholm", "eu-north-1"),
        ("llama-3.1-405b in Ireland or Frankfurt or Stockholm", "eu-north-1"),
        ("8B in London or Ohio on g7e.2xlarge", "us-east-2"),  # London has none
        ("train 7B tokens_total=100B in Mumbai or Tokyo", "ap-south-1"),
    ],
)
def test_the_best_of_the_regions_named_is_taken_and_said(text, region):
    result = answer(text, WORLD).recommendation
    assert result.best.region == region
    (assumed,) = [one for one in result.assumptions if one.field == "region"]
    assert assumed.value == region
    assert assumed.why.startswith("the best of ")


TEXTS = ["inference 8B", "llama-3.1-70b", "8B 20 rps", "7B budget<$1/h", "sdxl images"]
PLACES = ["us-east-1", "us-east-2", "eu-central-1", "eu-north-1", "ap-south-1", "sa-east-1"]


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(TEXTS), st.lists(st.sampled_from(PLACES), min_size=2, max_size=3, unique=True)
)
def test_no_region_named_would_be_cheaper(text, regions):
    together = best_in(text, *regions)
    alone = [best for one in regions if (best := best_in(text, one)) is not None]
    if together is None:
        assert alone == []
        return
    assert together.region in regions
    assert together.cost.usd_per_hour == min(one.cost.usd_per_hour for one in alone)


@pytest.mark.parametrize(
    ("text", "region", "left_out"),
    [
        ("8b in europe but not spain", "eu-north-1", {"eu-south-2"}),
        ("8b in europe except eu-south-2", "eu-north-1", {"eu-south-2"}),
        ("8b, not in spain, in europe", "eu-north-1", {"eu-south-2"}),
        (
            "8b in europe excluding Spain and Stockholm",
            "eu-west-1",
            {"eu-south-2", "eu-north-1"},
        ),
        ("8b in the US but not in Virginia or Oregon", "us-east-2", {"us-east-1", "us-west-2"}),
    ],
)
def test_what_is_not_wanted_of_an_area_is_left_out(text, region, left_out):
    reply = answer(text, WORLD)
    assert reply.recommendation.best.region == region
    assert left_out.isdisjoint(reply.workload.regions)
    assert reply.unread == ()
    assert not any(code in note for note in reply.notes for code in left_out)


def test_a_region_that_is_not_wanted_is_said_where_no_area_holds_it():
    reply = answer("8b not in frankfurt", WORLD)
    assert (reply.unread, reply.workload.without) == ((), ("frankfurt",))


def test_the_usual_region_is_not_taken_where_it_is_not_wanted():
    recommendation = answer("8b not in us-east-1", WORLD).recommendation
    assert recommendation.best.region == WORLD.catalog.usual_regions[1]


@pytest.mark.parametrize("text", ["llama-3.1-8b latency<500ms", "8B 20 rps latency<500ms"])
@pytest.mark.parametrize("regions", [("us-east-1", "sa-east-1"), ("ap-southeast-7", "eu-west-1")])
def test_other_readings_are_of_the_region_taken(text, regions):
    """Not of the one compared last, where other types are offered."""
    together = answer(f"{text} regions={','.join(regions)}", WORLD).recommendation
    alone = answer(f"{text} region={together.workload.region}", WORLD).recommendation
    assert together.readings == alone.readings
    assert [p.instance for p in together.picks] == [p.instance for p in alone.picks]
