"""Kinds of models by how they run, from their task."""

from typing import Final

# One pass over a text, nothing generated; a reranker reads a query and a passage together.
READING_TASKS: Final = frozenset({"encoder", "embedding", "reranker"})
SINGLE_SHOT_TASKS: Final = READING_TASKS | {"vision"}
ENCODER_DECODER_TASKS: Final = frozenset({"enc_dec", "speech"})
