"""Memory of models that answer in one pass: encoders, embedders, vision models, diffusion."""

from catalog.facts.units import BYTES_PER_GIB
from engine.memory import constants as c
from engine.memory.demand import Demand
from engine.memory.device import usable_gib
from engine.memory.verdict import CacheNeed, OnDevice
from engine.shape.shape import Shape

NO_CACHE = CacheNeed(None, 0, 1.0, 0)


def encoder_activation_gib(shape: Shape, tokens: int) -> float:
    """Return GiB of one layer's live activations: 2 bytes x tokens x (3 FFN + 6 hidden) + 0.2.

    Convolutional networks, whose catalog row has no width, take a flat allowance.
    """
    if not shape.hidden:
        return c.SHAPELESS_ACTIVATION_GIB
    return 2.0 * tokens * (3 * shape.ffn + 6 * shape.hidden) / BYTES_PER_GIB + c.ENCODER_BASE_GIB


def single_shot_memory(demand: Demand) -> OnDevice:
    """Return what one GPU holds of a model that caches nothing: weights and one batch.

    Encoders, embedders and vision models run one padded batch; a diffusion pipeline has all its
    parts resident beside one 1,024-pixel image. Images are always approximate: their activations
    (1.5-5 GiB seen) were not measured here.
    """
    shape, memory_gib, weights = demand.shape, usable_gib(demand.accelerator), demand.weights()
    image = demand.model.task == "diffusion"
    tokens = max(demand.context_tokens, c.ENCODER_TOKENS)
    activations = c.DIFFUSION_IMAGE_GIB if image else encoder_activation_gib(shape, tokens)
    room = memory_gib - (weights + activations + c.CUDA_CONTEXT_GIB)
    return OnDevice(
        name="GPU",
        available=memory_gib,
        weights=weights,
        activations=activations,
        runtime=c.CUDA_CONTEXT_GIB,
        room=room,
        need=NO_CACHE,
        tight=room < c.TIGHT_FREE_SHARE * memory_gib,
        approximate=image or not shape.hidden,
    )
