"""What a turn asks of the answer before it: its kind by the examples, the rest by its values."""

import logging
from dataclasses import replace

import pytest

from bot.core.asked import LikelyKind
from bot.core.errors import RequestError
from bot.language.questions import question
from bot.language.questions.kinds import OTHER, kind_model
from bot.language.questions.masking import masked_words
from bot.language.questions.question import asked_as, is_unsure
from bot.language.text.vocabulary import vocabulary_of

EARLIER = ("inference llama-3.1-8b 20 rps",)


@pytest.mark.parametrize(
    ("text", "topic", "asked"),
    [
        ("the second one please", "choose", {"choice": "2"}),
        ("could we go for option 3", "choose", {"choice": "3"}),
        ("I'd rather have a bigger box", "choose", {"choice": "bigger"}),
        ("how much is that per year in total?", "bill", {}),
        ("yearly bill for 12 of them?", "bill", {"copies": 12}),
        ("what would it cost for 8 hours a day on weekdays?", "bill", {"hours_per_week": 40.0}),
        ("and in office hours only, per month?", "bill", {"hours_per_week": 40.0}),
        ("what does it cost per user a month?", "bill", {"per_whom": "user"}),
        ("how was the ttft calculated?", "derivation", {"figure": "ttft"}),
        ("where does the throughput come from?", "derivation", {"figure": "rate"}),
        ("what if prices drop 20 %?", "price_change", {"price_change_percent": -20.0}),
        ("suppose all prices rise by 15 percent", "price_change", {"price_change_percent": 15.0}),
        ("what if prices double?", "price_change", {"price_change_percent": 100.0}),
        ("what if prices halve?", "price_change", {"price_change_percent": -50.0}),
        ("what's the catch?", "risks", {}),
        ("where might this bite us later?", "risks", {}),
        ("sum this thread up for my boss", "recap", {}),
        ("which other machines would do?", "more", {}),
        ("something less expensive please", "cheaper", {}),
        ("how many people can use it at the same time?", "growth", {}),
    ],
)
def test_a_turn_is_read_by_its_kind(text, topic, asked, understood):
    found = understood(text, EARLIER)
    assert found.topic == topic
    assert {name: getattr(found.asked, name) for name in asked} == asked
    of_the_week = replace(found.workload, duty_h_per_day=None)
    assert of_the_week == understood(EARLIER[0]).workload
    assert found.not_understood == ()


@pytest.mark.parametrize("text", ["10 users instead", "in Frankfurt", "use the 70b", "fp8 please"])
def test_an_amendment_is_no_question(text, understood):
    found = understood(text, EARLIER)
    assert found.question.kind == OTHER
    assert found.workload != understood(EARLIER[0]).workload


def test_what_may_be_meant_is_offered_where_nothing_is_understood(understood):
    with pytest.raises(RequestError) as refusal:
        understood("zzyzx qwrtp flurb", EARLIER)
    assert set(refusal.value.suggestions) <= set(asked_as().values())


def test_what_is_offered_is_an_example_of_its_kind(catalog):
    vocabulary = vocabulary_of(catalog)
    exact = kind_model("questions").exact
    wrong = [
        (kind, words)
        for kind, words in asked_as().items()
        if exact.get(" ".join(masked_words(words, vocabulary))) != kind
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("kind", "probability", "unsure"),
    [("risks", 0.59, True), ("risks", 0.6, False), (OTHER, 0.3, False)],
)
def test_between_people_only_what_is_sure_is_answered(kind, probability, unsure):
    assert is_unsure(LikelyKind(kind, probability)) is unsure


def test_the_words_of_a_form_ask_nothing_and_load_no_weights(monkeypatch, understood):
    monkeypatch.setattr(question, "kind_model", None)
    found = understood("inference model=llama-3.1-8b concurrency=20 region=us-west-2")
    assert found.question.kind == question.OTHER
    assert found.workload.concurrency == 20


@pytest.mark.parametrize(
    ("text", "logged"),
    [
        ("kowalski says the risk is big?", "other: ... says the risk is big ..."),
        ("kowalski 0170 5551234 says the risk is big?", "other: ... num num says the risk is big"),
    ],
)
def test_what_is_asked_back_is_logged_without_names_and_figures(text, logged, understood, caplog):
    caplog.set_level(logging.INFO)
    with pytest.raises(RequestError) as refusal:
        understood(text, EARLIER)
    assert refusal.value.questions
    (line,) = caplog.messages
    assert line.startswith(f"asked back: {logged}")
    assert "kowalski" not in line
    assert not any(map(str.isdigit, line))


def test_what_is_understood_is_not_logged(understood, caplog):
    caplog.set_level(logging.INFO)
    understood("what's the catch?", EARLIER)
    assert caplog.messages == []
