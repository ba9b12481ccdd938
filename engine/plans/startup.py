"""How long a new machine takes until it serves, and a restart on one that runs.

Launch, image, weights, load and server, one after the other: sizes over rates, and times that
others published, by the rows of `startup.csv`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.facts.schema import Instance
from catalog.reference import StartFigure
from engine.core.result import Pick, Recommendation
from engine.plans.scaling import ScaleUp, Start, copy_rate, scale_up_of
from engine.plans.sides import loaded_gb, side_of

PartName = Literal["node", "image", "weights", "load", "engine"]


@dataclass(frozen=True, slots=True)
class StartTime:
    """Seconds with their range."""

    seconds: float
    low_s: float
    high_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPart:
    """A part of a start; `gb` where it is a copy, `again` where a restart takes it too."""

    name: PartName
    time: StartTime
    figure: StartFigure | None  # what was published; None: worked out from the model alone
    gb: float | None = None
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEstimate:
    """The parts in their order and their sums; the weights only where a model is known."""

    parts: tuple[StartPart, ...]
    first: StartTime
    again: StartTime
    rate_gb_s: float  # of image and weights
    bound_by: Literal["network", "gp3", "nvme"]
    devices: int  # that load a replica's weights side by side, on one machine
    dtype: str | None  # of the weights
    saved_s: float  # with a gp3 volume at its maximum


def start_estimate(
    instance: Instance, start: Start, result: Recommendation | None, pick: Pick | None
) -> StartEstimate:
    """Return how long a start takes; without a pick, of a machine that has no weights to load."""
    rate, bound_by = copy_rate(instance, start["gp3"].value, start)
    up = dtype = None
    devices = 1
    if pick is not None and result is not None:
        side = side_of(pick)
        up, dtype = scale_up_of(pick, side, loaded_gb(result, pick), start), side.dtype
        devices = min(side.tensor_parallel, instance.accelerators) or 1
    parts = tuple(_start_parts(instance, start, rate, up, devices))
    again = [part.time for part in parts if part.again and part.name != "engine"]
    return StartEstimate(
        parts=parts,
        first=_sum_of_times([part.time for part in parts]),
        again=_sum_of_times([*again, _published_time(start["engine_again"], exact=True)]),
        rate_gb_s=rate,
        bound_by=bound_by,
        devices=devices,
        dtype=dtype,
        saved_s=0.0 if up is None else up.total_s - up.best_total_s,
    )


def _start_parts(
    instance: Instance, start: Start, rate: float, up: ScaleUp | None, devices: int
) -> Iterator[StartPart]:
    yield StartPart(name="node", time=_published_time(start["node"]), figure=start["node"])
    image = start["image"]
    copied = StartTime(image.value / rate, image.low / rate, image.high / rate)
    yield StartPart(name="image", time=copied, figure=image, gb=image.value)
    if up is not None:
        here_gb, load = up.weights_s * up.rate_gb_s, start["load"]
        took = StartTime(up.weights_s, up.weights_s, up.weights_s)
        yield StartPart(name="weights", time=took, figure=None, gb=here_gb)
        # The rates are of one GPU; at best as many as hold a replica load side by side.
        fastest_s = here_gb / (load.high * devices)
        loaded = StartTime(here_gb / load.value, fastest_s, here_gb / load.low)
        yield StartPart(name="load", time=loaded, figure=load, gb=here_gb, again=True)
    # A machine without an accelerator compiles nothing.
    engine = start["engine" if instance.accelerators else "engine_again"]
    yield StartPart(name="engine", time=_published_time(engine), figure=engine, again=True)


def _published_time(figure: StartFigure, *, exact: bool = False) -> StartTime:
    if exact:
        return StartTime(figure.value, figure.value, figure.value)
    return StartTime(figure.value, figure.low, figure.high)


def _sum_of_times(times: Sequence[StartTime]) -> StartTime:
    return StartTime(
        sum(one.seconds for one in times),
        sum(one.low_s for one in times),
        sum(one.high_s for one in times),
    )
