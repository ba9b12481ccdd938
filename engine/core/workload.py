"""What the user wants to run: the workload, exactly as said, and what was assumed for the rest.

A field the user did not say stays None here; `engine.core.assumptions` fills it and records why.
Names and meanings are the command-line contract's: they are stable.
"""

from dataclasses import fields, replace
from typing import Literal

from catalog.facts.schema import Market, ModelTask
from engine.core.plan import Optimizer, Sharding
from engine.core.value import kw_value, value

Task = Literal["inference", "train", "finetune", "development"]
Mode = Literal["realtime", "batch", "edge"]
LatencyKind = Literal["ttft", "per_token", "e2e"]
Objective = Literal[
    "cost", "performance", "latency", "throughput", "balanced", "max_savings", "value", "energy"
]
Throughput = Literal["standard", "high", "ultra_high"]
Network = Literal["standard", "ultra_high"]

ModelKind = Literal["classical", "vision", "embedding", "speech", "diffusion", "classifier"]


@kw_value
class Workload:
    """One request for hardware. Units are in the field names; `context` counts tokens."""

    task: Task = "inference"
    mode: Mode | None = None
    model: str | None = None  # the catalog's spelling of the name used (id or alias)
    models: tuple[str, ...] | None = None  # a comparison of two or more
    params_b: float | None = None  # as said
    active_params_b: float | None = None
    quant: str | None = None
    kv_dtype: str | None = None
    context: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    concurrency: float | None = None
    rps: float | None = None
    tokens_per_day: float | None = None
    avg_tokens_per_s: float | None = None
    latency_ms: float | None = None
    latency_kind: LatencyKind | None = None
    percentile: float | None = None
    objective: Objective | None = None
    method: str | None = None
    seq_len: int | None = None
    tokens_total: float | None = None
    deadline_h: float | None = None
    budget_usd_per_hour: float | None = None
    budget_usd_per_month: float | None = None
    budget_usd_total: float | None = None
    region: str | None = None
    regions: tuple[str, ...] | None = None
    market: Market | None = None
    term_years: float | None = None
    instance: str | None = None
    gpu: str | None = None
    gpu_count: int | None = None
    gpu_memory_gb: float | None = None
    nodes: int | None = None
    framework: str | None = None
    needs_cuda: bool | None = None
    allow: tuple[str, ...] | None = None  # families or vendors
    exclude: tuple[str, ...] | None = None  # also chips and types
    without: tuple[str, ...] | None = None  # everything that was left out, as said
    owned: str | None = None  # what runs today: "3x p4d.24xlarge", "H100-80 at 4.5 USD/h" (each)
    compare_family: str | None = None
    use_case: str | None = None  # a row of use_cases.csv
    users: int | None = None  # people who have access: never how many ask at once
    active_share: float | None = None  # of them, 0 to 1
    requests_per_user_min: float | None = None  # of one who is active
    peak_factor: float | None = None  # the busiest minutes over the mean
    cached_share: float | None = None  # of a prompt's tokens, found in the prefix cache
    items: float | None = None  # of a job; of reranking: passages of one query
    tokens_per_item: int | None = None
    duty_h_per_day: float | None = None  # the mean over a week
    runs_per_month: float | None = None  # how often a job or a training run comes again
    vcpus_max: int | None = None  # of all machines together: what a quota leaves
    steps: int | None = None  # of an image
    image_px: int | None = None  # side of a square of as many pixels
    replicas_min: int | None = None
    zones_min: int | None = None
    throughput: Throughput | None = None
    network: Network | None = None
    network_gbps: float | None = None
    # Beyond the contract's list: how the plan, the memory and the snippet were asked for.
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    memory_utilisation: float | None = None
    batch: int | None = None  # sequences at once (training: per accelerator)
    global_batch_tokens: int | None = None
    optimizer: Optimizer | None = None  # of training, as are the next two
    sharding: Sharding | None = None
    offload: Literal["cpu"] | None = None  # weights and moments kept in host memory
    # Limits of one figure each beside `latency_ms`: said, or assumed.
    first_token_ms: float | None = None
    per_token_ms: float | None = None
    model_task: ModelTask | None = None  # of a model of which only the size is known
    model_kind: ModelKind | None = None  # what kind of model was meant, where none was named
    guide: str | None = None  # "001": the written guide asked about
    name: str | None = None  # the cluster or model name the user wants in the snippet
    model_source: str | None = None  # s3://bucket/prefix, or s3, fsx, efs, ebs, pvc
    checkpoint_store: str | None = None  # the same, of a training job
    reservation: str | None = None  # id of the Capacity Reservation or block that was named

    def said(self) -> dict[str, object]:
        """Return the fields that hold something, in declaration order."""
        pairs = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: value for name, value in pairs if value is not None}


@value
class OwnedHardware:
    """What runs today: a type, family or chip, how many, and what one costs where that was said."""

    name: str
    count: int = 1
    usd_per_hour: float | None = None

    @property
    def is_chip(self) -> bool:
        """Return whether it is a chip: types and families are written small, chips are not."""
        return self.name[:1].isupper()

    def __str__(self) -> str:
        """Return it as `Workload.owned` holds it: `3x p4d.24xlarge at 32.77 USD/h`."""
        count = f"{self.count}x " if self.count > 1 else ""
        price = "" if self.usd_per_hour is None else f" at {self.usd_per_hour:g} USD/h"
        return f"{count}{self.name}{price}"


def owned_hardware(text: str) -> OwnedHardware:
    """Return what `Workload.owned` says.

    Raises:
        ValueError: where the text was not written by `OwnedHardware`.
    """
    machines, _, price = text.partition(" at ")
    count, times, name = machines.rpartition("x ")
    usd = float(price.removesuffix(" USD/h")) if price else None
    return OwnedHardware(name, int(count) if times else 1, usd)


@value
class OtherReading:
    """What else a text may have meant, in words, and the fields it would change (None: unsaid)."""

    phrase: str  # "100 requests a second"
    change: tuple[tuple[str, object], ...]

    def of(self, said: Workload) -> Workload:
        """Return the workload as said under this reading."""
        return replace(said, **dict(self.change))  # type: ignore[arg-type]


@value
class Assumption:
    """A field the user did not say: what was taken, and why that."""

    field: str
    value: object
    why: str
