"""Number formats of weights and caches: their size, and what runs them natively, or at all."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from catalog.facts.schema import Accelerator, Model
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.core.value import value

SupportKind = Literal["native", "weight_only", "unsupported"]


@value
class Dtype:
    """A weight format. Bytes per parameter include scales and zero points.

    `kept_bytes` is what the embedding and the output head take, which quantisers leave in 16 bit.
    `experts_only`: in a mixture of experts only the experts are stored so.
    """

    name: str
    bytes_per_param: float
    kept_bytes: float = 2.0
    experts_only: bool = False
    gguf: bool = False


# Four bits with a 16-bit scale and a 4-bit zero point for each group of 128 weights (AWQ, GPTQ):
# 4 + 16/128 + 4/128 bits. Groups of 32 with a 16-bit scale: 4 + 16/32 bits.
INT4_GROUP_128: Final = (4 + 16 / 128 + 4 / 128) / 8
INT4_GROUP_32: Final = (4 + 16 / 32) / 8
# One scale a row (W8A8) or for each block of 128 x 128 weights.
EIGHT_BIT: Final = 1.001

_DTYPES: Final = (
    Dtype("bf16", 2.0),
    Dtype("fp16", 2.0),
    Dtype("fp32", 4.0, kept_bytes=4.0),
    Dtype("fp8", EIGHT_BIT),
    Dtype("int8", EIGHT_BIT),
    Dtype("int4", INT4_GROUP_128),
    Dtype("awq", INT4_GROUP_128),
    Dtype("gptq", INT4_GROUP_128),
    Dtype("nf4", 0.516),  # bitsandbytes: 4 bits, 8-bit scales for 64 weights, double quantisation
    Dtype("mxfp4", 4.25 / 8, experts_only=True),  # an 8-bit scale for each 32 weights
    Dtype("nvfp4", 4.5 / 8, experts_only=True),  # an 8-bit scale for each 16 weights
    # llama.cpp block formats, averaged over the mix of blocks a "q4_k_m" file holds; checked
    # against published file sizes of 7B, 8B and 70B models (within 1 %).
    Dtype("q8_0", 1.0625, kept_bytes=1.0625, gguf=True),
    Dtype("q6_k", 0.820, kept_bytes=0.820, gguf=True),
    Dtype("q5_k_m", 0.711, kept_bytes=0.711, gguf=True),
    Dtype("q4_k_m", 0.607, kept_bytes=0.607, gguf=True),
    Dtype("q4_0", 0.5625, kept_bytes=0.5625, gguf=True),
    Dtype("q3_k_m", 0.489, kept_bytes=0.489, gguf=True),
    Dtype("q2_k", 0.39, kept_bytes=0.39, gguf=True),
)
DTYPES: Final[Mapping[str, Dtype]] = MappingProxyType({dtype.name: dtype for dtype in _DTYPES})

# Other spellings people and checkpoints use.
ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bfloat16": "bf16",
        "float16": "fp16",
        "half": "fp16",
        "float32": "fp32",
        "float": "fp32",
        "fp8_e4m3": "fp8",
        "w8a8": "int8",
        "w4a16": "int4",
        "fp4": "nvfp4",
        "gptq-int4": "gptq",
        "gptq_int4": "gptq",
        "awq-int4": "awq",
        "awq_int4": "awq",
        "bnb": "nf4",
        "q8": "q8_0",
        "q6": "q6_k",
        "q5": "q5_k_m",
        "q4": "q4_k_m",
    }
)

KV_BYTES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "bf16": 2.0,
        "fp16": 2.0,
        "fp32": 4.0,
        "fp8": 1.0,
        "int8": 1.0,
        "q8_0": 1.0625,
        "q4_0": 0.5625,
        "nvfp4": 0.5625,
    }
)

FOUR_BIT: Final = frozenset({"int4", "awq", "gptq", "nf4", "mxfp4", "nvfp4"})
SIXTEEN_BIT: Final = frozenset({"bf16", "fp16"})
GENERATIVE_TASKS: Final = frozenset({"decoder", "vision_language"})


@lru_cache(maxsize=256)
def dtype_named(name: str) -> Dtype:
    """Return the weight format of that name or usual spelling (`bfloat16`, `gptq-int4`).

    Raises:
        ValueError: no such format; the message lists the names.
    """
    key = name.lower()
    dtype = DTYPES.get(key) or DTYPES.get(ALIASES.get(key, ""))
    if dtype is None:
        known = ", ".join(DTYPES)
        raise ValueError(f"unknown weights dtype {name!r}; known: {known}")
    return dtype


def bytes_per_param(name: str) -> float:
    """Return the bytes one quantised parameter takes, with its share of scales.

    Raises:
        ValueError: no such format.
    """
    return dtype_named(name).bytes_per_param


def is_cache_format(name: str) -> bool:
    """Return whether caches are kept in a format: weights have more of them."""
    return name == "auto" or ALIASES.get(name.lower(), name.lower()) in KV_BYTES


@lru_cache(maxsize=256)
def kv_cache_bytes(kv_dtype: str, weights_dtype: str = "bf16") -> float:
    """Return the bytes of one cached value. "auto" follows the weights: 4 for fp32, else 2.

    Raises:
        ValueError: no such cache format.
    """
    name = ALIASES.get(kv_dtype.lower(), kv_dtype.lower())
    if name == "auto":
        return 4.0 if dtype_named(weights_dtype).name == "fp32" else 2.0
    if name not in KV_BYTES:
        raise ValueError(f"unknown KV cache dtype {kv_dtype!r}; known: auto, {', '.join(KV_BYTES)}")
    return KV_BYTES[name]


def native_weights_dtype(model: Model) -> str:
    """Return the dtype a model is served in when nobody said one: its checkpoint's.

    Checkpoints published in 32 bit are served in 16, which is what engines do with them: bf16 for
    text generators, fp16 for the rest (Text Embeddings Inference, faster-whisper).
    """
    native = dtype_named(model.native_dtype).name
    if native == "fp32":
        return "bf16" if model.task in GENERATIVE_TASKS else "fp16"
    return native


@value
class DtypeSupport:
    """Whether a device runs something. `alternative` is the nearest format that it does run.

    `weight_only`: stored in that format, expanded to `compute_dtype` for the arithmetic; memory
    shrinks, compute-bound work does not speed up. `code` is the topic code of the caveat.
    """

    kind: SupportKind
    compute_dtype: str | None = None
    alternative: str | None = None
    reason: str = ""
    code: str | None = None


def support(
    accelerator: Accelerator | None, dtype: str, serving_engine: str = "vllm"
) -> DtypeSupport:
    """Return how a device (None: the CPU) runs weights of this dtype under that engine.

    NVIDIA limits are by compute capability, as vLLM's quantisation table gives them: bf16 from 8.0,
    fp8 arithmetic from 8.9 (weights only on 8.0-8.8), AWQ from 7.5, GPTQ from 7.0, Marlin FP4
    weights from 8.0, FP4 arithmetic from 10.0. Neuron compiles 16-bit, and 8-bit weights; none of
    AWQ, GPTQ, GGUF or 4-bit floats (AWS Neuron's feature table).

    Raises:
        ValueError: no such dtype.
    """
    wanted = dtype_named(dtype)
    if accelerator is None:
        return _on_cpu(wanted, serving_engine)
    if accelerator.vendor == "nvidia":
        return _on_nvidia(accelerator, wanted, serving_engine)
    if accelerator.vendor == "aws":
        return _on_neuron(accelerator, wanted)
    return _unsupported(f"{accelerator.marketed_name}: no engine estimated here runs on it")


def _unsupported(
    reason: str, alternative: str | None = None, code: str | None = None
) -> DtypeSupport:
    return DtypeSupport("unsupported", alternative=alternative, reason=reason, code=code)


@value
class _Needs:
    """From which NVIDIA compute capability a format works, and what to take below it."""

    stored_from: float
    native_from: float | None
    alternative: str | None  # below `stored_from`
    alternative_on_volta: str | None = None


_NVIDIA: Final[Mapping[str, _Needs]] = MappingProxyType(
    {
        "fp32": _Needs(0.0, 0.0, None),
        "fp16": _Needs(0.0, 0.0, None),
        "bf16": _Needs(8.0, 8.0, "fp16"),
        "fp8": _Needs(8.0, 8.9, "int8", "gptq"),
        "int8": _Needs(7.0, 7.5, "fp16"),
        "int4": _Needs(7.0, None, "fp16"),
        "awq": _Needs(7.5, None, "gptq"),
        "gptq": _Needs(7.0, None, "fp16"),
        "nf4": _Needs(7.0, None, "fp16"),
        "mxfp4": _Needs(8.0, 10.0, "q4_k_m"),
        "nvfp4": _Needs(8.0, 10.0, "awq", "gptq"),
    }
)
INT8_ARITHMETIC_BELOW: Final = 10.0  # engines ship no int8 kernels for Blackwell
GGUF_ENGINES: Final = frozenset({"llama.cpp", "vllm", "sglang", "ollama"})


def _on_nvidia(accelerator: Accelerator, dtype: Dtype, serving_engine: str) -> DtypeSupport:
    capability = accelerator.compute_capability or 0.0
    name = accelerator.marketed_name
    half = "bf16" if capability >= _NVIDIA["bf16"].native_from else "fp16"  # type: ignore[operator]
    if dtype.gguf:
        return _gguf(serving_engine, half)
    needs = _NVIDIA[dtype.name]
    if capability < needs.stored_from:
        if dtype.name == "mxfp4" and serving_engine == "llama.cpp":
            return DtypeSupport("weight_only", half)
        volta = capability < _NVIDIA["awq"].stored_from
        other = (needs.alternative_on_volta if volta else None) or needs.alternative
        code = f"{dtype.name}_unsupported"
        reason = (
            f"{dtype.name} needs compute capability {needs.stored_from:g}, "
            f"{name} has {capability:g}; use {other}"
        )
        return _unsupported(reason, other, code)
    if _arithmetic(dtype, needs, capability):
        return DtypeSupport("native", dtype.name)
    if dtype.name == "fp8":
        reason = f"{name} has no fp8 arithmetic: weights are stored in fp8, computed in {half}"
        return DtypeSupport("weight_only", half, reason=reason, code="fp8_weight_only_on_ampere")
    return DtypeSupport("weight_only", half)


def _arithmetic(dtype: Dtype, needs: _Needs, capability: float) -> bool:
    if needs.native_from is None or capability < needs.native_from:
        return False
    return dtype.name != "int8" or capability < INT8_ARITHMETIC_BELOW


def _gguf(serving_engine: str, compute_dtype: str) -> DtypeSupport:
    if serving_engine in GGUF_ENGINES:
        return DtypeSupport("weight_only", compute_dtype)
    return _unsupported(f"{serving_engine} does not load GGUF files; llama.cpp does", "awq")


NEURON_EIGHT_BIT_FROM: Final = 2022  # Inferentia2, Trainium1; Inferentia1 is older


def _on_neuron(accelerator: Accelerator, dtype: Dtype) -> DtypeSupport:
    if dtype.name in SIXTEEN_BIT or dtype.name == "fp32":
        return DtypeSupport("native", dtype.name)
    if dtype.name in {"int8", "fp8"} and accelerator.year >= NEURON_EIGHT_BIT_FROM:
        return DtypeSupport("weight_only", "bf16")
    reason = f"AWS Neuron does not run {dtype.name} weights ({accelerator.marketed_name}); use bf16"
    return _unsupported(reason, "bf16", "neuron_dtype_unsupported")


def _on_cpu(dtype: Dtype, serving_engine: str) -> DtypeSupport:
    if dtype.gguf or dtype.name in {"fp32", "int8"}:
        return DtypeSupport("native", "int8" if dtype.gguf else dtype.name)
    if dtype.name in SIXTEEN_BIT:
        return DtypeSupport("native", dtype.name)
    if dtype.name in {"int4", "awq", "gptq"}:
        return DtypeSupport("weight_only", "bf16")
    if dtype.name == "mxfp4" and serving_engine == "llama.cpp":
        return DtypeSupport("weight_only", "fp32")
    other = "int8" if dtype.name == "fp8" else "q4_k_m"
    return _unsupported(f"no CPU engine runs {dtype.name} weights; use {other}", other)


# Transformers encoders export one by one; these tasks are covered for every family in the catalog.
NEURON_FIRST_GENERATION: Final = 1  # of NeuronCores


def model_support(
    accelerator: Accelerator | None,
    model: Model,
    task: str = "inference",
    method: str | None = None,
    serving_engine: str | None = None,
) -> DtypeSupport:
    """Return whether a device's software has code for this model and task at all.

    The kind is "native" or "unsupported" (then `reason` is one sentence for the user). Says nothing
    of the number format: `support` does.
    """
    if accelerator is None or accelerator.vendor == "nvidia":
        return DtypeSupport("native")
    if accelerator.vendor != "aws":
        reason = (
            f"{accelerator.marketed_name}: no serving or training engine estimated here runs on it"
        )
        return _unsupported(reason, code="vendor_unsupported")
    if task in {"train", "finetune"}:
        return _neuron_training(accelerator, model, method)
    return _neuron_inference(accelerator, model, serving_engine)


def _neuron_inference(
    accelerator: Accelerator, model: Model, serving_engine: str | None
) -> DtypeSupport:
    name = accelerator.marketed_name
    if model.task in SINGLE_SHOT_TASKS and model.attention in {"bidirectional", "none"}:
        return DtypeSupport("native")  # decoders that embed need the LLM stack's code
    if accelerator.neuron_core_version == NEURON_FIRST_GENERATION:
        reason = f"{name} runs encoders and vision models only: no LLM stack supports its cores"
        return _unsupported(reason, code="architecture_not_supported")
    if not model.neuron_inference and not model.typical:
        reason = f"architecture not supported on AWS Neuron: {model.family} ({name})"
        return _unsupported(reason, code="architecture_not_supported")
    if serving_engine == "optimum-neuron" and not accelerator.optimum_neuron_serves:
        reason = f"the optimum-neuron vLLM plugin does not support {accelerator.id} yet"
        return _unsupported(reason)
    return DtypeSupport("native")


def _neuron_training(accelerator: Accelerator, model: Model, method: str | None) -> DtypeSupport:
    name = accelerator.marketed_name
    if not accelerator.neuron_trains:
        return _unsupported(f"{name} is an inference chip: it does not train")
    if method == "qlora":
        return _unsupported(
            "AWS Neuron has no 4-bit training (QLoRA); use lora", code="qlora_unsupported"
        )
    # Encoders train through plain torch-neuronx; others need modelling code of their own.
    known = model.neuron_training in accelerator.neuron_trains or model.typical
    if not known and model.task != "encoder":
        *most, last = accelerator.neuron_trains
        reason = (
            f"architecture not supported for training on AWS Neuron: {model.family}; "
            f"its training stack supports {', '.join(most)} and {last}"
        )
        return _unsupported(reason, code="architecture_not_supported")
    dense = model.num_experts is None or model.neuron_trains_experts
    if not dense:
        return _unsupported("AWS Neuron's training stack has no mixture-of-experts code here")
    return DtypeSupport("native")
