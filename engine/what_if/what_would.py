"""What would make a type the best: its price, the load, the number format or a limit.

Every flip is found on the real evaluation, by bisection between a point where the type is not
ranked first and one where it is; where there is none within the bounds, that is the answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.facts.schema import Instance
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Rejection
from engine.pick.explain import nearest as nearest_rejection
from engine.pick.groups import in_group
from engine.pick.reasons import describe_miss, quantity
from engine.pick.recommend import Evaluation, evaluate, with_workload
from engine.pick.serving import ServingEvaluator
from engine.what_if.levers import (
    Case,
    Flip,
    dtype_flips,
    limit_flip,
    load_flip,
    nearest_option,
    price_flip,
)

HARDWARE_WISHES = ("instance", "gpu", "gpu_count", "gpu_memory_gb", "allow", "exclude")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatWould:
    """Whether a type or group is the best, and every lever that would make it so."""

    subject: str
    is_best: bool
    best: Option | None
    nearest: Option | None  # of the group: the one that comes closest
    why_not: str
    flips: tuple[Flip, ...]


def what_would(question: Question, subject: str) -> WhatWould:
    """Return what would make `subject` (type, family or group) the best answer.

    Wishes for or against hardware are set aside: they would decide the question by themselves.
    """
    case, rejections = _case(question, subject)
    best, is_best = case.evaluated.best, _is_best(case)
    nearest = nearest_option(case.options, case.question)
    can_flip = case.options or _too_small(rejections)
    return WhatWould(
        subject=subject,
        is_best=is_best,
        best=best,
        nearest=best if is_best else nearest,
        why_not="" if is_best else _why_not(nearest, rejections),
        flips=tuple(_flips(case, is_best=is_best)) if can_flip else (),
    )


def what_price_would(question: Question, subject: str) -> Flip | None:
    """Return at which price `subject` becomes or stays the best; None where it cannot do the work.

    The one lever that needs no search over evaluations.
    """
    case, _ = _case(question, subject)
    return price_flip(case, is_best=_is_best(case)) if case.options else None


def _case(question: Question, subject: str) -> tuple[Case, list[Rejection]]:
    """Return the subject among all that was evaluated, and what was refused of it."""
    question = with_workload(question, **dict.fromkeys(HARDWARE_WISHES))
    members = [
        i for i in question.catalog.instances.values() if in_group(i, subject, question.catalog)
    ]
    evaluated = evaluate(question)
    options, rejections = _evaluated_members(evaluated, members)
    return Case(question, subject, evaluated, options), rejections


def _is_best(case: Case) -> bool:
    best = case.evaluated.best
    return best is not None and in_group(best.instance, case.subject, case.question.catalog)


def _evaluated_members(
    evaluated: Evaluation, members: list[Instance]
) -> tuple[list[Option], list[Rejection]]:
    """Return the options of the group's types, and the rejections of those that have none.

    Types that the first checks drop (end of life, not offered) are no options whatever the lever.
    """
    names = {instance.instance_type for instance in members}
    every = [*evaluated.meeting, *evaluated.missing]
    options = [option for option in every if option.instance.instance_type in names]
    rejected = [r for r in evaluated.rejected if r.instance_type in names]
    return options, rejected


def _too_small(rejections: list[Rejection]) -> bool:
    """Return whether some type was refused for its memory only: a smaller format may fit."""
    return any(rejection.reason == "does_not_fit" for rejection in rejections)


def _why_not(nearest: Option | None, rejections: list[Rejection]) -> str:
    if nearest is None:
        first = nearest_rejection(rejections) or next(iter(rejections), None)
        return f"{first.instance_type}: {first.detail}" if first else "no EC2 type has that name"
    name = nearest.instance.instance_type
    if nearest.worst_miss is not None:
        return f"{name} misses: {describe_miss(nearest.worst_miss)}"
    if nearest.usd_per_hour is None:
        return f"{name} has no price here: {nearest.quote.why_unpriced or 'none known'}"
    return f"{name} does it for {quantity(nearest.usd_per_hour, 'USD/h')}"


def _flips(case: Case, *, is_best: bool) -> Iterator[Flip]:
    if case.options or case.question.trains:
        yield price_flip(case, is_best=is_best)
    if is_best:
        return
    if isinstance(case.evaluated.works, ServingEvaluator):
        yield load_flip(case)
        yield from dtype_flips(case)
    yield limit_flip(case)
