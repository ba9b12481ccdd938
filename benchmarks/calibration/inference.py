"""GPU inference rows: servers under load, static batches, offline runs, llama.cpp, encoders.

The figures come from the same `gpu_outcome` that answers a user; only what a benchmark does apart
from that is here: all clients start at once, and what its source leaves unsaid.
"""

from collections.abc import Sequence

from benchmarks.calibration.family import DerivedRange, Family
from benchmarks.calibration.gpu_runs import Measured, Run
from benchmarks.calibration.inference_rows import inference_rows
from benchmarks.calibration.rows import Row, SharedDataError
from benchmarks.calibration.serving_rows import serving_rows
from catalog.facts.coefficients import Coefficients, load_coefficients
from engine.performance.bytes import weight_class
from engine.performance.gpu import PlanUnderLoad, gpu_engine
from engine.performance.machine import accelerator_class, expert_class, link_class

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
    served: dict[int, PlanUnderLoad] = {}
    figures = []
    for row in rows:
        run = run_of(row)
        if id(run) not in served:
            served[id(run)] = run.served(coefficients)
        figures.append(_figure(measured_of(row), served[id(run)]))
    return figures


def _figure(measured: Measured, served: PlanUnderLoad) -> float:
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
        dtype = run.plan.weights_dtype
        return key in {weight_class(dtype), expert_class(dtype, chip)} or (moe and key == "bf16")
    if section == "link":
        wide = run.plan.tensor_parallel * run.plan.attention_data_parallel > 1
        return wide and key == link_class(chip)
    return moe or not name.startswith(("gpu.shared.moe_", "gpu.shared.expert_", "gpu.shared.mla_"))


def run_of(row: Row) -> Run:
    """Return the run behind a row of this family."""
    return measured_of(row).run


def measured_of(row: Row) -> Measured:
    """Return what a row of this family measured.

    Raises:
        SharedDataError: the row is of another family.
    """
    if not isinstance(row.run, Measured):
        raise SharedDataError(f"row {row.id} is not a GPU inference row")
    return row.run
