"""Turns the terms of one plan into a `Memory`: fits, tight, or why not, in one sentence."""

import math
from typing import Final

from catalog.facts.units import BYTES_PER_GIB
from engine.core.estimate import Memory
from engine.core.value import kw_value, value
from engine.memory.kv_cache import CacheLayout

# A pool is tight where it holds less than one more sequence, or a tenth more than asked.
SPARE_SHARE: Final = 0.10
HEADROOM_NOTE: Final = "little_kv_headroom"


@value
class CacheNeed:
    """The cache one replica must hold: how long each sequence is, and how many."""

    layout: CacheLayout | None
    tokens: int
    sequences: float
    in_flight: int  # prompt tokens processed at once, kept past a window

    @property
    def sequence_gib(self) -> float:
        """GiB of one sequence while it generates."""
        return self._gib(0)

    @property
    def gib(self) -> float:
        """GiB of all sequences; one of them is still reading its prompt."""
        reading = self._gib(self.in_flight)
        if self.sequences <= 1.0:
            return reading
        return (self.sequences - 1.0) * self._gib(0) + reading

    def _gib(self, in_flight: int) -> float:
        if self.layout is None:
            return 0.0
        blocks = self.layout.sequence_blocks(self.tokens, in_flight)
        return blocks * self.layout.block_bytes / BYTES_PER_GIB


@kw_value
class Terms:
    """GiB on one device; `fixed` is all that comes before the cache, `limit` what may be used."""

    weights: float
    activations: float
    overhead: float  # shown: runtime and what lies outside the limit
    fixed: float
    room: float
    available: float
    device: str  # "GPU", "NeuronCore", "host"


def serving_verdict(
    terms: Terms,
    need: CacheNeed,
    *,
    tight: bool,
    bytes_per_token: float | None,
    copies: int = 1,
    approximate: bool = False,
    notes: tuple[str, ...] = (),
) -> Memory:
    """Return the memory of a serving plan. It fits when the room holds every sequence asked for.

    `tight` adds the caller's own reasons to the common one (hardly more room than needed).
    `copies` is how many separate caches the replica has (attention data parallel).
    """
    needed, room = need.gib, max(0.0, terms.room)
    fits = terms.room > 0.0 and needed <= terms.room
    spare = room - needed
    short_of_room = needed > 0.0 and spare < max(need.sequence_gib, SPARE_SHARE * needed)
    crowded = fits and short_of_room
    tokens_max, sequences_max, context_max = _most_sequences(need, room, copies)
    return Memory(
        weights=terms.weights,
        kv_cache=needed,
        activations=terms.activations,
        optimizer=0.0,
        gradients=0.0,
        overhead=terms.overhead,
        total=terms.weights + needed + terms.activations + terms.overhead,
        available=terms.available,
        fits=fits,
        tight=crowded or (fits and tight),
        why_not=None if fits else why_not(terms, need),
        needed_gib=terms.fixed + needed,
        limit_gib=terms.fixed + terms.room,
        room_gib=room,
        kv_bytes_per_token=bytes_per_token,
        kv_tokens_max=tokens_max,
        sequences_max=sequences_max,
        context_max=context_max,
        approximate=approximate,
        notes=(*notes, HEADROOM_NOTE) if crowded and HEADROOM_NOTE not in notes else notes,
    )


def why_not(terms: Terms, need: CacheNeed) -> str:
    """Return one sentence that names the term too large, what it needs and what there is."""
    limit = terms.fixed + terms.room
    if terms.weights > limit:
        return f"needs {terms.weights:.1f} GiB of weights per {terms.device}, has {limit:.1f}"
    if terms.room <= 0.0:
        return (
            f"needs {terms.fixed:.1f} GiB of weights and runtime per {terms.device}, "
            f"has {limit:.1f}"
        )
    count = max(1.0, need.sequences)
    many = "one sequence" if count == 1.0 else f"{count:g} sequences"
    return (
        f"needs {need.gib:.1f} GiB of KV cache per {terms.device} for {many} of {need.tokens:,} "
        f"tokens, has {terms.room:.1f} left beside the weights"
    )


def _most_sequences(
    need: CacheNeed, room: float, copies: int
) -> tuple[int | None, float | None, int | None]:
    """Return the most tokens, sequences as long as asked, and tokens of one sequence in the room.

    None where nothing limits them.
    """
    layout = need.layout
    if layout is None:
        return None, None, None
    blocks = layout.blocks(room * BYTES_PER_GIB)
    tokens = layout.printed_tokens(blocks)
    longest = layout.longest_sequence(blocks, need.in_flight)
    return (
        None if tokens is None else tokens * copies,
        copies * blocks / layout.sequence_blocks(need.tokens),
        None if math.isinf(longest) else int(longest),
    )
