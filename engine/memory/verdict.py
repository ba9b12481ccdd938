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
        once = self._gib(0) if self.in_flight else reading
        return (self.sequences - 1.0) * once + reading

    def _gib(self, in_flight: int) -> float:
        if self.layout is None:
            return 0.0
        blocks = self.layout.sequence_blocks(self.tokens, in_flight)
        return blocks * self.layout.block_bytes / BYTES_PER_GIB


@kw_value
class OnDevice:
    """What a plan puts on one device of a kind, GiB, and the cache that it needs there.

    Weights, activations and runtime come before the cache; `room` is what they leave of what may be
    used. `tight` is the device's own reason, beside the common one (hardly more room than needed).
    """

    name: str  # "GPU", "NeuronCore", "host"
    available: float
    weights: float
    activations: float
    room: float
    need: CacheNeed
    runtime: float = 0.0
    outside: float = 0.0  # shown with the runtime, but outside of what may be used
    tight: bool = False
    copies: int = 1  # separate caches of the replica (attention data parallel)
    approximate: bool = False
    notes: tuple[str, ...] = ()

    @property
    def fixed(self) -> float:
        """All that comes before the cache."""
        return self.weights + self.activations + self.runtime


def serving_verdict(held: OnDevice, token_bytes: float | None) -> Memory:
    """Return the memory of a serving plan. It fits when the room holds every sequence asked for."""
    need, fixed = held.need, held.fixed
    needed, room = need.gib, max(0.0, held.room)
    fits = held.room > 0.0 and needed <= held.room
    spare = room - needed
    short_of_room = needed > 0.0 and spare < max(need.sequence_gib, SPARE_SHARE * needed)
    # A layout that is not checked must leave as much again.
    crowded = fits and (short_of_room or (held.approximate and spare < needed))
    tokens_max, sequences_max, context_max = _most_sequences(need, room, held.copies)
    notes, overhead = held.notes, held.runtime + held.outside
    return Memory(
        weights=held.weights,
        kv_cache=needed,
        activations=held.activations,
        optimizer=0.0,
        gradients=0.0,
        overhead=overhead,
        total=held.weights + needed + held.activations + overhead,
        available=held.available,
        fits=fits,
        tight=crowded or (fits and held.tight),
        why_not=None if fits else why_not(held),
        needed_gib=fixed + needed,
        limit_gib=fixed + held.room,
        room_gib=room,
        kv_bytes_per_token=token_bytes,
        kv_tokens_max=tokens_max,
        sequences_max=sequences_max,
        full_sequences=sequences_max,
        context_max=context_max,
        approximate=held.approximate,
        notes=(*notes, HEADROOM_NOTE) if crowded and HEADROOM_NOTE not in notes else notes,
    )


def why_not(held: OnDevice) -> str:
    """Return one sentence that names the term too large, what it needs and what there is."""
    need, limit = held.need, held.fixed + held.room
    if held.weights > limit:
        return f"needs {held.weights:.1f} GiB of weights per {held.name}, has {limit:.1f}"
    if held.room <= 0.0:
        return f"needs {held.fixed:.1f} GiB of weights and runtime per {held.name}, has {limit:.1f}"
    count = max(1.0, need.sequences)
    many = "one sequence" if count == 1.0 else f"{count:g} sequences"
    return (
        f"needs {need.gib:.1f} GiB of KV cache per {held.name} for {many} of {need.tokens:,} "
        f"tokens, has {held.room:.1f} left beside the weights"
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
    tokens = layout.printed_tokens(blocks, need.tokens)
    longest = layout.longest_sequence(blocks, need.in_flight)
    return (
        None if tokens is None else tokens * copies,
        copies * blocks / layout.sequence_blocks(need.tokens),
        None if math.isinf(longest) else int(longest),
    )
