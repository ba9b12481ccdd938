"""More of the same: a plan on several times as many instances, and how many are enough."""

from collections.abc import Callable
from dataclasses import replace

from engine.core.plan import Plan


def times(plan: Plan, count: int) -> Plan:
    """Return the plan on `count` times as many instances, as more replicas."""
    return replace(
        plan,
        instances=plan.instances * count,
        accelerators=plan.accelerators * count,
        data_parallel=plan.data_parallel * count,
    )


def fewest(enough: Callable[[int], bool], most: int) -> int | None:
    """Return the smallest count in 2..most for which `enough` holds, None if none does.

    Relies on `enough` staying true once true; doubles, then bisects.
    """
    below, count = 1, 2
    while not enough(count):
        if count >= most:
            return None
        below, count = count, min(most, count * 2)
    while count - below > 1:
        middle = (below + count) // 2
        below, count = (below, middle) if enough(middle) else (middle, count)
    return count
