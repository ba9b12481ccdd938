"""What a config.json leaves unsaid: the traits that come with its `model_type`.

Each row of `data/architectures.json` states facts of the architecture as transformers implements
it: files leave out fields that equal their class's default.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Facts of one architecture that its files need not state."""

    gated: bool = True  # three FFN matrices instead of two
    tied: bool = False  # one table for both ends, where the file does not say
    encoder: bool = False  # reads the whole text at once, writes nothing
    positions: bool = False  # a learned position table
    query_gate: bool = False  # queries come with a gate of the same size
    window_opt_in: bool = False  # a window counts only where `use_sliding_window` is true
    full_every: int | None = None  # one layer in so many attends to everything
    ffn_ratio: float | None = None  # FFN width over hidden size, where the file does not say
    ffn_share: float = 1.0  # FFN width over the stated one (Qwen states both halves together)
    shared_expert: bool = False  # one shared expert as wide as a routed one, unstated
    defaults: Mapping[str, object] = field(default_factory=dict)


LLAMA_LIKE = Traits()


@cache
def _architectures() -> Mapping[str, Any]:
    path = Path(__file__).parents[1] / "data" / "architectures.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def traits_of(model_type: str) -> Traits:
    """Return the traits of an architecture; one without a row is taken as Llama-like.

    Raises:
        TypeError: its row names no trait (a test reads every row).
    """
    row = _architectures()["traits"].get(model_type.lower())
    return LLAMA_LIKE if row is None else Traits(**row)


def nested_defaults(model_type: str) -> Mapping[str, object]:
    """Return what a nested text part leaves out, as all of it equals its class's defaults."""
    defaults: Mapping[str, object] = _architectures()["nested_defaults"].get(model_type, {})
    return defaults
