"""Comparisons name each thing compared with its own pick, and what fits nowhere says why."""

import pytest

from bot.conversation import answer
from bot.world import load_world

# request -> for each name compared, the type that serves it (None: it fits nowhere)
COMPARISONS = [
    ("A100 vs H100 for mixtral", {"A100-80": "p4de.24xlarge", "H100-80": "p5.48xlarge"}),
    (
        "g5.xlarge vs g6.xlarge for llama-3.1-8b",
        {"g5.xlarge": "g5.xlarge", "g6.xlarge": "g6.xlarge"},
    ),
    (
        "inference llama-2-7b,llama-2-70b",
        {"llama-2-7b": "g6.xlarge", "llama-2-70b": "g7e.12xlarge"},
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
    assert result.best.instance.instance_type == "g6.xlarge"
    assert "First choice would be g6.xlarge" in reply.text
