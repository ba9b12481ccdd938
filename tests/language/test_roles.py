"""What a machine is to who asks: only what is wanted narrows the choice."""

import pytest

from bot.language.draft import Draft
from bot.language.parse import parse
from bot.language.polarity import read_polarity
from bot.language.roles import TABLE, is_observed, read_roles
from bot.language.text.plain import Reader
from bot.language.text.units import spaced
from bot.language.text.vocabulary import vocabulary_of

MACHINES = {"type": "g5.12xlarge", "count": "3 x p4d.24xlarge", "chip": "A100", "family": "p4d"}
CUES = [
    (name, side, phrase)
    for name, side, row in TABLE["near"]
    for phrase in row.replace("\n", " ").split("; ")
]
FAR = [phrase for _, _, row in TABLE["far"] for phrase in row.replace("\n", " ").split("; ")]


def role_of(text, catalog):
    reader = Reader(spaced(text))
    reader.rewrite([])
    draft = Draft(reader)
    read_polarity(draft, vocabulary_of(catalog))
    read_roles(draft)
    return [one.role for one in draft.mentions if one.kind == "hardware"][-1]


def said_beside(side, phrase, machine):
    apart = "" if phrase[-1] > "\u2e80" else " "
    return f"{phrase}{apart}{machine}" if side == "before" else f"{machine}{apart}{phrase}"


@pytest.mark.parametrize("machine", MACHINES)
def test_every_word_of_the_table_tells_the_role_of_every_machine(machine, catalog):
    found = {
        (text, name): role_of(text, catalog)
        for name, side, phrase in CUES
        for text in [f"mixtral-8x7b. {said_beside(side, phrase, MACHINES[machine])}"]
    }
    assert {text: role for (text, name), role in found.items() if role != name} == {}


@pytest.mark.parametrize("phrase", FAR)
def test_words_that_may_stand_far_tell_it_over_the_model(phrase, catalog):
    assert role_of(f"{phrase} mixtral-8x7b g5.12xlarge", catalog) == "have"


@pytest.mark.parametrize(
    "words",
    [
        *("can we run it on {}?", "if we have {}", "should we use {}", "does it OOM on {}?"),
        *("is {} enough?", "will it fit on {}?", "what about {}", "use {}", "move to {}", "on {}"),
    ],
)
@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_asked_or_supposed_is_wanted(words, machine, catalog):
    assert role_of(words.format(MACHINES[machine]), catalog) == "want"


HELD = {"instance": None, "gpu": None, "gpu_count": None, "nodes": None, "allow": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we run 3 x p4d.24xlarge for llama-3.1-70b", {"owned": "3x p4d.24xlarge"} | HELD),
        ("we have 8 A100s, finetune llama-3-8b lora", {"owned": "8x A100-80"} | HELD),
        ("our box is a g5.xlarge, 7b", {"owned": "g5.xlarge", "compare_family": "g5.xlarge"}),
        ("we run 7b on g5.xlarge at $1.2/h", {"owned": "g5.xlarge at 1.2 USD/h"} | HELD),
        ("wir nutzen g5.12xlarge für mixtral-8x7b", {"owned": "g5.12xlarge"} | HELD),
        ("nous utilisons g5.12xlarge pour mixtral-8x7b", {"owned": "g5.12xlarge"} | HELD),
        ("usamos g5.12xlarge para mixtral-8x7b", {"owned": "g5.12xlarge"} | HELD),
        ("我们在用g5.12xlarge跑llama-3-8b", {"owned": "g5.12xlarge"} | HELD),
        ("OOM on a g5.12xlarge with mixtral-8x7b", {"compare_family": "g5.12xlarge"} | HELD),
        ("tried 2 g4dn.xlarge and it crashed, 8b", {"compare_family": "g4dn.xlarge"} | HELD),
        ("we got 40 tok/s on g5.xlarge with llama-3-8b", {"compare_family": "g5.xlarge"} | HELD),
        ("g5.xlarge was too slow for llama-3-8b", {"objective": "performance"} | HELD),
        ("mixtral-8x7b runs out of memory on two 24 GB cards", {"gpu_memory_gb": None} | HELD),
        ("8b, one 48 GB GPU failed, what now", {"gpu_memory_gb": None} | HELD),
        ("8b on two 48 GB GPUs", {"gpu_memory_gb": 48, "gpu_count": 2}),
        (
            "qlora of llama-2-13b on g4dn.12xlarge: 9 % done after a day. Which instead?",
            {"compare_family": "g4dn.12xlarge", "deadline_h": None} | HELD,
        ),
        ("7b, tried g4dn.xlarge, use g5.xlarge", {"instance": "g5.xlarge"}),
        ("we run 7b on g5.xlarge, is g6.xlarge enough?", {"instance": "g6.xlarge"}),
        ("7b, currently 600 ms per token", {"latency_ms": None}),
        ("7b, it takes 3 s now", {"latency_ms": None}),
        ("7b, our p95 is 4 s today", {"latency_ms": None}),
        ("7b, 3 s to first token today, should be under 1 s", {"latency_ms": 1000}),
        (
            "CUDA out of memory. Tried to allocate 20.00 GiB (GPU 0; 23.69 GiB total capacity)",
            {"gpu_memory_gb": None},
        ),
    ],
)
def test_what_runs_or_was_tried_is_no_wish(text, expected, catalog):
    said = parse(text, catalog).workload
    assert {name: getattr(said, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("we run 3 x p4d.24xlarge for llama-3.1-70b", "explain"),
        ("we run 3 x p4d.24xlarge for llama-3.1-70b, is it enough?", "estimate"),
        ("is our g5.12xlarge enough for mixtral-8x7b?", "estimate"),
        ("OOM on a g5.12xlarge with mixtral-8x7b", "explain"),
        ("we use g5.xlarge for 7b, compare with g6.xlarge", "compare"),
    ],
)
def test_what_runs_is_judged_and_what_was_tried_explained(text, intent, catalog):
    assert parse(text, catalog).intent == intent


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        ("currently ", "", True),
        ("latency is ", " now", True),
        ("derzeit ", "", True),
        ("under ", " now", False),
        ("must be ", " today", False),
        ("latency ", "", False),
    ],
)
def test_a_time_seen_today_is_no_limit(before, after, seen):
    assert is_observed(before, after) is seen
