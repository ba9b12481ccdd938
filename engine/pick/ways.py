"""What would let the hardware that was named hold the work: fewer bits, leaner states."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Rejection
from engine.core.value import value
from engine.pick.reasons import counted_words, quantity
from engine.pick.recommend import evaluate, evaluator, with_workload
from engine.pick.relax import SIXTEEN_BIT_AND_WIDER
from engine.pick.serving import ServingEvaluator
from engine.pick.training import TrainingEvaluator
from engine.placement.work_cache import WorkCache

Works = ServingEvaluator | TrainingEvaluator
Placed = Callable[[Works], Option | Rejection]  # the work on just what was named
Change = Mapping[str, object]
MOST_WAYS: Final = 3

FEWER_BITS: Final[tuple[tuple[str, Change], ...]] = (
    ("in fp8", {"quant": "fp8"}),
    ("in 4 bits", {"quant": "int4"}),
)
LEANER_STATES: Final[tuple[tuple[str, Change], ...]] = (
    ("with an 8-bit optimiser", {"optimizer": "adamw_8bit"}),
    (
        "slowly with ZeRO-3 and its states off-loaded to host memory",
        {"sharding": "zero3", "offload": "cpu"},
    ),
    ("as LoRA", {"method": "lora"}),
)
ON_FOUR_BITS: Final[tuple[str, Change]] = ("as QLoRA", {"method": "qlora"})


@value
class Remedy:
    """A change that lets what was named hold the work, and what it then takes there."""

    words: str  # "in 4 bits"
    change: Change
    option: Option

    def __str__(self) -> str:
        """Return it with the memory it takes: "in 4 bits (7.9 of 19.9 GiB each)"."""
        memory = self.option.estimate.memory
        each = " each" if self.option.estimate.plan.accelerators > 1 else ""
        share = f"{memory.needed_gib:.1f} of {quantity(memory.limit_gib, 'GiB')}{each}"
        if "offload" in self.change and memory.host_gib:
            host = quantity(self.option.instance.host_mem_gib, "GiB")
            share += f", and {memory.host_gib:.0f} of {host} on the host"
        return f"{self.words} ({share})"


def ways(question: Question, placed: Placed) -> Iterator[Remedy]:
    """Yield the changes, least first, each of which lets the named hardware hold the work."""
    for words, change in _ways_tried(question):
        works = evaluator(as_if_said(question, change), WorkCache())
        if not isinstance(works, ServingEvaluator | TrainingEvaluator):
            return
        outcome = placed(works)
        if isinstance(outcome, Option):
            yield Remedy(words, change, outcome)
            if "method" in change:
                return  # what is leaner still is not needed


def as_if_said(question: Question, change: Change) -> Question:
    """Return the question with a change as a wish: what was assumed would give way to the chip."""
    said = replace(question.said, **change)  # type: ignore[arg-type]
    return replace(with_workload(question, **change), said=said)


def _ways_tried(question: Question) -> Iterator[tuple[str, Change]]:
    workload = question.workload
    if not question.trains:
        dtype = workload.quant or (question.model.native_dtype if question.model else "")
        yield from FEWER_BITS if dtype in SIXTEEN_BIT_AND_WIDER else FEWER_BITS[1:]
        return
    if workload.method in {None, "full"}:
        yield from LEANER_STATES
    if workload.method != "qlora":
        yield ON_FOUR_BITS


def ways_words(question: Question, subject: str, placed: Placed) -> str:
    """Return the ways in a sentence, and the cheapest type of all for the leanest of serving."""
    found = list(islice(ways(question, placed), MOST_WAYS))
    if not found:
        return ""
    *others, last = map(str, found)
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"On {subject} it fits {listed}.{_cheapest_so(question, found[-1])}"


def _cheapest_so(question: Question, leanest: Remedy) -> str:
    """Return the first choice under a change of what is served, where that is another type."""
    if question.trains:
        return ""
    best = evaluate(as_if_said(question, leanest.change)).best
    if best is None or best.usd_per_hour is None:
        return ""
    name = best.instance.instance_type
    if name == question.said.instance:
        return ""
    price = quantity(best.usd_per_hour, "USD/h")
    return (
        f" {leanest.words.capitalize()}, {counted_words(best.instances, name)} would do at {price}."
    )
