"""Whether the hardware that was named does the work, as much of it as was named."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from catalog.facts.units import HOURS_PER_MONTH
from engine.core.estimate import Estimate
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import LimitCheck, Number, Rejection, Verdict, VerdictAnswer
from engine.memory.weights import total_weights_gb
from engine.pick.machines import MachineEvaluator
from engine.pick.named import NamedHardware, devices_of, hardware_meant, sold_as
from engine.pick.reasons import (
    counted_words,
    held_words,
    limit_number,
    quantity,
    shortfall,
)
from engine.pick.recommend import Evaluation, evaluator, with_workload
from engine.pick.relax import SIXTEEN_BIT_AND_WIDER, SMALLER_DTYPES
from engine.pick.ways import Works, as_if_said, ways, ways_words
from engine.placement.work_cache import WorkCache

MOST_DEVICES = 64
WEIGHTS_DECIDE = 0.8  # of the memory: below, something else is what does not fit


def verdict_of(evaluated: Evaluation) -> Verdict | None:
    """Return whether what was named does; None where nothing was, or nothing is estimated."""
    question = evaluated.question
    if question.model is None or isinstance(evaluated.works, MachineEvaluator):
        return None
    verdicts = [_verdict_on(named, evaluated) for named in hardware_meant(question)]
    return min(verdicts, key=lambda one: (not one.holds, not one.fits), default=None)


def _verdict_on(named: NamedHardware, evaluated: Evaluation) -> Verdict:
    works = _works_of(evaluated)
    outcome = _outcome(named, works)
    rejected = evaluated.asked_rejection if named.named == "asked" else None
    if isinstance(outcome, Rejection):
        limits: tuple[LimitCheck, ...] = ()
        estimate, numbers = None, outcome.numbers
    else:
        estimate = works.at_full_load(outcome).estimate
        limits = outcome.limits
        numbers = (
            *map(limit_number, limits),
            *_with_fp8_cache(named, estimate, evaluated.question),
        )
    answer = "no" if rejected is not None else _answer(outcome)
    return Verdict(
        subject=named.words,
        name=named.name,
        count=named.devices,
        named=named.named,
        usd_per_hour=_usd_per_hour(named, evaluated),
        answer=answer,
        fits=estimate is not None,
        holds=rejected is None and isinstance(outcome, Option) and outcome.carries_load,
        estimate=estimate,
        limits=limits,
        numbers=numbers,
        deciding=_deciding(outcome),
        reason=_decided_by(named, outcome, evaluated),
        remedy=""
        if answer == "yes" and named.named != "owned"
        else _remedy(named, evaluated, answer, outcome),
        leaner=_leaner_if_tight(named, outcome, evaluated.question),
        beside=_against_it(named, evaluated),
    )


def _with_fp8_cache(
    named: NamedHardware, estimate: Estimate, question: Question
) -> tuple[Number, ...]:
    """Return the sequences of an asked context that a cache in 8 bits holds, where that is new."""
    said, held = question.said, estimate.memory.full_sequences
    if said.context is None or said.kv_dtype is not None or question.trains or held is None:
        return ()
    works = evaluator(as_if_said(question, {"kv_dtype": "fp8"}), WorkCache())
    outcome = None if isinstance(works, MachineEvaluator) else _outcome(named, works)
    more = outcome.estimate.memory.full_sequences if isinstance(outcome, Option) else None
    if more is None or more <= held:
        return ()
    return (Number("sequences with an fp8 cache", more, ""),)


def _works_of(evaluated: Evaluation) -> Works:
    """Return what works the question out.

    Raises:
        TypeError: the work has no model.
    """
    if isinstance(evaluated.works, MachineEvaluator):
        msg = "work without a model is not estimated"
        raise TypeError(msg)
    return evaluated.works


def _outcome(named: NamedHardware, works: Works) -> Option | Rejection:
    """Return the best option on what was named, each machine for itself where that does."""
    alone = works.on(named.alone(), named.machines)
    if named.machines > 1 and isinstance(alone, Rejection):
        together = works.on(named.instance, named.machines)
        return alone if isinstance(together, Rejection) else together
    return alone


def _answer(outcome: Option | Rejection) -> VerdictAnswer:
    """Return what the figures say: no by the middle, tight by the range, unknown by the memory."""
    if isinstance(outcome, Rejection) or not outcome.carries_load:
        return "no"
    if outcome.estimate.memory.unsure:
        return "unknown"
    return "tight" if outcome.may_miss else "yes"


def _deciding(outcome: Option | Rejection) -> Number | None:
    """Return the limit that is missed, or may be; else what is nearest to its own."""
    if isinstance(outcome, Rejection):
        return next((number for number in outcome.numbers if number.limit is not None), None)
    memory = outcome.estimate.memory
    needed = Number("memory needed", memory.needed_gib, "GiB", memory.limit_gib)
    share = memory.needed_gib / memory.limit_gib if memory.limit_gib else 0.0
    missed = [check for check in outcome.limits if check.verdict == "misses"]
    missed = missed or [check for check in outcome.limits if check.verdict == "tight"]
    most = max(missed or outcome.limits, key=lambda check: check.used, default=None)
    return limit_number(most) if most is not None and (missed or most.used >= share) else needed


def _decided_by(named: NamedHardware, outcome: Option | Rejection, evaluated: Evaluation) -> str:
    """Return the numbers that decide, in words."""
    rejected = evaluated.asked_rejection if named.named == "asked" else None
    if rejected is not None and rejected.reason == "not_offered":
        return f"{named.name} is {rejected.detail}"
    if isinstance(outcome, Rejection):
        return f"{outcome.detail}{_in_all(named, outcome, evaluated.question)}"
    if why := _of_verdict(outcome.limits, "misses") or shortfall(outcome):
        return why
    if tight := _of_verdict(outcome.limits, "tight"):
        return tight
    return "; ".join((_memory_words(outcome), *_carried_words(outcome, evaluated)))


def _in_all(named: NamedHardware, refused: Rejection, question: Question) -> str:
    """Return all weights against all memory, where several devices were to hold them."""
    chip = question.catalog.accelerators.get(named.instance.accelerator_id or "")
    devices = named.instance.accelerators * named.machines
    if chip is None or devices == 1 or question.model is None or question.trains:
        return ""
    dtype = question.workload.quant or question.model.native_dtype
    weights, memory = total_weights_gb(question.model, dtype), chip.mem_gb_marketed * devices
    if refused.reason != "does_not_fit" or weights < WEIGHTS_DECIDE * memory:
        return ""
    return f" (about {weights:,.0f} GB of weights, {memory:,.0f} GB of GPU memory)"


def _of_verdict(limits: tuple[LimitCheck, ...], verdict: str) -> str:
    """Return the limits that are missed, or may be, in words; empty where none is."""
    return "; ".join(held_words(check) for check in limits if check.verdict == verdict)


def _memory_words(option: Option) -> str:
    memory = option.estimate.memory
    share = f"{memory.needed_gib:.1f} of {quantity(memory.limit_gib, 'GiB')}"
    each = " each" if option.estimate.plan.accelerators > 1 else ""
    tight = ", which is tight" if memory.tight else ""
    return f"needs {share}{each}{tight}"


def _carried_words(option: Option, evaluated: Evaluation) -> Iterator[str]:
    """Yield what is planned for with a share to spare, the most beside it, and what was asked."""
    performance, workload = option.estimate.performance, evaluated.question.workload
    if performance is None or performance.planned_requests_per_s is None or not workload.rps:
        return
    planned, most = performance.planned_requests_per_s, performance.steady_requests_per_s
    people = ""
    if workload.users:
        people = f" (about {workload.users * planned / workload.rps:,.0f} users)"
    at_most = "" if most is None else f", {most:.3g} at most"
    yield (
        f"carries {planned:.3g} requests/s as planned{people}{at_most}; asked are "
        f"{workload.rps:.3g}"
    )


def _remedy(
    named: NamedHardware,
    evaluated: Evaluation,
    answer: VerdictAnswer,
    outcome: Option | Rejection,
) -> str:
    """Return what would do instead: more of it, smaller weights on it, the first choice."""
    rejected = evaluated.asked_rejection if named.named == "asked" else None
    if rejected is not None and rejected.reason == "not_offered":
        return ""
    if answer != "no":
        return _other_for_owned(named, evaluated) if named.named == "owned" else ""
    return " ".join(
        filter(
            None,
            (
                _in_smaller(named, evaluated),
                _enough(named, evaluated),
                _first_instead(named, evaluated),
                _on_it_after_all(named, evaluated, outcome),
            ),
        )
    )


def _in_smaller(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return that the same machines do with smaller weights, where the format was left open."""
    question = evaluated.question
    wide = question.workload.quant in SIXTEEN_BIT_AND_WIDER
    if named.named != "owned" or question.said.quant is not None or question.trains or not wide:
        return ""
    for dtype in SMALLER_DTYPES:
        smaller = with_workload(question, quant=dtype)
        works = replace(evaluated, question=smaller, works=evaluator(smaller, WorkCache()))
        outcome = _outcome(named, _works_of(works))
        if isinstance(outcome, Option) and outcome.carries_load:
            load = "; ".join((_memory_words(outcome), *_carried_words(outcome, works)))
            return f"With {dtype} weights {_pronoun(named)} {_does(named)}: {load}."
    return ""


def _on_it_after_all(
    named: NamedHardware, evaluated: Evaluation, outcome: Option | Rejection
) -> str:
    """Return what would let it fit there; nothing of a type that may not compete."""
    barred = evaluated.asked_rejection
    refused = isinstance(outcome, Rejection) and outcome.reason == "does_not_fit"
    if named.named == "owned" or not refused or (barred and barred.reason != "does_not_fit"):
        return ""
    placed = partial(_outcome, named)
    return ways_words(evaluated.question, named.words, placed)


def _leaner_if_tight(named: NamedHardware, outcome: Option | Rejection, question: Question) -> str:
    """Return which way of tuning takes less, where the one asked for leaves little to spare."""
    if isinstance(outcome, Rejection) or not outcome.estimate.memory.tight or not question.trains:
        return ""
    way = next(ways(question, partial(_outcome, named)), None)
    return "" if way is None else f"It takes less {way}."


def _pronoun(named: NamedHardware) -> str:
    return "it" if named.devices == 1 else "they"


def _does(named: NamedHardware) -> str:
    return "does" if named.devices == 1 else "do"


def _enough(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return how many of what was named do, where some do."""
    if named.is_type:
        option = _as_many_as_needed(named, evaluated)
        if option is None or not option.carries_load or option.usd_per_hour is None:
            return ""
        price = quantity(option.usd_per_hour, "USD/h")
        return f"{counted_words(option.instances).capitalize()} would do at {price}."
    if named.instance.accelerator_id is None or evaluated.asked_rejection is not None:
        return ""
    chip = evaluated.question.catalog.accelerators[named.instance.accelerator_id]
    count = named.devices * 2
    while count <= MOST_DEVICES:
        more = devices_of(chip, count, evaluated.question)
        outcome = None if more is None else _outcome(more, _works_of(evaluated))
        if isinstance(outcome, Option) and outcome.carries_load:
            return f"{counted_words(count).capitalize()} would do."
        count *= 2
    return ""


def _as_many_as_needed(named: NamedHardware, evaluated: Evaluation) -> Option | None:
    """Return the named type on as many machines as the load needs."""
    if named.named == "asked":
        return evaluated.asked
    outcome = evaluated.works.evaluate(named.instance)
    return outcome if isinstance(outcome, Option) else None


def _first_instead(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return the first choice where it is another type, with what it costs more or less."""
    best = evaluated.best
    if best is None or best.usd_per_hour is None:
        return ""
    if named.is_type and named.instance.instance_type == best.instance.instance_type:
        return "That is the first choice."
    if not named.is_type and named.named != "owned":
        return ""
    other = counted_words(best.instances, best.instance.instance_type)
    return f"{other.capitalize()} would at {_priced_beside(named, best, evaluated)}."


def _other_for_owned(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return the first choice beside what runs today and does."""
    best = evaluated.best
    if best is None or best.usd_per_hour is None:
        return ""
    if named.is_type and best.instance.instance_type == named.instance.instance_type:
        return "It is the first choice as well." if best.instances == named.devices else ""
    other = counted_words(best.instances, best.instance.instance_type)
    return f"Bought anew it would be {other} at {_priced_beside(named, best, evaluated)}."


def _priced_beside(named: NamedHardware, best: Option, evaluated: Evaluation) -> str:
    price = quantity(best.usd_per_hour or 0.0, "USD/h")
    return f"{price}{_difference(named, best, evaluated)}"


def _difference(named: NamedHardware, best: Option, evaluated: Evaluation) -> str:
    """Return how much less or more the first choice costs than what runs today."""
    now = _usd_per_hour(named, evaluated)
    if named.named != "owned" or now is None or best.usd_per_hour is None:
        return ""
    less = (now - best.usd_per_hour) * HOURS_PER_MONTH
    return f", ${abs(less):,.0f} a month {'less' if less > 0 else 'more'} than yours"


def _usd_per_hour(named: NamedHardware, evaluated: Evaluation) -> float | None:
    """Return what as many as were named cost: as who owns them said, else as listed."""
    if not named.is_type:
        return None
    listed = evaluated.question.quote(named.instance).usd_per_hour
    each = listed if named.usd_per_hour is None else named.usd_per_hour
    return None if each is None else each * named.machines


def _against_it(named: NamedHardware, evaluated: Evaluation) -> str:
    """Return what speaks against the type, or which machines have so many of a chip."""
    barred = evaluated.asked_barred if named.named == "asked" else None
    if barred is not None:
        return f"Not offered unasked: {barred.detail}."
    sold = sold_as(named, evaluated.question) if named.named == "asked" else None
    if sold is None:
        return ""
    count, instance = sold
    usd = (evaluated.question.quote(instance).usd_per_hour or 0.0) * count
    machines = counted_words(count, instance.instance_type)
    return f"On EC2 that is {machines} at {quantity(usd, 'USD/h')}."
