"""Different hardware for different stages of one model's life: train, serve, edge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.core.result import Recommendation
from engine.plans.sides import Side, chosen, side_of, weights_gb

StageName = Literal["train", "finetune", "serve", "batch", "edge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyStage:
    """One stage of the model's life and its own pick; `reason` says why there is none."""

    name: StageName
    side: Side | None
    meets: bool  # whether it is a pick, or only what came closest
    weights_gb: float | None
    tokens_total: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyPlan:
    """All stages, and what they cost: once for training, monthly for what keeps running."""

    stages: tuple[StrategyStage, ...]
    usd_once: float | None
    usd_per_month: float | None
    accelerators: tuple[str, ...]  # different hardware, in order of stages


def strategy_plan(results: Mapping[StageName, Recommendation]) -> StrategyPlan:
    """Return one plan over the stages; each recommendation answers its own stage."""
    stages = tuple(_strategy_stage(name, result) for name, result in results.items())
    sides = [stage.side for stage in stages if stage.side is not None]
    once = [side.usd_total for side in sides if side.tokens_per_s_per_accelerator is not None]
    monthly = [side.usd_per_month for side in sides if side.tokens_per_s_per_accelerator is None]
    return StrategyPlan(
        stages=stages,
        usd_once=_sum_known(once),
        usd_per_month=_sum_known(monthly),
        accelerators=tuple(dict.fromkeys(side.accelerator or "CPU" for side in sides)),
    )


def _strategy_stage(name: StageName, result: Recommendation) -> StrategyStage:
    pick = chosen(result)
    nearest = result.asked_rejection or result.nearest_rejection
    why = "" if pick is not None or nearest is None else nearest.detail
    return StrategyStage(
        name=name,
        side=None if pick is None else side_of(pick),
        meets=bool(result.picks),
        weights_gb=None if pick is None or pick.estimate.training else weights_gb(pick),
        tokens_total=result.workload.tokens_total,
        reason=why,
    )


def _sum_known(amounts: list[float | None]) -> float | None:
    """Return the sum; None where there is nothing to sum or a part is unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None
