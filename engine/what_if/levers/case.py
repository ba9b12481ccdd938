"""What every lever looks at, and what it answers with."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from engine.core.option import Option
from engine.core.question import Question
from engine.pick.candidates import in_group
from engine.pick.rank import ranked
from engine.pick.recommend import Evaluated

Lever = Literal["price", "load", "dtype", "limit"]
PRECISION = 1.0005  # where a flip lies is searched to 0.05 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One lever: where it makes the type the best, or that it never does within the bounds."""

    lever: Lever
    found: bool
    text: str
    instance_type: str | None = None
    value: float | str | None = None  # where the ranking flips
    today: float | str | None = None
    unit: str = ""
    change: dict[str, object] | None = None  # workload fields, for a follow-up


@dataclass(frozen=True, slots=True)
class Case:
    """What every lever looks at: the question, its evaluation, and the group's options."""

    question: Question
    subject: str
    evaluated: Evaluated
    options: list[Option]

    def has(self, option: Option | None) -> bool:
        """Return whether an option is of the group asked about."""
        return option is not None and in_group(option.instance, self.subject, self.question)

    def rival(self) -> Option | None:
        """Return the best option that is not of the group."""
        return next((o for o in self.evaluated.meeting if not self.has(o)), None)


def nearest_option(options: list[Option], question: Question) -> Option | None:
    """Return the option nearest to winning: within the limits first, then by what is ranked."""
    meeting = [option for option in options if option.meets_limits]
    if meeting:
        return ranked(meeting, question)[0]
    return min(options, key=lambda o: (o.excess, o.instance.instance_type), default=None)


def bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return where `holds` changes between two positive points that differ in it, to 0.05 %."""
    at_low = holds(low)
    while high / low > PRECISION:
        middle = sqrt(low * high)
        low, high = (middle, high) if holds(middle) == at_low else (low, middle)
    return sqrt(low * high)
