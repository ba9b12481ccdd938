"""What a region does not offer is named where it is offered, not refused."""

import pytest

from bot.answers.world import load_world
from engine.ask import ask
from engine.core.workload import Workload

WORLD = load_world()


def asked(**said):
    return ask(Workload(model="llama-3.1-8b", **said), WORLD.catalog, WORLD.coefficients)


def test_no_region_said_takes_the_nearest_that_has_it():
    """A small Trainium2 is in other regions than the usual one: it is the answer there."""
    found = asked(allow=("trn2",), concurrency=32.0)
    assert found.picks[0].instance.family == "trn2"
    assert found.workload.region in found.picks[0].instance.regions
    assert "not_offered_here" in found.codes


@pytest.mark.parametrize("region", ["us-west-2", "eu-west-1"])
def test_a_region_said_is_kept_and_the_nearest_named(region):
    found = asked(allow=("trn2",), region=region)
    assert found.picks == ()
    assert found.workload.region == region
    moved = [one for one in found.relaxations if "region" in one.change]
    assert moved
    for one in moved:
        there = asked(allow=("trn2",), region=one.change["region"])
        assert there.picks[0].instance.instance_type == one.instance_type


def test_what_is_offered_stays_where_it_was_priced():
    found = asked(allow=("inf2",))
    assert found.workload.region == WORLD.catalog.default_region
    assert "not_offered_here" not in found.codes
