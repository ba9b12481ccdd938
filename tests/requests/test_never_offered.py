"""What was left out is offered nowhere: not first, not beside it, not as what comes closest."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer

CHIPS = load_world().catalog.accelerators

# (what was asked, the makers or generations of chips that must not be offered)
LEFT_OUT = [
    ("mixtral-8x22b, no blackwell, 20 at once", "architecture", "Blackwell"),
    ("llama-3.1-70b ohne Hopper", "architecture", "Hopper"),
    ("llama-3.1-8b, nothing from Nvidia", "vendor", "nvidia"),
    ("llama-3.1-8b sin Ampere", "architecture", "Ampere"),
]


@pytest.mark.parametrize(("text", "fact", "value"), LEFT_OUT)
def test_what_is_left_out_is_offered_nowhere(text, fact, value):
    result = answer(text, load_world()).recommendation
    offered = [*result.picks, *result.closest]
    chips = [CHIPS[one.instance.accelerator_id] for one in offered if one.instance.accelerator_id]
    assert offered
    assert [chip.id for chip in chips if getattr(chip, fact).startswith(value)] == []
