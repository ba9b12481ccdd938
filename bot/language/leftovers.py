"""Finds what was not understood, so that nothing is silently dropped."""

import re

from bot.core.understanding import Span
from bot.language.draft import Draft
from bot.language.questions.question import READERS
from bot.language.text.lexicon import stopwords
from bot.language.text.reader import TAKEN
from bot.language.text.vocabulary import SHORTEST_MENDED, Vocabulary

WORD = re.compile(rf"[^\s{TAKEN}]+")
EDGES = " \t\n.,;:!?()[]\"'*_~/-…&+<>=|"
CLOSE_ENOUGH = 0.75
MOST_SPANS = 20


def leftovers(draft: Draft, vocabulary: Vocabulary) -> tuple[Span, ...]:
    """Return the stretches nobody read, neighbours joined, with the nearest known word."""
    reader = draft.reader
    places = [(start, end, hint) for start, end, hint in draft.ignored]
    places += [(start, end, None) for start, end in _open_words(draft)]
    spans: list[Span] = []
    for start, end, hint in sorted(places, key=lambda place: place[0]):
        first, last = reader.origin(start, end)
        words = reader.text[first:last]
        suggestion = hint or _suggestion(words, vocabulary)
        if (
            spans
            and not suggestion
            and not spans[-1].suggestion
            and _adjoin(spans[-1], first, reader.text)
        ):
            spans[-1] = Span(spans[-1].start, last, reader.text[spans[-1].start : last])
        else:
            spans.append(Span(first, last, words, suggestion))
    return tuple(spans[:MOST_SPANS])


def _open_words(draft: Draft) -> list[tuple[int, int]]:
    """Return the words left open that could have meant something, without their punctuation.

    Of a question about the picks shown the plain words are understood.
    """
    places = []
    for match in WORD.finditer(draft.reader.work):
        word = match[0].strip(EDGES)
        if not word:
            continue
        start = match.start() + match[0].index(word)
        original = draft.reader.words(start, start + len(word)).lower()
        if _is_filler(original, word) or (
            draft.question in READERS and word.replace("'", "").isalpha()
        ):
            continue
        places.append((start, start + len(word)))
    return places


def _is_filler(original: str, word: str) -> bool:
    parts = re.split(r"[-/']", original)
    known = all(part in stopwords() or not part for part in parts)
    return (
        known or (not word.isascii() and len(word) == 1) or (len(word) == 1 and not word.isdigit())
    )


def _adjoin(span: Span, first: int, text: str) -> bool:
    return text[span.end : first].strip(EDGES) == ""


def _suggestion(words: str, vocabulary: Vocabulary) -> str | None:
    """Return the known word spelled most like a single open word, when close."""
    word = words.lower().strip(EDGES)
    if len(word) < SHORTEST_MENDED or " " in word or not word.isascii():
        return None
    from rapidfuzz import fuzz, process

    best = process.extractOne(
        word, vocabulary.known_words, scorer=fuzz.ratio, score_cutoff=100 * CLOSE_ENOUGH
    )
    return best[0] if best and best[0] != word else None
