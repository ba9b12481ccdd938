"""Words that mean several things: the reading taken, and the others that are offered."""

import json

import pytest

from bot.language.parse import parse
from bot.slack.talk.clicks import words_of_click

# (what is said, what it is read as, what else it may mean in the order offered)
AMBIGUOUS = [
    ("inference 7B 100 requests", {"concurrency": 100}, ["a second", "a day"]),
    ("7B, 1,000 reqs", {"concurrency": 1000}, ["a second", "a day"]),
    ("7B 100 Anfragen", {"concurrency": 100}, ["a second", "a day"]),
    ("inference 7B 864k requests", {"rps": 10}, ["an hour", "a second"]),
    ("serve 8b to 200 employees", {"users": 200}, ["200 users at once"]),
    ("8b 5000 users per day", {"rps": 50000 / 86400}, ["500 users at once", "5,000 users"]),
    ("8b for 8640 daily users", {"rps": 1}, ["860 users at once", "8,600 users"]),
    ("8b, 300k MAU", {"rps": 3e6 / 2.628e6}, ["990 users at once"]),
    ("70b at 20 tok/s", {"avg_tokens_per_s": 20}, ["20 tokens/s per user"]),
    ("7b 500 tokens", {"input_tokens": None}, ["prompts of 500", "answers of 500"]),
    ("inference 7B tokens=3000k", {"tokens_per_day": None}, ["3,000,000 tokens a day"]),
    ("inference 7B latency<20", {"latency_ms": 20}, ["20 s"]),
    ("inference 7B under $100", {"budget_usd_per_hour": 100}, ["$100 a month", "$100 a day"]),
    ("8b under $900", {"budget_usd_per_month": 900}, ["$900 a day"]),
    ("8b, budget 50000", {"budget_usd_per_month": 50000}, ["$50,000 a year"]),
    ("finetune 8b under $50", {"budget_usd_total": 50}, ["$50 an hour"]),
    ("train 7B", {"task": "train"}, ["fine-tuning"]),
    ("train mistral-7b on our tickets", {"task": "finetune"}, ["pre-training from scratch"]),
    ("trainiere mistral-7b mit unseren Daten", {"task": "finetune"}, ["pre-training"]),
    ("inference llama", {"model": "llama-3.1-8b"}, ["llama-3.3-70b", "llama-3.1-405b"]),
    ("model=llama", {"model": "llama-3.1-8b"}, ["llama-3.3-70b", "llama-3.1-405b"]),
    ("gemma 2", {"model": "gemma-2-9b"}, ["gemma-2-27b", "gemma-2-2b"]),
    ("serve mixtral", {"model": "mixtral"}, ["mixtral-8x22b"]),
    ("deepseek inference", {"model": "deepseek-v3"}, ["deepseek-r1-distill-llama-70b"]),
    ("8b in us-east", {"region": "us-east-1"}, ["us-east-2 (Ohio)"]),
    ("8b in Japan", {"region": "ap-northeast-1"}, ["ap-northeast-3 (Osaka)"]),
    ("8b context 32", {"context": 32768}, ["32 tokens context"]),
    ("8b context=32", {"context": 32}, ["32k context"]),
    ("8b on a100", {"gpu": "A100-80"}, ["A100-40"]),
    ("8b quantised", {"quant": "int4"}, ["int8 weights"]),
]

PLAIN = [
    "8b in europe",
    "8b in the US",
    "8b in london or frankfurt",
    "inference 7B latency<100ms",
    "inference llama-3.1-8b 20 rps latency<500ms",
    "inference llama-3.1-8b concurrency=100",
    "serve 8b for 100 users at once",
    "8b, 100 concurrent users",
    "8b for 5 users",
    "8b, 100k requests a day",
    "8b, 100k requests daily",
    "8b, 2 requests per second",
    "8b 20 tokens/s per user",
    "8b 5000 tok/s",
    "8b 50 tok/s in total",
    "8b 2M tokens/day",
    "8b 500 token prompts",
    "8b latency<250",
    "8b under $5",
    "8b under $100 a month",
    "8b under $100/h",
    "train 7B tokens_total=1T",
    "pretrain 7B on our data",
    "train 7B from scratch",
    "finetune llama-3.1-8b on our tickets",
    "llama 70b",
    "llama-3.1-8b in Frankfurt",
    "8b in us-east-1",
    "give us an 8b",
    "bge-large context 128",
    "8b context 4096",
    "8b context 200 tokens",
    "8b on A100-80",
    "8b int8",
    "cost of 1000 requests on llama-3.1-8b",
    "what does llama-3.1-8b cost per 1000 requests?",
    "batch inference 8b, 10000 prompts",
    "whisper large v3",
]


@pytest.mark.parametrize(("text", "read", "others"), AMBIGUOUS)
def test_what_else_it_may_mean_is_offered(understood, text, read, others):
    found = understood(text)
    said = {name: getattr(found.workload, name) for name in read}
    assert said == pytest.approx(read)
    phrases = [reading.phrase for reading in found.readings]
    assert len(phrases) == len(others), phrases
    assert all(wanted in phrase for phrase, wanted in zip(phrases, others, strict=True)), phrases


@pytest.mark.parametrize("text", PLAIN)
def test_plain_words_offer_nothing(understood, text):
    assert understood(text).readings == ()


@pytest.mark.parametrize("text", [text for text, _, _ in AMBIGUOUS])
def test_a_reading_typed_or_clicked_is_the_one_offered(understood, catalog, text):
    found = understood(text)
    for reading in found.readings:
        meant = reading.of(found.workload)
        for words in (f"I meant {reading.phrase}", clicked(reading)):
            again = parse(words, catalog, found.workload)
            assert again.workload == meant, words
            assert not again.not_understood, words


def clicked(reading):
    """Return what a click on the reading's button says."""
    value = json.dumps(dict(reading.change))
    return words_of_click({"actions": [{"action_id": "pick.choice.0", "value": value}]})


def test_several_ambiguous_words_take_turns(understood):
    found = understood("inference llama under $100, 500 requests")
    first = [reading.phrase for reading in found.readings[:3]]
    assert first == ["llama-3.3-70b", "$100 a month", "500 requests a second"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("8b 24/7", {"input_tokens": None, "output_tokens": None}),
        ("8b 24x7 in Ohio", {"input_tokens": None, "region": "us-east-2"}),
        ("8b, 1M requests daily", {"rps": 1e6 / 86400}),
        ("8b, 1M daily requests", {"rps": 1e6 / 86400}),
        ("llama 70b, 128k", {"context": 131072}),
        ("8b 16k", {"context": 16384}),
        ("8b latency<2", {"latency_ms": 2000}),
        ("8b ttft<0.5", {"latency_ms": 500, "latency_kind": "ttft"}),
        ("8b tpot<20", {"latency_ms": 20, "latency_kind": "per_token"}),
    ],
)
def test_words_that_have_one_sensible_reading(understood, text, read):
    found = understood(text)
    assert {name: getattr(found.workload, name) for name in read} == pytest.approx(read)
    assert not found.not_understood


@pytest.mark.parametrize(
    ("first", "then", "gone"),
    [
        ("8b 20 rps", "100 users at once", "rps"),
        ("8b 100 users at once", "20 rps", "concurrency"),
        ("8b 20 rps", "2M tokens/day", "rps"),
        ("8b under $5/h", "under $900 a month", "budget_usd_total"),
        ("finetune 8b budget $50 total", "under $5/h", "budget_usd_total"),
    ],
)
def test_a_load_or_budget_in_other_terms_replaces_the_earlier_one(understood, first, then, gone):
    assert getattr(understood(then, earlier=(first,)).workload, gone) is None
