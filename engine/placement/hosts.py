"""The machine an instance type is, as the estimates see it."""

from collections.abc import Hashable
from typing import NamedTuple, cast

from catalog.catalog import Catalog
from catalog.facts.schema import Cpu, Instance
from engine.core.plan import Host
from engine.placement.parallel import spans_hosts, threads_most

BITS_PER_BYTE = 8
MACHINES, NUMBERS = "engine.placement.hosts", "engine.placement.hosts.numbers"


class HostClass(NamedTuple):
    """The host of a type, and what makes it the same as another's, as numbers of one catalog.

    Hosts of one `speed` run a model alike: devices and links, or the cores that one replica uses of
    a CPU design (a second socket only adds replicas). Those of one `kind` also hold it alike.
    """

    host: Host
    kind: int
    speed: int


def machine_of(instance: Instance, catalog: Catalog) -> HostClass:
    """Return the machine of a type, worked out once per catalog.

    Raises:
        KeyError: the type names an accelerator that the catalog does not hold.
    """
    try:
        machine: HostClass = catalog.derived[MACHINES][instance.instance_type]
    except KeyError:
        host = host_of(instance, catalog)
        numbers = catalog.derived.setdefault(NUMBERS, {})
        kind, speed = (numbers.setdefault(key, len(numbers)) for key in _keys(host))
        machine = HostClass(host, cast("int", kind), cast("int", speed))
        catalog.derived.setdefault(MACHINES, {})[instance.instance_type] = machine
    return machine


def _keys(host: Host) -> tuple[Hashable, Hashable]:
    """Return what makes two hosts hold and run a model alike, and what makes them run it alike."""
    speed = _speed_key(host)
    if host.accelerator is None:
        return ("holds", speed, host.host_mem_gib), speed
    # Neuron models are compiled in the host's memory.
    compile_memory = host.host_mem_gib if host.accelerator.vendor == "aws" else None
    return ("holds", speed, compile_memory), speed


def _speed_key(host: Host) -> Hashable:
    if host.accelerator is not None:
        network = host.network_gb_s if spans_hosts(host) else None
        return (host.accelerator.id, host.accelerators, network)
    cpu = host.cpu
    if cpu is None:
        return host.cores
    peaks = (cpu.bf16_gflops_per_core, cpu.int8_gops_per_core, cpu.fp32_gflops_per_core)
    return (cpu.microarchitecture, cpu.cores_per_socket, peaks, threads_most(host))


def cpu_of(instance: Instance, catalog: Catalog) -> Cpu | None:
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
        cpu=cpu_of(instance, catalog),
        cores=instance.cores,
        host_mem_gib=instance.host_mem_gib,
        network_gb_s=None if network_gbps is None else network_gbps / BITS_PER_BYTE,
        efa=instance.efa,
    )


def compiles(host: Host) -> bool:
    """Return whether models are compiled on the host, with static shapes (Neuron)."""
    return host.accelerator is not None and host.accelerator.vendor == "aws"
