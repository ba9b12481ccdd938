"""Handing over to AWS's own advisers: which of the picks they can test, and under what load."""

from dataclasses import dataclass
from typing import Literal

from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from engine.core.result import Pick, Recommendation
from engine.plans.sides import Side, side_of
from engine.plans.success import stated_limits

SIZES_NOT_HOSTED = ("metal", "medium")
MOST_TYPES = 3
P99 = 99
JOB_S = 7200  # an Advanced job takes about two hours
ADVISER_DAYS = 14  # what Compute Optimizer looks back on unless more is paid for
ADVISER_HOURS = 30  # … and the hours of metrics it needs in them


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """What to test where. `endpoint_types` are the picks that SageMaker hosts, as `ml.` types."""

    task: Literal["inference", "train", "finetune", "development"]
    side: Side
    endpoint_types: tuple[str, ...]
    not_hosted: tuple[str, ...]
    job_type: Literal["Default", "Advanced"]
    users: int
    duration_s: int
    limit_ms: int | None
    limit_from: Literal["limit", "range_high"] | None
    percentile: Literal["P95", "P99"]  # the two that the API takes
    job_usd: float | None  # EC2 list prices over the job; SageMaker's own are higher
    sees_accelerator: bool  # Compute Optimizer reads NVIDIA metrics, not NeuronCores
    lookback_days: int = ADVISER_DAYS
    metric_hours: int = ADVISER_HOURS


def handoff_of(result: Recommendation, catalog: Catalog) -> Handoff:
    """Return the hand-off for the picks of an answer.

    Raises:
        ValueError: the answer holds no pick.
    """
    picks = (result.picks or result.closest)[:MOST_TYPES]
    if not picks:
        raise ValueError("there is no pick to hand over")
    side = side_of(picks[0])
    hosted = [pick for pick in picks if is_hosted(pick.instance, catalog)]
    names = tuple(dict.fromkeys(f"ml.{pick.instance.instance_type}" for pick in hosted))
    limit, origin = _test_limit_ms(result, side)
    said = result.said
    loaded = said.rps is not None or said.concurrency is not None or said.latency_ms is not None
    prices = [pick.cost.usd_per_hour for pick in hosted]
    known = [price for price in prices if price is not None]
    job_usd = sum(known) * JOB_S / 3600 if known and len(known) == len(prices) else None
    return Handoff(
        task=result.workload.task,
        side=side,
        endpoint_types=names,
        not_hosted=tuple(pick.instance.instance_type for pick in picks if pick not in hosted),
        job_type="Advanced" if loaded and names else "Default",
        users=max(1, round(said.concurrency or side.concurrency or 1)),
        duration_s=JOB_S,
        limit_ms=limit,
        limit_from=origin,
        percentile="P99" if (said.percentile or 0) >= P99 else "P95",
        job_usd=job_usd,
        sees_accelerator=not _is_neuron(picks[0], catalog),
    )


def is_hosted(instance: Instance, catalog: Catalog) -> bool:
    """Return whether SageMaker hosts endpoints on a type."""
    size = instance.instance_type.partition(".")[2]
    hosted = catalog.families[instance.family].sagemaker_endpoints
    return hosted and not size.startswith(SIZES_NOT_HOSTED)


def _is_neuron(pick: Pick, catalog: Catalog) -> bool:
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    return chip is not None and chip.vendor == "aws"


def _test_limit_ms(
    result: Recommendation, side: Side
) -> tuple[int | None, Literal["limit", "range_high"] | None]:
    """Return the milliseconds of a whole request to test for: as said, else the range's end."""
    said = stated_limits(result.said).get("e2e_ms")
    if said is not None:
        return round(said), "limit"
    if side.e2e_ms is None:
        return None, None
    return round(side.e2e_ms.high), "range_high"
