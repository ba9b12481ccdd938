"""The hardware that a request names: what is asked about, what runs today, what is doubted."""

from dataclasses import replace
from math import ceil
from typing import Literal, NamedTuple

from catalog.catalog import Catalog
from catalog.facts.schema import Accelerator, Instance
from catalog.names import chip_words
from engine.core.question import Question
from engine.core.workload import Workload, owned_hardware
from engine.pick.reasons import counted_words, same_memory

Named = Literal["asked", "owned", "doubted"]
MOST_A_MACHINE = 8  # chips: a larger count is of the whole, not of each node


class NamedHardware(NamedTuple):
    """The hardware that was named: devices of a chip, or machines of a type.

    `usd_per_hour` is what one of it costs who owns it, where that was said.
    """

    name: str
    instance: Instance  # one of them; of a chip, a machine of so many
    machines: int
    devices: int  # as named
    named: Named = "asked"
    usd_per_hour: float | None = None

    @property
    def is_type(self) -> bool:
        """Whether a type was named, or a family of which one stands for all; else a chip."""
        return self.name == self.instance.instance_type

    @property
    def words(self) -> str:
        """Return how many of what: `one g6.xlarge`, `two L40S`, `your g6.12xlarge`."""
        if self.named != "owned":
            return counted_words(self.devices, self.name)
        return f"your {self.name if self.devices == 1 else counted_words(self.devices, self.name)}"

    def alone(self) -> Instance:
        """Return the machine without its network: the others that it could reach were not named."""
        name = f"{self.instance.accelerators} x {self.name}, alone"
        return replace(self.instance, instance_type=name, network_gbps=None, efa=False)


def hardware_meant(question: Question) -> list[NamedHardware]:
    """Return what is judged: what was asked about, else what runs today, else what is doubted.

    Several chips where only their memory was said.
    """
    said, catalog = question.said, question.catalog
    nodes = said.nodes or 1
    if said.instance is not None:
        return _of_type(said.instance, nodes, question)
    if chips := _chips_named(said, catalog):
        count = said.gpu_count or 1
        count = count * nodes if count <= MOST_A_MACHINE else count
        return _of_chips(chips, count, question)
    if said.owned is not None:
        return _owned_by_who_asks(said.owned, question)
    if said.compare_family is not None:
        return [one._replace(named="doubted") for one in _of_word(said.compare_family, 1, question)]
    return []


def devices_of(chip: Accelerator, count: int, question: Question) -> NamedHardware | None:
    """Return so many devices of a chip, in machines as EC2 builds them."""
    types = [i for i in question.catalog.instances.values() if i.accelerator_id == chip.id]
    types.sort(key=lambda i: (i.accelerators, i.vcpus, i.instance_type))
    if not types:
        return None
    largest = next((i for i in types if i.accelerators >= count), types[-1])
    each = min(count, largest.accelerators)
    return NamedHardware(
        chip_words(chip.id), replace(largest, accelerators=each), ceil(count / each), count
    )


def sold_as(named: NamedHardware, question: Question) -> tuple[int, Instance] | None:
    """Return the fewest machines that have just as many of a chip, and their type, the cheapest.

    None where a type was named, which may have no chip at all.
    """
    if named.is_type:
        return None
    types = [
        one
        for one in question.catalog.instances.values()
        if one.accelerator_id == named.instance.accelerator_id
        and question.region in one.regions
        and named.devices % one.accelerators == 0
        and question.quote(one).usd_per_hour is not None
    ]
    if not types:
        return None
    best = min(types, key=lambda one: (-one.accelerators, question.quote(one).usd_per_hour or 0.0))
    return named.devices // best.accelerators, best


def _chips_named(said: Workload, catalog: Catalog) -> list[Accelerator]:
    """Return the chip that was named, or those with the memory that was, newest first."""
    if said.gpu is not None:
        return [chip for chip in catalog.accelerators.values() if chip.id == said.gpu]
    wanted = said.gpu_memory_gb
    if wanted is None:
        return []
    chips = [chip for chip in catalog.accelerators.values() if same_memory(chip, wanted)]
    return sorted(chips, key=lambda chip: -chip.year)


def _of_chips(chips: list[Accelerator], count: int, question: Question) -> list[NamedHardware]:
    return [named for chip in chips if (named := devices_of(chip, count, question)) is not None]


def _owned_by_who_asks(owned: str, question: Question) -> list[NamedHardware]:
    held = owned_hardware(owned)
    every = _of_word(held.name, held.count, question)
    return [one._replace(named="owned", usd_per_hour=held.usd_per_hour) for one in every]


def _of_word(word: str, count: int, question: Question) -> list[NamedHardware]:
    """Return so many of a type, of the smallest type of a family, or of a chip."""
    catalog = question.catalog
    if word in catalog.instances:
        return _of_type(word, count, question)
    if word in catalog.accelerators:
        return _of_chips([catalog.accelerators[word]], count, question)
    family = [i for i in catalog.instances.values() if i.family == word]
    family.sort(key=lambda i: (i.accelerators, i.vcpus, i.instance_type))
    return _of_type(family[0].instance_type, count, question) if family else []


def _of_type(name: str, count: int, question: Question) -> list[NamedHardware]:
    instance = question.catalog.instances.get(name)
    return [] if instance is None else [NamedHardware(name, instance, count, count)]
