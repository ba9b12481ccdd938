"""The GPU rows of the mixed collection: static batches, offline runs, llama.cpp, encoders."""

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.calibration.gpu_runs import (
    Measured,
    Run,
    cache_dtype,
    compared,
    model_key,
    model_named,
    plan_of,
    run_with,
)
from benchmarks.calibration.rows import Record, Row, number, records
from benchmarks.calibration.serving_rows import TTFT_WEIGHT
from catalog.facts.coefficients import load_coefficients
from catalog.facts.schema import Accelerator
from catalog.load import load_catalog
from engine.core.plan import Load, LoadKind
from engine.performance.gpu import gpu_engine

INFERENCE = "benchmarks_inference.csv"
PCIE_GB_S = 16.0  # one way, fourth generation x16: cards of one server without NVLink
INFERENCE_WEIGHT = 0.8
# Mean prompt lengths of data sets whose rows do not state them (published with the data sets).
PROMPT_TOKENS = {
    "CNN/DailyMail": 870,
    "OpenOrca subset": 294,
    "OpenOrca +": 260,
    "long-context": 9400,
    "reasoning mix": 800,
    "short chat": 64,
    "SQuAD": 180,
}
SHORT_PROMPT = 32  # single-stream decode-only rows say "short prompt" or nothing
ENGINES = (  # start of the source's engine name, the name a plan uses
    ("TensorRT-LLM 1.0", "tensorrt-llm"),
    ("TensorRT-LLM 0.20", "tensorrt-llm"),
    ("TensorRT-LLM (MLPerf", "tensorrt-llm-cpp"),
    ("TensorRT-LLM 0.", "tensorrt-llm-cpp"),
    ("TensorRT (", "tensorrt-llm-cpp"),
    ("vLLM", "vllm"),
    ("llama.cpp", "llama.cpp"),
    ("Text Generation", "tgi"),
    ("NVIDIA NIM", "nim"),
    ("FasterTransformer", "fastertransformer"),
    ("TensorFlow", "tensorflow"),
    ("LMDeploy", "lmdeploy"),
    ("MLC", "mlc"),
    ("gpt-fast", "gpt-fast"),
    ("ppl.nn", "lmdeploy"),
)
DTYPES = {
    "fp4": "nvfp4",
    "gptq-int4": "int4",
    "int4-g32": "int4",
    "bnb-nf4": "int4",
    "int8/fp8": "int8",
}
RUN_COLUMNS = (
    "source", "engine", "accelerator", "accelerators_used", "model", "weight_dtype", "kv_dtype",
    "tp", "pp", "dp", "load_type", "load_value", "input_tokens", "output_tokens", "notes",
    "instance_note",
)  # fmt: skip


def inference_rows() -> Iterator[Row]:
    """Yield every GPU figure of the mixed collection."""
    catalog = load_catalog()
    runs: dict[tuple[str, ...], Run] = {}
    for record in records(INFERENCE):
        chip = catalog.accelerators.get(record["accelerator"])
        if chip is None or chip.vendor == "aws":
            continue
        key = tuple(record[name] for name in RUN_COLUMNS)
        if key not in runs:
            runs[key] = _inference_run(record, chip)
        yield _inference_row(record, runs[key])


def _inference_row(record: Record, run: Run) -> Row:
    figure = record["metric"]
    per_gpu = record["scope"] == "per_gpu"
    generating = record["input_tokens"] == "0" or "decode only" in record["notes"]
    if figure == "output_tok_s" and (generating or "generation throughput" in record["notes"]):
        figure = "decode_tok_s"
    metric = figure.split("_")[0]
    metric = metric if metric in {"ttft", "tpot", "e2e"} else "throughput"
    name = model_key(record["model"])
    repository = record["source"].split(":")[0]
    return Row(
        file=INFERENCE,
        id=record["id"],
        source=repository,
        model=name,
        accelerator=record["accelerator"],
        metric=metric,
        regime=regime_of(run),
        class_name=f"inference {metric}",
        cell=f"{name} {record['accelerator']} {run.plan.serving_engine} {run.plan.weights_dtype}",
        measured=number(record, "value") * (run.plan.accelerators if per_gpu else 1),
        run=Measured(run, figure),
        weight=INFERENCE_WEIGHT * (TTFT_WEIGHT if metric == "ttft" else 1.0),
        population="inference",
        moe=bool(run.model.num_experts),
        **compared(run),
    )


def regime_of(run: Run) -> str:
    """Return the range regime of a run."""
    engine = gpu_engine(run.plan, run.load, load_coefficients())
    return engine if engine in {"encoder", "llama_cpp"} else run.load.kind


def _inference_run(record: Record, chip: Accelerator) -> Run:
    engine = next(name for start, name in ENGINES if record["engine"].startswith(start))
    weights = record["weight_dtype"]
    weights = DTYPES.get(weights, weights)
    model = model_named(model_key(record["model"]), number(record, "params_b", 1.0))
    ways, stages, copies = (int(record[name] or 1) for name in ("tp", "pp", "dp"))
    load = _load(record)
    ranks = ways if "attention data parallel in use" in record["notes"] else 1
    if ranks > 1:
        ways = 1
    backend = "trtllm" if engine.startswith("tensorrt") else engine
    stated = {"fp8": "fp8", "int8": "fp8"}.get(record["kv_dtype"])
    plan = plan_of(
        ways,
        stages=stages,
        copies=copies,
        attention_ways=ranks,
        expert_ways=8 if "expert parallel 8" in record["notes"] else ranks,
        weights=weights,
        kv=stated or cache_dtype(backend, weights, chip),
        engine=engine,
    )
    return run_with(model, _wired(record, chip), plan, load, per_host=8)


def _wired(record: Record, chip: Accelerator) -> Accelerator:
    """Return the accelerator with the links it had in the run: some servers have PCIe only."""
    text = f"{record['notes']} {record['instance_note']}"
    pcie = ("no NVLink", "over PCIe", "PCIe card", "PCI")
    if chip.link == "nvswitch" and any(word in text for word in pcie):
        return replace(chip, link="pcie_host", link_gb_s_per_direction=PCIE_GB_S)
    return chip


def _load(record: Record) -> Load:
    notes, kind = record["notes"], record["load_type"]
    stated = record["input_tokens"].strip()
    prompt = next((n for words, n in PROMPT_TOKENS.items() if words in notes), SHORT_PROMPT)
    tokens = int(float(stated)) if stated else prompt
    output = int(number(record, "output_tokens", 256))
    if record["metric"] == "ttft_ms":
        output = max(output, 1)
    if kind == "offline_max" or record["load_value"] == "inf":
        return Load(kind="max", input_tokens=tokens, output_tokens=output)
    value = number(record, "load_value", 1.0)
    if kind == "request_rate":
        return Load(kind="open", input_tokens=tokens, output_tokens=output, rps=value)
    names: dict[str, LoadKind] = {"batch": "batch", "concurrency": "closed"}
    single: LoadKind = "single" if value == 1 and kind == "concurrency" else names[kind]
    return Load(kind=single, input_tokens=tokens, output_tokens=output, concurrency=value)
