"""The small parts the parser stands on: characters, numbers, phrases, the lexicon."""

import math

import pytest

from bot.language.text.numbers import number, number_words
from bot.language.text.phrases import hits, phrase_index
from bot.language.text.plain import Reader, normalised
from bot.language.text.tables import lexicon, stopwords
from bot.language.text.vocabulary import mended, vocabulary_of
from engine.core.workload import Workload


@pytest.mark.parametrize(
    ("digits", "scale", "value"),
    [
        ("7", "", 7),
        ("7,000", "m", 7e9),
        ("7_000", "", 7000),
        ("2.5", "k", 2500),
        ("0,5", "", 0.5),
        ("1e9", "", 1e9),
        ("10^24", "", 1e24),
        ("10**24", "", 1e24),
        ("7*10^9", "", 7e9),
        (".5", "", 0.5),
        ("2", " thousand", 2000),
        ("10^999", "", math.inf),
    ],
)
def test_number(digits, scale, value):
    assert number(digits, scale) == value


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("one thousand calls", ["1000"]),
        ("half a million", ["0.5"]),
        ("a dozen", ["12"]),
        ("half a dozen", ["6"]),
        ("two hundred and fifty", ["250"]),
        ("twenty-five", ["25"]),
        ("seven billion", ["7"]),
        ("a couple of hundred", ["200"]),
        ("a couple of users", ["2"]),
        ("one point five", ["1.5"]),
        ("ten thousand", ["10000"]),
        ("10 thousand", []),
        ("a dollar", ["1"]),
        ("a second", []),
        ("half a second", ["0.5"]),
        ("someone often", []),
        ("four or two", ["4", "2"]),
    ],
)
def test_number_words(text, digits):
    assert [found for _, _, found in number_words(text)] == digits


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("latency&lt;100ms &amp; spot", "latency<100ms & spot"),
        ("&amp;lt;", "&lt;"),
        ("a\u2013b \u2264 c\u00a0d", "a-b <= c d"),
        ("<http://x.io|x.io> <mailto:a@b.c|a@b.c>", "x.io a@b.c"),
        ("https://huggingface.co/org/model", "org/model"),
        ("  /ec2-pick   inference\t7B ", "inference 7B"),
        ("<@U0123ABC> inference 7B", "inference 7B"),
        ("10\u00b2\u2074 parameters", "10^24 parameters"),
        ("one\r\ntwo", "one\n\ntwo"),
    ],
)
def test_normalised(text, plain):
    assert normalised(text) == plain


def test_a_reader_maps_rewritten_text_back():
    reader = Reader("Seven billion, İstanbul")
    reader.rewrite(number_words("seven billion, İstanbul"))
    assert reader.work == "7 billion, İstanbul"
    assert reader.words(0, 9) == "Seven billion"
    assert reader.words(11, len(reader.work)) == "İstanbul"


def test_the_longest_phrase_wins():
    index = phrase_index([("x", 1, "spot"), ("x", 2, "spot instance")])
    (hit,) = hits("spot-instance", index)
    assert hit.meanings[0].value == 2


def test_every_lexicon_row_is_a_field_or_a_known_signal():
    signals = {
        "group", "follow", "recommend", "first_token", "double", "triple", "halve", "all_sizes",
        "no_quant", "quantised", "how_much", "filler", "commitment",
    }  # fmt: skip
    fields = set(Workload.__dataclass_fields__)
    for name, _, phrases in (*lexicon(), *lexicon(unspaced=True)):
        assert name in fields | signals or name.startswith(("intent:", "topic:", "detail:"))
        assert all(phrase.strip() for phrase in phrases.split(";"))


def test_no_stopword_is_a_model_family(catalog):
    everyday = {"all", "text", "flash", "command", "code", "stable"}
    assert not (stopwords() & vocabulary_of(catalog).models.stems) - everyday


def test_importing_the_parser_stays_light():
    import subprocess
    import sys

    heavy = "pydantic rich rapidfuzz jinja2 boto3 slack_bolt slack_sdk"
    check = (
        f"import sys, bot.language.parse; print([m for m in '{heavy}'.split() if m in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("word", "repaired"),
    [
        ("infrence", "inference"),
        ("finetunning", "finetuning"),
        ("frnkfurt", "frankfurt"),
        ("troughput", "throughput"),
        ("cheepest", "cheapest"),
        ("trailing", None),
        ("assignment", None),
        ("gamma", None),
        ("negative", None),
        ("optimizer", None),
    ],
)
def test_only_slips_are_mended(word, repaired, catalog):
    found = mended(word, vocabulary_of(catalog))
    assert [replacement for _, _, replacement in found] == ([repaired] if repaired else [])
