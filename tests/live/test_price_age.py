"""How old a price may be before the card says so."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer

REQUEST = "inference 7B instance=g6e.xlarge"


@pytest.mark.parametrize(("days", "warned"), [(0, False), (30, False), (31, True), (400, True)])
def test_a_month_old_price_is_said_to_be_old(days, warned):
    world = load_world()
    shown = answer(REQUEST, world, top=1).recommendation.picks
    newest = date.fromisoformat(min(pick.quote.as_of for pick in shown))
    result = answer(REQUEST, replace(world, today=newest + timedelta(days=days)), top=1)
    words = f"The oldest price here is {days} days old"
    assert any(line.startswith(words) for line in result.recommendation.warnings) == warned
    assert ("stale_prices" in result.recommendation.codes) == warned
