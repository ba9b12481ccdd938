"""Which of the plans that fit on one type to use, and whether one carries its load."""

from engine.core.option import Option
from engine.core.question import Question
from engine.pick.rank import request_ms


def best_of_type(options: list[Option], question: Question) -> Option:
    """Return the plan to use on one type.

    For speed objectives the fastest; else the first that meets every limit (plans come with the
    fewest accelerators per replica first, so it serves the most), else the nearest miss.
    """
    meeting = [option for option in options if carries_load(option)]
    if question.workload.objective in {"performance", "latency"} and meeting:
        return min(meeting, key=lambda option: (option.instances, request_ms(option)))
    if meeting:
        return min(meeting, key=lambda option: option.instances)
    return min(options, key=lambda option: option.excess)


def carries_load(option: Option) -> bool:
    """Return whether the plan meets every limit without its queues growing."""
    performance = option.estimate.performance
    return option.meets_limits and not (performance is not None and performance.saturated)
