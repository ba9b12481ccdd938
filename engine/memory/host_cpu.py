"""Memory of a plan that runs on the CPU, and of weights that spill from GPUs to host memory."""

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.plan import Host
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.memory import constants as c
from engine.memory.demand import Demand
from engine.memory.device import usable_gib
from engine.memory.gpu import llama_cpp_buffer_gib
from engine.memory.single_shot import NO_CACHE, encoder_activation_gib
from engine.memory.verdict import OnDevice
from engine.memory.weights import total_weights_gb


def cpu_memory(demand: Demand) -> OnDevice:
    """Return what host memory holds: weights, cache, compute buffer, within 0.9 x host - 1 GiB.

    The cache is llama.cpp's, reserved at start for every sequence.
    """
    shape, task, weights = demand.shape, demand.model.task, demand.weights()
    need = NO_CACHE
    if task == "diffusion":
        activations = c.DIFFUSION_IMAGE_GIB
    elif task in SINGLE_SHOT_TASKS:
        activations = encoder_activation_gib(shape, demand.context_tokens)
    else:
        need = demand.cache("llama.cpp")
        activations = llama_cpp_buffer_gib(shape, demand.context_tokens, demand.sequences)
    limit = c.HOST_SHARE * demand.host.host_mem_gib - c.HOST_RESERVE_GIB
    return OnDevice(
        name="host",
        available=demand.host.host_mem_gib,
        weights=weights,
        activations=activations,
        outside=c.HOST_RESERVE_GIB,
        room=limit - (weights + activations),
        need=need,
        approximate=demand.model.kv_approximate or task == "diffusion",
    )


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
