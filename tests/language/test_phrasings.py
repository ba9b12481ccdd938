"""Our own phrasings: what a text says is in the workload, and nothing else is invented."""

import pytest

from bot.core.errors import RequestError
from tests.language.comparing import same_value
from tests.language.phrasings import FOLLOWUPS, INTENTS, PHRASINGS, REFUSED


@pytest.mark.parametrize(("text", "expected"), PHRASINGS)
def test_says(text, expected, understood, catalog):
    workload = understood(text).workload
    wrong = {
        field: getattr(workload, field)
        for field, value in expected.items()
        if not same_value(getattr(workload, field), value, catalog.model_names)
    }
    assert not wrong


@pytest.mark.parametrize(("text", "code", "field"), REFUSED)
def test_is_refused(text, code, field, understood):
    with pytest.raises(RequestError) as refusal:
        understood(text)
    assert (refusal.value.code, refusal.value.field) == (code, field)
    assert refusal.value.message
    assert refusal.value.example


@pytest.mark.parametrize(("text", "intent", "topic", "manifest_kind"), INTENTS)
def test_asks_for(text, intent, topic, manifest_kind, understood):
    understanding = understood(text)
    assert understanding.intent == intent
    assert understanding.topic == topic
    assert understanding.manifest_kind == manifest_kind


@pytest.mark.parametrize(("earlier", "text", "expected"), FOLLOWUPS)
def test_amends(earlier, text, expected, understood, catalog):
    workload = understood(text, earlier).workload
    wrong = {
        field: getattr(workload, field)
        for field, value in expected.items()
        if not same_value(getattr(workload, field), value, catalog.model_names)
    }
    assert not wrong


@pytest.mark.parametrize("text", [row[0] for row in REFUSED if row[1] == "conflict"])
def test_a_conflict_names_both_halves(text, understood):
    with pytest.raises(RequestError) as refusal:
        understood(text)
    first, second = refusal.value.words.split(" / ")
    assert f"`{first}`" in refusal.value.message
    assert f"`{second}`" in refusal.value.message
