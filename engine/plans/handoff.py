"""Handing over to AWS's own advisers: which of the picks they can test, and under what load."""

from dataclasses import dataclass
from typing import Literal

from engine.core.result import Recommendation
from engine.plans.sides import Side, side_of
from engine.plans.success import stated_limits

# Families SageMaker hosts endpoints on (instance types of CreateInferenceRecommendationsJob in
# botocore 1.43's service model).
CPU_FAMILIES = (
    *("c5", "c5d", "c6g", "c6gd", "c6gn", "c6i", "c6in", "c7g", "c7i", "c8g"),
    *("m5", "m5d", "m6g", "m6gd", "m6i", "m7i", "m8g"),
    *("r5", "r5d", "r6g", "r6gd", "r6i", "r7gd", "r7i", "r8g"),
)
ACCELERATED_FAMILIES = (
    *("dl1", "g4dn", "g5", "g6", "g6e", "g7", "g7e", "inf1", "inf2", "p3", "p4d", "p4de"),
    *("p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200", "trn1", "trn1n", "trn2"),
)
ENDPOINT_FAMILIES = frozenset((*CPU_FAMILIES, *ACCELERATED_FAMILIES))
SIZES_NOT_HOSTED = frozenset({"metal", "medium"})
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


def handoff_of(result: Recommendation) -> Handoff:
    """Return the hand-off for the picks of an answer.

    Raises:
        ValueError: the answer holds no pick.
    """
    picks = (result.picks or result.closest)[:MOST_TYPES]
    if not picks:
        raise ValueError("there is no pick to hand over")
    side = side_of(picks[0])
    hosted = [pick for pick in picks if is_hosted(pick.instance.instance_type)]
    names = tuple(dict.fromkeys(f"ml.{pick.instance.instance_type}" for pick in hosted))
    limit, origin = _limit(result, side)
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
        sees_accelerator=not (side.accelerator or "").startswith(("Inferentia", "Trainium")),
    )


def is_hosted(instance_type: str) -> bool:
    """Return whether SageMaker hosts endpoints on a type."""
    family, _, size = instance_type.partition(".")
    return family in ENDPOINT_FAMILIES and not size.startswith(tuple(SIZES_NOT_HOSTED))


def _limit(
    result: Recommendation, side: Side
) -> tuple[int | None, Literal["limit", "range_high"] | None]:
    """Return the milliseconds of a whole request to test for: as said, else the range's end."""
    said = stated_limits(result.said).get("e2e_ms")
    if said is not None:
        return round(said), "limit"
    if side.e2e_ms is None:
        return None, None
    return round(side.e2e_ms.high), "range_high"
