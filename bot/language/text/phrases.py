"""Finds the lexicon's phrases in a text: longest first, whatever joins their words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from bot.language.text.numbers import NUMBERED, number_words
from bot.language.text.tables import LexiconRow, lexicon

WORD = re.compile(r"[^\W_]+", re.UNICODE)
JOINERS = frozenset({" ", "-", "_", "/", "", ". ", ".", "'", "+", " + "})


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one phrase says: a workload field or a signal, and its value."""

    name: str
    value: object


Index = Mapping[str, tuple[tuple[tuple[str, ...], tuple[Meaning, ...]], ...]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase in the text, at `start`..`end` of the open text."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]


def phrase_index(rows: Iterable[LexiconRow]) -> Index:
    """Return the phrases by their first word, longest first."""
    meanings: dict[tuple[str, ...], list[Meaning]] = {}
    for name, value, text in rows:
        for phrase in text.split(";"):
            words = tuple(WORD.findall(_with_digits(phrase.strip().lower())))
            meanings.setdefault(words, []).append(Meaning(name, value))
    index: dict[str, list[tuple[tuple[str, ...], tuple[Meaning, ...]]]] = {}
    for words in sorted(meanings, key=len, reverse=True):
        index.setdefault(words[0], []).append((words, tuple(meanings[words])))
    return {first: tuple(entries) for first, entries in index.items()}


def _with_digits(phrase: str) -> str:
    """Return the phrase as the reader has it: with number words as digits."""
    if phrase.isascii() and NUMBERED.isdisjoint(WORD.findall(phrase)):
        return phrase
    for start, end, digits in reversed(number_words(phrase)):
        phrase = phrase[:start] + digits + phrase[end:]
    return phrase


def words_of(text: str) -> list[tuple[str, int, int]]:
    """Return the words of `text` with their places."""
    return [(match[0], match.start(), match.end()) for match in WORD.finditer(text)]


def hits(text: str, index: Index) -> list[Hit]:
    """Return the phrases found in `text`, left to right, none overlapping another."""
    words = words_of(text)
    found: list[Hit] = []
    position = 0
    while position < len(words):
        entry = _longest_phrase(text, words, position, index)
        if entry is None:
            position += 1
            continue
        length, meanings = entry
        found.append(Hit(words[position][1], words[position + length - 1][2], meanings))
        position += length
    return found


def _longest_phrase(
    text: str, words: list[tuple[str, int, int]], position: int, index: Index
) -> tuple[int, tuple[Meaning, ...]] | None:
    for phrase, meanings in index.get(words[position][0], ()):
        window = words[position : position + len(phrase)]
        if tuple(word for word, _, _ in window) == phrase and _joined(text, window):
            return len(phrase), meanings
    return None


def _joined(text: str, window: list[tuple[str, int, int]]) -> bool:
    return all(text[end:start] in JOINERS for (_, _, end), (_, start, _) in pairwise(window))


def unspaced_hits(text: str) -> list[Hit]:
    """Return the phrases of scripts that put no space between words."""
    if text.isascii():
        return []
    found = []
    for name, value, listed in lexicon(unspaced=True):
        for phrase in listed.split("; "):
            start = text.find(phrase)
            while start >= 0:
                found.append(Hit(start, start + len(phrase), (Meaning(name, value),)))
                start = text.find(phrase, start + len(phrase))
    return sorted(found, key=lambda hit: (hit.start - hit.end, hit.start))
