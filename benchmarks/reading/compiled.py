"""Writes what the product loads: weights of a byte each, features, and the texts it knows."""

import json
from collections import defaultdict

import numpy as np

from benchmarks.reading.held_out import Score
from benchmarks.reading.train import Examples, Weights, inputs_hash
from bot.language.questions.kinds import FOLDER, SIZE

Array = np.ndarray


def written(name: str, examples: Examples, weights: Weights, score: Score) -> None:
    """Write the three files of a set: its head, its weights, its features and known texts."""
    of_vector, vector_step = _in_bytes(weights.table[:SIZE])
    of_features, feature_step = _in_bytes(weights.table[SIZE:])
    head = {
        "inputs": inputs_hash(name),
        "held_out": score.rounded(),
        "kinds": weights.kinds,
        "bias": [round(float(one), 4) for one in weights.bias],
        "features": len(weights.features),
        "vector_step": vector_step,
        "feature_step": feature_step,
    }
    lines = [json.dumps(head, indent=1), ""]
    (FOLDER / f"{name}.json").write_text("\n".join(lines), encoding="utf-8")
    (FOLDER / f"{name}.bin").write_bytes(of_vector.tobytes() + of_features.tobytes())
    known = [f"{text}\t{kind}" for text, kind in sorted(exact_texts(examples).items())]
    (FOLDER / f"{name}.txt").write_text("\n".join([*weights.features, *known, ""]), "utf-8")


def _in_bytes(table: Array) -> tuple[Array, float]:
    """Return weights as whole numbers of one step, and the step."""
    step = float(f"{np.abs(table).max() / 127.0:.5g}")
    return np.clip(np.rint(table / step), -127, 127).astype(np.int8), step


def exact_texts(examples: Examples) -> dict[str, str]:
    """Return the kind of each masked text; those of several kinds are left to the classifier."""
    kinds = kinds_by_text(examples)
    return {text: next(iter(found)) for text, found in kinds.items() if len(found) == 1}


def kinds_by_text(examples: Examples) -> dict[str, set[str]]:
    """Return every kind that a masked text stands under."""
    found: dict[str, set[str]] = defaultdict(set)
    for words, kind in zip(examples.words, examples.kinds, strict=True):
        if words:
            found[" ".join(words)].add(kind)
    return found
