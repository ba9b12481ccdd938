"""The next machine up or down from one: by accelerator memory, or by cores where it has none."""

from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from engine.core.option import Option
from engine.pick.recommend import Evaluation


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
