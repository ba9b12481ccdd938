"""Kinds of models by how they run, from their task."""

from typing import Final

# One pass over the input, nothing generated.
SINGLE_SHOT_TASKS: Final = frozenset({"encoder", "embedding", "vision"})
ENCODER_DECODER_TASKS: Final = frozenset({"enc_dec", "speech"})
