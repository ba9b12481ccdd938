"""A number belongs to one thing: fields beside types, in any order, with and without `=`."""

import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.core.errors import RequestError
from bot.language.parse import parse
from catalog.load import load_catalog

CATALOG = load_catalog()
TYPES = sorted(CATALOG.instances)
TABLE = Path(__file__).parents[2] / "docs" / "asking.md"
ROW = re.compile(r"\| (?P<field>`\w+`) \| (?P<also>[^|]*)\| `(?P<example>[^|]+)` \|", re.MULTILINE)
VALUE = re.compile(r"(?P<key>[a-z_/]+?)(?:_p\d\d)?(?P<sign>[=<>])(?P<value>\S+)")


def documented_names():
    """Yield each documented name of a field, with the rest of its example, a sign and a value."""
    for row in ROW.finditer(TABLE.read_text(encoding="utf-8")):
        field = row["field"].strip("`")
        names = [field, *re.findall(r"`([^`]+)`", row["also"])]
        for word in row["example"].split():
            said = VALUE.fullmatch(word)
            if said and said["key"].replace("tok_s", "tok/s") in names:
                rest = row["example"].replace(word, "").strip() or "inference"
                yield from ((field, rest, name, said["sign"], said["value"]) for name in names)


NAMES = list(documented_names())


def read(text):
    """Return the workload of a text; a type that a field rules out teaches nothing here."""
    try:
        return parse(text, CATALOG, own_prices=True).workload
    except RequestError as refusal:
        assume(refusal.code != "conflict")
        raise


def test_every_field_of_the_table_is_tried():
    rows = ROW.findall(TABLE.read_text(encoding="utf-8"))
    assert {field.strip("`") for field, _, _ in rows} == {field for field, *_ in NAMES}
    assert len(rows) > 40


@settings(max_examples=250, deadline=None)
@given(
    st.sampled_from([one for one in NAMES if one[0] != "instance"]),
    st.sampled_from(TYPES),
    st.booleans(),
    st.booleans(),
)
def test_a_value_is_its_fields_beside_any_type(named, instance, signed, type_first):
    field, rest, name, sign, value = named
    alone = read(f"{rest} {name}{sign}{value}")
    said = f"{name}{sign if signed else ' '}{value}"
    both = (instance, said) if type_first else (said, instance)
    workload = read(" ".join((rest, *both)))
    assert getattr(workload, field) == getattr(alone, field)
    assert getattr(alone, field) is not None
    assert workload.instance == instance
    if field != "nodes":
        assert workload.nodes is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7B users 200", {"users": 200}),
        ("7B 10 users 2000 prompt tokens", {"users": 10, "input_tokens": 2000}),
        ("llama 3 8b users 200 context 4096", {"users": 200, "context": 4096}),
        ("7B max-model-len 1024", {"context": 1024}),
        ("gemma-3-4b context 4096", {"model": "gemma-3-4b", "context": 4096}),
        ("7B prompt 500 ms", {"input_tokens": None}),
        ("7B output 50 tokens/s", {"output_tokens": None}),
        ("7B one 32k conversation", {"context": 32768, "concurrency": None}),
        ("7B a single 100k prompt", {"input_tokens": 102400, "concurrency": None}),
        ("7B each document 4k tokens", {"input_tokens": 4096}),
        ("finetune 7B, each sample 2k tokens", {"seq_len": 2048}),
        ("7B replicas 3 g5.xlarge", {"nodes": 3, "instance": "g5.xlarge"}),
        ("7B on 4 g5.xlarge", {"nodes": 4}),
        ("7B on 300 x g5.xlarge", {"nodes": 300}),
    ],
)
def test_a_number_goes_to_the_word_beside_it(text, said):
    workload = read(text)
    assert {name: getattr(workload, name) for name in said} == said


# What each says with its number first, with it last, and the value.
BOTH_ORDERS = {
    "users": ("12 users", "users 12", 12),
    "concurrency": ("12 concurrent", "concurrency 12", 12),
    "context": ("6000 context", "context 6000", 6000),
    "input_tokens": ("700 input", "input 700", 700),
    "output_tokens": ("90 output", "output 90", 90),
    "rps": ("7 rps", "rps 7", 7),
    "nodes": ("3 replicas", "replicas 3", 3),
    "gpu_count": ("4 gpus", "gpus 4", 4),
    "gpu_memory_gb": ("48 gb vram", "vram 48", 48),
    "latency_ms": ("300ms latency", "latency 300ms", 300),
    "budget_usd_per_hour": ("$5 budget", "budget $5", 5),
    "tensor_parallel": ("tp=2", "tp 2", 2),
}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(BOTH_ORDERS)), min_size=2, max_size=4, unique=True),
    st.sampled_from([0, 1]),
    st.sampled_from([" ", ", "]),
)
def test_numbers_first_or_last_are_told_apart(fields, order, between):
    workload = read("inference 7B " + between.join(BOTH_ORDERS[one][order] for one in fields))
    said = {name: getattr(workload, name) for name in BOTH_ORDERS}
    assert said == {name: BOTH_ORDERS[name][2] if name in fields else None for name in BOTH_ORDERS}


def test_a_number_of_machines_that_nobody_named_is_asked_back():
    with pytest.raises(RequestError) as refusal:
        parse("7B 300 g6.xlarge", CATALOG)
    assert (refusal.value.code, refusal.value.field) == ("invalid_value", "nodes")
    assert "nodes=300" in refusal.value.suggestions
