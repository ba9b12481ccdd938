"""How far the serving estimate is from measured servers: median and 90th percentile errors.

Reads `benchmarks_serving.csv` (columns as in the InferenceX collection) from the folder given, and
prints the error of TPOT and TTFT by engine and kind of model. Development only: the measured rows
are not part of this repository.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from catalog.coefficients import Coefficients, load_coefficients
from catalog.load import load_catalog
from catalog.schema import Accelerator, Model
from engine.performance.bytes import Precision, kv_read_bytes, precision_of, state_bytes
from engine.performance.closed_loop import closed_loop
from engine.performance.gpu import queue_of
from engine.performance.machine import Layout, Machine
from engine.performance.replica import replica_of
from engine.performance.shape import shape_of

GIB = 2**30
PUBLISHED_SUFFIXES = ("-fp8", "-nvfp4", "-instruct")


def main() -> None:
    """Print the table, or say that the measured rows are not here."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="folder that holds benchmarks_serving.csv")
    path = parser.parse_args().folder / "benchmarks_serving.csv"
    if not path.exists():
        print(f"{path} is not here: nothing to compare with")
        return
    errors: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row, ttft_s, tpot_s, moe in predictions(path):
        pair = (tpot_s * 1e3 / float(row["tpot_ms"]), ttft_s * 1e3 / float(row["ttft_ms"]))
        for group in ("all", "moe" if moe else "dense", row["backend"], row["accelerator"]):
            errors[group].append(pair)
    print(f"{'rows':<12}{'n':>5}   TPOT median/p90/bias %      TTFT median/p90/bias %")
    for group, pairs in errors.items():
        tpot, ttft = (spread([pair[i] for pair in pairs]) for i in (0, 1))
        print(f"{group:<12}{len(pairs):>5}   {tpot:<27}{ttft}")


def spread(ratios: list[float]) -> str:
    """Return median and 90th percentile of the absolute error, and the median signed error."""
    absolute = sorted(abs(ratio - 1) for ratio in ratios)
    tail = absolute[int(0.9 * (len(absolute) - 1))]
    return f"{median(absolute):.1%} / {tail:.0%} / {median(ratios) - 1:+.0%}".replace("%", "")


def predictions(path: Path) -> Iterator[tuple[dict[str, str], float, float, bool]]:
    """Yield each row with the TTFT and TPOT predicted for it, in seconds."""
    catalog, coefficients = load_catalog(), load_coefficients()
    with path.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            name = row["model_path"].split("/")[-1].lower()
            for suffix in PUBLISHED_SUFFIXES:
                name = name.removesuffix(suffix)
            model = catalog.models[catalog.model_names[name]]
            ttft, tpot = predicted(
                row, model, catalog.accelerators[row["accelerator"]], coefficients
            )
            yield row, ttft, tpot, bool(model.num_experts)


def predicted(
    row: dict[str, str], model: Model, chip: Accelerator, coefficients: Coefficients
) -> tuple[float, float]:
    """Return TTFT and TPOT of a measured row in seconds."""
    tokens, output = int(row["input_tokens"]), int(row["output_tokens"])
    layout = Layout(
        accelerators=int(row["accelerators"]),
        attention_ways=max(1, int(row["attention_dp_size"])),
        expert_ways=max(1, int(row["moe_ep_size"])),
    )
    weights, cache = dtypes(row, chip)
    engine = engine_of(row)
    replica = replica_of(
        model,
        Machine(accelerator=chip, layout=layout, network_gb_s=None),
        weights_dtype=weights,
        kv_dtype=cache,
        engine_name=engine,
        coefficients=coefficients,
    )
    held = tokens + output * (1.0 if engine.startswith("tensorrt") else 0.55)
    precision = precision_of(weights, cache, moe=shape_of(model).moe)
    flow = closed_loop(
        replica,
        queue_of(coefficients),
        concurrency=float(row["concurrency"]),
        capacity=sequences_held(model, chip, layout, precision, held),
        input_tokens=tokens,
        output_tokens=output,
        burst=True,
    )
    return flow.ttft_s, flow.tpot_s


def dtypes(row: dict[str, str], chip: Accelerator) -> tuple[str, str]:
    """Return the weights and cache types of a row; sources do not state the cache's."""
    mode = row["moe_quant_mode"] or row["gemm_quant_mode"]
    weights = {"": "bf16", "int4_wo": "int4", "fp8_block": "fp8"}.get(mode, mode)
    if "gpt-oss" in row["model_path"]:
        weights = "mxfp4"
    blackwell = chip.tflops_fp4 is not None
    small = weights in {"fp8", "nvfp4", "mxfp4"} and (row["backend"] == "trtllm" or blackwell)
    return weights, "fp8" if small else "bf16"


def engine_of(row: dict[str, str]) -> str:
    """Return the fitted engine class of a row."""
    if row["backend"] != "trtllm":
        return row["backend"]
    old = row["backend_version"].startswith(("0.12", "0.14", "0.15", "0.16", "0.17"))
    return "tensorrt_llm_cpp" if old else "tensorrt_llm"


def sequences_held(
    model: Model, chip: Accelerator, layout: Layout, precision: Precision, tokens: float
) -> float:
    """Return how many sequences of `tokens` the caches of a benchmark server hold."""
    shape = shape_of(model)
    usable = (chip.mem_gib_usable or 0.0) * GIB
    body = shape.dense_params * precision.dense + shape.embedding_params * precision.table
    experts = shape.experts * shape.expert_params * precision.expert
    weights = body / layout.ranks + experts / layout.accelerators
    free = max(1e9, 0.88 * usable - weights - 2.5e9)
    states = 2 * state_bytes(shape)
    cache = (kv_read_bytes(shape, precision, tokens) - states) / min(layout.ranks, shape.kv_splits)
    return max(1.0, layout.attention_ways * free / (cache + states / 2 / layout.ranks))


if __name__ == "__main__":
    main()
