"""Watts, kWh and CO2e: of a plan while it serves, per million tokens, or of a training job.

What is known: an accelerator's rated power (accelerators.csv), what servers of some CPU designs
draw (cpu_power.csv), the grid of a region (grid.csv). What is assumed stands below with its range.
A device without a published rating (Neuron, most CPU designs) has no figure here, and is ranked
behind those that have one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from catalog.catalog import Catalog
from catalog.facts.schema import Grid, Instance
from engine.core.estimate import Figure, Performance
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Pick
from engine.placement.hosts import host_of

# Share of its rated power that an accelerator draws at full load. Memory-bound decoding stays below
# the rating, matrix products reach it; nobody publishes a figure a plan could be held to. Assumed.
BUSY_SHARE = Figure(0.8, 0.6, 1.0)
# The same with nothing to do but the model loaded. Assumed.
IDLE_SHARE = Figure(0.15, 0.1, 0.25)
# A host beside accelerators: W per vCPU from idle to full over the AWS servers with a SPECpower
# result, half of it between; W per GB of DDR4 memory from Crucial's and Micron's figures. Source:
# Cloud Carbon Footprint methodology, appendix I (Apache-2.0).
HOST_W_PER_VCPU = Figure(2.12, 0.74, 3.5)
MEMORY_W_PER_GIB = 0.392 * 1.0737
# Electricity into the building per electricity into the machines, AWS worldwide in 2024 as AWS
# publishes it on its sustainability pages.
PUE = 1.15
ALWAYS = Figure(1.0, 1.0, 1.0)
WATTS_PER_KW = 1000.0
SECONDS_PER_HOUR = 3600.0
INFINITY = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """What a plan draws and emits. Figures with ranges; None where something is unknown."""

    watts: Figure | None  # all instances, at the asked load, cooling and losses included
    watts_full: Figure | None  # the same at full load
    kwh_per_million_tokens: Figure | None  # at the asked load
    kwh_per_million_tokens_full: Figure | None  # at full load
    kwh_total: Figure | None  # of a training job
    grid: Grid | None
    why_unknown: str = ""

    @property
    def kg_co2e_per_million_tokens(self) -> Figure | None:
        """Kilograms of CO2e per million tokens at the asked load, on the region's grid."""
        return _co2e_of(self.kwh_per_million_tokens, self.grid)

    @property
    def kg_co2e_total(self) -> Figure | None:
        """Kilograms of CO2e of the whole training job."""
        return _co2e_of(self.kwh_total, self.grid)


def energy_of(pick: Pick | Option, catalog: Catalog, region: str) -> Energy:
    """Return what a pick draws and emits in a region.

    Tokens are the output tokens (all tokens, where a model writes none). Training is always at
    full load; serving is as busy as `busy_share` says.
    """
    grid = catalog.grids.get(region)
    full = watts(pick.instance, pick.instances, catalog, busy=ALWAYS)
    if full is None:
        return Energy(
            watts=None,
            watts_full=None,
            kwh_per_million_tokens=None,
            kwh_per_million_tokens_full=None,
            kwh_total=None,
            grid=grid,
            why_unknown=why_unknown(pick.instance, catalog),
        )
    training = pick.estimate.training
    time_h = training.time_h if training is not None else None
    asked = watts(pick.instance, pick.instances, catalog, busy=busy_share(pick))
    return Energy(
        watts=asked,
        watts_full=full,
        kwh_per_million_tokens=_per_million(asked, _tokens_per_s(pick, pick.estimate.performance)),
        kwh_per_million_tokens_full=_per_million(full, _tokens_per_s(pick, pick.estimate.at_max)),
        kwh_total=None if time_h is None else _product(full, time_h, 1 / WATTS_PER_KW),
        grid=grid,
    )


def watts(instance: Instance, instances: int, catalog: Catalog, *, busy: Figure) -> Figure | None:
    """Return what machines draw that are at work for the share `busy` of the time, with cooling.

    None where the accelerator, or the CPU design of a CPU machine, has no published figure.
    """
    one = _accelerated_w(instance, catalog, busy)
    if instance.accelerator_id is None:
        one = _cpu_w(instance, catalog, busy)
    return None if one is None else _scaled_figure(one, instances * PUE)


def _accelerated_w(instance: Instance, catalog: Catalog, busy: Figure) -> Figure | None:
    if instance.accelerator_id is None:
        return None
    rated = catalog.accelerators[instance.accelerator_id].tdp_w
    if rated is None:
        return None
    idle, full = IDLE_SHARE, BUSY_SHARE
    memory = MEMORY_W_PER_GIB * instance.host_mem_gib
    host = HOST_W_PER_VCPU

    def drawn(at_work: float, idle_share: float, full_share: float, per_vcpu: float) -> float:
        share = idle_share + at_work * (full_share - idle_share)
        return rated * instance.accelerators * share + per_vcpu * instance.vcpus + memory

    return Figure(
        drawn(busy.value, idle.value, full.value, host.value),
        drawn(busy.low, idle.low, full.low, host.low),
        drawn(busy.high, idle.high, full.high, host.high),
    )


def _cpu_w(instance: Instance, catalog: Catalog, busy: Figure) -> Figure | None:
    """Return what a CPU machine draws: SPECpower's whole servers, shared out by vCPU."""
    cpu = host_of(instance, catalog).cpu
    power = catalog.cpu_powers.get(cpu.microarchitecture) if cpu is not None else None
    if power is None:
        return None
    idle, full = power.idle_w_per_vcpu, power.full_w_per_vcpu
    value, low, high = (
        instance.vcpus * (idle + at_work * (full - idle))
        for at_work in (busy.value, busy.low, busy.high)
    )
    memory = MEMORY_W_PER_GIB * instance.host_mem_gib  # a part of it is in the servers' figure
    return Figure(value, low, high + memory)


def why_unknown(instance: Instance, catalog: Catalog) -> str:
    """Return why a type has no power figure."""
    if instance.accelerator_id is not None:
        name = catalog.accelerators[instance.accelerator_id].marketed_name
        return f"no power rating is published for {name}"
    cpu = host_of(instance, catalog).cpu
    return f"no server of {cpu.microarchitecture if cpu else 'its CPU'} has a public power figure"


def busy_share(pick: Pick | Option) -> Figure:
    """Return for how much of the time a plan is at work under the asked load.

    A device works whenever a request is in flight on it, however few there are; that is the value
    and the high end. The low end is the share of the full load: what the work itself takes.
    """
    asked, plan = pick.estimate.performance, pick.estimate.plan
    if pick.estimate.training is not None or asked is None or asked.concurrency is None:
        return ALWAYS
    at_work = min(1.0, asked.concurrency / max(1, plan.data_parallel))
    full = _full_requests_per_s(pick)
    if asked.requests_per_s is None or full is None:
        return Figure(at_work, 0.0, at_work)
    return Figure(at_work, min(at_work, asked.requests_per_s.value / full), at_work)


def _tokens_per_s(pick: Pick | Option, served: Performance | None) -> Figure | None:
    training = pick.estimate.training
    if training is not None:
        accelerators = max(1, pick.estimate.plan.accelerators)
        return _scaled_figure(training.tokens_per_s_per_accelerator, accelerators)
    return None if served is None else served.output_tokens_per_s or served.total_tokens_per_s


def _per_million(drawn: Figure | None, rate: Figure | None) -> Figure | None:
    if rate is None or drawn is None:
        return None
    kwh = 1e6 / SECONDS_PER_HOUR / WATTS_PER_KW
    return Figure(
        kwh * drawn.value / rate.value, kwh * drawn.low / rate.high, kwh * drawn.high / rate.low
    )


def _co2e_of(kwh: Figure | None, grid: Grid | None) -> Figure | None:
    return None if kwh is None or grid is None else _scaled_figure(kwh, grid.g_co2e_per_kwh / 1000)


def _scaled_figure(figure: Figure, factor: float) -> Figure:
    return Figure(figure.value * factor, figure.low * factor, figure.high * factor)


def _product(first: Figure, second: Figure, factor: float) -> Figure:
    return Figure(
        first.value * second.value * factor,
        first.low * second.low * factor,
        first.high * second.high * factor,
    )


def ranked_by_energy(question: Question) -> Callable[[Option], float]:
    """Return the figure that the objective `energy` ranks by: kWh per million tokens, or per job.

    At the asked load: a large machine with little to do draws more than a small one at work.
    Infinite where a figure is unknown, so that such a type never counts as the greenest.
    """
    catalog = question.catalog

    def value(option: Option) -> float:
        if option.estimate.training is not None:
            job = energy_of(option, catalog, question.region).kwh_total
            return INFINITY if job is None else job.value
        per_million = energy_of(option, catalog, question.region).kwh_per_million_tokens
        return INFINITY if per_million is None else per_million.value

    return value


def _full_requests_per_s(pick: Pick | Option) -> float | None:
    """Return the plan's full load: its own figure, else what its cost per request rests on."""
    full, cost = pick.estimate.at_max, pick.cost
    if full is not None:
        return None if full.requests_per_s is None else full.requests_per_s.value
    if cost.usd_per_million_requests is None or not cost.usd_per_hour:
        return None
    return 1e6 / SECONDS_PER_HOUR * cost.usd_per_hour / cost.usd_per_million_requests
