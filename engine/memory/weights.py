"""Bytes of model weights: in total, and on the fullest accelerator of a replica."""

from functools import lru_cache
from typing import Final

from catalog.facts.schema import Model
from catalog.facts.units import BYTES_PER_GB, BYTES_PER_GIB
from engine.core.dtypes import INT4_GROUP_32, Dtype, dtype_named
from engine.core.value import value
from engine.memory.constants import WEIGHTS_BASE_GIB
from engine.shape.attention import mla_query_rank
from engine.shape.shape import Shape, shape_of

MXFP4_PADDING: Final = 256  # its Hopper kernel pads the hidden size: 2880 -> 3072 in gpt-oss
HOPPER: Final = (9.0, 10.0)


@value
class WeightBytes:
    """Bytes of the three parts of a model in one dtype, undivided."""

    embedding: float  # one table
    body: float
    experts: float
    body_bytes_per_param: float


@lru_cache(maxsize=4096)
def weight_bytes(model: Model, dtype: str, capability: float | None = None) -> WeightBytes:
    """Return the bytes of each part. Sums what is stored: scales, and what stays in 16 bit.

    Quantisers leave the embedding and the head alone; formats made for experts leave the whole
    body; vision towers stay 16 bit in every quantised checkpoint.

    Raises:
        ValueError: no such dtype.
    """
    shape, form = shape_of(model), dtype_named(dtype)
    body_rate, expert_rate = _rates(model, shape, form)
    body = shape.body_params * body_rate
    if model.fp8_ffn_only and form.name == "fp8":
        quantised = shape.dense_ffn_params * (shape.layers - 2) / shape.layers
        body = quantised * body_rate + (shape.body_params - quantised) * form.kept_bytes
        body_rate = form.kept_bytes
    towers = shape.vision_params * max(form.kept_bytes, body_rate)
    towers += shape.assumed_vision_params * max(0.0, form.kept_bytes - body_rate)
    return WeightBytes(
        embedding=shape.embedding_params * form.kept_bytes,
        body=body + towers,
        experts=shape.routed_params * expert_rate * padding(shape, form.name, capability),
        body_bytes_per_param=body_rate,
    )


def _rates(model: Model, shape: Shape, form: Dtype) -> tuple[float, float]:
    """Return bytes per body and per expert parameter."""
    if not shape.experts:
        return form.bytes_per_param, form.bytes_per_param
    experts_first = model.native_dtype == form.name == "int4"  # quantisation-aware, groups of 32
    if form.experts_only or experts_first:
        body = dtype_named(model.body_dtype) if model.native_dtype == form.name else None
        rate = body.bytes_per_param if body is not None and not body.experts_only else 2.0
        return rate, INT4_GROUP_32 if experts_first else form.bytes_per_param
    return form.bytes_per_param, form.bytes_per_param


def padding(shape: Shape, dtype_name: str, capability: float | None) -> float:
    """Return the bytes of an expert in this dtype over those of its parameters: kernels pad it."""
    if dtype_name != "mxfp4" or capability is None or not HOPPER[0] <= capability < HOPPER[1]:
        return 1.0
    return -(-shape.hidden // MXFP4_PADDING) * MXFP4_PADDING / shape.hidden


@lru_cache(maxsize=4096)
def total_weights_gb(model: Model, dtype: str) -> float:
    """Return the size of all weights in GB (10^9 bytes): what a checkpoint of that dtype weighs.

    Raises:
        ValueError: no such dtype.
    """
    parts = weight_bytes(model, dtype)
    tables = parts.embedding * shape_of(model).embedding_tables
    return (tables + parts.body + parts.experts) / BYTES_PER_GB


@lru_cache(maxsize=4096)
def weights_gib(
    model: Model,
    dtype: str,
    tp: int = 1,
    pp: int = 1,
    ep: int = 1,
    *,
    attention_dp: int = 1,
    capability: float | None = None,
) -> float:
    """Return GiB of weights on the fullest accelerator of one replica.

    Tensor parallel cuts every matrix `tp` ways, but for what each rank repeats: latent
    down-projections (MLA), key and value heads beyond their number, expert routers. Experts are all
    resident and are split over all ranks of the replica, by width or (`ep`) as whole experts.
    Attention data parallel repeats all but the experts. The fullest of `pp` stages holds the
    longer share of layers and one of two separate embedding tables. Start-up logs: median error
    0.11 %, worst 6 % (a vision tower counted low).

    Raises:
        ValueError: no such dtype.
    """
    shape = shape_of(model)
    parts = weight_bytes(model, dtype, capability)
    tables = 1 if pp > 1 else shape.embedding_tables
    stage = stage_share(shape.layers, pp)
    expert_ranks = max(tp * attention_dp, ep)
    whole = parts.embedding * tables + parts.body * stage
    experts = parts.experts * stage / expert_ranks
    repeated = repeated_bytes(shape, parts.body_bytes_per_param, tp) * stage
    return (whole / tp + experts + repeated) / BYTES_PER_GIB + WEIGHTS_BASE_GIB


def stage_share(layers: int, pp: int) -> float:
    """Return the share of the layers that the fullest of `pp` pipeline stages holds."""
    if pp == 1 or layers == 0:
        return 1.0 / pp
    return -(-layers // pp) / layers


def repeated_bytes(shape: Shape, body_rate: float, tp: int) -> float:
    """Return bytes that tensor parallelism does not divide, beyond the 1/tp already counted."""
    if tp == 1:
        return 0.0
    not_divided = 1.0 - 1.0 / tp
    repeated = 0.0
    if shape.mla_width:
        down = shape.layers * shape.hidden * (shape.mla_width + mla_query_rank(shape.hidden))
        repeated += down * body_rate * not_divided
    elif 0 < shape.kv_heads < tp:
        projections = 2 * shape.hidden * shape.head_dim * shape.caching_layers
        repeated += projections * body_rate * (1.0 - shape.kv_heads / tp)
    if shape.experts:
        repeated += shape.router_params * 2.0 * not_divided
    return repeated
