"""Comparisons name each thing compared with its own pick, and what fits nowhere says why."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer

# request -> for each name compared, the type that serves it (None: it fits nowhere)
COMPARISONS = [
    ("A100 vs H100 for mixtral", {"A100-80": "p4de.24xlarge", "H100-80": "p5.48xlarge"}),
    (
        "g5.xlarge vs g6.xlarge for llama-3.1-8b",
        {"g5.xlarge": "g5.xlarge", "g6.xlarge": "g6.xlarge"},
    ),
    (
        "inference llama-2-7b,llama-2-70b",
        {"llama-2-7b": "g5.xlarge", "llama-2-70b": "g7e.12xlarge"},
    ),
    (
        "compare p3.2xlarge and trn1.2xlarge for full 7B training",
        {"p3.2xlarge": None, "trn1.2xlarge": None},
    ),
    ("fp8 vs int4 for llama-3.3-70b", {"fp8": "g7e.2xlarge", "int4": "g6e.xlarge"}),
]


@pytest.mark.parametrize(("text", "expected"), COMPARISONS, ids=lambda value: str(value)[:40])
def test_each_side_has_its_pick(text: str, expected: dict[str, str]):
    reply = answer(text, load_world())
    assert reply.comparison is not None, reply.text
    column = reply.comparison["columns"].index("instance_type")
    found = {row["name"]: row["values"][column] for row in reply.comparison["rows"]}
    assert found == expected
    for name in expected:
        assert name in reply.text


def test_memory_of_every_size_of_a_family():
    """Weights in GB as the checkpoints weigh: 2 bytes a parameter."""
    reply = answer("memory llama-2 all-sizes", load_world())
    assert reply.comparison is not None
    column = reply.comparison["columns"].index("weights_gb")
    found = {row["name"]: row["values"][column] for row in reply.comparison["rows"]}
    expected = {"llama-2-7b": 13.5, "llama-2-13b": 26.0, "llama-2-70b": 138.0}
    assert found == pytest.approx(expected, rel=0.03)


def test_the_named_type_is_shown_first_with_what_beats_it():
    reply = answer("llama-3.1-8b on g5.2xlarge", load_world())
    result = reply.recommendation
    assert result is not None
    assert result.picks[0].instance.instance_type == "g5.2xlarge"
    assert result.best is not None
    assert result.best.instance.instance_type == "g5.xlarge"
    assert "First choice would be g5.xlarge" in reply.text


THREADS = [
    ("inference llama-3.1-8b", "compare it with h100", ["g5.xlarge: 1x", "H100-80: 1x p5.4xlarge"]),
    ("inference llama-3.1-8b", "compare with p5.4xlarge", ["g5.xlarge: 1x", "p5.4xlarge: 1x"]),
    (
        "inference 7B latency<100ms",
        "compare it with g5",
        ["g6e.xlarge: 1x", "g5: no (g5.48xlarge misses: first token"],
    ),
    ("inference llama-3.1-8b", "is g5 cheaper than inf2?", ["g5: 1x", "Cheapest an hour: g5"]),
    ("serve llama-3.1-8b at 20 rps", "GPU or inferentia?", ["gpu: 3x", "inferentia: 3x"]),
    ("train 13B on 100B tokens", "does trainium beat GPUs?", ["Cheapest in total: gpu"]),
]


@pytest.mark.parametrize(("first", "then", "parts"), THREADS, ids=[row[1] for row in THREADS])
def test_a_thread_compares_for_its_own_workload(first, then, parts):
    world = load_world()
    reply = answer(then, world, answer(first, world).workload)
    for part in parts:
        assert part in reply.text


def test_a_question_of_sharing_does_not_narrow_the_thread():
    world = load_world()
    asked = answer("serve bert at 20 rps", world).workload
    reply = answer("can I share the GPU?", world, asked)
    assert "on g6f.large" in reply.text  # a GPU, not the CPU that was picked
    assert reply.workload.allow is None
