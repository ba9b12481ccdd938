"""How well unseen texts are read: each fold of the examples is read by what the others teach."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.reading.train import Examples, fitted, scores_of, vectors
from bot.language.questions.kinds import (
    ANSWERED,
    NO_QUESTION,
    OTHER,
    SURE,
    known_share,
    ranked,
)

FOLDS = 5
TALK = "talk"


@dataclass(frozen=True, slots=True)
class Reading:
    """One example read by the others: its kind, and the three kinds it looks most like."""

    text: str
    kind: str
    ranked: tuple[str, ...]
    probability: float

    @property
    def is_right(self) -> bool:
        return self.ranked[0] == self.asked

    @property
    def asked(self) -> str:
        """The kind, one for all that ask nothing of an answer."""
        return OTHER if self.kind in NO_QUESTION else self.kind


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of the examples, but `talk_taken` a count."""

    right: float
    among_three: float
    answered_wrong: float
    answered: float
    talk_taken: int  # pieces of talk that were taken for a question

    def rounded(self) -> dict[str, float]:
        return {name: round(getattr(self, name), 4) for name in self.__slots__}


def readings_of(examples: Examples, folds: int = FOLDS) -> Iterator[Reading]:
    """Read each fold by the others; a text is in the fold of its masked words, with its equals."""
    directions = vectors(examples)
    fold_of = _folds(examples, folds)
    for fold in range(folds):
        test, train = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        held = examples.at(test)
        weights = fitted(examples.at(train), directions[train])
        scores = scores_of(weights, held, directions[test])
        known = {word for at in train for word in examples.words[at]}
        rows = zip(held.texts, held.words, held.kinds, scores.tolist(), strict=True)
        for text, words, kind, row in rows:
            shares = dict(zip(weights.kinds, row, strict=True))
            found = ranked(shares, known_share(words, known))
            following = (other for other, _ in found.following)
            yield Reading(text, kind, (found.kind, *following), found.probability)


def _folds(examples: Examples, folds: int) -> np.ndarray:
    """Deal the different masked texts out to folds, by a fixed shuffle."""
    texts = [" ".join(words) for words in examples.words]
    different = sorted(set(texts))
    dealt = np.random.default_rng(1).permutation(len(different)) % folds
    fold = dict(zip(different, dealt, strict=True))
    return np.array([fold[text] for text in texts])


def score_of(readings: list[Reading]) -> Score:
    many = len(readings)
    answered = [one for one in readings if one.probability >= ANSWERED and one.ranked[0] != OTHER]
    return Score(
        right=sum(one.is_right for one in readings) / many,
        among_three=sum(one.asked in one.ranked for one in readings) / many,
        answered_wrong=sum(not one.is_right for one in answered) / many,
        answered=len(answered) / many,
        talk_taken=sum(one.kind == TALK and one.probability >= SURE for one in answered),
    )


def confusions(readings: list[Reading], most: int = 15) -> list[tuple[str, str, int]]:
    """Return which kinds are read as which others, the commonest first."""
    wrong = Counter((one.asked, one.ranked[0]) for one in readings if not one.is_right)
    return [(kind, read, count) for (kind, read), count in wrong.most_common(most)]


def by_kind(readings: list[Reading]) -> list[tuple[str, int, float]]:
    """Return how many examples of each kind there are and the share read right, worst first."""
    counts = Counter(one.asked for one in readings)
    right = Counter(one.asked for one in readings if one.is_right)
    rows = [(kind, count, right[kind] / count) for kind, count in counts.items()]
    return sorted(rows, key=lambda row: (row[2], row[0]))
