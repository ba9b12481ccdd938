"""Whether the hardware that was named does the work, as much of it as was named."""

from dataclasses import replace
from math import ceil
from typing import NamedTuple

from catalog.facts.schema import Accelerator, Instance
from catalog.names import chip_words
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import LimitCheck, Rejection, Verdict
from engine.pick.machines import MachineEvaluator
from engine.pick.reasons import (
    counted_words,
    held_words,
    limit_number,
    quantity,
    same_memory,
    shortfall,
)
from engine.pick.recommend import Evaluation

MOST_DEVICES = 64


class NamedHardware(NamedTuple):
    """The hardware that was named: devices of a chip, or machines of a type."""

    name: str
    instance: Instance  # one of them; of a chip, a machine of so many
    machines: int
    devices: int  # as named

    def alone(self) -> Instance:
        """Return the machine without its network: the others that it could reach were not named."""
        name = f"{self.instance.accelerators} x {self.name}, alone"
        return replace(self.instance, instance_type=name, network_gbps=None, efa=False)


def verdict_of(evaluated: Evaluation) -> Verdict | None:
    """Return whether what was named does; None where nothing was, or nothing is estimated."""
    question = evaluated.question
    if question.model is None or isinstance(evaluated.works, MachineEvaluator):
        return None
    verdicts = [_verdict_on(named, evaluated) for named in _hardware_meant(question)]
    return min(verdicts, key=lambda one: (not one.holds, not one.fits), default=None)


def _hardware_meant(question: Question) -> list[NamedHardware]:
    """Return what was named; several chips where only their memory was."""
    said, catalog = question.said, question.catalog
    nodes = said.nodes or 1
    if said.instance is not None:
        instance = catalog.instances.get(said.instance)
        return [] if instance is None else [NamedHardware(said.instance, instance, nodes, nodes)]
    chips = [chip for chip in catalog.accelerators.values() if _chip_is_named(chip, question)]
    chips.sort(key=lambda chip: -chip.year)
    count = said.gpu_count or 1
    count = count * nodes if count <= 8 else count
    return [named for chip in chips if (named := _devices_of(chip, count, question)) is not None]


def _chip_is_named(chip: Accelerator, question: Question) -> bool:
    said = question.said
    if said.gpu is not None:
        return chip.id == said.gpu
    return said.gpu_memory_gb is not None and same_memory(chip, said.gpu_memory_gb)


def _devices_of(chip: Accelerator, count: int, question: Question) -> NamedHardware | None:
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


def _verdict_on(named: NamedHardware, evaluated: Evaluation) -> Verdict:
    outcome = _outcome(named, evaluated)
    if isinstance(outcome, Rejection):
        limits: tuple[LimitCheck, ...] = ()
        estimate, numbers, holds = None, outcome.numbers, False
    else:
        estimate = evaluated.works.at_full_load(outcome).estimate
        limits = outcome.limits
        holds = outcome.carries_load and evaluated.asked_rejection is None
        numbers = tuple(map(limit_number, limits))
    verdict = Verdict(
        subject=counted_words(named.devices, named.name),
        fits=estimate is not None,
        holds=holds,
        estimate=estimate,
        limits=limits,
        numbers=numbers,
        text="",
    )
    return replace(verdict, text=_verdict_text(verdict, named, outcome, evaluated))


def _outcome(named: NamedHardware, evaluated: Evaluation) -> Option | Rejection:
    """Return the best option on what was named, each machine for itself where that does.

    Raises:
        TypeError: the work has no model.
    """
    works = evaluated.works
    if isinstance(works, MachineEvaluator):
        msg = "work without a model is not estimated"
        raise TypeError(msg)
    alone = works.on(named.alone(), named.machines)
    if named.machines > 1 and isinstance(alone, Rejection):
        together = works.on(named.instance, named.machines)
        return alone if isinstance(together, Rejection) else together
    return alone


def _verdict_text(
    verdict: Verdict, named: NamedHardware, outcome: Option | Rejection, evaluated: Evaluation
) -> str:
    """Return the verdict in a line: on how many, by which numbers, and how many would do."""
    rejected = evaluated.asked_rejection
    if rejected is not None and rejected.reason == "not_offered":
        return f"No: {named.name} is {rejected.detail}."
    on, barred = f"on {verdict.subject}", evaluated.asked_barred
    after = "" if barred is None else f" Not offered unasked: {barred.detail}."
    if isinstance(outcome, Rejection):
        return f"No {on}: {outcome.detail}.{_what_would(named, evaluated)}{after}"
    if why := _too_little(outcome.limits) or shortfall(outcome):
        return f"No {on}: {why}.{_what_would(named, evaluated)}{after}"
    if tight := [check for check in outcome.limits if check.verdict == "tight"]:
        return f"May miss {on}: {'; '.join(map(held_words, tight))}.{after}"
    memory = outcome.estimate.memory
    share = f"{memory.needed_gib:.1f} of {quantity(memory.limit_gib, 'GiB')}"
    each = " each" if outcome.estimate.plan.accelerators > 1 else ""
    return f"Yes {on}: needs {share}{each}{', which is tight' if memory.tight else ''}.{after}"


def _too_little(limits: tuple[LimitCheck, ...]) -> str:
    """Return the limits that are missed, in words; empty where none is."""
    return "; ".join(held_words(check) for check in limits if check.verdict == "misses")


def _what_would(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return how many of what was named would do, and the first choice where it is another."""
    best = evaluated.best
    words = _enough(named, evaluated)
    asked = evaluated.question.said.instance
    if best is None or asked is None or best.usd_per_hour is None:
        return words
    if asked == best.instance.instance_type:
        return f"{words} That is the first choice."
    other = counted_words(best.instances, best.instance.instance_type)
    return f"{words} {other.capitalize()} would at {quantity(best.usd_per_hour, 'USD/h')}."


def _enough(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return how many of what was named do, where some do."""
    asked = evaluated.asked
    if asked is not None:
        if not asked.carries_load or asked.usd_per_hour is None:
            return ""
        price = quantity(asked.usd_per_hour, "USD/h")
        return f" {counted_words(asked.instances).capitalize()} would do at {price}."
    if named.instance.accelerator_id is None or evaluated.asked_rejection is not None:
        return ""
    chip = evaluated.question.catalog.accelerators[named.instance.accelerator_id]
    count = named.devices * 2
    while count <= MOST_DEVICES:
        more = _devices_of(chip, count, evaluated.question)
        outcome = None if more is None else _outcome(more, evaluated)
        if isinstance(outcome, Option) and outcome.carries_load:
            return f" {counted_words(count).capitalize()} would do."
        count *= 2
    return ""
