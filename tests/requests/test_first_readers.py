"""What people new to it said that was read wrongly or left out without a word, by kind."""

import pytest

from tests.requests.test_followups import START, thread_of

# (what is said, the tokens of the whole run)
TRAINING_DATA = [
    ("finetune llama-3-8b with 20k examples avg 800 tokens, 3 epochs", 48e6),
    ("finetune 7B on 5000 tickets of 2k tokens each", 10e6),
    ("finetune 7B, 50k rows, 512 tokens per row", 25.6e6),
    ("finetune 7B with 1,000 examples", 1e6),
    ("finetune 7B 5 epochs", 50e6),
    ("finetune 7B on 10M tokens for 3 epochs", 30e6),
    ("finetune 7B tokens_total=10M 2 epochs", 20e6),
    ("finetune 7B tokens_total=10M", 10e6),
    ("fine tune 7B on 2 GPUs, 12k conversations, 1500 tokens each", 18e6),
    ("train 7B on 300B tokens", 300e9),
]


@pytest.mark.parametrize(("text", "tokens"), TRAINING_DATA)
def test_the_data_of_a_run_is_counted_in_tokens(text, tokens):
    reply, thread = thread_of(text)
    assert thread.now.tokens_total == pytest.approx(tokens)
    assert not reply.view.not_understood


@pytest.mark.parametrize(
    "text", ["cheapest region for that?", "which region is cheapest?", "what's the cheapest region"]
)
def test_regions_are_compared_where_the_cheapest_is_asked_for(text):
    reply, thread = thread_of("inference llama-3.1-8b in Frankfurt", text)
    assert "eu-central-1 costs 25% more." in reply.view.lead
    assert reply.view.rows[0][3] == "$1.006/h"
    assert thread.now.region == "eu-central-1"


def test_the_cheapest_of_the_regions_named_is_told():
    reply, _ = thread_of("inference llama-3.1-8b cheapest region in europe")
    assert all(row[0].startswith("eu-") for row in reply.view.rows)


def test_a_region_that_gives_up_an_assumed_limit_is_not_cheaper():
    reply, _ = thread_of("7b for 2000 users at once", "which region is cheapest?")
    assert min(float(row[3].strip("$/h")) for row in reply.view.rows) > 10


def test_two_models_with_a_load_each_are_sized_for_their_own():
    reply, _ = thread_of("embeddings with bge-m3 at 300 docs/s and qwen 14b for answers at 5 rps")
    values = {row["name"]: row["values"] for row in reply.comparison["rows"]}
    assert values["qwen-14b"][0] == "2 × g7e.2xlarge"
    assert values["bge-m3"][0] == "3 × g4dn.xlarge"


DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 3
  template:
    spec:
      containers:
      - image: vllm/vllm-openai:latest
        args: ["--model","meta-llama/Llama-3.1-8B-Instruct","--max-model-len","16384"]
        resources:
          limits:
            nvidia.com/gpu: 1"""


def test_a_pasted_deployment_says_what_it_runs():
    reply, thread = thread_of(DEPLOYMENT)
    assert (thread.now.context, thread.now.nodes) == (16384, 3)
    assert thread.now.model.startswith("llama-3.1-8b")
    assert not reply.view.not_understood


# (what is said first, what then, the fields that come of it)
FOLLOWED = [
    (START, "what if traffic grows 5x", {"rps": 100}),
    (START, "traffic goes up to 3x", {"rps": 60}),
    (START, "make it HA", {"nodes": 2}),
    ("inference deepseek-r1", "the 32b one", {"model": "deepseek-r1-distill-qwen-32b"}),
    ("8b in Frankfurt", "30 gleichzeitige Nutzer", {"concurrency": 30}),
    (START, "for 50 Mitarbeiter", {"users": 50, "concurrency": None, "rps": None}),
    ("llama 70b for 100 users", "only 20 of them at once", {"concurrency": 20}),
    ("8b for 30 users at once", "doppelt so viele", {"concurrency": 60}),
    ("8b, 8 streams", "2x the streams", {"concurrency": 16}),
    ("8b only graviton", "ok no cpu", {"allow": None, "exclude": ("cpu",)}),
    ("8b on inf2", "ok then gpu", {"allow": ("gpu",)}),
    ("qwen2.5-7b tp=2", "without tp", {"tensor_parallel": None}),
    ("8b, 1000 req", "I meant per second", {"rps": 1000, "concurrency": None}),
    ("8b under $100", "I meant per month", {"budget_usd_per_month": 100}),
    ("8b under $500", "no, I meant a day", {"budget_usd_per_hour": 500 / 24}),
    ("70b at 20 tok/s", "per user", {"latency_ms": 50, "avg_tokens_per_s": None}),
    ("llama 3 8b vs 70b for 100 users", "take the smaller one", {"model": "llama-3-8b"}),
    ("llama 3 8b vs 70b for 100 users", "the bigger one", {"model": "llama-3-70b"}),
    ("compare llama-3.1-8b and qwen2.5-7b", "the second one", {"model": "qwen2.5-7b"}),
    ("8b in Frankfurt", "us only", {"region": None}),
    (START, "can it handle 60?", {"concurrency": 60, "rps": None}),
    (START, "give me a second replica in another AZ", {"nodes": 2}),
    (START, "faster pls", {"objective": "performance"}),
    (START, "cheapest per million tokens", {"objective": "value"}),
]


@pytest.mark.parametrize(("first", "text", "fields"), FOLLOWED)
def test_what_follows_is_understood(first, text, fields):
    reply, thread = thread_of(first, text)
    assert reply.error is None, reply.text
    assert {name: getattr(thread.now, name) for name in fields} == fields


# (what is said first, the fields that come of it)
FIRST = [
    ("llama 70b, whole answer 20 s", {"latency_ms": 20000, "latency_kind": "e2e"}),
    ("llama 70b, answers in 3 seconds", {"latency_ms": 3000, "output_tokens": None}),
    ("llama 70b, answers of 300 tokens", {"output_tokens": 300}),
    ("8b, 5000 Kunden am Tag", {"rps": pytest.approx(50000 / 86400), "concurrency": None}),
    (
        "hi, what do i need for a chatgpt like thing for my team of 15",
        {"users": 15},
    ),
    ("embed 50M docs with bge-large within 24 hours", {"items": 5e7, "deadline_h": 24}),
    ("we run 8b on 2x g5.2xlarge, can we do better?", {"instance": None, "nodes": None}),
    ("8b on g5.2xlarge", {"instance": "g5.2xlarge"}),
    ("train 1.3B on 26B tokens, must finish in a week", {"deadline_h": 168}),
    ("8b, 100 requests in an hour", {"deadline_h": None, "rps": pytest.approx(100 / 3600)}),
    ("we serve three loras on one llama 3 8b", {"task": "inference", "method": None}),
    ("finetune llama 3 8b with lora, then serve it", {"task": "finetune", "method": "lora"}),
    ("model: 8b\nnvidia.com/gpu: 4", {"tensor_parallel": 4}),
    ("currently 8b on g5.2xlarge, too slow. what else?", {"objective": "performance"}),
]


@pytest.mark.parametrize(("text", "fields"), FIRST)
def test_the_first_words_are_understood(text, fields):
    reply, thread = thread_of(text)
    assert reply.error is None, reply.text
    assert {name: getattr(thread.now, name) for name in fields} == fields


def test_what_runs_it_today_is_held_against_the_pick():
    reply, _ = thread_of("we run 8b on g5.2xlarge today, can we do better?")
    assert reply.explanation.text.startswith(
        "Yes, your g5.2xlarge does it: needs 16.3 of 19.9 GiB."
    )
    assert reply.view.head.instance_type == "g5.xlarge"


def test_a_heap_of_work_without_a_time_is_a_job_done_by_tomorrow():
    reply, _ = thread_of("embedding 50M docs once with bge-large")
    assert "in total" in reply.view.head.headline
    assert any("done within 24 h" in one.value for one in reply.view.assumed)
    assert any(line.startswith("machines share the items") for line in reply.view.head.why)


# (what is asked, words of a true answer)
ASKED = [
    ("at which point do we need a second box", "carries up to"),
    ("whats the catch", "to mind with 3 × g6e.xlarge"),
    ("ok send me a summary", "As one line: /ec2-pick "),
    ("how many machines is that?", "The pick is 3 × g6e.xlarge"),
    ("whats that per user per month", "say how many there are"),
    ("how do i deploy that?", "eksctl"),
    ("how many users", "carries up to"),
    ("3 of them", "What 9 × g6e.xlarge costs"),
    ("total cost?", "What 3 × g6e.xlarge costs"),
    ("geht das auch billiger?", "Cheaper than 3 × g6e.xlarge"),
]


@pytest.mark.parametrize(("text", "words"), ASKED)
def test_what_is_asked_is_answered(text, words):
    reply, _ = thread_of(START, text)
    assert words in reply.text


def test_a_bill_can_be_told_per_head():
    reply, _ = thread_of("7b for 2000 users at once", "what is that per user per month?")
    assert "$8.593 a month for each of the 2,000 who use it at once." in reply.view.notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("finetune mistral-small-24b qlora on 3 GB of text", "3 GB of text"),
        ("train 7B on 2TB of data", "2TB of data"),
    ],
)
def test_bytes_of_text_are_no_tokens_and_are_not_passed_over(text, words):
    reply, _ = thread_of(text)
    assert reply.unread == (words,)
    assert any(words in note and "tokens_total" in note for note in reply.notes)
