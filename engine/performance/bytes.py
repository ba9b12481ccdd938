"""What one decode step has to read: weights by role, experts touched, cache, states.

A GPU step's floor is these bytes over the memory bandwidth; everything else only adds to it.
"""

from functools import lru_cache
from math import expm1, log, log1p

from engine.core.dtypes import SIXTEEN_BIT, Dtype, dtype_named, kv_cache_bytes
from engine.core.value import value
from engine.shape.shape import Shape


@value
class Precision:
    """Bytes per value by role, and the weight format the kernels run."""

    name: str  # of the weight format
    dense: float
    expert: float
    table: float  # embedding and output head
    kv: float


@lru_cache(maxsize=256)
def precision_of(weights_dtype: str, kv_dtype: str, *, moe: bool) -> Precision:
    """Return bytes per value for a weights and a cache dtype.

    In a mixture of experts published in 4 bits only the experts are: the body stays in 16 bit
    (MXFP4, int4), or averages one byte (NVFP4 checkpoints quantise most of it to 8 bit or less).

    Raises:
        ValueError: no such format.
    """
    dtype = dtype_named(weights_dtype)
    size = dtype.bytes_per_param
    return Precision(
        name=dtype.name,
        dense=_body_bytes(dtype) if moe else size,
        expert=size,
        table=dtype.kept_bytes,
        kv=kv_cache_bytes(kv_dtype, weights_dtype),
    )


def _body_bytes(dtype: Dtype) -> float:
    if dtype.name == "nvfp4":
        return 1.0
    if dtype.name == "mxfp4" or (dtype.bytes_per_param < 1.0 and not dtype.gguf):
        return 2.0
    return dtype.bytes_per_param


def weight_class(dtype_name: str) -> str:
    """Return which fitted kernel class runs a weight format."""
    if dtype_name in SIXTEEN_BIT or dtype_name == "fp32":
        return "bf16"
    if dtype_name in {"fp8", "int8", "mxfp4", "nvfp4"}:
        return dtype_name
    return "gguf" if dtype_named(dtype_name).gguf else "int4"


def body_class(precision: Precision, *, moe: bool) -> str:
    """Return the kernel class of the dense body, 16-bit kernels where only experts are small."""
    if moe and precision.dense > precision.expert:
        return "bf16"
    return weight_class(precision.name)


def distinct_experts(experts: int, chosen: float, sequences: float) -> float:
    """Return how many experts of a layer a step touches, of `experts`, `chosen` per token.

    Uniform random routing: E(1 - (1 - k/E)^B), at most B*k and never under k.
    """
    if chosen >= experts:
        return float(experts)
    missed = log1p(-chosen / experts) * max(sequences, 1.0)
    touched = -experts * expm1(missed)
    return max(float(chosen), min(touched, sequences * chosen))


def weight_read_bytes(shape: Shape, precision: Precision, sequences: float) -> float:
    """Return the weight bytes one decode step of `sequences` reads, all accelerators together.

    The input table is looked up, not read; the output head is read whole.
    """
    dense = shape.body_params * precision.dense + shape.head_params * precision.table
    if not shape.experts:
        return dense
    touched = distinct_experts(shape.experts, shape.experts_per_token, sequences)
    return dense + touched * shape.expert_params * precision.expert


def kv_read_bytes(shape: Shape, precision: Precision, context: float) -> float:
    """Return the cache and state bytes one sequence of `context` tokens reads per step."""
    return (
        precision.kv
        * shape.kv_elements
        * (shape.full_layers * context + shape.window_layers * min(context, shape.window))
        + 2 * shape.sequence_state_bytes
    )


def log2(value: float) -> float:
    """Return the binary logarithm of a count of at least one."""
    return log(value) / log(2.0)
