"""Memory of models that answer in one pass: encoders, embedders, vision models, diffusion."""

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GIB
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan
from engine.memory import constants as c
from engine.memory.device import usable_gib
from engine.memory.verdict import CacheNeed, Terms, serving_verdict
from engine.memory.weights import weights_gib
from engine.shape.shape import Shape, shape_of

NO_CACHE = CacheNeed(None, 0, 1.0, 0)


def encoder_activation_gib(shape: Shape, tokens: int) -> float:
    """Return GiB of one layer's live activations: 2 bytes x tokens x (3 FFN + 6 hidden) + 0.2.

    Convolutional networks, whose catalog row has no width, take a flat allowance.
    """
    if not shape.hidden:
        return c.SHAPELESS_ACTIVATION_GIB
    return 2.0 * tokens * (3 * shape.ffn + 6 * shape.hidden) / BYTES_PER_GIB + c.ENCODER_BASE_GIB


def encoder_memory(model: Model, host: Host, plan: Plan, context_tokens: int) -> Memory:
    """Return GiB per GPU of an encoder, embedding or vision model: weights and one padded batch."""
    shape = shape_of(model)
    activations = encoder_activation_gib(shape, max(context_tokens, c.ENCODER_TOKENS))
    return _cacheless(model, host, plan, activations, approximate=not shape.hidden)


def diffusion_memory(model: Model, host: Host, plan: Plan) -> Memory:
    """Return GiB per GPU of a diffusion pipeline: all parts resident, one 1,024-pixel image.

    Always approximate: image activations (1.5-5 GiB seen) were not measured here.
    """
    return _cacheless(model, host, plan, c.DIFFUSION_IMAGE_GIB, approximate=True)


def _cacheless(
    model: Model, host: Host, plan: Plan, activations: float, *, approximate: bool
) -> Memory:
    accelerator = host.accelerator
    if accelerator is None:
        raise TypeError("a GPU plan needs a host with a GPU")
    memory_gib = usable_gib(accelerator)
    weights = weights_gib(model, plan.weights_dtype, plan.tensor_parallel, plan.pipeline_parallel)
    fixed = weights + activations + c.CUDA_CONTEXT_GIB
    terms = Terms(
        weights=weights,
        activations=activations,
        overhead=c.CUDA_CONTEXT_GIB,
        fixed=fixed,
        room=memory_gib - fixed,
        available=memory_gib,
        device="GPU",
    )
    tight = memory_gib - fixed < c.TIGHT_FREE_SHARE * memory_gib
    return serving_verdict(
        terms, NO_CACHE, tight=tight, bytes_per_token=None, approximate=approximate
    )
