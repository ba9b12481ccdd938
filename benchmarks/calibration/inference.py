"""GPU inference rows: servers under load, static batches, offline runs, llama.cpp, encoders.

The figures come from the same `gpu_outcome` that answers a user; only what a benchmark does apart
from that is here: all clients start at once, and what its source leaves unsaid.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from benchmarks.calibration.family import DerivedRange, Family
from benchmarks.calibration.rows import Record, Row, SharedDataError, number, records
from catalog.coefficients import Coefficients, load_coefficients
from catalog.load import load_catalog
from catalog.schema import Accelerator, Model
from engine.performance.bytes import kv_read_bytes, precision_of, state_bytes, weight_class
from engine.performance.gpu import Served, gpu_engine, gpu_outcome
from engine.performance.machine import accelerator_class, link_class
from engine.performance.shape import shape_of
from engine.plan import Host, Load, LoadKind, Plan

SERVING, INFERENCE = "benchmarks_serving.csv", "benchmarks_inference.csv"
GIB = 2**30
PCIE_GB_S = 16.0  # one way, fourth generation x16: cards of one server without NVLink
TTFT_WEIGHT = 0.3  # first tokens carry compile, queue and warm-up that no plan explains
INFERENCE_WEIGHT = 0.8
PAGED_SHARE = 0.55  # of the answer held on average by an engine that pages the cache on demand
SUFFIXES = ("-fp8", "-nvfp4", "-instruct")
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
SHAPES = {  # layers, hidden size: of models that are not in the catalog
    "gpt-1.3b": (24, 2048),
    "gpt-6.7b": (32, 4096),
    "gpt-20b": (44, 6144),
    "gpt-89b": (48, 12288),
    "internlm-20b": (60, 5120),
    "bert-6b": (48, 3200),
}
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


# Ranges of figures that no row states under that load, from one that does: a whole request is
# mostly its output tokens, and a rate is the reciprocal of a time.
DERIVED_RANGES = (
    DerivedRange("serving", "closed", "e2e", "tpot", inverse=False),
    DerivedRange("serving", "closed", "throughput", "tpot", inverse=True),
    DerivedRange("inference", "single", "e2e", "tpot", inverse=False),
    DerivedRange("inference", "single", "throughput", "tpot", inverse=True),
    DerivedRange("inference", "llama_cpp", "tpot", "throughput", inverse=True),
    DerivedRange("inference", "llama_cpp", "e2e", "throughput", inverse=True),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One benchmark run; several figures may have been measured in it."""

    model: Model
    host: Host
    plan: Plan
    load: Load
    held: float  # sequences one replica's cache holds
    accelerator: Accelerator

    def served(self, coefficients: Coefficients) -> Served:
        """Return what the estimate says happens."""
        return gpu_outcome(
            self.model,
            self.host,
            self.plan,
            self.load,
            sequences_max=self.held,
            coefficients=coefficients,
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """A run, which of its figures a row states, and what that figure counts."""

    run: Run
    figure: str  # ttft_ms tpot_ms e2e_ms output_tok_s total_tok_s requests_s decode_tok_s
    extra_ms: float = 0.0


def family() -> Family:
    """Return the GPU inference family."""
    rows = (*serving_rows(), *inference_rows())
    return Family(
        name="inference",
        prefix="gpu.",
        rows=rows,
        predict=predict,
        touches=touches,
        populations=("serving", "inference", "any"),
        derived_ranges=DERIVED_RANGES,
    )


def predict(coefficients: Coefficients, rows: Sequence[Row]) -> list[float]:
    """Return the figure of every row: ms, or per second for the whole deployment."""
    served: dict[int, Served] = {}
    figures = []
    for row in rows:
        run = run_of(row)
        if id(run) not in served:
            served[id(run)] = run.served(coefficients)
        figures.append(_figure(row.run, served[id(run)]))
    return figures


def _figure(measured: object, served: Served) -> float:
    outcome, load = served.outcome, measured.run.load
    flow = outcome.flow
    figures = {
        "ttft_ms": 1e3 * flow.ttft_s,
        "tpot_ms": 1e3 * flow.tpot_s,
        "e2e_ms": 1e3 * flow.e2e_s + measured.extra_ms,
        "requests_s": outcome.requests_per_s,
        "output_tok_s": outcome.requests_per_s * load.output_tokens,
    }
    if measured.figure == "decode_tok_s":
        return outcome.concurrency / flow.tpot_s
    return figures[measured.figure]


def touches(name: str, row: Row) -> bool:
    """Whether a coefficient can change a row's figure, by the key in its name."""
    run = run_of(row)
    _, section, key = name.split(".")[:3]
    moe, chip = bool(run.model.num_experts), run.accelerator
    known = load_coefficients()
    if section == "accelerator":
        return accelerator_class(chip, known) == key
    if section == "engine":
        return key == gpu_engine(run.plan, run.load, known)
    if section == "weights":
        return key == weight_class(run.plan.weights_dtype) or (moe and key == "bf16")
    if section == "link":
        wide = run.plan.tensor_parallel * run.plan.attention_data_parallel > 1
        return wide and key == link_class(chip)
    return moe or not name.startswith(("gpu.shared.moe_", "gpu.shared.expert_", "gpu.shared.mla_"))


def run_of(row: Row) -> Run:
    """Return the run behind a row of this family."""
    measured = row.run
    if not isinstance(measured, Measured):
        raise SharedDataError(f"row {row.id} is not a GPU inference row")
    return measured.run


def serving_rows() -> Iterator[Row]:
    """Yield TTFT and TPOT of every benchmarked server."""
    for record in records(SERVING):
        run = _serving_run(record)
        collection = "runs by engine" if "source_file=data/" in record["measured_by"] else "dump"
        name = model_key(record["model_path"].split("/")[-1])
        cell = f"{name} {record['accelerator']} {record['backend']} {record['precision']}"
        for figure, weight in (("tpot_ms", 1.0), ("ttft_ms", TTFT_WEIGHT)):
            yield Row(
                file=SERVING,
                id=record["id"],
                source=collection,
                model=name,
                accelerator=record["accelerator"],
                metric=figure.split("_")[0],
                regime="closed",
                class_name=f"serving {figure.split('_')[0]}",
                cell=cell,
                measured=number(record, figure),
                run=Measured(run, figure),
                weight=weight,
                population="serving",
                moe=bool(run.model.num_experts),
                **compared(run, record["backend_version"]),
            )


def _serving_run(record: Record) -> Run:
    catalog = load_catalog()
    chip = catalog.accelerators[record["accelerator"]]
    model = catalog.models[model_key(record["model_path"].split("/")[-1])]
    mode = record["moe_quant_mode"] or record["gemm_quant_mode"]
    weights = {"": "bf16", "int4_wo": "int4", "fp8_block": "fp8"}.get(mode, mode)
    if model.id.startswith("gpt-oss"):
        weights = "mxfp4"
    attention_ways = max(1, int(record["attention_dp_size"]))
    chips = int(record["accelerators"])
    plan = plan_of(
        chips // attention_ways,
        attention_ways=attention_ways,
        expert_ways=max(1, int(record["moe_ep_size"] or 1)),
        weights=weights,
        kv=cache_dtype(record["backend"], weights, chip),
        engine=trtllm_class(record) if record["backend"] == "trtllm" else record["backend"],
    )
    load = Load(
        kind="closed",
        input_tokens=int(record["input_tokens"]),
        output_tokens=int(record["output_tokens"]),
        concurrency=float(record["concurrency"]),
        burst=True,
    )
    return run_with(model, chip, plan, load, per_host=8)


def trtllm_class(record: Record) -> str:
    """Return the name of TensorRT-LLM's runtime: C++ up to 0.17, PyTorch since."""
    old = record["backend_version"].startswith(("0.12", "0.14", "0.15", "0.16", "0.17"))
    return "tensorrt-llm-cpp" if old else "tensorrt-llm"


def cache_dtype(backend: str, weights: str, chip: Accelerator) -> str:
    """Return the cache type of a row that does not state it: what the engine took by default."""
    small = weights in {"fp8", "nvfp4", "mxfp4"} and (
        backend == "trtllm" or chip.tflops_fp4 is not None
    )
    return "fp8" if small else "bf16"


class Compared(TypedDict):
    """What two rows must share, and what must differ, for their order to mean something."""

    workload: str
    machine: str


def compared(run: Run, version: str = "") -> Compared:
    """Return the workload of a run (model, weights, engine, load), and the machine it ran on."""
    load, plan = run.load, run.plan
    asked = f"{load.kind} {load.input_tokens} {load.output_tokens} {load.concurrency} {load.rps}"
    return Compared(
        workload=f"{run.model.id} {plan.weights_dtype} {plan.serving_engine} {version} {asked}",
        machine=f"{run.accelerator.id} x {plan.accelerators}",
    )


def model_key(name: str) -> str:
    """Return the catalog id of a published model name.

    Raises:
        SharedDataError: no such model.
    """
    short = name.lower()
    for suffix in SUFFIXES:
        short = short.removesuffix(suffix)
    catalog = load_catalog()
    found = catalog.model_names.get(short, short)
    if found not in catalog.models and found not in SHAPES:
        raise SharedDataError(f"model {name} is neither in the catalog nor among the shapes")
    return found


def model_named(key: str, params_b: float) -> Model:
    """Return a model of the catalog, or one of that size with the shape listed above."""
    catalog = load_catalog()
    if key in catalog.models:
        return catalog.models[key]
    layers, hidden = SHAPES[key]
    like = catalog.models["bert-large" if key.startswith("bert") else "gpt-j-6b"]
    return replace(
        like,
        id=key,
        layers=layers,
        full_attention_layers=layers,
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        heads=hidden // 128,
        kv_heads=hidden // 128,
        head_dim=128,
        total_params_b=params_b,
        active_params_b=params_b,
    )


def plan_of(
    ways: int,
    *,
    weights: str,
    kv: str,
    engine: str,
    stages: int = 1,
    copies: int = 1,
    attention_ways: int = 1,
    expert_ways: int = 1,
) -> Plan:
    """Return a plan of `ways` tensor-parallel cards, times ranks, stages and copies."""
    return Plan(
        instance_type=None,
        instances=1,
        accelerators=ways * attention_ways * stages * copies,
        tensor_parallel=ways,
        pipeline_parallel=stages,
        data_parallel=copies,
        expert_parallel=expert_ways,
        weights_dtype=weights,
        kv_dtype=kv,
        serving_engine=engine,
        memory_utilisation=0.9,
        attention_data_parallel=attention_ways,
    )


def run_with(model: Model, chip: Accelerator, plan: Plan, load: Load, per_host: int) -> Run:
    """Return the run, with what its caches hold."""
    host = Host(
        accelerator=chip,
        accelerators=per_host,
        cpu=None,
        cores=96,
        host_mem_gib=1024.0,
        network_gb_s=None,
        efa=False,
    )
    held = sequences_held(model, chip, plan, load)
    return Run(model=model, host=host, plan=plan, load=load, held=held, accelerator=chip)


def sequences_held(model: Model, chip: Accelerator, plan: Plan, load: Load) -> float:
    """Return how many sequences the caches of one replica of a benchmark server hold."""
    reserves = plan.serving_engine.startswith("tensorrt")
    tokens = load.input_tokens + load.output_tokens * (1.0 if reserves else PAGED_SHARE)
    shape = shape_of(model)
    precision = precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe)
    ranks = plan.tensor_parallel
    cards, stages = ranks * plan.attention_data_parallel, plan.pipeline_parallel
    body = shape.dense_params * precision.dense + shape.embedding_params * precision.table
    experts = shape.experts * shape.expert_params * precision.expert
    weights = (body / ranks + experts / cards) / stages
    free = max(1e9, 0.88 * (chip.mem_gib_usable or 0.0) * GIB - weights - 2.5e9)
    states = 2 * state_bytes(shape)
    cache = (kv_read_bytes(shape, precision, tokens) - states) / min(ranks, shape.kv_splits)
    each = (cache + states / 2 / ranks) / stages
    return max(1.0, plan.attention_data_parallel * free / max(each, 1.0))


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


RUN_COLUMNS = (
    "source", "engine", "accelerator", "accelerators_used", "model", "weight_dtype", "kv_dtype",
    "tp", "pp", "dp", "load_type", "load_value", "input_tokens", "output_tokens", "notes",
    "instance_note",
)  # fmt: skip


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
