"""Activations and logits that training keeps for the backward pass."""

from typing import Final

from catalog.facts.schema import Model
from engine.core.plan import TrainingJob
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.shape.shape import Shape

# Bytes per token and vocabulary entry: 16-bit logits, their 32-bit copy and half of the gradient;
# computed in place; in chunks (or fused with the loss).
LOGIT_BYTES: Final = {"plain": 8.0, "in_place": 6.0, "chunked": 0.5}
PLAIN_VOCABULARY: Final = 32_768
MASKED_SHARE: Final = 0.15  # encoders predict only the masked positions
# What selective checkpointing keeps of a layer beyond its input: matrix products, about half.
SELECTIVE_SHARE: Final = 0.5


def layer_activation_bytes(widths: tuple[int, int, int, int], tokens: float) -> float:
    """Return bytes one layer keeps with flash attention: t [2 (6d + 2H + 2K + 3F) + 4d]."""
    hidden, query, key, ffn = widths
    return tokens * (2.0 * (6 * hidden + 2 * query + 2 * key + 3 * ffn) + 4.0 * hidden)


def activation_bytes(
    shape: Shape, widths: tuple[int, int, int, int], tokens: float, job: TrainingJob
) -> float:
    """Return bytes of activations on one rank.

    Without checkpointing every layer; with it the one being computed and the input of each. A
    pipeline stage holds as many micro-batches as there are stages, so layers are not divided.
    """
    layer = layer_activation_bytes(widths, tokens)
    boundary = 2.0 * tokens * shape.hidden
    if job.checkpointing == "none":
        return layer * shape.layers
    if job.checkpointing == "selective":
        return layer + SELECTIVE_SHARE * layer * max(0, shape.layers - 1)
    return layer + boundary * (1 if job.host_checkpoints else shape.layers)


def logit_bytes(shape: Shape, model: Model, tokens: float, job: TrainingJob) -> float:
    """Return bytes of logits and their gradient on one rank.

    Where the job does not say how they are held: plainly up to a vocabulary of 32,768; the part
    beyond it in chunks, as recipes for large vocabularies do (torchtune, Liger). An 8B LoRA with
    plain logits would need 21.6 GiB where 16.2 was published.
    """
    share = MASKED_SHARE if model.task in SINGLE_SHOT_TASKS else 1.0
    if job.logits is not None:
        return share * tokens * shape.vocab * LOGIT_BYTES[job.logits]
    plain = min(shape.vocab, PLAIN_VOCABULARY)
    chunked = shape.vocab - plain
    return share * tokens * (plain * LOGIT_BYTES["plain"] + chunked * LOGIT_BYTES["chunked"])
