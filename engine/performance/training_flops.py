"""FLOPs of training one token, counted once: the same figures give times and utilisation."""

from typing import NamedTuple

from engine.shape.shape import Shape


class Flops(NamedTuple):
    """FLOPs of one token's forward run."""

    body: float  # matrix products apart from experts and head
    experts: float
    head: float
    attention: float

    @property
    def matrix(self) -> float:
        """All matrix products."""
        return self.body + self.experts + self.head


def forward_flops(shape: Shape, seq_len: int, *, encoder: bool) -> Flops:
    """Return the FLOPs of one token: 2 per weight used, and attention over half the sequence.

    Encoders attend to the whole sequence, and only masked positions see their output head.
    """
    width = shape.heads * shape.prefill_head_dims / 2
    if encoder:
        return Flops(2 * shape.body_params, 0.0, 0.0, 4 * width * shape.layers * seq_len)
    half = seq_len / 2
    seen = shape.full_layers * half + shape.window_layers * min(shape.window, half)
    experts = 2 * shape.experts_per_token * shape.expert_params
    return Flops(2 * shape.body_params, experts, 2 * shape.head_params, 4 * width * seen)
