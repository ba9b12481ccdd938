"""A job of serving: so many items, done by then; nobody waits for any one of them."""

from typing import Final

from engine.core.estimate import Figure, Performance, ServingJob
from engine.core.workload import Workload

SECONDS_PER_HOUR: Final = 3600.0
USUAL_DEADLINE_H: Final = 24.0  # where none is named: by tomorrow
ASKED_EACH_TIME: Final = frozenset({"reranking"})  # of few items: they are those of one request
MOST_OF_A_REQUEST: Final = 1000.0


def items_of_job(workload: Workload) -> float | None:
    """Return how many items a job has; None where somebody waits, or they come at a rate."""
    said = workload
    flows = said.rps is not None or said.concurrency is not None or said.users is not None
    serves = said.task == "inference" and said.mode != "realtime"
    return None if flows or not serves or are_of_a_request(said) else said.items


def are_of_a_request(said: Workload) -> bool:
    """Return whether the items are what one request holds: the passages of a query."""
    items = said.items or 0.0
    asked = said.use_case in ASKED_EACH_TIME and items < MOST_OF_A_REQUEST
    flows = said.rps is not None and items < MOST_OF_A_REQUEST
    return items > 0 and (flows or asked)


def job_of(
    items: float, performance: Performance | None, restart_factor: float
) -> ServingJob | None:
    """Return the job at full load, None where the rate is unknown: items over items a second."""
    rate = None if performance is None else performance.requests_per_s
    if rate is None or rate.low <= 0:
        return None
    value, low, high = (
        items * restart_factor / SECONDS_PER_HOUR / each
        for each in (rate.value, rate.high, rate.low)
    )
    return ServingJob(items=items, time_h=Figure(value, low, high), restart_factor=restart_factor)
