"""Prices and bills as they are asked for: of a chip, a part of the week, a run, of a block."""

from functools import reduce

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread

# turns -> what the last answer says, and what it must not
TOLD = [
    (["h100 spot price in ohio rn"], ["p5.4xlarge", "p5.48xlarge", "us-east-2", "spot"], []),
    (["what does an L40S cost in frankfurt"], ["g6e.xlarge", "eu-central-1"], []),
    (["g6 spot price us-east-1"], ["No spot price is known", "on demand g6.xlarge is $"], []),
    (["monthly bill for one g6.12xlarge running 8h a day weekdays only"], ["$800"], ["$3,359"]),
    (["llama-3.1-8b for 40 users, Mo-Fr 8-18 Uhr"], ["50 h a week"], ["not understood"]),
    (
        ["whisper-large-v3, 200 hours of audio every night", "what does one night cost"],
        ["a run on", "30.4 runs a month"],
        [],
    ),
    (["kimi k2.5 on p5en, capacity block for 3 days"], ["$3,954 for 3 days"], ["/month"]),
    (
        ["is trn2 cheaper than h100 for 70b inference?"],
        ["trn2", "cannot be told"],
        ["Nothing fits"],
    ),
    (
        ["p5.48xlarge vs p5en.48xlarge vs p6-b200 for deepseek r1 64 concurrent"],
        ["p6-b200: 1x", "p5.48xlarge: 2x", "p5en.48xlarge: 1x"],
        [],
    ),
    (
        ["can i run deepseek v3 on cpu? r7i.48xlarge? r8g? speed?"],
        ["r7i.48xlarge: 1x", "r8g: 1x", "as fast as people put up with"],
        ["meets every limit"],
    ),
    (["qwen3 32b", "h100s are sold out everywhere, something else"], ["without h100s"], ["Fits:"]),
    (["llama-3.3-70b", "quota: I only have 16 vCPUs of G instances"], ["16"], ["g7e.12xlarge ("]),
]


@pytest.mark.parametrize(("turns", "says", "says_not"), TOLD, ids=lambda one: str(one)[:48])
def test_what_it_costs_is_told(turns: list[str], says: list[str], says_not: list[str]):
    def said(thread: Thread, text: str) -> Thread:
        return thread.after(answer(text, load_world(), thread.context))

    thread = reduce(said, turns[:-1], Thread())
    reply = answer(turns[-1], load_world(), thread.context)
    for words in says:
        assert words in reply.text
    for words in says_not:
        assert words not in reply.text


@pytest.mark.parametrize(("quota", "vcpus"), [(16, 16), (64, 64)])
def test_no_more_machines_run_than_a_quota_leaves(quota: int, vcpus: int):
    text = f"llama-3.1-8b for 60 users at once, vcpus_max={quota}"
    result = answer(text, load_world()).recommendation
    assert result is not None
    for pick in result.picks:
        assert pick.instance.vcpus * pick.instances <= vcpus
