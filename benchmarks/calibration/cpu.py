"""CPU rows: llama.cpp streams on every EC2 family, and 16-bit and int8 engines.

The llama.cpp table has a row per type and model; each of its rates is a row here. The family
stands for the accelerator: left out by accelerator means a family never seen.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.calibration.family import Family
from benchmarks.calibration.rows import Record, Row, SharedDataError, exclusions, number, records
from catalog.facts.coefficients import Coefficients, load_coefficients
from catalog.facts.schema import Instance, Model
from catalog.load import load_catalog
from engine.core.plan import Host, Plan
from engine.performance.bytes import precision_of, weight_read_bytes
from engine.performance.cpu import CpuReplica, cpu_population, cpu_replica
from engine.performance.cpu_socket import Socket, microarchitecture_key, socket_of, vendor_of
from engine.placement.hosts import host_of
from engine.shape.shape import transformer_of

LLAMA_CPP, INFERENCE = "llamacpp_ec2.csv", "benchmarks_inference.csv"
SHAPES = {  # layers, hidden size, heads, KV heads, FFN, vocabulary: not in the catalog
    "qwen1.5-0.5b": (24, 1024, 16, 16, 2816, 151936),
    "smollm-135m": (30, 576, 9, 3, 1536, 49152),
}
WIDE_ENGINES = {"vLLM": "vllm", "Intel Extension": "ipex"}
WIDE_WEIGHT = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One stream on one host: a rate of so many tokens read or written, or a time."""

    model: Model
    host: Host
    plan: Plan
    prompt_tokens: int  # read; 0 where only generation is timed
    context: float  # cached while a token is generated
    sequences: float = 1.0

    @property
    def weights_bytes(self) -> float:
        """Bytes one step reads."""
        shape = transformer_of(self.model)
        precision = precision_of(self.plan.weights_dtype, "auto", moe=shape.moe)
        return weight_read_bytes(shape, precision, 1.0)

    def socket(self, coefficients: Coefficients) -> Socket:
        """Return the CPU as the run sees it."""
        return socket_of(self.host, self.plan, self.weights_bytes, coefficients)

    def replica(self, coefficients: Coefficients) -> CpuReplica:
        """Return the replica under these coefficients."""
        return cpu_replica(self.model, self.socket(coefficients), self.plan, coefficients)


def family() -> Family:
    """Return the CPU family."""
    return Family(
        name="cpu",
        prefix="cpu.",
        rows=(*llama_cpp_rows(), *wide_rows()),
        predict=predict,
        touches=touches,
        populations=("cpu_socket", "cpu_two_sockets", "cpu_small", "cpu_wide"),
    )


def predict(coefficients: Coefficients, rows: Sequence[Row]) -> list[float]:
    """Return the rate of every row in tokens per second."""
    return [_rate(run_of(row), row.metric, coefficients) for row in rows]


def _rate(run: Run, metric: str, coefficients: Coefficients) -> float:
    replica = run.replica(coefficients)
    if metric == "prefill_rate":
        return run.prompt_tokens / replica.prompt_s(run.prompt_tokens)
    return run.sequences / replica.step_s(run.sequences, run.context)


def run_of(row: Row) -> Run:
    """Return the run behind a row of this family."""
    if not isinstance(row.run, Run):
        raise SharedDataError(f"row {row.id} is not a CPU row")
    return row.run


PREFILL_ONLY = ("prefill", "half_", "gemm", "request_ms")
DECODE_ONLY = ("two_sockets_share", "socket_share", "chiplet_gb_s", "saturation_power",
               "core_gain", "socket_limit_share")  # fmt: skip
WIDE_ONLY = ("gemm", "request_ms", "vllm_layer_ms", "other_layer_ms", "core_gain",
             "socket_limit_share")  # fmt: skip


def touches(name: str, row: Row) -> bool:
    """Whether a coefficient can change a row's figure, by the key in its name."""
    run, known = run_of(row), load_coefficients()
    _, section, key = name.split(".")[:3]
    last = name.rsplit(".", 1)[-1]
    if section == "microarchitecture" and key != microarchitecture_key(run.host.cpu, known):
        return False
    if section == "vendor" and key != vendor_of(run.host.cpu):
        return False
    wide = run.plan.serving_engine != "llama.cpp"
    if last.startswith(WIDE_ONLY):
        return wide
    reads = row.metric == "prefill_rate"
    if last.startswith(PREFILL_ONLY) or last == "two_sockets_prefill":
        return reads or run.sequences > 1
    return not (reads and last in DECODE_ONLY)


def llama_cpp_rows() -> Iterator[Row]:
    """Yield the rates of every type that runs on its CPU."""
    catalog, left_out = load_catalog(), exclusions()
    for record in records(LLAMA_CPP):
        instance = catalog.instances.get(record["instance_type"])
        excluded = (LLAMA_CPP, record["instance_type"]) in left_out
        if record["backend"] == "CPU" and instance is not None and not excluded:
            yield from _rates(record, instance)


def _rates(record: Record, instance: Instance) -> Iterator[Row]:
    host = host_of(instance, load_catalog())
    if host.cpu is None:
        return
    for column, value in record.items():
        found = re.fullmatch(r"(prefill|decode)_(\d+)_tok_s", column)
        if found and value:
            run = _stream(record, replace(host, accelerator=None), found[1], int(found[2]))
            yield _row(f"{record['instance_type']}/{record['model']}/{column}", run, float(value))


def _stream(record: Record, host: Host, kind: str, tokens: int) -> Run:
    return Run(
        model=_model(record),
        host=host,
        plan=_plan("q4_k_m", "llama.cpp", int(record["threads"])),
        prompt_tokens=tokens if kind == "prefill" else 0,
        context=tokens / 2,
    )


def _row(row_id: str, run: Run, rate: float) -> Row:
    kind = "prefill" if run.prompt_tokens else "decode"
    model, cpu = row_id.split("/")[1], run.host.cpu.family if run.host.cpu else ""
    socket = run.socket(load_coefficients())
    population = cpu_population(run.replica(load_coefficients()), socket)
    return Row(
        file=LLAMA_CPP,
        id=row_id,
        source=f"SpareCores/sc-inspector-data:{cpu}",  # each family's runs are files of their own
        model=model,
        accelerator=cpu,
        metric=f"{kind}_rate",
        regime="single",
        population=population,
        class_name=f"CPU {kind}",
        cell=f"{cpu} {model} {kind}",
        measured=rate,
        run=run,
    )


def _model(record: Record) -> Model:
    catalog, name = load_catalog(), record["model"]
    if name in catalog.model_names:
        return catalog.models[catalog.model_names[name]]
    if name not in SHAPES:
        raise SharedDataError(f"model {name} is neither in the catalog nor among the shapes")
    layers, hidden, heads, kv_heads, ffn, vocabulary = SHAPES[name]
    return replace(
        catalog.models["smollm2-135m"],
        id=name,
        total_params_b=number(record, "params_b"),
        active_params_b=number(record, "params_b"),
        layers=layers,
        full_attention_layers=layers,
        hidden_size=hidden,
        intermediate_size=ffn,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=hidden // heads,
        vocab_size=vocabulary,
        tied_embeddings=name.startswith("smollm"),
    )


def _plan(weights: str, engine: str, threads: int | None) -> Plan:
    return Plan(
        instance_type=None,
        instances=1,
        accelerators=0,
        tensor_parallel=1,
        pipeline_parallel=1,
        data_parallel=1,
        expert_parallel=1,
        weights_dtype=weights,
        kv_dtype="bf16",
        serving_engine=engine,
        memory_utilisation=0.9,
        threads=threads,
    )


def wide_rows() -> Iterator[Row]:
    """Yield single streams and static batches of engines that run 16-bit or int8 weights."""
    catalog = load_catalog()
    for record in records(INFERENCE):
        engine = next((v for k, v in WIDE_ENGINES.items() if record["engine"].startswith(k)), None)
        timed = record["metric"] in {"ttft_ms", "tpot_ms"}
        load = number(record, "load_value", 1.0)
        steady = record["load_type"] == "batch" or load == 1
        instance = catalog.instances.get(record["instance_type"])
        on_cpu = record["accelerator"].startswith("cpu:")
        if engine and on_cpu and timed and steady and instance is not None:
            yield _wide_row(record, instance, engine, load)


def _wide_row(record: Record, instance: Instance, engine: str, load: float) -> Row:
    host = host_of(instance, load_catalog())
    reads = record["metric"] == "ttft_ms"
    tokens = int(number(record, "input_tokens", 512))
    run = Run(
        model=_model(record),
        host=host,
        plan=_plan(record["weight_dtype"], engine, None),
        prompt_tokens=tokens,
        context=tokens + number(record, "output_tokens", 128) / 2,
        sequences=load,
    )
    milliseconds = number(record, "value")
    produced = tokens if reads else load
    kind = "prefill" if reads else "decode"
    cpu = host.cpu.family if host.cpu else record["accelerator"]
    return Row(
        file=INFERENCE,
        id=record["id"],
        # An engine's runs on one family are a source: none of them is left when it is left out.
        source=f"{record['source'].split(':')[0]}:{engine}:{cpu}",
        model=record["model"],
        accelerator=cpu,
        metric=f"{kind}_rate",
        regime="any",
        population="cpu_wide",
        class_name=f"CPU 16-bit and int8 {kind}",
        cell=f"wide {cpu} {record['model']} {kind}",
        measured=1e3 * produced / milliseconds,
        run=run,
        weight=WIDE_WEIGHT,
    )
