# ruff: noqa: INP001 - a development tool beside the documents it draws
"""How many operational steps a plan asks for: the cost-versus-complexity map, counted.

A step is something to do, or to keep doing, beyond starting a machine and a container on it. Each
has the topic code that a pick raises for it (`engine.pick.caveats`); nothing here is an opinion.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.core.option import Option
from engine.core.question import Question
from engine.pick.caveats import caveats
from engine.pick.rank import ranked

STEPS = {
    "neuron_compile": "compile the model for every shape",
    "static_shapes": "fix batch and sequence length, bucket the prompts",
    "compile_on_larger_instance": "compile on another machine and bring the result",
    "arm64_images": "build images for arm64",
    "driver_floor": "hold the AMI at a recent NVIDIA driver",
    "capacity_block_only": "reserve a capacity block ahead",
    "capacity_not_guaranteed": "plan for on-demand capacity that is short",
    "spans_hosts": "run each replica over several machines",
    "needs_many_replicas": "balance the load over many machines",
    "spot_can_be_interrupted": "survive two minutes' notice",
    "quota": "raise the account's quota",
    "multiple_accelerators": "split the model over several accelerators",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoint:
    """One family on the map, by the type of it that does the work for the least money."""

    family: str
    instance_type: str
    instances: int
    usd_per_hour: float
    silicon: str
    steps: tuple[str, ...]

    @property
    def complexity(self) -> int:
        """How many operational steps it takes."""
        return len(self.steps)


def steps_of(option: Option, question: Question) -> tuple[str, ...]:
    """Return the operational steps an option asks for, each in a few words."""
    codes = set(caveats(option, question)[0])
    plan = option.estimate.plan
    if plan.tensor_parallel * plan.pipeline_parallel > 1 and option.instance.accelerators > 1:
        codes.add("multiple_accelerators")
    return tuple(words for code, words in STEPS.items() if code in codes)


def complexity_map(options: Iterable[Option], question: Question) -> list[MapPoint]:
    """Return one point a family: its best priced option, cheapest family first."""
    best: dict[str, Option] = {}
    for option in ranked(list(options), question):
        if option.usd_per_hour is not None:
            best.setdefault(option.instance.family, option)
    points = [
        MapPoint(
            family=family,
            instance_type=option.instance.instance_type,
            instances=option.instances,
            usd_per_hour=option.usd_per_hour or 0.0,
            silicon=_silicon_name(option, question),
            steps=steps_of(option, question),
        )
        for family, option in best.items()
    ]
    return sorted(points, key=lambda point: (point.usd_per_hour, point.family))


def _silicon_name(option: Option, question: Question) -> str:
    name = option.instance.accelerator_id
    if name is None:
        return "CPU"
    return "Neuron" if question.catalog.accelerators[name].vendor == "aws" else "GPU"
