"""The machine an instance type is, as the estimates see it."""

from catalog.catalog import Catalog
from catalog.schema import Cpu, Instance
from engine.plan import Host

BITS_PER_BYTE = 8


def _cpu_of(instance: Instance, catalog: Catalog) -> Cpu | None:
    """Return the processor of a type's family, or of the family that has the same one."""
    family = catalog.families.get(instance.family)
    if family is None or family.cpu_family is None:
        return catalog.cpus.get(instance.family)
    return catalog.cpus[family.cpu_family]


def host_of(instance: Instance, catalog: Catalog) -> Host:
    """Return the host of an instance type: its devices, cores, memory and network.

    Types that differ in name only (`p5e`, `p5en` apart from the network) give hosts that compare
    by value, so estimates can be shared between them. Network is GB/s, one direction.

    Raises:
        KeyError: the type names an accelerator that the catalog does not hold.
    """
    accelerator = None
    if instance.accelerator_id is not None:
        accelerator = catalog.accelerators[instance.accelerator_id]
    network_gbps = instance.network_gbps
    return Host(
        accelerator=accelerator,
        accelerators=instance.accelerators,
        cpu=_cpu_of(instance, catalog),
        cores=instance.cores,
        host_mem_gib=instance.host_mem_gib,
        network_gb_s=None if network_gbps is None else network_gbps / BITS_PER_BYTE,
        efa=instance.efa,
    )
