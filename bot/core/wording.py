"""Words for the values a workload, a quote and a plan hold. One table per kind of value."""

from collections.abc import Callable, Mapping
from typing import Final

from bot.core.figures import count, counted, ms, plain_line, quantity, tokens, usd, usd_per_hour
from bot.core.names import LAID_DOWN
from bot.core.views import AssumedView
from catalog.facts.schema import Instance, Model, Quote
from catalog.names import chip_words
from engine.core.assumptions import HOLDS
from engine.core.plan import Plan
from engine.core.usual_limits import USUAL_FOR
from engine.core.workload import Assumption, Workload, owned_hardware

MARKET_WORDS: Final[Mapping[str, str]] = {
    "on_demand": "on-demand",
    "spot": "spot",
    "reserved": "reserved",
    "savings_plan": "Savings Plan",
    "capacity_block": "Capacity Block",
}
_PRICE_WORDS: Final[Mapping[str, str]] = {
    "on_demand": "AWS list price",
    "spot": "spot price",
    "reserved": "Reserved Instance rate",
    "savings_plan": "Savings Plan rate",
    "capacity_block": "Capacity Block rate",
}
_SOURCE_WORDS: Final[Mapping[str, str]] = {
    "snapshot": "snapshot",
    "pricing_api": "AWS Pricing API",
    "spot_history": "AWS spot price history",
    "savings_plan": "AWS Savings Plans API",
    "capacity_block": "AWS Capacity Block offerings",
}
_ENGINE_WORDS: Final[Mapping[str, str]] = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt-llm": "TensorRT-LLM",
    "trtllm": "TensorRT-LLM",
    "tgi": "TGI",
    "neuronx": "vLLM on Neuron",
    "torch-neuronx": "PyTorch on Neuron",
    "lmdeploy": "LMDeploy",
    "pytorch": "PyTorch",
    "onnx": "ONNX Runtime",
    "tei": "Text Embeddings Inference",
    "diffusers": "Diffusers",
    "llama.cpp": "llama.cpp",
}
METHOD_WORDS: Final[Mapping[str, str]] = {
    "full": "full fine-tuning",
    "lora": "LoRA fine-tuning",
    "qlora": "QLoRA fine-tuning",
}
_WEIGHT_WORDS: Final[Mapping[str, str]] = {
    "full": "all weights trained",
    "lora": "LoRA adapters",
    "qlora": "QLoRA adapters",
}
LATENCY_WORDS: Final[Mapping[str, str]] = {
    "ttft": "time to first token",
    "per_token": "time per token",
    "e2e": "time for the whole answer",
}
# Said in a line of its own, as how the words were read.
READ_FIELDS: Final = frozenset({"latency_kind"})
_OBJECTIVE_WORDS: Final[Mapping[str, str]] = {
    "cost": "lowest cost",
    "performance": "best performance",
    "latency": "lowest latency",
    "throughput": "highest throughput",
    "balanced": "balance of cost and speed",
    "max_savings": "largest savings",
    "value": "best value",
    "energy": "least energy",
}


def hardware(instance: Instance, instances: int = 1) -> str:
    """Return what works inside: `1× L40S`, `16× H100 80 GB`, `16 vCPU, 64 GiB`."""
    if instance.accelerator_id and instance.accelerators:
        return f"{instance.accelerators * instances}× {chip_words(instance.accelerator_id)}"
    vcpus, mem_gib = instance.vcpus * instances, instance.host_mem_gib * instances
    return f"{vcpus:,} vCPU, {quantity(mem_gib)} GiB"


def machines(instance_type: str, instances: int) -> str:
    """Return `g6e.xlarge`, or `2 × p5.48xlarge` where several are needed."""
    return instance_type if instances == 1 else f"{instances} × {instance_type}"


def device_noun(instance: Instance) -> str:
    """Return what one accelerator is called: GPU, chip (Neuron) or host (CPU)."""
    if not instance.accelerators:
        return "host"
    return "chip" if instance.neuron else "GPU"


def price_note(quote: Quote) -> str:
    """Return where the price comes from and how old it is, or why there is none."""
    if quote.usd_per_hour is None:
        why = plain_line(quote.why_unpriced or "no figure is known", 200)
        return f"no {MARKET_WORDS[quote.market]} price: {why}"
    cached = ", cached" if quote.cached else ""
    source = _SOURCE_WORDS.get(quote.source, quote.source)
    listed = quote.list_usd_per_hour
    less = "" if listed is None else f", {usd_per_hour(listed)} less a discount"
    return f"{_PRICE_WORDS[quote.market]} of {quote.as_of}, {source}{cached}{less}"


def serving_plan(plan: Plan) -> str:
    """Return the layout of a serving plan: `TP 2 × 4 replicas, bf16, vLLM`."""
    parts = [_layout(plan, "replica"), plan.weights_dtype]
    if plan.kv_dtype not in {plan.weights_dtype, "auto", "bf16", "fp16"}:
        parts.append(f"{plan.kv_dtype} KV cache")
    engine = _ENGINE_WORDS.get(plan.serving_engine, plan.serving_engine)
    return ", ".join(part for part in (*parts, engine) if part)


def training_plan(plan: Plan, workload: Workload) -> str:
    """Return the layout of a training plan: `TP 8 × 2 data-parallel ranks, bf16`."""
    method = "" if workload.task == "train" else METHOD_WORDS.get(workload.method or "", "")
    parts = (_layout(plan, "data-parallel rank"), plan.weights_dtype, method)
    return ", ".join(part for part in parts if part)


def _layout(plan: Plan, replica_noun: str) -> str:
    """Return the product of the degrees; what only divides work inside it stands in brackets."""
    tensor = plan.tensor_parallel if plan.accelerators else 1
    product = _degree_words(("TP", tensor), ("PP", plan.pipeline_parallel))
    inside = _degree_words(
        ("EP", plan.expert_parallel), ("attention DP", plan.attention_data_parallel)
    )
    threads = f" of {plan.threads} threads" if plan.threads else ""
    copies = f"{counted(plan.data_parallel, replica_noun)}{threads}"
    within = f" ({', '.join(inside)})" if inside else ""
    return " × ".join([*product, copies]) + within


def _degree_words(*named: tuple[str, int]) -> list[str]:
    return [f"{name} {degree}" for name, degree in named if degree > 1]


def model_words(model: Model | None, workload: Workload) -> str:
    """Return the model's name; a size alone reads as the typical model it was taken for."""
    if workload.model and (model is None or not model.typical):
        return plain_line(workload.model, 80)
    if model is None:
        return f"{workload.params_b:.3g}B model" if workload.params_b else "no model named"
    if not model.typical:
        return model.id
    active = workload.active_params_b
    size = (
        f"{model.total_params_b:,.0f}B"
        if model.total_params_b >= 100
        else f"{model.total_params_b:.3g}B"
    )
    return f"typical {size}-A{active:.3g}B model" if active else f"typical {size} model"


def workload_words(model: Model | None, workload: Workload) -> str:
    """Return the workload in one line, as the card's second line says it."""
    name = model_words(model, workload)
    beside = (_left_out_words(workload), _owned_words(workload))
    if workload.task in {"train", "finetune"}:
        return ", ".join(part for part in (_training_words(name, workload), *beside) if part)
    parts = [name, workload.quant or "", _token_words(workload), _load_words(workload), *beside]
    line = ", ".join(part for part in parts if part)
    return line[0].upper() + line[1:] if line.startswith(("typical", "no model")) else line


def use_words(workload: Workload) -> str:
    """Return what a service is for and its load, whatever the model: what a use asks of each."""
    use = (workload.use_case or "").replace("_", " ")
    parts = (use, _token_words(workload), _load_words(workload))
    return ", ".join(part for part in parts if part)


def _left_out_words(workload: Workload) -> str:
    named = workload.without or workload.exclude or ()
    return f"without {plain_line(', '.join(named), 80)}" if named else ""


def _owned_words(workload: Workload) -> str:
    if workload.owned is None:
        return ""
    owned = owned_hardware(workload.owned)
    count = f"{owned.count} × " if owned.count > 1 else ""
    price = "" if owned.usd_per_hour is None else f" at {usd_per_hour(owned.usd_per_hour)} each"
    return f"you run {count}{owned.name}{price}"


def _training_words(name: str, workload: Workload) -> str:
    method = METHOD_WORDS.get(workload.method or "", workload.method or "fine-tuning")
    verb = "Pre-training" if workload.task == "train" else method[0].upper() + method[1:]
    if name.startswith("no model"):
        return f"{verb}, {name}"
    parts = [f"{verb} of a {name}" if name.startswith("typical") else f"{verb} of {name}"]
    if workload.tokens_total:
        parts.append(f"{tokens(workload.tokens_total)} tokens")
    if workload.seq_len:
        parts.append(f"sequences of {workload.seq_len:,}")
    return ", ".join(parts)


def _token_words(workload: Workload) -> str:
    if workload.input_tokens is None:
        return ""
    if not workload.output_tokens:
        return f"{workload.input_tokens:,} tokens in" if workload.input_tokens > 1 else ""
    return f"{workload.input_tokens:,} in / {workload.output_tokens:,} out"


def _load_words(workload: Workload) -> str:
    people = workload.users
    of_people = "" if people is None else f"{people:,} user{'s'[: people != 1]} ≈ "
    if workload.rps is not None:
        return f"{of_people}{quantity(workload.rps)} requests/s"
    if workload.mode == "batch" and workload.concurrency is None:
        return "batch" if workload.items is None else f"a job of {count(workload.items)} items"
    if workload.concurrency is None:
        return ""
    if workload.concurrency == 1:
        return "1 request at a time"
    return f"{of_people}{count(workload.concurrency)} requests at once"


def _budget_words(value: object) -> str:
    return usd(float(str(value)))


_ASSUMED: Final[Mapping[str, Callable[[object], str]]] = {
    "model": lambda v: f"model {v}",
    "quant": lambda v: f"{v} weights",
    "kv_dtype": lambda v: f"{v} KV cache",
    "context": lambda v: f"context of {int(str(v)):,}",
    "input_tokens": lambda v: f"{int(str(v)):,} in",
    "output_tokens": lambda v: f"{int(str(v)):,} out",
    "concurrency": lambda v: "1 at a time" if v == 1 else f"{v:g} at once",
    "rps": lambda v: f"{quantity(float(str(v)))} requests/s",
    "region": str,
    "allow": lambda v: f"{', '.join(map(str, v))} only" if isinstance(v, tuple) else str(v),
    "market": lambda v: MARKET_WORDS.get(str(v), str(v)),
    "term_years": lambda v: f"{v:g}-year term",
    "objective": lambda v: _OBJECTIVE_WORDS.get(str(v), str(v)),
    "framework": lambda v: _ENGINE_WORDS.get(str(v), str(v)),
    "memory_utilisation": lambda v: f"{v:.0%} of memory for the server",
    "method": lambda v: _WEIGHT_WORDS.get(str(v), str(v)),
    "seq_len": lambda v: f"sequences of {int(str(v)):,}",
    "tokens_total": lambda v: f"{tokens(float(str(v)))} tokens",
    "global_batch_tokens": lambda v: f"batch of {tokens(float(str(v)))} tokens",
    "deadline_h": lambda v: f"done within {v:g} h",
    "mode": str,
    "use_case": lambda v: str(v).replace("_", " "),
    "cached_share": lambda v: f"{v:.0%} of a prompt in the prefix cache",
    "latency_kind": lambda v: f"latency as {LATENCY_WORDS.get(str(v), str(v))}",
    "latency_ms": lambda v: f"at most {ms(float(str(v)))} of latency",
    "first_token_ms": lambda v: f"first token within {ms(float(str(v)))}",
    "per_token_ms": lambda v: f"at most {ms(float(str(v)))} per token",
    "budget_usd_per_hour": lambda v: f"budget {usd_per_hour(float(str(v)))}",
    "budget_usd_total": lambda v: f"budget {_budget_words(v)}",
}


# Fields whose reason is told beside the value, where it begins so.
SHOWN_REASONS: Final = {"first_token_ms": USUAL_FOR, "context": HOLDS}


def assumed_view(assumption: Assumption) -> AssumedView:
    """Return an assumption as a short phrase that needs no field name to be understood."""
    words = _ASSUMED.get(assumption.field)
    name = assumption.field.replace("_", " ")
    value = words(assumption.value) if words else f"{name} {assumption.value}"
    if assumption.why in LAID_DOWN:  # nobody said it this time, but somebody has decided it
        return AssumedView(name, plain_line(f"{value} ({assumption.why})", 120), "")
    if assumption.why.startswith(SHOWN_REASONS.get(assumption.field, "\0")):
        value = f"{value}, {assumption.why}"
    return AssumedView(name, plain_line(value, 120), plain_line(assumption.why, 200))
