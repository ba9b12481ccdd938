"""One benchmark run on GPUs as the estimates see it, and what its source leaves unsaid."""

from dataclasses import dataclass, replace
from typing import TypedDict

from benchmarks.calibration.rows import SharedDataError
from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Accelerator, Model
from catalog.load import load_catalog
from engine.core.plan import Host, Load, Plan
from engine.performance.bytes import kv_read_bytes, precision_of
from engine.performance.device import Serving
from engine.performance.gpu import PlanUnderLoad, gpu_outcome
from engine.shape.shape import transformer_of

GIB = 2**30
# A benchmark server's cache: 90 % of the card less 2 % for fragments, 2.5 GB of runtime and graphs.
CACHE_SHARE, RUNTIME_BYTES = 0.88, 2.5e9
CACHE_BYTES_MIN = 1e9  # a run that was published had room for some cache
PAGED_SHARE = 0.55  # of the answer held on average by an engine that pages the cache on demand
SUFFIXES = ("-fp8", "-nvfp4", "-instruct")
SHAPES = {  # layers, hidden size: of models that are not in the catalog
    "gpt-1.3b": (24, 2048),
    "gpt-6.7b": (32, 4096),
    "gpt-20b": (44, 6144),
    "gpt-89b": (48, 12288),
    "internlm-20b": (60, 5120),
    "bert-6b": (48, 3200),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One benchmark run; several figures may have been measured in it."""

    model: Model
    host: Host
    plan: Plan
    load: Load
    held: float  # sequences one replica's cache holds
    accelerator: Accelerator

    def served(self, coefficients: Coefficients) -> PlanUnderLoad:
        """Return what the estimate says happens."""
        return gpu_outcome(
            Serving(
                model=self.model,
                host=self.host,
                plan=self.plan,
                load=self.load,
                sequences_max=self.held,
                coefficients=coefficients,
            )
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """A run, which of its figures a row states, and what that figure counts."""

    run: Run
    figure: str  # ttft_ms tpot_ms e2e_ms output_tok_s total_tok_s requests_s decode_tok_s
    extra_ms: float = 0.0


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
    """Return the catalog id of a published model's shape: what is run, whichever checkpoint it is.

    Checkpoints of one shape are one group: left out apart, each would be predicted by the other.

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
    known = catalog.models.get(found)
    return found if known is None or known.shape_of is None else known.shape_of


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
    shape = transformer_of(model)
    precision = precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe)
    ranks = plan.tensor_parallel
    cards, stages = ranks * plan.attention_data_parallel, plan.pipeline_parallel
    body = shape.body_params * precision.dense + shape.table_params * precision.table
    experts = shape.routed_params * precision.expert
    weights = (body / ranks + experts / cards) / stages
    free = max(
        CACHE_BYTES_MIN,
        CACHE_SHARE * (chip.mem_gib_usable or 0.0) * GIB - weights - RUNTIME_BYTES,
    )
    states = 2 * shape.sequence_state_bytes
    cache = (kv_read_bytes(shape, precision, tokens) - states) / min(ranks, shape.kv_splits)
    each = (cache + states / 2 / ranks) / stages
    return max(1.0, plan.attention_data_parallel * free / max(each, 1.0))


def cache_dtype(backend: str, weights: str, chip: Accelerator) -> str:
    """Return the cache type of a row that does not state it: what the engine took by default."""
    small = weights in {"fp8", "nvfp4", "mxfp4"} and (
        backend == "trtllm" or chip.tflops_fp4 is not None
    )
    return "fp8" if small else "bf16"
