"""Questions of fact: a line that answers first, of a type named alone and of the thread's pick."""

import pytest

from bot.answers.world import load_world
from bot.cards.blocks import message
from bot.cards.slack_limits import check_blocks
from bot.cards.terminal import render_terminal
from bot.conversation.conversation import answer
from catalog.reference import glossary
from tests.requests.test_followups import START, TUNING, thread_of

# (what is asked without a thread, words of the line that answers)
FIRST = [
    ("how long until llama-3.1-8b is up on g6e.xlarge", "from launch until it serves"),
    ("cold start of g6e.xlarge", "without the weights: name a model"),
    ("which AMI for p5.48xlarge", "AL2023_x86_64_NVIDIA, driver NVIDIA 580"),
    ("which AMI for m8g.large?", "AL2023_ARM_64_STANDARD; it has no accelerator"),
    ("which AMI for trn1.32xlarge?", "AL2023_x86_64_NEURON, driver Neuron"),
    ("which driver for g7.2xlarge?", "no image of AWS is known that has a driver for it"),
    (
        "quota for 2 g6e.xlarge",
        "2x g6e.xlarge needs 8 vCPUs of quota L-DB2E81BA (Running On-Demand",
    ),
    ("quota for trn2.48xlarge on spot", "192 vCPUs of quota L-6B0D517C (All Trn Spot"),
    ("spec of g6e.xlarge", "1× L40S, 4 vCPU, 32 GiB; $1.861/h on demand in us-east-1"),
    ("spec of p5.48xlarge", "8× H100 80 GB, 192 vCPU, 2,048 GiB;"),
    ("spec of t3.nano", "t3.nano: 2 vCPU, 0.5 GiB;"),
    ("data sheet of trn2.48xlarge", "no on-demand price: sold as capacity blocks"),
    ("is spot ok for p5.48xlarge?", "on spot costs $13,639 a month against $40,179"),
    ("is spot worth it for g5.xlarge?", "Not known: g5.xlarge has no spot price here"),
    ("which regions have p6-b200?", "p6-b200.48xlarge is sold in 9 regions: ap-south-1,"),
    ("is p6-b300.48xlarge available in Mumbai", "No: p6-b300.48xlarge is not offered in ap-"),
    ("is g6e offered in Frankfurt?", "Yes: g6e.xlarge at $"),
    ("which GPU has the most memory on AWS?", "B300 has the most memory of the chips"),
    ("welche GPU ist die günstigste bei AWS?", "has the lowest price an hour"),
    ("batch scoring with an 8B, can we use spot?", "Yes: batch work waits"),
    ("is a reservation worth it for p5.48xlarge", "Yes, if it stays: p5.48xlarge Savings Plan"),
    ("should we buy a savings plan for llama-3.1-8b", "it pays from 106 hours a week on"),
    ("llama-3.1-8b 20 rps latency<500ms n+1", "One machine may fail with 4 × g6e.xlarge"),
    ("cheapest per month, g5.xlarge or g6.xlarge?", "g6.xlarge is cheapest: $588 a month"),
    ("lowest monthly cost for llama-3.1-8b", "g6.xlarge is cheapest: $588 a month; it may miss"),
    (
        "how much do we save with g6e.xlarge instead of g5.12xlarge?",
        "$2,782 a month, $33,384 a year",
    ),
    ("llama-3.1-8b on g5.12xlarge: what do we save?", "g5.xlarge saves $3,406 a month"),
    (
        "llama-3.1-8b on g5.12xlarge, what should we move to?",
        "$734 a month against $4,141 a month, per token 32 ms against 32 ms",
    ),
    # What runs today is as many as were said, at what is paid for it.
    ("mistral-small-24b off our three p4d.24xlarge, what would we save a year?", "$48,087 a month"),
    (
        "we pay $14 an hour for our p4d.24xlarge, llama-3.1-8b, what do we save by moving?",
        "$10,220",
    ),
    ("we run 3 x g5.12xlarge, what should we move to?", "from 3 × g5.12xlarge to 3 × "),
    ("what should we move to from g4dn.xlarge?", "memory bandwidth in GB/s 864 against 320"),
    ("what should we move to from p6-b300.48xlarge?", "Stay on p6-b300.48xlarge"),
]


@pytest.mark.parametrize(("text", "words"), FIRST)
def test_a_first_text_is_answered_in_a_line(text, words):
    reply = answer(text, load_world())
    assert reply.error is None, reply.text
    assert words in reply.view.lead
    assert reply.explanation.text == reply.view.lead
    assert check_blocks(message(reply.view)["blocks"]) == []
    drawn = render_terminal(reply.view, width=80).splitlines()
    assert max(map(len, drawn)) <= 80


# (what is asked in the thread of three g6e.xlarge, words of the line)
IN_A_THREAD = [
    ("how long does it take to start?", "from launch until it serves"),
    ("which AMI do I need?", "g6e.xlarge: AL2023_x86_64_NVIDIA"),
    ("which quota do I need?", "3x g6e.xlarge needs 12 vCPUs of quota L-DB2E81BA"),
    ("quota for p5.48xlarge", "1x p5.48xlarge needs 192 vCPUs of quota L-417A185B"),
    ("specs?", "g6e.xlarge: 1× L40S"),
    ("is spot worth it?", "For part of it: keep enough on demand"),
    ("should I buy a savings plan?", "3 × g6e.xlarge reserved, 1 year costs $2,568"),
    ("is a one year commitment worth it?", "3 × g6e.xlarge reserved, 1 year costs $2,568"),
    ("what if a node dies?", "where the load takes 3: $5,434 a month, $1,359 more"),
    ("which has the lowest monthly cost?", "3 × g6e.xlarge is cheapest: $4,076 a month"),
    ("what do we save against g5.12xlarge?", "saves $12,487 a month, $149,840 a year"),
    ("how much do we save?", "$947 a month"),
    ("we run 3 x g5.12xlarge, what should we move to?", "$4,076 a month against $12,422 a month"),
]


@pytest.mark.parametrize(("text", "words"), IN_A_THREAD)
def test_a_thread_is_asked_about_its_pick_and_stays_as_it_was(text, words):
    reply, thread = thread_of(START, text)
    assert reply.error is None, reply.text
    assert words in reply.view.lead
    assert reply.unread == ()
    assert thread.now == thread_of(START)[1].now
    assert check_blocks(message(reply.view)["blocks"]) == []


def test_a_job_neither_commits_nor_keeps_spares():
    committed, _ = thread_of(TUNING, "should I buy a savings plan?")
    assert committed.view.lead.startswith("No: the run takes")
    spared, _ = thread_of(TUNING, "N+1?")
    assert "keeps checkpoints instead" in spared.text


@pytest.mark.parametrize("text", ["is spot worth it?", "what should we move to?", "specs?"])
def test_without_a_machine_or_a_model_it_is_asked_for(text):
    assert answer(text, load_world()).error.code == "no_context"


def test_a_start_adds_up_and_lies_within_its_range():
    reply = answer("cold start of llama-3.1-8b on g6e.xlarge", load_world())
    *parts, whole = reply.view.rows
    minutes = [
        float(row[1].split()[0]) * (1 if row[1].endswith("min") else 1 / 60) for row in parts
    ]
    assert float(whole[1].split()[0]) == pytest.approx(sum(minutes), rel=0.05)
    low, high = (float(end) for end in whole[2].strip("()").split("–"))
    assert low < sum(minutes) < high


def test_a_commitment_breaks_even_where_both_bills_are_the_same():
    reply = answer("should I buy a savings plan for p5.48xlarge?", load_world())
    rows = {row[0].partition(" (")[0]: row for row in reply.view.rows}
    hours = float(rows["Savings Plan, 3 years"][5].split()[0])
    listed, committed = (
        float(rows[name][2].strip("$").replace(",", ""))
        for name in ("on-demand", "Savings Plan, 3 years")
    )
    assert listed * hours / 168 == pytest.approx(committed, rel=0.02)


def test_a_spare_survives_what_it_says():
    reply, _ = thread_of(START, "N+1?")
    boxes = {row[0]: int(row[1]) for row in reply.view.rows}
    assert boxes["N+1"] == boxes["the load alone"] + 1
    for zones in (2, 3):
        left = boxes[f"{zones} zones"] * (zones - 1) / zones
        assert left >= boxes["the load alone"]


MEANINGS = [
    ("what is TTFT?", "TTFT: Time from sending"),
    ("what does TPOT mean?", "TPOT: Time between one token"),
    ("explain KV cache", "KV cache: Keys and values"),
    ("I don't know what p95 is", "p95: The figure that 95"),
    ("please explain the term roofline", "Roofline: "),
    ("what's the difference between ttft and tpot?", "TPOT: "),
    ("what is an AMI?", "AMI: The disk image"),
    ("glossary", "Ask what one means: "),
]


@pytest.mark.parametrize(("text", "words"), MEANINGS)
def test_a_term_is_explained(text, words):
    for reply in (answer(text, load_world()), thread_of(START, text)[0]):
        assert words in reply.view.text
        assert check_blocks(message(reply.view)["blocks"]) == []
    assert thread_of(START, text)[1].now == thread_of(START)[1].now


def test_every_term_of_the_glossary_can_be_asked_about():
    for row in glossary():
        told = answer(f"what does {row.term} mean?", load_world()).text
        assert row.definition in told, row.term


def test_the_ttft_of_an_answer_is_its_figure_and_no_definition():
    reply, _ = thread_of(START, "what is the TTFT?")
    assert "Time from sending" not in reply.text
