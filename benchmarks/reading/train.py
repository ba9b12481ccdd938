"""Fits the classifiers of `bot/language/questions/kinds.py` to the files of examples."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bot.language.questions.kinds import SIZE, VECTORS_FILE, direction_of, features_of
from bot.language.questions.masking import EXAMPLES, lines_of, masked_words
from bot.language.text.tables import TOKENS_FILE
from bot.language.text.vocabulary import vocabulary_of
from catalog.load import load_catalog

Array = np.ndarray
# By set of kinds: the folders of examples that it is fitted to.
SETS = {"questions": ("questions", "other"), "usecases": ("usecases",)}
FEWEST = 3  # examples that a feature must be in
DECAY = 0.55  # of the squared weights; larger weights fit the examples closer
VECTOR_WEIGHT = 1.1  # of the word vector beside the features
STEPS = 250


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of one set: masked words, and the kind of each."""

    texts: list[str]
    words: list[list[str]]
    kinds: list[str]

    @property
    def names(self) -> list[str]:
        return sorted(set(self.kinds))

    def at(self, places: Sequence[int]) -> "Examples":
        """Return the examples at some places."""
        columns = (self.texts, self.words, self.kinds)
        return Examples(*([column[at] for at in places] for column in columns))


@dataclass(frozen=True, slots=True)
class Weights:
    """What was fitted: a row for each number of the vector and each feature, by kind."""

    kinds: list[str]
    features: list[str]
    table: Array
    bias: Array


def examples_of(name: str) -> Examples:
    """Return the examples of a set."""
    vocabulary = vocabulary_of(load_catalog())
    found = Examples([], [], [])
    for path in files_of(name):
        for text in lines_of(path):
            found.texts.append(text)
            found.words.append(masked_words(text, vocabulary))
            found.kinds.append(path.stem)
    return found


def files_of(name: str) -> list[Path]:
    return [path for folder in SETS[name] for path in sorted((EXAMPLES / folder).glob("*.txt"))]


def inputs_hash(name: str) -> str:
    """Return the hash of everything that the weights of a set are made from."""
    tables = [EXAMPLES / "foreign.txt", EXAMPLES / "short_forms.txt", TOKENS_FILE, VECTORS_FILE]
    made = hashlib.sha256()
    for path in (*files_of(name), *tables):
        made.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()


def vectors(examples: Examples) -> Array:
    return np.array([direction_of(words) for words in examples.words])


def fitted(examples: Examples, directions: Array) -> Weights:
    """Fit weights to examples by Nesterov's accelerated descent: the same on every run."""
    listed = [features_of(words) for words in examples.words]
    counts = Counter(feature for one in listed for feature in one)
    features = sorted(feature for feature, count in counts.items() if count >= FEWEST)
    inputs = np.concatenate([directions * VECTOR_WEIGHT, presence(listed, features)], axis=1)
    kinds = examples.names
    wanted = np.eye(len(kinds))[[kinds.index(kind) for kind in examples.kinds]]
    table, bias = _descend(inputs, wanted)
    table[:SIZE] *= VECTOR_WEIGHT
    return Weights(kinds, features, table, bias)


def presence(listed: Sequence[Sequence[str]], features: Sequence[str]) -> Array:
    """Return which features each text has, each row of length 1."""
    rows = {feature: row for row, feature in enumerate(features)}
    found = np.zeros((len(listed), len(features)))
    for at, one in enumerate(listed):
        known = [rows[feature] for feature in one if feature in rows]
        found[at, known] = 1.0 / np.sqrt(len(known) or 1)
    return found


def _descend(inputs: Array, wanted: Array) -> tuple[Array, Array]:
    """Minimise the loss in the space of the examples: weights are sums of them."""
    inputs, wanted = inputs.astype(np.float32), wanted.astype(np.float32)
    near = inputs @ inputs.T + np.float32(1.0)  # the one is the bias
    pace = np.float32(1.0 / (0.5 * _largest_axis(near) + DECAY))
    shares = ahead = np.zeros_like(wanted)
    for step in range(STEPS):
        scores = near @ ahead
        scores -= scores.max(axis=1, keepdims=True)
        powers = np.exp(scores)
        missed = powers / powers.sum(axis=1, keepdims=True) - wanted
        following = ahead - pace * (missed + np.float32(DECAY) * ahead)
        ahead = following + np.float32(step / (step + 3.0)) * (following - shares)
        shares = following
    return inputs.T @ shares, shares.sum(axis=0)


def _largest_axis(near: Array) -> float:
    """Return the largest eigenvalue, by powers."""
    axis = np.ones(len(near), np.float32)
    for _ in range(20):
        axis = near @ axis
        axis /= np.linalg.norm(axis)
    return float(axis @ (near @ axis))


def scores_of(weights: Weights, examples: Examples, directions: Array) -> Array:
    listed = [features_of(words) for words in examples.words]
    inputs = np.concatenate([directions, presence(listed, weights.features)], axis=1)
    scores = inputs @ weights.table + weights.bias
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
