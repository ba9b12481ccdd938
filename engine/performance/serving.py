"""The serving estimate of any plan: which kind of machine and model it is, and its figures."""

from dataclasses import replace

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model
from engine.core.estimate import Performance
from engine.core.plan import Host, Load, Plan
from engine.performance.cpu import cpu_device
from engine.performance.device import Device, Serving
from engine.performance.diffusion import image_device
from engine.performance.figures import serving_figures
from engine.performance.gpu import gpu_device
from engine.performance.loads import flow_under
from engine.performance.neuron import neuron_device


def serving_performance(
    model: Model,
    host: Host,
    plan: Plan,
    load: Load,
    *,
    sequences_max: float | None,
    coefficients: Coefficients,
    percentile: float | None = None,
) -> Performance:
    """Return latency and throughput of a plan under a load, each figure with its 80 % range.

    `sequences_max` is how many sequences of the asked length one replica holds (None: as many as
    the engine takes). Latencies are means over requests, or the asked `percentile` of them.

    Raises:
        ValueError: a dtype is unknown, or an open load has no rate.
    """
    if model.task == "diffusion" and load.output_tokens:
        load = replace(load, output_tokens=0)  # an image comes whole
    asked = Serving(
        model=model,
        host=host,
        plan=plan,
        load=load,
        sequences_max=sequences_max,
        coefficients=coefficients,
    )
    device = device_of(asked)
    outcome = flow_under(load, device.server)
    return serving_figures(
        outcome,
        load,
        device.factors,
        coefficients,
        bound_by=device.bound_by(outcome.flow),
        basis=device.basis,
        percentile=percentile,
    )


def device_of(asked: Serving) -> Device:
    """Return how the plan's kind of machine serves such a model.

    Raises:
        ValueError: a dtype is unknown.
    """
    if asked.model.task == "diffusion":
        return image_device(asked)
    chip = asked.host.accelerator
    if chip is None:
        return cpu_device(asked)
    return neuron_device(asked) if chip.vendor == "aws" else gpu_device(asked)
