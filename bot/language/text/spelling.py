"""Mends slips of the keyboard in words that this product knows: `infrence`, `mistrl-7b`."""

import re
from functools import cache

from bot.language.text.lexicon import not_slips, stopwords
from bot.language.text.spoken import spoken
from bot.language.text.vocabulary import SHORTEST_MENDED, Vocabulary

# The owner of a repository is none of our words.
WORD = re.compile(r"(?<![\w.<@!/])[a-z]{4,20}(?![\w'])(?!/[a-z0-9][\w.]*[-_.\d])")
# A family's name may be mended at any length when a version or size follows it.
LONG_WORD = 9  # letters
SIZED = re.compile(r"[ -]?v?\d")
# A slip of what is counted: "50 usres"
COUNTED = re.compile(r"(?<=\d )[a-z]{5,9}(?![a-z_'])")
COUNTABLE = frozenset({"users", "requests", "queries", "people", "tokens", "sessions", "replicas"})
# Names that people split, or that would be read in halves.
SPLIT_NAMES = (
    *((re.compile(rf"\b{split}\b"), name) for split, name in spoken("split_model_names").items()),
    (re.compile(r"\b(?:pls|plz|plse)\b"), "please"),
    (re.compile(r"\b(?:minus|negative) (?=\d)"), "-"),
    (re.compile(r"\bdoppelt so viele?n?\b"), "twice as many"),
    (re.compile(r"\bhalb so viele?n?\b"), "half as many"),
    # Apostrophes that nobody types.
    (re.compile(r"\bwhats\b"), "what's"),
    (re.compile(r"\bthats\b"), "that's"),
    (re.compile(r"\bhows\b"), "how's"),
    (re.compile(r"\bdont\b"), "don't"),
    (re.compile(r"\bdoesnt\b"), "doesn't"),
    (re.compile(r"\bisnt\b"), "isn't"),
)


def one_word(low: str) -> list[tuple[int, int, str]]:
    """Return the names to write as one word, as (start, end, replacement)."""
    return [
        (m.start(), m.end(), name) for pattern, name in SPLIT_NAMES for m in pattern.finditer(low)
    ]


def mended(low: str, vocabulary: Vocabulary) -> list[tuple[int, int, str]]:
    """Return the words to mend, as (start, end, replacement); digits are never touched.

    A word is mended when exactly one known word is one slip away (two in a LONG_WORD), or,
    for the name of a model family, when a version or size follows.
    """
    found = _counted_slips(low, vocabulary)
    seen: dict[tuple[str, bool], str | None] = {}
    for match in WORD.finditer(low):
        word = match[0]
        if (
            word in vocabulary.known_words
            or word in vocabulary.models.words
            or word in stopwords()
            or word in not_slips()
        ):
            continue
        followed = SIZED.match(low, match.end()) is not None
        if (word, followed) not in seen:
            seen[word, followed] = _replacement(word, vocabulary, followed=followed)
        if replacement := seen[word, followed]:
            found.append((match.start(), match.end(), replacement))
    return found


def _counted_slips(low: str, vocabulary: Vocabulary) -> list[tuple[int, int, str]]:
    """Return the slips of short words that stand behind a number."""
    found = []
    for match in COUNTED.finditer(low):
        known = match[0] in vocabulary.known_words | stopwords() | not_slips() | COUNTABLE
        if not known and (word := _one_slip_away(match[0], COUNTABLE, 1)):
            found.append((match.start(), match.end(), word))
    return found


def _replacement(word: str, vocabulary: Vocabulary, *, followed: bool) -> str | None:
    stem = followed and _one_slip_away(word, vocabulary.models.stems, 2 if len(word) > 6 else 1)
    if stem and not word.startswith(stem):  # a letter more is another name: bloomz
        return stem
    if len(word) < SHORTEST_MENDED:
        return None
    choices = _long_words(vocabulary.telling_words)
    return _one_slip_away(word, choices, 1) or (
        _one_slip_away(word, choices, 2) if len(word) >= LONG_WORD else None
    )


@cache
def _long_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(
        word for word in words if len(word) >= SHORTEST_MENDED and word.isascii() and word.isalpha()
    )


def _one_slip_away(word: str, choices: frozenset[str], slips: int) -> str | None:
    """Return the only choice within `slips` edits that starts with the same letter, if any."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    close = [
        choice
        for choice, _, _ in process.extract(
            word,
            [c for c in choices if c[0] == word[0] and len(c) > 3],
            scorer=OSA.distance,
            score_cutoff=slips,
            limit=3,
        )
    ]
    return close[0] if len(close) == 1 else None
