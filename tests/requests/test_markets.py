"""Markets other than on demand: what has no figure is never first, and never hidden."""

from bot.conversation import answer
from bot.world import load_world


def test_a_type_without_a_figure_that_is_cheaper_on_demand_is_shown():
    """Found when a savings plan on a p4de was the only answer for an 8B that a g6 serves."""
    result = answer("llama-3.1-8b with a 3-year savings plan", load_world()).recommendation
    assert result is not None
    first, second = result.picks[:2]
    assert first.quote.usd_per_hour is not None
    assert second.quote.usd_per_hour is None
    assert second.ceiling is not None
    assert second.ceiling.usd_per_hour < first.quote.usd_per_hour
    assert "on demand" in second.label


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
