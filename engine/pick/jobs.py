"""What a job takes on a type: how many machines, how long, for how much; and on other fleets."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil
from typing import Final

from catalog.facts.units import HOURS_PER_MONTH
from engine.core.estimate import Estimate, ServingJob
from engine.core.job import items_of_job, job_of
from engine.core.limits import limit_checks
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Cost
from engine.core.value import value
from engine.performance.spot import (
    INTERRUPTIONS_PER_INSTANCE_MONTH,
    RESTART_H,
    restart_overhead_factor,
)
from engine.pick.cost import SET_UP_H
from engine.pick.reasons import quantity

MOST_MACHINES: Final = 64
FLEETS_SHOWN: Final = (0.25, 0.5, 2.0, 4.0)  # of the machines picked


@value
class JobFleet:
    """So many machines of a pick, how long they take for its job and what that costs."""

    instances: int
    hours: float
    usd_total: float


def finishing(option: Option, question: Question, more: Callable[[Option, int], Option]) -> Option:
    """Return the option on as many machines as finish in time, with the time and the cost of it.

    `more` gives the option on several times as many. Every item stands alone, so machines share
    them evenly and more of them cost no more than their start: a deadline that was said is held at
    the far end of the range, one that was assumed in the middle.
    """
    job = _job(option, question)
    if job is None:
        return option
    held = job.time_h.value if _is_wish(question) else job.time_h.high
    times = ceil(held / (question.workload.deadline_h or held))
    if times > 1:
        option = more(option, min(times, max(1, MOST_MACHINES // option.instances)))
        job = _job(option, question)
    return option if job is None else _told(option, question, job)


def _is_wish(question: Question) -> bool:
    return question.said.deadline_h is None


def _job(option: Option, question: Question) -> ServingJob | None:
    items = items_of_job(question.workload)
    if items is None:
        return None
    factor = spot_factor() if question.market == "spot" else 1.0
    return job_of(items, option.estimate.performance, factor)


def spot_factor() -> float:
    """Return by how much interruptions stretch a job of items: each starts one machine again.

    Items that were done are done, so no more is lost than the start and what was in flight.
    """
    per_hour = INTERRUPTIONS_PER_INSTANCE_MONTH / HOURS_PER_MONTH
    return restart_overhead_factor(per_hour, 0.0, RESTART_H)


def _told(option: Option, question: Question, job: ServingJob) -> Option:
    estimate = replace(option.estimate, job=job)
    cost = replace(option.cost, usd_total=_job_cost(option.cost.usd_per_hour, job.time_h.value))
    workload = question.workload
    wished = frozenset({"time_h"} if _is_wish(question) else ())
    limits = limit_checks(workload, estimate, cost, by_middle=question.by_middle | wished)
    return replace(option, estimate=estimate, cost=cost, limits=limits)


def _job_cost(usd_per_hour: float | None, hours: float) -> float | None:
    return None if usd_per_hour is None else usd_per_hour * (hours + SET_UP_H)


def other_fleets(estimate: Estimate, cost: Cost, instances: int) -> tuple[JobFleet, ...]:
    """Return fewer machines that take longer and more that take less, fewest first."""
    job = estimate.job
    if job is None or cost.usd_per_hour is None:
        return ()
    whole = estimate.plan.instances // max(1, estimate.plan.data_parallel) or 1
    counts = {whole, *(whole * max(1, round(instances / whole * share)) for share in FLEETS_SHOWN)}
    each, machine_hours = cost.usd_per_hour / instances, job.time_h.value * instances
    return tuple(
        JobFleet(count, machine_hours / count, each * (machine_hours + SET_UP_H * count))
        for count in sorted(counts - {instances})
        if count <= MOST_MACHINES
    )


def job_reasons(option: Option, question: Question) -> Iterator[str]:
    """Yield what other fleets of the type would change, and what spot would save and risk."""
    job = option.estimate.job
    if job is None:
        return
    fleets = other_fleets(option.estimate, option.cost, option.instances)
    told = [f"{f.instances} in {_hours(f.hours)} for ${f.usd_total:,.2f}" for f in fleets]
    if told:
        yield f"machines share the items: {', '.join(told)}"
    yield from _on_spot(option, question, job)


def _on_spot(option: Option, question: Question, job: ServingJob) -> Iterator[str]:
    if question.market != "on_demand" or option.cost.usd_total is None:
        return
    quote = question.catalog.prices.quote(option.instance, question.region, "spot")
    if quote.usd_per_hour is None:
        return
    usd = _job_cost(quote.usd_per_hour * option.instances, job.time_h.value * spot_factor())
    if usd is not None and usd < option.cost.usd_total:
        yield (
            f"on spot about ${usd:,.2f}, {1 - usd / option.cost.usd_total:.0%} less: a machine that"
            f" is taken back costs {RESTART_H * 60:.0f} min of start and the items in flight"
        )


def _hours(hours: float) -> str:
    return quantity(hours, "h") if hours >= 1 else quantity(hours * 60, "min")
