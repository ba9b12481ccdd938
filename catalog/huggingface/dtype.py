"""The dtype a checkpoint is published in, from its config: quantisation first, then the tensors."""

from typing import Final

from catalog.huggingface.config_fields import ConfigFields, shown

TENSOR_DTYPES: Final = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float8_e4m3fn": "fp8",
    "bf16": "bf16",
    "fp16": "fp16",
    "fp8": "fp8",
}
METHODS: Final = {
    "fp8": "fp8",
    "fbgemm_fp8": "fp8",
    "finegrained_fp8": "fp8",
    "awq": "awq",
    "mxfp4": "mxfp4",
}
WIDTHS: Final = {  # bits, integer or float
    (4, "int"): "int4",
    (8, "int"): "int8",
    (8, "float"): "fp8",
    (4, "float"): "nvfp4",
}
EXPERTS_ONLY: Final = frozenset({"mxfp4", "int4"})
KNOWN: Final = "fp8, awq, gptq, mxfp4, bitsandbytes, compressed-tensors, modelopt"


def native_dtypes(whole: ConfigFields, fields: ConfigFields, *, moe: bool) -> tuple[str, str]:
    """Return the dtype of the weights, and that of what is not an expert.

    A mixture of experts in 4 bits whose quantiser leaves attention alone keeps its body in the
    dtype of the tensors. A file that states no dtype is read as 32 bit, as transformers does.

    Raises:
        ModelConfigError: a dtype or a quantisation method that is not known.
    """
    tensors = _tensor_dtype(fields if fields.has("torch_dtype", "dtype") else whole)
    holder = fields if fields.has("quantization_config") else whole
    part = holder.part("quantization_config")
    if part is None:
        return tensors, tensors
    native = _quantised(part)
    spared = moe and native in EXPERTS_ONLY and (native == "mxfp4" or _spares_attention(part))
    return native, "bf16" if spared and tensors == "fp32" else tensors if spared else native


def _tensor_dtype(fields: ConfigFields) -> str:
    name = fields.text("torch_dtype", "dtype").removeprefix("torch.")
    if not name:
        return "fp32"
    if name not in TENSOR_DTYPES:
        known = ", ".join(TENSOR_DTYPES)
        raise fields.wrong("torch_dtype", f"is {shown(name)}; known: {known}")
    return TENSOR_DTYPES[name]


def _quantised(part: ConfigFields) -> str:
    method = part.text("quant_method").lower()
    if method in METHODS:
        return METHODS[method]
    if method == "gptq":
        return "int8" if part.count("bits", most=16) == 8 else "gptq"
    if method in {"bitsandbytes", "bnb"}:
        return "nf4" if part.flag("load_in_4bit", default=True) else "int8"
    if method in {"compressed-tensors", "compressed_tensors"}:
        return _compressed(part)
    if method == "modelopt" or part.has("quant_algo"):
        return "nvfp4" if "FP4" in part.text("quant_algo").upper() else "fp8"
    problem = f"is {shown(method)}" if method else "is missing"
    raise part.wrong("quant_method", f"{problem}; known: {KNOWN}")


def _compressed(part: ConfigFields) -> str:
    """Return the weights' format of the first group that has one."""
    groups = part.part("config_groups")
    for name in groups.values if groups else ():
        group = groups.part(name) if groups else None
        weights = group.part("weights") if group else None
        if weights is not None:
            key = (weights.count("num_bits", most=64), weights.text("type") or "int")
            if key in WIDTHS:
                return WIDTHS[key]
            raise weights.wrong("num_bits", f"is {key[0]} {key[1]}; known: 4 and 8, int and float")
    raise part.wrong("config_groups", "names no group with weights")


def _spares_attention(part: ConfigFields) -> bool:
    """Return whether the quantiser leaves the attention layers alone."""
    spared = part.items("ignore", "modules_to_not_convert") or []
    return any(isinstance(name, str) and "attn" in name for name in spared)
