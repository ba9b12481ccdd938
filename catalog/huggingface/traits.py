"""What a config.json leaves unsaid: the traits that come with its `model_type`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # only the building of the catalog reads the constraints, see catalog.facts.rows
    from catalog.facts.constraints import Positive, PositiveInt, Setting, Text


@dataclass(frozen=True, slots=True)
class Traits:
    """One row of architectures.csv: facts of an architecture that its files need not state.

    Files leave out fields that equal their class's default.
    """

    model_type: Text
    gated: bool = True  # three FFN matrices instead of two
    tied: bool = False  # one table for both ends, where the file does not say
    encoder: bool = False  # reads the whole text at once, writes nothing
    positions: bool = False  # a learned position table
    query_gate: bool = False  # queries come with a gate of the same size
    window_opt_in: bool = False  # a window counts only where `use_sliding_window` is true
    full_every: PositiveInt | None = None  # one layer in so many attends to everything
    ffn_ratio: Positive | None = None  # FFN width over hidden size, where the file does not say
    ffn_share: Positive = 1.0  # FFN width over the stated one
    shared_expert: bool = False  # one shared expert as wide as a routed one, unstated
    multi_query: bool = False  # one key-value head, unless the file says otherwise
    all_linear: bool = False  # no attention heads at all: every layer keeps a state
    lightning: bool = False  # layers without full attention are lightning attention
    gated_tower: bool = False  # as a vision tower: three FFN matrices instead of two
    sub_layers: PositiveInt = 1  # attentions and dense FFNs that one counted layer holds
    defaults: tuple[Setting, ...] = ()
    nested_defaults: tuple[Setting, ...] = ()  # left out where it is the text part of another
    source: Text = "-"


LLAMA_LIKE: Final = Traits("")  # an architecture without a row is taken as this


def settings(cells: tuple[str, ...]) -> dict[str, object]:
    """Return the fields and values of cells like `head_dim=256`."""
    pairs = (cell.split("=") for cell in cells)
    return {name: int(number) for name, number in pairs}
