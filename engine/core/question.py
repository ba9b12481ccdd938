"""The fixed side of one request: what is asked, of which model, with which facts."""

from dataclasses import dataclass, replace

from catalog.catalog import Catalog
from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Instance, Market, Model, Quote
from engine.core.plan import Load, TrainingJob
from engine.core.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request, ready to be evaluated. `workload` is filled, `said` is as the user spoke.

    `model` is None for work without a model (development machines, classical ML).
    `compiled_ahead`: Neuron artefacts come from a compile job on a larger host, so the machine that
    serves need not have the memory to compile. `by_middle`: the figures whose limits are held
    against the middle of the range, even where nobody measured them.
    """

    workload: Workload
    said: Workload
    model: Model | None
    catalog: Catalog
    coefficients: Coefficients
    compiled_ahead: bool = False
    by_middle: frozenset[str] = frozenset()

    @property
    def region(self) -> str:
        """The one region that is priced."""
        return self.workload.region or self.catalog.default_region

    @property
    def market(self) -> Market:
        """How the capacity is bought."""
        return self.workload.market or "on_demand"

    @property
    def trains(self) -> bool:
        """Whether this is a training or fine-tuning job."""
        return self.workload.task in {"train", "finetune"}

    def quote(self, instance: Instance) -> Quote:
        """Return the price on the asked market, priced or not."""
        term = round(self.workload.term_years or 1)
        return self.catalog.prices.quote(instance, self.region, self.market, term_years=term)

    def ceiling(self, instance: Instance, quote: Quote) -> Quote | None:
        """Return the on-demand price where the asked market has no known figure."""
        if quote.usd_per_hour is not None or self.market == "on_demand":
            return None
        on_demand = self.catalog.prices.quote(instance, self.region, "on_demand")
        return on_demand if on_demand.usd_per_hour is not None else None


def serving_load(workload: Workload) -> Load:
    """Return the load the workload asks for, over the whole deployment.

    A rate makes an open load, several requests in flight a closed one, batch work everything
    queued at once, and silence one request at a time.
    """
    queued = Load(
        kind="max",
        input_tokens=workload.input_tokens or 1,
        output_tokens=workload.output_tokens or 0,
        steps=workload.steps,
        image_px=workload.image_px,
    )
    if workload.rps is not None:
        return replace(queued, kind="open", rps=workload.rps)
    if workload.mode == "batch":
        return queued
    concurrency = workload.concurrency or 1.0
    return replace(queued, kind="closed" if concurrency > 1 else "single", concurrency=concurrency)


def training_job(workload: Workload) -> TrainingJob:
    """Return the training job the workload asks for.

    DPO, GRPO and the like train the same weights as their base method; what they add (a reference
    model, sampling) is a caveat on the card, not a different memory formula.
    """
    method = workload.method or "full"
    eight_bit = workload.quant == "int8"
    if method == "lora" and eight_bit:
        method = "qlora"  # adapters over LLM.int8
    return TrainingJob(
        method="qlora" if method == "qlora" else "lora" if method == "lora" else "full",
        base_bits=8 if eight_bit else 4,
        seq_len=workload.seq_len or 2048,
        tokens_total=workload.tokens_total,
        global_batch_tokens=workload.global_batch_tokens,
        micro_batch=workload.batch or 1,
        optimizer=workload.optimizer or "adamw",
        sharding=workload.sharding,
        cpu_offload=workload.offload is not None,
        precision=workload.quant if workload.quant in {"fp8", "fp32", "fp16"} else "bf16",
    )
