"""Questions for the computed answers: over a catalog small enough to try every type."""

from dataclasses import replace
from functools import cache

from catalog.load import load_catalog
from engine.core.question import Question
from engine.core.workload import Workload
from engine.what_if.capacity import Unit, units
from tests.laws.worlds import question

TYPES = (
    "c7i.4xlarge",
    "g4dn.xlarge",
    "g5.xlarge",
    "g6.xlarge",
    "g6.2xlarge",
    "g6e.xlarge",
    "inf2.8xlarge",
    "p5.48xlarge",
    "p5e.48xlarge",
)
SERVICE = Workload(model="llama-3.1-8b")


@cache
def asked(said: Workload = SERVICE) -> Question:
    """Return the question over a handful of types."""
    whole = load_catalog()
    kept = {name: whole.instances[name] for name in TYPES}
    return question(said, replace(whole, instances=kept))


@cache
def units_of(said: Workload, field: str) -> tuple[Unit, ...]:
    """Return the units of a question over a handful of types."""
    return tuple(units(asked(said), field))


def unit(name: str, usd_per_hour: float, capacity: float, instances: int = 1) -> Unit:
    """Return a made-up unit."""
    instance = replace(load_catalog().instances["g6.xlarge"], instance_type=name)
    return Unit(
        instance=instance, instances=instances, usd_per_hour=usd_per_hour, capacity=capacity
    )
