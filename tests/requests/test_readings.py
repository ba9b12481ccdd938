"""Ambiguous requests end to end: the best reading answered, the others as lines and buttons."""

from functools import cache

import pytest

from bot.answers.answer_json import answer_json
from bot.answers.world import load_world
from bot.cards.blocks import message
from bot.cards.slack_limits import check_blocks
from bot.conversation.conversation import answer


@cache
def reply_to(text):
    return answer(text, load_world())


# (what is said, a line of the card, the labels of the buttons for other readings)
CARDS = [
    (
        "inference 7B 100 requests",
        "If you meant 100 requests a second: 7 × g7e.2xlarge, $23.54/h.",
        ["I meant 100 requests a second", "I meant 100 requests a day"],
    ),
    (
        "inference llama",
        "If you meant llama-3.3-70b: g7e.12xlarge, $8.286/h.",
        ["I meant llama-3.3-70b", "I meant llama-3.1-405b"],
    ),
    (
        "train 7B",
        "If you meant fine-tuning: g6e.xlarge, $2.54 in total.",
        ["I meant fine-tuning"],
    ),
    (
        "inference 7B under $100",
        "If you meant $100 a month: nothing would meet it.",
        [],
    ),
]


@pytest.mark.parametrize(("text", "line", "labels"), CARDS)
def test_the_card_prices_each_other_reading(text, line, labels):
    view = reply_to(text).view
    assert line in view.readings
    assert [choice.label for choice in view.choices] == labels


@pytest.mark.parametrize(("text", "line", "labels"), CARDS)
def test_the_message_holds_the_buttons_and_the_text_the_lines(text, line, labels):
    reply = reply_to(text)
    posted = message(reply.view)
    shown = [
        e["text"]["text"] for b in posted["blocks"] for e in b.get("elements", ()) if "value" in e
    ]
    assert shown[: len(labels)] == labels
    assert line in reply.text
    assert check_blocks(posted["blocks"]) == []


def test_where_nothing_fits_a_reading_that_something_meets_comes_first():
    view = reply_to("inference 7B under $500").view
    assert view.kind == "no_fit"
    assert view.choices[0].label == "I meant $500 a day"
    assert "If you meant $500 a day: g5.xlarge, $1.006/h." in view.readings


def test_three_readings_at_most_and_none_that_changes_nothing():
    result = reply_to("inference llama under $100, 500 requests latency<90").recommendation
    assert len(result.readings) == 3
    assert reply_to("inference 7B 10 requests").recommendation.readings[0].usd_per_hour != (
        reply_to("inference 7B 10 requests").recommendation.best.cost.usd_per_hour
    )


def test_a_question_about_the_answer_before_has_no_readings_of_its_own():
    first = reply_to("inference 7B 100 requests")
    again = answer("in Frankfurt", load_world(), first.workload)
    assert again.recommendation.readings == ()


def test_the_json_keeps_its_fields():
    reply = reply_to("inference 7B 100 requests")
    reading = answer_json("", "pick", reply.recommendation)["readings"][0]
    assert {"phrase", "change", "instance_type", "usd_per_hour"} <= reading.keys()
    assert dict(reading["change"]) == {"rps": 100.0, "concurrency": None}
