"""What a follow-up's card says has changed since the answer before it."""

import json

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer

LEAD = "Since the last answer: "


def last_card(*turns: str):
    """Return the reply to the last of some turns of one thread."""
    kept = None
    for text in turns:
        reply = answer(text, load_world(), kept)
        kept = reply.workload or kept
    return reply


@pytest.mark.parametrize(
    ("turns", "parts"),
    [
        (
            ["inference 7B", "tpot<20ms"],
            ["g5.xlarge → g6e.xlarge", "$1.006/h → $1.861/h (+85 %)", "per token 28 ms → 19 ms"],
        ),
        (["inference 7B", "in Ohio"], ["g5.xlarge in us-east-1 → g5.xlarge in us-east-2"]),
        (["inference 7B", "nvidia only"], ["still g5.xlarge"]),
        (["inference 7B tpot<20ms on spot", "on demand"], ["$0.997/h → $1.861/h (+87 %)"]),
        (["finetune llama-3-8b lora", "with 100M tokens"], ["$23.59 in total (+749 %)"]),
        (["inference 7B", "latency<1ms"], ["g5.xlarge met every limit then, nothing does now"]),
        (["70B tpot<1ms", "tpot<50ms"], ["something meets every limit now"]),
    ],
)
def test_the_card_of_a_follow_up_says_what_changed(turns, parts):
    reply = last_card(*turns)
    assert reply.view.since.startswith(LEAD), reply.text
    assert [part for part in parts if part not in reply.view.since] == []
    assert reply.view.since in reply.text
    assert reply.view.since.split(" → ")[0] in json.dumps(reply.blocks, ensure_ascii=False)


@pytest.mark.parametrize(
    "turns",
    [
        ["inference 7B"],
        ["inference 7B", "inference 70B fp8 20 users"],  # a request of its own
        ["inference 7B", "why not inf2?"],
        ["70B tpot<1ms", "8k context"],  # nothing met it before, nothing does now
    ],
)
def test_other_answers_say_nothing_of_the_kind(turns):
    view = last_card(*turns).view
    assert getattr(view, "since", "") == ""


def test_what_did_not_change_is_not_said():
    assert last_card("inference 7B", "nvidia only").view.since == f"{LEAD}still g5.xlarge"
