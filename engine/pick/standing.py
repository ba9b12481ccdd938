"""Whether an expert would dare to run a plan: public software for it, and somebody's run of it.

The rows of `stacks.csv` say which engine has an image or wheel for which hardware and documents
which kinds of model there; `evidence.csv` of which kinds somebody published measured runs.
"""

from dataclasses import replace
from typing import Final, Literal

from catalog.catalog import Catalog
from catalog.facts.schema import Instance, Model, Stack
from engine.core.assumptions import usual_engine
from engine.core.option import Option
from engine.core.question import Question
from engine.core.value import value
from engine.pick.groups import FRACTION, in_group

Known = Literal["measured", "documented", "nothing"]
KNOWN: Final = "engine.pick.standing"
STRICTEST: Final = ("none", "pinned", "experimental", "supported")
TRAINING_ENGINE: Final = "pytorch"


@value
class Standing:
    """What is known of one kind of work on one kind of hardware.

    `stacks` are the rows that speak, all of one status; empty where none does. `measured`: somebody
    published measured runs of this kind of model there.
    """

    stacks: tuple[Stack, ...]
    kind: str
    measured: bool
    whole_chip: bool

    @property
    def runs(self) -> bool:
        """Whether a public image or wheel runs there at all."""
        return bool(self.stacks) and self.stacks[0].status != "none"

    @property
    def reserve(self) -> Stack | None:
        """The row by which it is at most a runner-up: an older release only, or an experiment."""
        first = self.stacks[0] if self.stacks else None
        return None if first is None or first.status == "supported" else first

    @property
    def documented(self) -> bool:
        """Whether a maker documents this kind there; a part of a chip is not the whole one."""
        tried = [stack for stack in self.stacks if stack.status != "experimental"]
        return self.whole_chip and any(self.kind in stack.kinds for stack in tried)

    def known(self, weights_dtype: str) -> Known:
        """Return what is known of weights of a format: runs, documents, or nothing."""
        formatted = [s for s in self.stacks if not s.formats or weights_dtype in s.formats]
        if not self.runs or not formatted:
            return "nothing"
        if self.measured:
            return "measured"
        return "documented" if replace(self, stacks=tuple(formatted)).documented else "nothing"


def model_kind(model: Model) -> str:
    """Return the kind of a model as the tables name it: its task, `_moe` behind it for experts."""
    return f"{model.task}_moe" if model.num_experts else model.task


def standing(instance: Instance, question: Question) -> Standing | None:
    """Return what is known of the question's work on a type; None for work without a model."""
    model, catalog = question.model, question.catalog
    if model is None:
        return None
    engine = TRAINING_ENGINE if question.trains else _engine_in_tables(question, model)
    work = "train" if question.trains else "serve"
    kind, silicon = model_kind(model), instance.accelerator_id or instance.family
    key = (silicon, instance.arch, engine, work, kind)
    known = catalog.derived.setdefault(KNOWN, {})
    if key not in known:
        known[key] = standing_of(instance, catalog, engine, work, kind)
    found: Standing = known[key]
    return found


def known_of(option: Option, question: Question) -> Known:
    """Return what is known of an option's plan; work without a model needs no proof."""
    found = standing(option.instance, question)
    return "documented" if found is None else found.known(option.estimate.plan.weights_dtype)


def _engine_in_tables(question: Question, model: Model) -> str:
    """Return the engine as far as any row knows it, else the usual one of the kind of model."""
    said = question.workload.framework or ""
    listed = any(said in stack.engines for stack in question.catalog.stacks.values())
    return said if listed else usual_engine(model.task)


def standing_of(
    instance: Instance, catalog: Catalog, engine: str, work: str, kind: str
) -> Standing:
    """Return what is known of an engine serving (training) a kind of model on a type."""
    speaking = [
        stack
        for stack in catalog.stacks.values()
        if engine in stack.engines
        and work == stack.work
        and stack.arch in {None, instance.arch}
        and in_group(instance, stack.hardware, catalog)
        and (stack.status == "supported" or not stack.kinds or kind in stack.kinds)
    ]
    statuses = {stack.status for stack in speaking}
    strictest = next((status for status in STRICTEST if status in statuses), None)
    return Standing(
        stacks=tuple(stack for stack in speaking if stack.status == strictest),
        kind=kind,
        measured=kind in _measured_kinds(instance, catalog, work),
        whole_chip=FRACTION not in (instance.accelerator_id or ""),
    )


def _measured_kinds(instance: Instance, catalog: Catalog, work: str) -> tuple[str, ...]:
    row = catalog.evidence.get(instance.accelerator_id or "")
    if row is None:
        return ()
    return row.served if work == "serve" else row.trained
