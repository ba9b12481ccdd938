"""Questions by people who had seen no example: written before the tables, and taught to nobody.

A line that goes wrong here is of a kind that the examples lack: write others of that kind, in other
words, never the line itself.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from bot.language.questions.kinds import ANSWERED, OTHER
from bot.language.questions.question import likely_question
from bot.language.text.vocabulary import vocabulary_of
from catalog.load import load_catalog

FOLDER = Path(__file__).with_name("strangers")
VOCABULARY = vocabulary_of(load_catalog())


@cache
def readings(name):
    """Return each line's kind beside what it is read as."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["kind"], likely_question(row["text"], VOCABULARY)) for row in rows]


def share(name, right):
    found = readings(name)
    return sum(right(kind, read) for kind, read in found) / len(found)


def is_first(kind, read):
    return read.kind == kind


def is_among_three(kind, read):
    return kind in {read.kind, *(other for other, _ in read.following)}


def is_wrong(kind, read):
    return read.kind not in {kind, OTHER} and read.probability >= ANSWERED


def test_unseen_questions_are_read():
    assert share("kinds", is_first) >= 0.65
    assert share("kinds", is_among_three) >= 0.88
    assert share("kinds", is_wrong) <= 0.06


@pytest.mark.parametrize("language", ["german", "french", "spanish", "chinese"])
def test_unseen_questions_of_other_languages_are_read(language):
    assert share(language, is_first) >= 0.75


def test_no_line_was_taught():
    examples = FOLDER.parents[2] / "bot" / "language" / "examples"
    taught = {line for path in examples.rglob("*.txt") for line in path.read_text().splitlines()}
    lines = [
        json.loads(line)["text"]
        for path in FOLDER.glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len(set(lines) & taught) / len(lines) < 0.05
