"""The rows of benchmarked servers under load: TTFT and TPOT of each."""

from collections.abc import Iterator

from benchmarks.calibration.gpu_runs import (
    Measured,
    Run,
    cache_dtype,
    compared,
    model_key,
    plan_of,
    run_with,
)
from benchmarks.calibration.rows import Record, Row, number, records
from catalog.load import load_catalog
from engine.core.plan import Load

SERVING = "benchmarks_serving.csv"
TTFT_WEIGHT = 0.3  # first tokens carry compile, queue and warm-up that no plan explains


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
