"""The memory a program can really use on one device."""

from typing import Final

from catalog.facts.schema import Accelerator

# Usable GiB over marketed GB where no driver report is known: the least share seen on cards with
# both figures (B300: 267.69 of 288), so that an unknown card never promises more than it has.
USABLE_OF_MARKETED: Final = 0.929


def usable_gib(accelerator: Accelerator) -> float:
    """Return GiB one device offers to programs: as its driver reports it, else a safe share."""
    if accelerator.mem_gib_usable is not None:
        return accelerator.mem_gib_usable
    return accelerator.mem_gb_marketed * USABLE_OF_MARKETED


def cores_per_chip(accelerator: Accelerator) -> int:
    """Return what parallel degrees count on this device: NeuronCores per chip, 1 for a GPU."""
    if accelerator.vendor == "aws":
        return accelerator.cores_per_chip or 1
    return 1


def unit_gib(accelerator: Accelerator) -> float:
    """Return GiB behind one unit of parallelism: a NeuronCore's share, or the whole GPU."""
    if accelerator.vendor != "aws":
        return usable_gib(accelerator)
    if accelerator.core_mem_gib is not None:
        return accelerator.core_mem_gib
    return usable_gib(accelerator) / cores_per_chip(accelerator)


def unit_name(accelerator: Accelerator | None) -> str:
    """Return what "per …" means in a sentence about this device."""
    if accelerator is None:
        return "host"
    return "NeuronCore" if accelerator.vendor == "aws" else "GPU"
