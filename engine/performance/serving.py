"""The serving estimate of any plan: which kind of machine and model it is, and its figures."""

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model
from engine.core.estimate import Performance
from engine.core.plan import Host, Load, Plan
from engine.performance.cpu import cpu_performance
from engine.performance.diffusion import diffusion_performance
from engine.performance.gpu import gpu_performance
from engine.performance.neuron import neuron_performance


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
    if model.task == "diffusion":
        estimate = diffusion_performance
    elif host.accelerator is None:
        estimate = cpu_performance
    elif host.accelerator.vendor == "aws":
        estimate = neuron_performance
    else:
        estimate = gpu_performance
    return estimate(
        model,
        host,
        plan,
        load,
        sequences_max=sequences_max,
        coefficients=coefficients,
        percentile=percentile,
    )
