"""docs/asking.md and docs/slack.md: every field and phrase of their tables is understood so."""

import re
from functools import cache
from pathlib import Path

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread
from bot.language.fields.keys import KEYS
from bot.language.parse import parse

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ASKING = (ROOT / "docs" / "asking.md").read_text(encoding="utf-8")
SLACK = (ROOT / "docs" / "slack.md").read_text(encoding="utf-8")

FIELDS = re.findall(r"^\| `(\w+)` \| ([^|]*)\| `([^`]+)` \|", ASKING, re.MULTILINE)


def test_every_field_has_its_row():
    known = {field for field, kind in KEYS.values() if field and kind != "detail"}
    known |= {"without", "owned"}  # read as words are: the words of polarity and of roles
    assert {field for field, _, _ in FIELDS} == known


@pytest.mark.parametrize(("field", "also", "example"), FIELDS, ids=[row[0] for row in FIELDS])
def test_a_field_is_read_by_its_names(field, also, example):
    for name in re.findall("`([^`]+)`", also):
        assert KEYS[name.replace(" ", "_")][0] == field
    understood = parse(example, load_world().catalog)
    assert getattr(understood.workload, field) is not None
    assert not understood.not_understood


START = "inference llama-3.1-8b latency<100ms"


@cache
def started():
    return Thread().after(answer(START, load_world()))


def reply_to(text):
    """Return what a thread on an answer replies."""
    thread = started().before(text) or started()
    return answer(text, load_world(), thread.context)


# What the phrases of the tables lead to: a phrase that is not here has no test, and fails.
INTENTS = {
    "inference llama-3.1-8b latency<100ms": "pick", "what about fp8?": "pick",
    "in Frankfurt on spot": "pick", "the second one": "pick", "back to the first one": "pick",
    "undo": "pick", "why not inf2?": "explain", "compare with g5": "compare",
    "how much per year?": "explain", "cheaper": "explain", "deploy it": "manifest",
    "watch this thread": "alert", "save this pick": "save", "my saved picks": "save",
    "forget saved pick 1": "save", "tell me if it drops 10 %": "alert",
    "tell me if p5.48xlarge drops 10 % in Ohio": "alert",
    "tell me if p5.48xlarge rises 5 %": "alert",
    "tell me when g6.xlarge falls below $0.70": "alert",
    "tell me if the 3-year savings plan of p5.48xlarge drops 5 %": "alert",
    "watch p5.48xlarge, daily digest": "alert", "list my alerts": "alert",
    "pause alert 2": "alert", "resume alert 2": "alert", "delete alert 1": "alert",
    "70B instead": "pick", "double the traffic": "pick", "2 replicas": "pick",
    "under $3 an hour": "pick", "start over": "reset", "next best": "pick",
    "something bigger": "pick", "more options": "explain", "why this one?": "explain",
    "how many users can it take?": "explain", "what breaks first?": "explain",
    "what's the catch?": "explain", "recap": "explain", "what if prices drop 20 %?": "explain",
    "which region is cheapest?": "explain", "karpenter": "manifest", "everything": "manifest",
    "how long does it take to start?": "explain", "which AMI do I need?": "explain",
    "which quota do I need?": "explain", "spec of p5.48xlarge": "explain",
    "what is TTFT?": "explain", "is spot worth it?": "explain",
    "should I buy a savings plan?": "explain", "what if a node dies?": "explain",
    "which has the lowest monthly cost?": "explain",
    "what do we save against g5.12xlarge?": "explain",
    "we run g5.12xlarge, what should we move to?": "explain",
    "actually 300": "pick", "forget fp8": "pick", "back to the 8b": "pick",
    "another question: whisper for 10 users": "pick",
    "is our g5.12xlarge enough?": "estimate",
    "show chart": "explain", "draw the memory": "explain", "show the frontier": "explain",
}  # fmt: skip


def phrases(text, heading):
    """Return the phrases of the first column (second, where the first is words) of a table."""
    table = text.partition(heading)[2].partition("\n\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE)
    cells = [first if "`" in first else second for first, second in rows]
    return {phrase for cell in cells for phrase in re.findall("`([^`]+)`", cell)}


SAID = sorted(
    phrases(README, "## In Slack")
    | phrases(SLACK, "## Ten phrases")
    | phrases(SLACK, "## Alerts")
    | phrases(ASKING, "## Then")
)


@pytest.mark.parametrize("phrase", SAID)
def test_a_phrase_does_what_is_told(phrase):
    reply = reply_to(phrase)
    assert (reply.error, reply.unread) == (None, ())
    assert reply.intent == INTENTS[phrase]


def test_ten_phrases_are_ten():
    for text, heading in ((README, "## In Slack"), (SLACK, "## Ten phrases")):
        table = text.partition(heading)[2].partition("\n\n## ")[0]
        assert len(re.findall(r"^\| `", table, re.MULTILINE)) == 10
