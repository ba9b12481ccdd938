"""The next machine from one: up or down in its kind for a workload, or newer and stronger."""

from dataclasses import dataclass

from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from engine.core.option import Option
from engine.pick.recommend import Evaluation
from engine.placement.hosts import cpu_of


def size_of(instance: Instance, catalog: Catalog) -> float:
    """Return how big a machine is among its kind: GB of all its accelerators, or its vCPUs."""
    if not instance.accelerators or instance.accelerator_id is None:
        return float(instance.vcpus)
    return instance.accelerators * catalog.accelerators[instance.accelerator_id].mem_gb_marketed


def next_in_size(evaluated: Evaluation, than: Instance, *, bigger: bool) -> Option | None:
    """Return what ranks first of the bigger (smaller) machines of the same kind as `than`.

    Where none of them meets every limit, the one that misses by least; None where there is none.
    """
    catalog = evaluated.question.catalog
    size = size_of(than, catalog)

    def fits(option: Option) -> bool:
        other = option.instance
        if bool(other.accelerators) != bool(than.accelerators):
            return False
        differs = size_of(other, catalog) - size
        return differs > 0 if bigger else differs < 0

    meeting = next(filter(fits, evaluated.meeting), None)
    if meeting is not None:
        return meeting
    return min(
        filter(fits, evaluated.missing),
        key=lambda option: (option.excess, option.instance.instance_type),
        default=None,
    )


@dataclass(frozen=True, slots=True)
class Strength:
    """What a machine has: of its accelerators together, else of its processor."""

    kind: tuple[str, str]  # the architecture of its processor, the maker of its accelerators
    year: int
    memory_gib: float
    rate: float
    rate_name: str


def strength_of(instance: Instance, catalog: Catalog) -> Strength | None:
    """Return what a machine has; None where its processor is not known."""
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    if chip is not None:
        each_gib = chip.mem_gib_usable or chip.mem_gb_marketed
        many = instance.accelerators
        bandwidth = many * chip.mem_bw_gb_s
        name = "memory bandwidth in GB/s"
        kind = (instance.arch, chip.vendor)
        return Strength(kind, chip.year, many * each_gib, bandwidth, name)
    cpu = cpu_of(instance, catalog)
    if cpu is None:
        return None
    gflops = instance.cores * cpu.fp32_gflops_per_core
    return Strength((instance.arch, ""), cpu.year, instance.host_mem_gib, gflops, "fp32 GFLOPS")


def successors(instance: Instance, catalog: Catalog) -> list[Instance]:
    """Return the newer machines of its kind that are sold, with as much memory and more speed."""
    yardstick = strength_of(instance, catalog)
    if yardstick is None:
        return []
    return [
        other
        for other in catalog.instances.values()
        if other.current_generation and not (other.eol or other.bare_metal or other.burstable)
        if _replaces(strength_of(other, catalog), yardstick)
        and not catalog.families[other.family].purpose_built
    ]


def _replaces(other: Strength | None, yardstick: Strength) -> bool:
    return (
        other is not None
        and other.kind == yardstick.kind
        and other.year > yardstick.year
        and other.memory_gib >= yardstick.memory_gib
        and other.rate > yardstick.rate
    )
