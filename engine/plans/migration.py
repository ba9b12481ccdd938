"""GPU to Trainium or Inferentia, in phases, for one workload: or why not, with the break-even."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.catalog import Catalog
from catalog.facts.schema import Accelerator, Model
from engine.core.dtypes import DtypeSupport, model_support
from engine.core.result import Pick, Recommendation
from engine.core.workload import Workload
from engine.pick.groups import belongs
from engine.plans.money import BreakEven, Money, break_even, money_of, one_off_usd, unit_of_work
from engine.plans.phases import (
    CanaryStage,
    CompileJob,
    Pilot,
    canary_stages,
    compile_job,
    pilot_of,
)
from engine.plans.sides import Side, chosen, side_of
from engine.plans.success import SuccessNumber, success_numbers

Refusal = Literal["cuda", "architecture", "nothing_fits", "unpriced", "costs_more"]
FIRST_GENERATION = 1  # of NeuronCores: frozen at old software


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceResource:
    """What Kubernetes calls the accelerators of a side."""

    resource: str | None
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationPlan:
    """The whole plan; with `refusal` set only what led to it is filled."""

    trains: bool
    target_group: str
    refusal: Refusal | None = None
    reason: str = ""
    source: Side | None = None
    target: Side | None = None
    source_node: DeviceResource | None = None
    target_node: DeviceResource | None = None
    compiling: CompileJob | None = None
    pilot: Pilot | None = None
    stages: tuple[CanaryStage, ...] = ()
    success: tuple[SuccessNumber, ...] = ()
    money: Money | None = None
    break_even: BreakEven | None = None


def migration_plan(
    source: Recommendation,
    target: Recommendation,
    target_group: str,
    chips: Sequence[Accelerator],
    catalog: Catalog,
) -> MigrationPlan:
    """Return the plan from the source's to the target's pick, or the refusal with its reason.

    `chips` are the accelerators the target group stands for. Both recommendations answer the same
    workload, each on its own side.
    """
    trains = target.workload.task in {"train", "finetune"}
    old = chosen(source)
    refused = _migration_refusal(source, target, chips, catalog)
    if refused is not None:
        kind, reason = refused
        return MigrationPlan(
            trains=trains,
            target_group=target_group,
            refusal=kind,
            reason=reason,
            source=None if old is None else side_of(old),
        )
    new = _neuron_pick(target)
    if old is None or new is None:
        side = source if old is None else target
        return MigrationPlan(
            trains=trains,
            target_group=target_group,
            refusal="nothing_fits",
            reason=_why_nothing(side),
            source=None if old is None else side_of(old),
        )
    return _weighed(target, target_group, old, new, catalog)


def _migration_refusal(
    source: Recommendation,
    target: Recommendation,
    chips: Sequence[Accelerator],
    catalog: Catalog,
) -> tuple[Refusal, str] | None:
    if source.said.needs_cuda or target.said.needs_cuda:
        return "cuda", ""
    if target.model is None:
        return "nothing_fits", "no model was named"
    if chips and all(chip.neuron_core_version == FIRST_GENERATION for chip in chips):
        old = chips[0]
        return "architecture", (
            f"{old.id} is frozen at old software; {_successor(old, catalog).id} takes its place"
        )
    unsupported = unsupported_reason(target.model, target.workload, chips)
    return None if unsupported is None else ("architecture", unsupported)


def chips_of(word: str, catalog: Catalog) -> tuple[Accelerator, ...]:
    """Return the AWS chips that a family, type or group word stands for, the newest first."""
    group = catalog.groups.get(word)
    ids = {
        instance.accelerator_id
        for instance in catalog.instances.values()
        if word in {instance.family, instance.instance_type}
        or (group is not None and belongs(instance, group, catalog))
    }
    chips = [catalog.accelerators[chip] for chip in ids if chip is not None]
    aws = [chip for chip in chips if chip.vendor == "aws"]
    return tuple(sorted(aws, key=lambda chip: (-chip.year, chip.id)))


def _successor(chip: Accelerator, catalog: Catalog) -> Accelerator:
    """Return the next chip of the same line."""
    line = [one for one in catalog.accelerators.values() if one.line == chip.line]
    return min(
        (one for one in line if one.year > chip.year), key=lambda one: one.year, default=chip
    )


def unsupported_reason(
    model: Model, workload: Workload, chips: Sequence[Accelerator]
) -> str | None:
    """Return why no chip of the group has code for the model; None where one has."""
    verdicts: list[DtypeSupport] = [
        model_support(chip, model, workload.task, workload.method) for chip in chips
    ]
    if not verdicts or any(verdict.kind != "unsupported" for verdict in verdicts):
        return None
    return verdicts[0].reason


def _neuron_pick(target: Recommendation) -> Pick | None:
    """Return the pick on the new side: a near miss would not carry the workload."""
    return target.asked or next(iter(target.picks), None)


def _why_nothing(result: Recommendation) -> str:
    nearest = result.asked_rejection or result.nearest_rejection
    if nearest is not None:
        return f"{nearest.instance_type}: {nearest.detail}"
    missed = next(iter(result.closest), None)
    return "" if missed is None else f"{missed.instance.instance_type} misses a limit"


def _weighed(
    target: Recommendation, group: str, old: Pick, new: Pick, catalog: Catalog
) -> MigrationPlan:
    """Return the phases where moving saves money, else the break-even."""
    trains = old.estimate.training is not None
    before, after = side_of(old), side_of(new)
    compiling = compile_job(target, new, catalog)
    pilot = pilot_of(after)
    stages = () if trains else canary_stages(before, after)
    per = unit_of_work(target.workload, trains=trains)
    money = money_of(before, after, one_off_usd(before, after, compiling, pilot, stages), per)
    refusal: Refusal | None = None
    if money is None:
        refusal = "unpriced"
    elif money.saved_usd <= 0:
        refusal = "costs_more"
    return MigrationPlan(
        trains=trains,
        target_group=group,
        refusal=refusal,
        source=before,
        target=after,
        source_node=_device_resource(old, catalog),
        target_node=_device_resource(new, catalog),
        compiling=compiling,
        pilot=pilot,
        stages=stages,
        success=success_numbers(before, after, target.said),
        money=money,
        break_even=break_even(money, before, after, catalog)
        if money is not None and refusal == "costs_more"
        else None,
    )


def _device_resource(pick: Pick, catalog: Catalog) -> DeviceResource:
    eks = catalog.eks.get(pick.instance.instance_type)
    if eks is None:
        return DeviceResource(resource=None, count=None)
    return DeviceResource(resource=eks.resource_name, count=eks.resource_count)
