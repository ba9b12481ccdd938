"""Memory of a plan that runs on the CPU, and of weights that spill from GPUs to host memory."""

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.dtypes import kv_cache_bytes
from engine.core.estimate import Memory
from engine.core.plan import Host, Plan
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.memory import constants as c
from engine.memory.device import usable_gib
from engine.memory.gpu import llama_cpp_buffer_gib
from engine.memory.kv_cache import cache_layout, cached_tokens, layer_token_bytes
from engine.memory.single_shot import NO_CACHE, encoder_activation_gib
from engine.memory.verdict import CacheNeed, Terms, serving_verdict
from engine.memory.weights import total_weights_gb, weights_gib
from engine.shape.shape import Shape, shape_of


def cpu_memory(
    model: Model, host: Host, plan: Plan, context_tokens: int, sequences: float
) -> Memory:
    """Return GiB of host memory: weights + cache + compute buffer within 0.9 x host - 1 GiB.

    The cache is llama.cpp's, reserved at start for every sequence.
    """
    shape = shape_of(model)
    weights = weights_gib(model, plan.weights_dtype)
    kv_bytes = kv_cache_bytes(plan.kv_dtype, plan.weights_dtype)
    activations, need = _llama_cpp_work(model, shape, context_tokens, sequences, kv_bytes)
    fixed = weights + activations
    limit = c.HOST_SHARE * host.host_mem_gib - c.HOST_RESERVE_GIB
    terms = Terms(
        weights=weights,
        activations=activations,
        overhead=c.HOST_RESERVE_GIB,
        fixed=fixed,
        room=limit - fixed,
        available=host.host_mem_gib,
        device="host",
    )
    return serving_verdict(
        terms,
        need,
        tight=False,
        bytes_per_token=layer_token_bytes(shape, kv_bytes) * shape.caching_layers or None,
        approximate=model.kv_approximate or model.task == "diffusion",
    )


def _llama_cpp_work(
    model: Model, shape: Shape, context_tokens: int, sequences: float, kv_bytes: float
) -> tuple[float, CacheNeed]:
    if model.task == "diffusion":
        return c.DIFFUSION_IMAGE_GIB, NO_CACHE
    if model.task in SINGLE_SHOT_TASKS:
        return encoder_activation_gib(shape, context_tokens), NO_CACHE
    layout = cache_layout(shape, kv_bytes, 1, 1, "llama.cpp")
    need = CacheNeed(layout, cached_tokens(model, context_tokens), sequences, 0)
    return llama_cpp_buffer_gib(shape, context_tokens, sequences), need


def offload_limit_gib(host: Host) -> float:
    """Return GiB of weights that host memory and all GPUs of a host hold together.

    0.9 x host + 0.9 x GPU memory - 4 GB: 671B in fp8 was judged too much for 640 GB and one L40S.
    """
    device = 0.0 if host.accelerator is None else usable_gib(host.accelerator) * host.accelerators
    reserve = c.OFFLOAD_RESERVE_GB * BYTES_PER_GB / BYTES_PER_GIB
    return c.OFFLOAD_SHARE * (host.host_mem_gib + device) - reserve


def fits_offloaded(model: Model, dtype: str, host: Host) -> bool:
    """Return whether the weights fit in host and GPU memory together (far slower than on GPUs).

    Raises:
        ValueError: no such dtype.
    """
    needed_gib = total_weights_gb(model, dtype) * BYTES_PER_GB / BYTES_PER_GIB
    return needed_gib <= offload_limit_gib(host)
