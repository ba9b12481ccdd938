"""What is left out, and what only looks so: every negator with every kind of thing."""

import pytest

from bot.core.errors import RequestError
from bot.language.draft import Draft
from bot.language.parse import parse
from bot.language.polarity import TABLE, UNSPACED, read_polarity
from bot.language.text.plain import Reader
from bot.language.text.units import spaced
from bot.language.text.vocabulary import vocabulary_of

# One of each kind, and another of the same kind.
KINDS = {
    "family": ("p5", "g5"),
    "type": ("p4d.24xlarge", "g5.xlarge"),
    "chip": ("H100", "A100"),
    "maker": ("nvidia", "AMD"),
    "silicon": ("trainium", "inferentia"),
    "architecture": ("graviton", "x86"),
    "region": ("us-east-1", "eu-west-1"),
    "place": ("Frankfurt", "Ohio"),
    "market": ("spot", "reserved"),
    "format": ("fp8", "int8"),
    "framework": ("vllm", "sglang"),
}
JOINED = {"en": " or ", "de": " oder ", "fr": " ou ", "es": " o ", "zh": "或"}
NEGATORS = [
    (side, language, phrase)
    for section in ("against", "unclear")
    for side, language, phrases in TABLE[section]
    for phrase in phrases.replace("\n", " ").split("; ")
]


def mentions(text, catalog):
    reader = Reader(spaced(text))
    reader.rewrite([])
    draft = Draft(reader)
    read_polarity(draft, vocabulary_of(catalog))
    return draft.mentions


def sentence(side, language, phrase, things):
    listed = JOINED[language].join(things)
    apart = "" if language == UNSPACED else " "
    return f"8b, {phrase}{apart}{listed}" if side == "before" else f"8b, {listed}{apart}{phrase}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_negator_leaves_out_every_kind_alone_and_in_a_list(kind, catalog):
    wrong = []
    for side, language, phrase in NEGATORS:
        for things in (KINDS[kind][:1], KINDS[kind]):
            text = sentence(side, language, phrase, things)
            found = mentions(text, catalog)
            if not found or not all(one.left_out for one in found):
                wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_only_looks_like_a_negator_leaves_nothing_out(kind, catalog):
    voids = [("before", language, p) for _, language, row in TABLE["void"] for p in row.split("; ")]
    texts = [sentence(*void, KINDS[kind][:1]) for void in voids]
    assert [t for t in texts if any(one.left_out for one in mentions(t, catalog))] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words", ["no {}", "{} is sold out", "anything but {}", "kein {}", "{}太贵"]
)
def test_what_is_left_out_is_excluded_and_shown_and_never_asked_for(kind, words, catalog):
    thing = KINDS[kind][0]
    found = parse(f"inference 8b, {words.format(thing)}", catalog)
    said = found.workload
    assert said.without == (thing,)
    assert (said.allow, said.gpu, said.instance, said.region) == (None, None, None, None)
    assert said.exclude or {f"not_{name}" for name in ("market", "quant", "framework")} & {
        *found.details
    }


@pytest.mark.parametrize(
    ("text", "excluded", "kept"),
    [
        ("8b, no H100 or A100", {"H100-80", "A100-40", "A100-80"}, {}),
        ("8b on g6, neither p4d nor p5", {"p4d", "p5"}, {"allow": ("g6",)}),
        ("8b, p4d and p5 are too expensive", {"p4d", "p5"}, {}),
        ("8b on g5 instead of p4d", {"p4d"}, {"allow": ("g5",)}),
        ("8b on g5, p5 is sold out", {"p5"}, {"allow": ("g5",)}),
        ("8b, not p4d but g5", {"p4d"}, {"allow": ("g5",)}),
        ("8b, no A100, use g5", {"A100-40", "A100-80"}, {"allow": ("g5",)}),
        ("8b without nvidia in us-east-1", {"nvidia"}, {"region": "us-east-1"}),
        ("8b, no gpu or trainium", {"trainium"}, {"allow": ("cpu",)}),
        ("8b, weder p4d noch p5", {"p4d", "p5"}, {}),
        ("8b sans H100 ni p5", {"H100-80", "p5"}, {}),
        ("8b, nada de g5 ni g6", {"g5", "g6"}, {}),
        ("8b 除了H100和g5以外", {"H100-80", "g5"}, {}),
        ("8b, we have no quota for p5 and p4d", {"p5", "p4d"}, {}),
        ("8b without=H100,us-east-1", {"H100-80", "us-east-1"}, {}),
        ("8b only H100 or H200", set(), {"allow": ("H100-80", "H200-141")}),
        ("8b only g5.xlarge", set(), {"allow": ("g5.xlarge",)}),
        ("8b, is the H100 sold out?", set(), {}),
        ("why no H100 for 8b?", set(), {}),
        ("8b, InsufficientInstanceCapacity when launching p5.48xlarge", {"p5.48xlarge"}, {}),
        ("8b, we do not have sufficient p5.48xlarge capacity", {"p5.48xlarge"}, {}),
        ("8b, we can't touch quota for P instances", {"p"}, {"allow": None}),
        ("8b, data may not leave India", set(), {"region": "ap-south-1"}),
        ("8b, must not leave us-east-2, no p5", {"p5"}, {"region": "us-east-2"}),
        ("8b, we do not want to leave Ohio", set(), {"region": "us-east-2"}),
        ("8b, die Daten dürfen Deutschland nicht verlassen", set(), {"region": "eu-central-1"}),
        ("8b, les données ne doivent pas quitter la France", set(), {"region": "eu-west-3"}),
        ("8b, los datos no pueden salir de España", set(), {"region": "eu-south-2"}),
        ("8b, leave India out", {"ap-south-1"}, {"region": None}),
        ("8b on only 2 g5.xlarge", set(), {"instance": "g5.xlarge"}),
    ],
)
def test_the_reach_of_a_negator(text, excluded, kept, catalog):
    said = parse(text, catalog).workload
    assert set(said.exclude or ()) == excluded
    assert {name: getattr(said, name) for name in kept} == kept


@pytest.mark.parametrize("text", ["8b on p5.48xlarge but no H100", "8b H100 but no H100"])
def test_what_is_asked_for_and_left_out_is_a_contradiction(text, catalog):
    with pytest.raises(RequestError) as refusal:
        parse(text, catalog)
    assert refusal.value.code == "conflict"


def test_of_an_unclear_word_both_readings_are_offered(catalog):
    found = parse("8b, H100 is expensive", catalog)
    assert found.workload.exclude == ("H100-80",)
    assert [reading.of(found.workload).exclude for reading in found.readings] == [None]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["8b on p5", "drop p5"], {"allow": None, "exclude": ("p5",)}),
        (["8b no p5", "on p5"], {"allow": ("p5",), "exclude": None, "without": None}),
        (["8b on H100", "forget the H100 requirement"], {"gpu": None, "exclude": None}),
        (["8b on g5.xlarge", "get rid of the g5.xlarge"], {"instance": None}),
        (["8b on spot", "remove spot"], {"market": None, "without": None}),
        (["8b no p5", "and no g5"], {"exclude": ("p5", "g5"), "without": ("p5", "g5")}),
        (["8b in us-east-1", "not in us-east-1"], {"region": None, "exclude": ("us-east-1",)}),
    ],
)
def test_in_a_thread_what_is_left_out_is_no_wish_any_more(turns, expected, understood):
    said = understood(turns[-1], turns[:-1]).workload
    assert {name: getattr(said, name) for name in expected} == expected
