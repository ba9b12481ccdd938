"""The input fields of `estimate`, their short names, and what is wrong with a bad one."""

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt
from pydantic import ValidationError as PydanticValidationError

from bot.core.errors import RequestError
from bot.core.examples import example

Json = dict[str, Any]


class EstimateRequest(BaseModel):
    """One fixed plan to estimate. The short names are what people and benchmarks type."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, protected_namespaces=())

    id: str | int | None = None
    task: Literal["inference", "train", "finetune"] = "inference"
    model: str | None = None
    hf_config: dict[str, Any] | str | None = Field(
        None, validation_alias=AliasChoices("model_config", "hf_config")
    )
    params_b: PositiveFloat | None = None
    active_params_b: PositiveFloat | None = None
    instance_type: str | None = Field(
        None, validation_alias=AliasChoices("instance_type", "instance")
    )
    accelerator: str | None = Field(None, validation_alias=AliasChoices("accelerator", "gpu"))
    accelerators: PositiveInt | None = Field(
        None, validation_alias=AliasChoices("accelerators", "gpu_count")
    )
    instances: PositiveInt | None = Field(None, validation_alias=AliasChoices("instances", "nodes"))
    tensor_parallel: PositiveInt | None = Field(
        None, validation_alias=AliasChoices("tensor_parallel", "tp")
    )
    pipeline_parallel: PositiveInt | None = Field(
        None, validation_alias=AliasChoices("pipeline_parallel", "pp")
    )
    data_parallel: PositiveInt | None = Field(
        None, validation_alias=AliasChoices("data_parallel", "dp")
    )
    expert_parallel: PositiveInt | None = Field(
        None, validation_alias=AliasChoices("expert_parallel", "ep")
    )
    weights_dtype: str | None = Field(
        None, validation_alias=AliasChoices("weights_dtype", "quant", "dtype")
    )
    kv_dtype: str | None = None
    serving_engine: str | None = Field(
        None, validation_alias=AliasChoices("serving_engine", "engine", "framework")
    )
    memory_utilisation: float = Field(
        0.9,
        gt=0,
        le=1,
        validation_alias=AliasChoices("memory_utilisation", "memory_utilization", "util"),
    )
    concurrency: PositiveFloat | None = None
    rps: PositiveFloat | None = None
    load: Literal["max"] | None = None
    batch: PositiveInt | None = None
    prefix_cached_share: float = Field(0.0, ge=0, le=0.99)
    prefill_chunk_tokens: int | None = Field(None, ge=16)
    draft_tokens: int = Field(0, ge=0, le=16)
    draft_acceptance: float = Field(0.7, ge=0, le=1)
    draft_cost: float = Field(0.05, ge=0, le=1)
    input_tokens: PositiveInt | None = None
    output_tokens: int | None = Field(None, ge=0)
    context: PositiveInt | None = None
    method: Literal["full", "lora", "qlora"] | None = None
    seq_len: PositiveInt | None = None
    global_batch_tokens: PositiveFloat | None = None
    precision: str | None = None
    sharding: Literal["ddp", "zero1", "zero2", "zero3", "fsdp"] | None = None
    activation_checkpointing: Literal["none", "selective", "full"] | bool | None = None
    optimizer: Literal["adamw", "adamw_8bit", "adamw_bf16", "paged_adamw_8bit"] = "adamw"
    tokens_total: PositiveFloat | None = None
    software: Literal["megatron", "fused", "eager"] | None = None
    padding: float = Field(1.0, ge=1, le=100)  # positions computed per useful token; 1 is packed
    parallelism: str | None = None
    explain: bool = False


def estimate_request(fields: Json) -> EstimateRequest:
    """Return the checked request.

    Raises:
        RequestError: `invalid_value` or `out_of_range`, naming the field at fault.
    """
    try:
        return EstimateRequest.model_validate(fields)
    except PydanticValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else None
        numeric = first["type"] in {"greater_than", "greater_than_equal", "less_than_equal"}
        raise RequestError(
            "out_of_range" if numeric else "invalid_value",
            f"{name}: {first['msg'].lower()} (got {str(first.get('input'))[:60]!r})",
            field=name,
            example=example("request"),
        ) from None
