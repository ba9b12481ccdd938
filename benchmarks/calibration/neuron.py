"""Neuron rows: compiled decode steps, prompts, servers at full load, encoders.

A graph is compiled for a batch and computes it whole, also for one request, so a row is predicted
at its compiled batch where the source states it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.calibration.family import DerivedRange, Family
from benchmarks.calibration.rows import Record, Row, SharedDataError, number, records
from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Accelerator, Model
from catalog.load import load_catalog
from engine.core.plan import Plan
from engine.performance.closed_loop import serial_loop
from engine.performance.neuron import NeuronReplica, neuron_replica

INFERENCE = "benchmarks_inference.csv"
BENCHMARK_BATCH = 32  # optimum-neuron's benchmark folder states it for all but two of its rows
GENERATIONS = (  # start of the source's engine name, the name a plan uses
    ("Transformers NeuronX", "transformers-neuronx"),
    ("NeuronX Distributed", "transformers-neuronx"),
    ("optimum-neuron", "optimum-neuron"),
    ("vLLM on Ray", "optimum-neuron"),
    ("NxD Inference", "vllm"),
    ("vLLM Neuron", "vllm"),
)
ENCODER_COEFFICIENTS = ("encoder_flops", "encoder_layer")
Figure = Literal["ttft", "tpot", "throughput", "encoder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run on one replica: what is compiled, what arrives, which figure is stated."""

    model: Model
    chip: Accelerator
    plan: Plan
    input_tokens: int
    output_tokens: int
    batch: float  # compiled
    prompts: float  # read at once
    in_flight: float  # on one replica
    per_s: float  # what the row states, over requests per second of one replica

    def replica(self, coefficients: Coefficients) -> NeuronReplica:
        """Return the replica under these coefficients."""
        return neuron_replica(self.model, self.chip, self.plan, coefficients)


def family() -> Family:
    """Return the Neuron family."""
    return Family(
        name="neuron",
        prefix="neuron.",
        rows=tuple(neuron_rows()),
        predict=predict,
        touches=touches,
        populations=("neuron",),
        derived_ranges=(DerivedRange("neuron", "any", "e2e", "throughput", inverse=True),),
    )


def predict(coefficients: Coefficients, rows: Sequence[Row]) -> list[float]:
    """Return the figure of every row: ms, or per second of the whole deployment."""
    return [_FIGURES[row.metric](run_of(row), coefficients) for row in rows]


def run_of(row: Row) -> Run:
    """Return the run behind a row of this family."""
    if not isinstance(row.run, Run):
        raise SharedDataError(f"row {row.id} is not a Neuron row")
    return row.run


def _ttft_ms(run: Run, coefficients: Coefficients) -> float:
    return 1e3 * run.replica(coefficients).prompt_s(run.input_tokens, run.prompts)


def _tpot_ms(run: Run, coefficients: Coefficients) -> float:
    length = run.input_tokens + run.output_tokens
    return 1e3 * run.replica(coefficients).step_s(run.batch, length)


def _throughput(run: Run, coefficients: Coefficients) -> float:
    """Return the rate of a static batch, or of a server that decodes its compiled batch."""
    step_s = _tpot_ms(run, coefficients) / 1e3
    if run.prompts > 1:
        whole = _ttft_ms(run, coefficients) / 1e3 + run.output_tokens * step_s
        return run.per_s * run.batch / whole
    flow = serial_loop(
        _ttft_ms(run, coefficients) / 1e3,
        lambda _: step_s,
        concurrency=run.in_flight,
        capacity=run.batch,
        output_tokens=run.output_tokens,
    )
    return run.per_s * flow.requests_per_s


def _encoder(run: Run, coefficients: Coefficients) -> float:
    once = run.replica(coefficients).encoder_s(run.input_tokens, run.batch)
    return run.per_s * run.batch / once if run.per_s else 1e3 * once


_FIGURES = {
    "ttft": _ttft_ms, "tpot": _tpot_ms, "throughput": _throughput, "encoder": _encoder,
}  # fmt: skip


def touches(name: str, row: Row) -> bool:
    """Whether a coefficient can change a row's figure: encoders have their own."""
    encodes = any(part in name for part in ENCODER_COEFFICIENTS)
    return encodes == (row.metric == "encoder")


def neuron_rows() -> Iterator[Row]:
    """Yield every figure of the mixed collection that was measured on Neuron chips.

    Rates under a request rate are the server's queue, not the graph: `loads` answers those.
    """
    catalog = load_catalog()
    for record in records(INFERENCE):
        chip = catalog.accelerators.get(record["accelerator"])
        name = catalog.model_names.get(record["model"])
        if chip is None or chip.vendor != "aws" or record["load_type"] == "request_rate":
            continue
        if name is None:
            raise SharedDataError(f"row {record['id']}: model {record['model']} is not known")
        if record["input_tokens"]:  # images have no prompt
            yield from _row(record, catalog.models[name], chip)


def _row(record: Record, model: Model, chip: Accelerator) -> Iterator[Row]:
    run, figure = _run(record, model, chip), _figure(record)
    if figure is None or "model pipeline" in record["notes"]:
        return
    repository, _, path = record["source"].split("@")[0].partition(":")
    yield Row(
        file=INFERENCE,
        id=record["id"],
        source=f"{repository}:{path.rsplit('/', 1)[-1]}" if "sdk" in repository else repository,
        model=model.id,
        accelerator=chip.id,
        metric=figure,
        regime="any",
        class_name=f"Neuron {figure}",
        cell=f"{repository} {model.id} {chip.id} {figure}",
        measured=number(record, "value"),
        run=run,
        population="neuron",
        weight=0.3 if figure == "throughput" else 1.0,  # follows from the other two
    )


def _figure(record: Record) -> Figure | None:
    if record["output_tokens"] == "0":
        return "encoder"
    metric = record["metric"]
    if record["percentile"] == "p99" and metric != "ttft_ms":
        return None  # a percentile of a whole request is not a mean rate
    figures: dict[str, Figure] = {
        "ttft_ms": "ttft",
        "tpot_ms": "tpot",
        "output_tok_s": "throughput",
    }
    return figures.get(metric)


def _run(record: Record, model: Model, chip: Accelerator) -> Run:
    static = record["load_type"] == "batch"
    copies = number(record, "dp", 0.0) or float(chip.cores_per_chip or 1)
    load = number(record, "load_value", 1e3)
    stated = re.search(r"static batch (\d+) per", record["notes"])
    batch = float(stated.group(1)) if stated else load
    if "chunked-prefill" in record["source"]:
        batch = BENCHMARK_BATCH
    rate = record["metric"] in {"output_tok_s", "requests_s"}
    output = int(number(record, "output_tokens"))
    return Run(
        model=model,
        chip=chip,
        plan=_plan(record),
        input_tokens=int(number(record, "input_tokens")),
        output_tokens=output,
        batch=batch,
        prompts=batch if static else 1.0,
        in_flight=max(1.0, load / copies),
        per_s=copies * max(1, output) if rate else 0.0,
    )


def _plan(record: Record) -> Plan:
    name = record["engine"]
    engine = next((plan for start, plan in GENERATIONS if name.startswith(start)), "vllm")
    ways = int(number(record, "tp", 1))
    return Plan(
        instance_type=None,
        instances=1,
        accelerators=1,
        tensor_parallel=ways,
        pipeline_parallel=1,
        data_parallel=1,
        expert_parallel=1,
        weights_dtype="fp32" if record["weight_dtype"].startswith("fp32") else "bf16",
        kv_dtype="bf16",
        serving_engine=engine,
        memory_utilisation=0.9,
    )
