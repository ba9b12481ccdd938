"""Sentences that name a machine only as an example: each is used, and those to type are read."""

import ast
import json
from pathlib import Path

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer

ROOT = Path(__file__).parents[2]
EXAMPLES = json.loads((ROOT / "bot" / "core" / "examples.json").read_text(encoding="utf-8"))
TO_TYPE = ["history", "price", "chart", "notices", "notices_2", "notices_3", "conversation",
           "draft", "agent_3"]  # fmt: skip


def used():
    for path in (ROOT / "bot").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "example":
                yield ast.literal_eval(node.args[0])


def test_every_example_is_used_and_none_is_missing():
    assert set(used()) == set(EXAMPLES)


@pytest.mark.parametrize("name", TO_TYPE)
def test_what_is_offered_to_be_typed_is_read_whole(name):
    reply = answer(EXAMPLES[name], load_world())
    assert reply.error is None
    assert reply.unread == ()
