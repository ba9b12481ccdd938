"""What cannot be meant is refused with what can; what changes no answer is said to be unused."""

import pytest

from bot.core.errors import RequestError
from bot.language.fields.keys import KEYS, UNUSED


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("inference 7B 70B", "conflict", "params_b"),
        ("params=7B params=13B", "conflict", "params_b"),
        ("7B in Frankfurt in Ohio", "conflict", "region"),
        ("7B only g5 only inf2", "conflict", "allow"),
        ("7B nvidia only, trainium only", "conflict", "allow"),
        ("7B minus 3 requests per second", "invalid_value", "rps"),
        ("7B 0 users", "invalid_value", "users"),
        ("7B context 0", "invalid_value", "context"),
        ("7B 300 g6.xlarge", "invalid_value", "nodes"),
    ],
)
def test_is_refused_with_what_is_accepted(text, code, field, understood):
    with pytest.raises(RequestError) as refusal:
        understood(text)
    assert (refusal.value.code, refusal.value.field) == (code, field)
    assert refusal.value.example


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7B vs 13B", {"params_b": 7}),
        ("7B only g5 or inf2", {"allow": ("g5", "inf2")}),
        ("7B 50000 concurrent users", {"concurrency": 50000}),
        ("7B concurrency=50000", {"concurrency": 50000}),
        ("7B min=2", {"nodes": 2}),
        ("7B seq=2048", {"context": 2048, "seq_len": None}),
        ("finetune 7B seq=2048", {"seq_len": 2048}),
    ],
)
def test_what_is_near_a_refusal_is_read(text, said, understood):
    workload = understood(text).workload
    assert {name: getattr(workload, name) for name in said} == said


def test_a_size_that_is_not_the_models_is_said(understood):
    assert "other_size" in understood("llama-3.1-8b 70B on g5").codes
    assert "other_size" not in understood("deepseek v3 671b").codes


@pytest.mark.parametrize("name", [name for name, (_, kind) in KEYS.items() if kind == "detail"])
def test_a_field_that_changes_no_answer_says_so(name, understood):
    understanding = understood(f"7B {name}=3")
    assert f"unused_{KEYS[name][0]}" in understanding.codes
    assert understanding.not_understood == ()


def test_every_unused_field_has_its_advice():
    assert UNUSED.keys() == {field for field, kind in KEYS.values() if kind == "detail"}


@pytest.mark.parametrize(
    "text",
    [
        "a postgres database server with 256 GB of RAM",
        "a CI build box for C++ compiles, 64 cores",
        "render farm: Blender on GPU, 500 frames",
        "GROMACS molecular dynamics on GPU",
        "YOLOv8x on 200 camera streams",
        "TTS: 2 million sentences with XTTS v2",
        "host a minecraft server for 20 players",
        "eine Datenbank mit 64 GB",
    ],
)
def test_another_trade_is_refused_with_what_is_sized(text, understood):
    with pytest.raises(RequestError) as refusal:
        understood(text)
    assert refusal.value.code == "not_understood"
    assert "what is sized here" in refusal.value.message
    assert understood(refusal.value.example).workload.params_b


@pytest.mark.parametrize(
    "text",
    [
        "llama-3.1-8b behind an nginx web server",
        "7B beside a postgres database",
        "RAG over our postgres database",
        "chatbot for our web shop",
        "an LLM for 50 users of our website",
    ],
)
def test_a_trade_beside_a_model_is_only_told(text, understood):
    assert understood(text).intent == "pick"


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("train llama-3.1-405b on u-p6e-gb200x72", "$761.904/h"),
        ("capacity block u-p6e-gb200x72 in us-east-1-dfw-2a", "$761.904/h"),
        ("was kostet U-P6E-GB200x36?", "$380.952/h"),
    ],
)
def test_an_ultraserver_is_told_with_its_zone_and_price(text, price, understood):
    with pytest.raises(RequestError) as refusal:
        understood(text)
    assert price in str(refusal.value)
    assert "us-east-1-dfw-2a" in str(refusal.value)
