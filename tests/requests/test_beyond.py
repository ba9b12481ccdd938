"""Answers beyond a pick, asked for in plain words and in slash form."""

import json

import pytest

from bot.answers.world import load_world
from bot.cards.blocks import message
from bot.cards.slack_limits import check_blocks
from bot.cards.terminal import render_terminal
from bot.cli.ask import reply_json
from bot.conversation.conversation import answer
from engine.core.workload import Workload

# (request, topic, words of the answer)
REQUESTS = [
    (
        "what would make inf2 the best for llama-3.1-8b?",
        "what_would",
        ["inf2.8xlarge costs as much"],
    ),
    ("what would make p5.48xlarge the pick", "what_would", ["p5.48xlarge", "today $55.04/h"]),
    ("at what price does inf2.8xlarge win for 8B", "what_would", ["costs as much"]),
    ("what would make g6e the best for 8B rps=20", "what_would", ["g6e.xlarge", "requests/s"]),
    (
        "what would make an H100 the best for llama-3.1-8b?",
        "what_would",
        ["p5.4xlarge wins below", "The pick is 1x g5.xlarge"],
    ),
    ("break-even price of inf2 vs g6 for 8B", "what_would", ["inf2.8xlarge costs as much"]),
    ("what would make graviton the pick for llama-3.1-8b", "what_would", ["no load between 1 and"]),
    ("cheapest at every load for llama-3.1-8b", "crossover", ["g6.xlarge", "users at once"]),
    ("crossover chart 8B", "crossover", ["1 to 1,000 users at once"]),
    ("crossover llama-3.1-8b rps=10", "crossover", ["0.1 to 1,000 requests/s"]),
    ("break even chart for llama-3.3-70b", "crossover", ["users at once"]),
    ("mixed fleet for 8B at 130 rps", "fleet", ["requests/s"]),
    (
        "cheapest mix of instance types for llama-3.1-8b with 200 users",
        "fleet",
        ["200 users ≈ 0.53 requests/s"],
    ),
    ("fleet llama-3.3-70b rps=30", "fleet", ["p5"]),
    ("metrics for llama-3.1-8b on g6.xlarge", "metrics", ["Utilisation, of full load", "MFU"]),
    ("the four metrics of llama-3.1-8b instance=g6.xlarge", "metrics", ["Throughput"]),
    (
        "bert 1000 req/min latency<200ms cost per inference",
        "metrics",
        ["m5.large", "g4dn.xlarge", "inf1.xlarge", "inf2.xlarge", "per 1M inferences"],
    ),
    ("cost per inference of a bert model at 1000 requests per minute", "metrics", ["inf1.xlarge"]),
    ("energy per 1M tokens for 70B", "energy", ["kWh for 1M tokens", "SRVC", "Location-based"]),
    ("how much CO2 does llama-3.1-8b emit in Stockholm?", "energy", ["eu-north-1", "Sweden"]),
    (
        "how much energy does a lora finetune of llama-3-8b on 50M tokens take",
        "energy",
        ["kWh for the job"],
    ),
    ("energy for llama-3.1-8b region=ca-central-1", "energy", ["No grid factor is known"]),
    ("greenest region for 8B", "energy", ["eu-north-1", "41 g"]),
    ("which region is greenest for llama-3.1-8b?", "energy", ["eu-north-1"]),
]


@pytest.mark.parametrize(("text", "topic", "words"), REQUESTS, ids=[row[0] for row in REQUESTS])
def test_the_request_reaches_its_answer(text, topic, words):
    reply = answer(text, load_world())
    assert reply.error is None
    assert reply.exit_code == 0
    assert reply.explanation is not None
    whole = f"{reply.view.title}\n{reply.text}"
    for word in words:
        assert word in whole, whole
    assert "Not understood" not in whole, whole
    assert reply.comparison is None or reply.comparison["kind"] in {
        topic,
        "cost_per_inference",
        "greenest_region",
    }
    json.dumps(reply_json(reply))
    assert check_blocks(message(reply.view)["blocks"]) == []
    assert render_terminal(reply.view, width=80)


WHY_NOT = [
    ("why not AMD for llama-3.1-8b?", "unsupported", "AMD GPU"),
    ("why not graviton for llama-3.1-8b?", None, "g5.xlarge"),
    ("why not g6 for llama-3.1-8b?", "may miss", "g5.xlarge does not"),
    ("why not trainium for llama-3.1-8b", None, "trn"),
    ("why not inf2 for llama-3.1-8b", None, "inf2.8xlarge"),
    ("why not g6 for llama-3.3-70b", None, "g6."),
    ("why not nvidia for llama-3.1-8b?", "picked", "is the pick"),
]


@pytest.mark.parametrize(("text", "verdict", "words"), WHY_NOT, ids=[row[0] for row in WHY_NOT])
def test_why_not_takes_vendors_families_and_types(text, verdict, words):
    reply = answer(text, load_world())
    found = reply.explanation
    assert found is not None, reply.text
    assert verdict is None or found.verdict == verdict
    assert words in found.text
    if "AMD" not in text:  # its types have no price in us-east-1
        assert any(number.limit is not None for number in found.numbers)


NOTHING_DOES = [
    ("energy sdxl-base-1.0 rps=2000 region=us-gov-west-1 spot instance=p5.48xlarge", "carries"),
    ("why not p5 for sdxl-base-1.0 rps=2000 region=us-gov-west-1 spot", "carries"),
]


@pytest.mark.parametrize(("text", "words"), NOTHING_DOES, ids=[row[0] for row in NOTHING_DOES])
def test_why_not_has_an_answer_where_nothing_meets_the_limits(text, words):
    reply = answer(text, load_world())
    assert reply.recommendation is not None
    assert reply.recommendation.picks == ()
    assert words in reply.text


def test_a_follow_up_asks_about_the_thread():
    first = answer("inference llama-3.1-8b rps=10 in Ohio", load_world())
    for text in ("why not graviton?", "what would make g5 the best?", "crossover chart"):
        reply = answer(text, load_world(), first.workload)
        assert reply.error is None, reply.text
        assert reply.workload.model == "llama-3.1-8b"
        assert reply.workload.region == "us-east-2"


@pytest.mark.parametrize(
    "text", ["crossover for training 7B on 1T tokens", "mixed fleet for a dev box"]
)
def test_what_needs_a_service_says_so(text):
    reply = answer(text, load_world())
    assert reply.error is not None
    assert "serves requests" in reply.text


def test_bert_costs_what_its_price_and_rate_say():
    """1,000 requests a minute for an hour are 60,000: price / 60,000 each."""
    reply = answer("bert 1000 req/min latency<200ms cost per inference", load_world())
    columns = reply.comparison["columns"]
    price, cost = columns.index("usd_per_hour"), columns.index("usd_per_million")
    rows = {row["name"]: row["values"] for row in reply.comparison["rows"]}
    for name in ("g4dn.xlarge", "inf1.xlarge", "inf2.xlarge"):
        values = rows[name]
        assert values[cost] == pytest.approx(1e6 * values[price] / 60_000)
        assert values[-1] == "meets"
    cheapest = min((v[cost], n) for n, v in rows.items() if v[-1] == "meets")
    assert cheapest[1] == reply.recommendation.picks[0].instance.instance_type


def test_a_computed_answer_keeps_the_thread():
    reply = answer("cheapest at every load for llama-3.1-8b", load_world())
    assert isinstance(reply.workload, Workload)
    assert reply.workload.model == "llama-3.1-8b"
