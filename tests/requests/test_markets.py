"""Markets other than on demand: what has no figure is never first, and never hidden."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer


@pytest.mark.parametrize(
    ("text", "pick"),
    [
        ("llama-3.1-8b with a 3-year savings plan", "g6.xlarge"),
        ("inference 7B latency<100ms in Frankfurt on spot", "g6e.xlarge"),
    ],
)
def test_a_type_whose_most_is_below_every_figure_is_the_pick(text, pick):
    """Found when a p4de at $17.97 on spot was the answer for a 7B that a g6e serves at $2.33."""
    result = answer(text, load_world()).recommendation
    assert result is not None
    first, *others = result.picks
    assert first.instance.instance_type == pick
    assert first.quote.usd_per_hour is None
    assert first.ceiling is not None
    priced = [one.cost.usd_per_hour for one in others if one.cost.usd_per_hour is not None]
    assert priced
    assert first.ceiling.usd_per_hour * first.instances < min(priced)
    assert "no" in first.label
    assert "price is known" in first.label


def test_capacity_blocks_are_priced_where_they_are_sold():
    result = answer("train 8B on capacity blocks in us-east-2", load_world()).recommendation
    assert result is not None
    for pick in result.picks:
        assert pick.quote.market == "capacity_block"
        assert pick.quote.usd_per_hour is not None


def test_capacity_block_only_types_have_no_on_demand_price():
    reply = answer("price trn2.48xlarge on-demand", load_world())
    assert "apacity block" in reply.text
    assert "$0" not in reply.text
