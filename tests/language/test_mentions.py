"""Every word that was read is a mention: where it stands, what it is, whether it is wanted."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.understand import understand
from bot.language.parse import parse
from catalog.load import load_catalog

CATALOG = load_catalog()
# text, words, kind, value, polarity
READ = [
    ("inference 7B latency<100ms", "7B", "params_b", 7.0, "for"),
    ("inference 7B latency<100ms", "latency<100ms", "latency_ms", 100.0, "for"),
    ("llama-3.1-8b in Frankfurt", "Frankfurt", "region", "eu-central-1", "for"),
    ("llama-3.1-8b without inf2", "inf2", "exclude", "inf2", "against"),
    ("finetune llama-3.1-8b, not LoRA", "LoRA", "method", "lora", "against"),
    ("llama-3.1-8b: what breaks first?", "what breaks first", "question", "growth", "for"),
]


@pytest.mark.parametrize(("text", "words", "kind", "value", "polarity"), READ)
def test_what_is_read_is_mentioned(text, words, kind, value, polarity):
    found = [one for one in parse(text, CATALOG).mentions if one.kind == kind]
    assert [(one.value, one.polarity) for one in found] == [(value, polarity)]
    assert words in found[0].text


def test_no_two_values_stand_on_the_same_words():
    for text, *_ in READ:
        values = [one for one in parse(text, CATALOG).mentions if one.kind != "question"]
        spans = sorted((one.start, one.end) for one in values)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


WORDS = st.sampled_from(
    ["7B", "fp8", "20 users", "in Frankfurt", "without inf2", "latency<100ms", "g5.xlarge", "hm"]
)


@given(st.lists(WORDS, min_size=1, max_size=5, unique=True))
def test_a_mention_points_at_its_own_words(chosen):
    found = parse("llama " + " ".join(chosen), CATALOG)
    for one in found.mentions:
        assert found.text[one.start : one.end] == one.text


def test_the_reading_is_told_word_by_word(capsys):
    assert understand(["--explain", "llama-3.1-8b without inf2 \x1b[31mblubber"]) == 0
    told = capsys.readouterr().out
    assert "left out: exclude inf2" in told
    assert "blubber" in told
    assert "\x1b" not in told
