"""Which instance types a word means: a type, family, chip, or a group told by its facts."""

from catalog.catalog import Catalog
from catalog.facts.instances import series_name
from catalog.facts.schema import Accelerator, Instance, InstanceGroup
from engine.core.workload import Workload
from engine.placement.hosts import cpu_of

FRACTION = "-1_"  # in the id of a part of a chip


def vendor_of(instance: Instance, catalog: Catalog) -> str | None:
    """Return the accelerator's vendor, None on CPU types."""
    if instance.accelerator_id is None:
        return None
    return catalog.accelerators[instance.accelerator_id].vendor


def in_group(instance: Instance, word: str, catalog: Catalog) -> bool:
    """Return whether a type is in a family (`g5`), type, chip or group (`nvidia`, `graviton`).

    A series that is no family itself (`p4`) means all of its families (p4d, p4de).
    """
    word = word.lower()
    group = catalog.groups.get(word)
    if group is not None:
        return belongs(instance, group, catalog)
    names = {instance.family, instance.instance_type, (instance.accelerator_id or "").lower()}
    if word in names or (len(word) == 1 and instance.family.startswith(word)):
        return True
    return word not in catalog.families and word == series_name(instance.family)


def left_out(instance: Instance, workload: Workload, catalog: Catalog) -> str | None:
    """Return the word by which a type is excluded; None where it is not.

    Who wants no chip wants no fraction of it either.
    """
    chip = (instance.accelerator_id or "").partition(FRACTION)[0]

    def names(word: str) -> bool:
        if word in catalog.accelerators:  # T4G is a chip, t4g a family
            return word in {chip, instance.accelerator_id}
        return in_group(instance, word, catalog)

    return next((word for word in workload.exclude or () if names(word)), None)


def belongs(instance: Instance, group: InstanceGroup, catalog: Catalog) -> bool:
    """Return whether a type has every fact that a group of types is told by."""
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    return (
        group.vendor in {None, chip and chip.vendor}
        and group.line in {None, chip and chip.line}
        and (not group.generation or _is_of_generation(chip, group.generation))
        and group.arch in {None, instance.arch}
        and group.accelerated in {None, chip is not None}
        and group.cpu_maker in {None, _cpu_maker(instance, catalog)}
    )


def _is_of_generation(chip: Accelerator | None, generation: str) -> bool:
    return chip is not None and chip.architecture.startswith(generation)


def _cpu_maker(instance: Instance, catalog: Catalog) -> str | None:
    """Return who makes the processor of a type; None where its row does not say."""
    cpu = cpu_of(instance, catalog)
    return cpu.vendor if cpu else None
