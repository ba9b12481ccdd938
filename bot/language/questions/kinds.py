"""Which of a set of kinds a text is: by an example that says the same, else by likeness to all.

A linear classifier over the text's word vector, its words, word pairs and parts of words. Its
weights are made from the files of examples by `python -m benchmarks.reading compile`.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from bot.core.asked import LikelyKind
from bot.language.questions.masking import FORMAT, MACHINE, MODEL, NUMBER, PLACE
from bot.language.text.tables import tokens

# The table of word vectors: 128 small numbers for each part of a word. `compiled/NOTICE` tells
# what `benchmarks/reading/distil.py` made it from.
SIZE: Final = 128
FOLDER: Final = Path(__file__).parents[1] / "compiled"
VECTORS_FILE: Final = FOLDER / "vectors.bin"
WITHIN: Final = "##"  # begins the parts that go on with a word
# What stands for a value where the table of word vectors is asked.
SPOKEN: Final = {
    MACHINE: "machine",
    MODEL: "model",
    PLACE: "city",
    NUMBER: "number",
    FORMAT: "precision",
}
NAMES: Final = frozenset({MACHINE, MODEL})
ENDING: Final = re.compile(r"(?:ings?|ed|es|s|ly|er|est)$")
LONGEST_WHOLE: Final = 5  # letters; longer words are compared without their ending
PART: Final = 4  # letters
SHORTEST_MENDED: Final = 4  # letters
# Texts that ask nothing of an answer: of one kind to whoever looks for a question.
NO_QUESTION: Final = frozenset({"amend", "request", "talk"})
OTHER: Final = "other"
ANSWERED: Final = 0.4  # at this probability a question is answered
SURE: Final = 0.6  # below, the answer says how it was read; between people nothing is answered
KNOWN_ENOUGH: Final = 0.6  # share of a text's words; of a language that nobody taught it is less
TWO_SLIPS: Final = 8  # letters; a word that long may have two


@dataclass(frozen=True, slots=True)
class KindModel:
    """The compiled weights of one set of kinds."""

    kinds: tuple[str, ...]
    bias: tuple[float, ...]
    of_vector: tuple[tuple[int, ...], ...]  # SIZE rows of a weight for each kind
    vector_step: float  # what a weight of 1 is worth
    features: Mapping[str, int]  # row of each feature
    of_features: memoryview
    feature_step: float
    exact: Mapping[str, str]  # masked text -> kind
    words: frozenset[str]

    def read(self, words: Sequence[str]) -> LikelyKind:
        """Return the kind of a text given as its masked words."""
        mended = [self._mended(word) for word in words]
        said = (words, mended, without_subject(mended))
        kind = next((self.exact[one] for one in map(" ".join, said) if one in self.exact), None)
        if kind is not None:
            return LikelyKind(OTHER if kind in NO_QUESTION else kind, 1.0)
        scores = self._scores(mended)
        highest = max(scores)
        powers = [math.exp(score - highest) for score in scores]
        total = sum(powers)
        shares = dict(zip(self.kinds, (power / total for power in powers), strict=True))
        return ranked(shares, known_share(mended, self.words))

    def _scores(self, words: Sequence[str]) -> list[float]:
        scores = list(self.bias)
        for number, row in zip(direction_of(words), self.of_vector, strict=True):
            if part := number * self.vector_step:
                scores = [a + part * b for a, b in zip(scores, row, strict=True)]
        rows = [self.features[one] for one in features_of(words) if one in self.features]
        each, many = self.feature_step / math.sqrt(len(rows) or 1), len(self.kinds)
        for at in rows:
            weights = self.of_features[at * many : (at + 1) * many]
            scores = [a + each * b for a, b in zip(scores, weights, strict=True)]
        return scores

    def _mended(self, word: str) -> str:
        """Return the word of the examples that is a slip away from one nobody knows, or the word.

        The first letter is seldom missed.
        """
        if len(word) < SHORTEST_MENDED or word in self.words or word in tokens():
            return word
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        near = process.extractOne(
            word,
            _by_letter(self.words).get(word[0], ()),
            scorer=OSA.distance,
            score_cutoff=2 if len(word) >= TWO_SLIPS else 1,
        )
        return word if near is None else str(near[0])


def without_subject(words: Sequence[str]) -> Sequence[str]:
    """Return a text without the names that it begins with: "llama-3-8b: what breaks first?"."""
    named = next((at for at, word in enumerate(words) if word not in NAMES), len(words))
    return words[named:]


def ranked(shares: Mapping[str, float], known: float) -> LikelyKind:
    """Return the likeliest kinds, less likely where few of the words are `known`."""
    likely = with_others_as_one(shares)
    sure = min(1.0, known / KNOWN_ENOUGH)
    best = sorted(likely.items(), key=lambda one: (-one[1], one[0]))[:3]
    (kind, probability), *following = ((kind, share * sure) for kind, share in best)
    return LikelyKind(kind, probability, tuple(following))


def known_share(words: Sequence[str], known: AbstractSet[str]) -> float:
    """Return the share of the words that stand in some example."""
    return sum(word in known for word in words) / (len(words) or 1)


def with_others_as_one(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the probability of each kind, one for all that ask nothing of an answer."""
    kept = {kind: share for kind, share in shares.items() if kind not in NO_QUESTION}
    if len(kept) < len(shares):
        kept[OTHER] = sum(shares[kind] for kind in NO_QUESTION & shares.keys())
    return kept


@cache
def _by_letter(words: frozenset[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        if len(word) >= SHORTEST_MENDED:
            found.setdefault(word[0], []).append(word)
    return found


@cache
def _numbers() -> memoryview:
    return memoryview(VECTORS_FILE.read_bytes()).cast("b")


def parts_of(word: str) -> list[int]:
    """Return the rows of the longest known parts of a word, from its start; none where it ends."""
    rows: list[int] = []
    known = tokens()
    start = 0
    while start < len(word):
        lead = WITHIN if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if lead + word[start:end] in known), None)
        if end is None:
            return rows
        rows.append(known[lead + word[start:end]])
        start = end
    return rows


def vector_of(words: list[str]) -> list[float]:
    """Return the direction of a text: the sum of its words' vectors, of length 1 (or 0)."""
    numbers = _numbers()
    total = [0] * SIZE
    for word in words:
        for row in parts_of(word):
            at = row * SIZE
            total = [a + b for a, b in zip(total, numbers[at : at + SIZE], strict=True)]
    length = sum(number * number for number in total) ** 0.5 or 1.0
    return [number / length for number in total]


def direction_of(words: Sequence[str]) -> list[float]:
    """Return the word vector of masked words."""
    return vector_of([SPOKEN.get(word, word) for word in words])


def features_of(words: Sequence[str]) -> list[str]:
    """Return the words, pairs and parts of words of a text, each once, in a fixed order."""
    return sorted(set(_features(words)))


def _features(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        yield "w:" + (ENDING.sub("", word) if len(word) > LONGEST_WHOLE else word)
        marked = f"^{word}$"
        for start in range(len(marked) - PART + 1):
            yield "c:" + marked[start : start + PART]
    for first, second in pairwise(("<", *words, ">")):
        yield f"b:{first} {second}"


@cache
def kind_model(name: str) -> KindModel:
    """Return the compiled weights of a set of kinds: `questions` or `usecases`."""
    head = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    weights = memoryview((FOLDER / f"{name}.bin").read_bytes()).cast("b")
    listed = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    kinds, split = tuple(head["kinds"]), head["features"]
    many = len(kinds)
    exact = dict(line.split("\t") for line in listed[split:])
    return KindModel(
        kinds=kinds,
        bias=tuple(head["bias"]),
        of_vector=tuple(tuple(weights[at * many : (at + 1) * many]) for at in range(SIZE)),
        vector_step=head["vector_step"],
        features={feature: row for row, feature in enumerate(listed[:split])},
        of_features=weights[SIZE * many :],
        feature_step=head["feature_step"],
        exact=exact,
        words=frozenset(word for text in exact for word in text.split()),
    )
