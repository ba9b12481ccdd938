"""Which degrees of tensor parallelism a model and a host allow, and why not the others."""

from typing import Final, Literal

from catalog.facts.schema import Model
from engine.core.dtypes import dtype_named
from engine.core.plan import Host
from engine.memory.device import cores_per_chip
from engine.shape.shape import Shape, shape_of

# fp8 checkpoints scale 128 x 128 blocks of expert weights: a rank must hold whole blocks.
EXPERT_BLOCK: Final = 128
MAX_TENSOR_PARALLEL: Final = 64

ParallelTask = Literal["inference", "training"]


def why_invalid_tp(
    model: Model,
    tp: int,
    *,
    dtype: str = "bf16",
    devices: int | None = None,
    expert_parallel: int = 1,
    padded: bool = False,
) -> str | None:
    """Return why a tensor-parallel degree cannot be used, None where it can.

    Engines cut attention by heads (KV heads divide evenly or are repeated evenly; a latent cache
    is repeated whole), dense FFNs by width, experts by width or, with expert parallelism, as whole
    experts; and keep one replica's tensor-parallel group inside one host (`devices`). The
    vocabulary is padded and never rejects. `padded` lets heads and FFN be filled up with zeros, as
    Neuron's software does (`padded_model`): then key and value heads decide alone.
    """
    shape = shape_of(model)
    if tp == 1:
        return None
    if devices is not None and tp > devices:
        return f"tensor parallel {tp} needs {tp} devices in one host, it has {devices}"
    dense = _why_invalid_dense(shape, tp, padded=padded)
    if dense is not None or not shape.experts:
        return dense
    if expert_parallel > 1:
        return _why_invalid_expert_parallel(shape, expert_parallel)
    return _why_invalid_expert_slices(shape, tp, dtype)


def _why_invalid_dense(shape: Shape, tp: int, *, padded: bool) -> str | None:
    if not shape.heads:
        return "it has no attention heads to split"
    if shape.heads % tp and (not padded or tp > shape.heads):
        return f"{shape.heads} attention heads do not divide by {tp}"
    kv = shape.kv_heads
    filled_up = padded and kv == shape.heads  # with the query heads
    if not (shape.mla_width or filled_up) and kv % tp and tp % kv:
        return f"{kv} KV heads neither divide by {tp} nor it by them"
    if shape.ffn % tp and not padded:
        return f"the FFN width {shape.ffn} does not divide by {tp}"
    return None


def _why_invalid_expert_parallel(shape: Shape, expert_parallel: int) -> str | None:
    if shape.experts % expert_parallel:
        return f"{shape.experts} experts do not divide by {expert_parallel}"
    return None


def _why_invalid_expert_slices(shape: Shape, tp: int, dtype: str) -> str | None:
    width = shape.expert_width
    if width % tp:
        return f"the expert width {width} does not divide by {tp}; keep experts whole instead"
    if dtype_named(dtype).name == "fp8" and width / tp % EXPERT_BLOCK:
        return (
            f"expert slices of {width // tp} are not whole fp8 blocks of {EXPERT_BLOCK}; "
            f"use a smaller degree or keep experts whole"
        )
    return None


def parallel_units(host: Host) -> int:
    """Return how many units one host offers to parallelism: GPUs, or NeuronCores; 0 on CPU."""
    if host.accelerator is None:
        return 0
    return host.accelerators * cores_per_chip(host.accelerator)


def valid_tensor_parallel(
    model: Model,
    host: Host,
    dtype: str = "bf16",
    task: ParallelTask = "inference",
    *,
    padded: bool = False,
) -> tuple[int, ...]:
    """Return the tensor-parallel degrees valid on one such host, ascending; 1 always is.

    On Neuron a degree counts cores and is a power of two, or all cores of the host. `task` is
    "training" where expert weights are 16-bit whatever the checkpoint's dtype. `padded` as
    `why_invalid_tp` has it.
    """
    units = parallel_units(host)
    if units == 0:
        return (1,)
    dtype = dtype if task == "inference" else "bf16"
    return tuple(
        tp
        for tp in candidate_degrees(host)
        if why_invalid_tp(model, tp, dtype=dtype, devices=units, padded=padded) is None
    )


def candidate_degrees(host: Host) -> list[int]:
    """Return degrees to consider on one host: all on GPUs; powers of two and all on Neuron."""
    most = min(parallel_units(host), MAX_TENSOR_PARALLEL)
    if host.accelerator is not None and host.accelerator.vendor == "aws":
        powers = [1 << bit for bit in range(most.bit_length()) if 1 << bit <= most]
        return powers if most in powers else [*powers, most]
    return list(range(1, most + 1))
