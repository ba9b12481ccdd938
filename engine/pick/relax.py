"""When nothing fits: the smallest changes that would make something fit, and what each gives."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.core.limits import LOAD_FIELD, latency_limits
from engine.core.option import Option
from engine.core.result import LimitCheck, Relaxation
from engine.core.workload import Workload
from engine.pick.elsewhere import nearest_offering, only_elsewhere
from engine.pick.rank import hourly, ranked
from engine.pick.reasons import UNIT, quantity
from engine.pick.recommend import Evaluation, evaluate, with_workload

SMALLER_DTYPES = ("fp8", "int4")
SIXTEEN_BIT_AND_WIDER = frozenset({"bf16", "fp16", "fp32"})
MOST_REGIONS = 4
SHOWN = 4


def relaxations(
    evaluated: Evaluation, best_of: Callable[[Workload], Option | None]
) -> tuple[Relaxation, ...]:
    """Return up to four changes of one field each, smallest first, that yield a pick.

    `best_of` returns what would be picked for a workload as said: each change is put back through
    the whole request, and told with what that gives.
    """
    found: list[Relaxation] = []
    said = evaluated.question.said
    for relaxation in _tried(evaluated):
        best = best_of(replace(said, **relaxation.change))  # type: ignore[arg-type]
        if best is None:
            continue
        told = _relaxation_of(relaxation.text, relaxation.change, best)
        if not any(_does_with_less(one, told) for one in found):
            found.append(told)
        if len(found) == SHOWN:
            break
    return tuple(found)


def _does_with_less(one: Relaxation, other: Relaxation) -> bool:
    """Return whether one changes less than another and costs no more."""
    less = one.change.keys() < other.change.keys()
    return less and (one.usd_per_hour or 0.0) <= (other.usd_per_hour or 0.0)


def _tried(evaluated: Evaluation) -> Iterator[Relaxation]:
    yield from _raised_limits(evaluated)
    yield from _lifted_wishes(evaluated)
    yield from _smaller_weights(evaluated)
    yield from _shorter_context(evaluated)
    yield from _run_elsewhere(evaluated)


def _raised_limits(evaluated: Evaluation) -> Iterator[Relaxation]:
    """Options that miss exactly one limit say what that limit would have to be."""
    by_field: dict[str, list[tuple[LimitCheck, Option]]] = {}
    for option in evaluated.missing:
        missed = [check for check in option.limits if check.verdict == "misses"]
        if len(missed) == 1:
            by_field.setdefault(missed[0].field, []).append((missed[0], option))
    for name, misses in by_field.items():
        check, option = min(misses, key=lambda pair: (pair[0].used, hourly(pair[1])))
        _, unit = UNIT[name]
        needed = _that_holds(check, option)
        verb = "send" if name == LOAD_FIELD else "allow"
        text = f"{verb} {quantity(needed, unit)} instead of {quantity(check.limit, unit)}"
        workload = evaluated.question.workload
        field = WORKLOAD_FIELD.get(name) or latency_limits(workload)[name][0]
        change: dict[str, object] = {field: needed}
        if field == "latency_ms":
            change["latency_kind"] = workload.latency_kind
        yield _relaxation_of(text, change, option)


def _that_holds(check: LimitCheck, option: Option) -> float:
    """Return the limit that would be met: the far end of the range of what nobody measured."""
    performance = option.estimate.performance
    if check.field == LOAD_FIELD and performance is not None:
        return performance.planned_requests_per_s or check.value
    measured = performance is None or performance.basis == "measured_class"
    return check.held if measured or check.worst is None else check.worst


WORKLOAD_FIELD = {
    "usd_per_hour": "budget_usd_per_hour",
    "usd_per_month": "budget_usd_per_month",
    "usd_total": "budget_usd_total",
    "time_h": "deadline_h",
    LOAD_FIELD: "rps",
}


def _lifted_wishes(evaluated: Evaluation) -> Iterator[Relaxation]:
    """Without a wish for certain hardware: what the rest of EC2 would do."""
    workload = evaluated.question.workload
    if workload.allow:
        words = ", ".join(workload.allow)
        others = _retried(evaluated, f"allow other types than {words}", allow=None)
        laid_down = evaluated.question.said.allow is None
        yield from map(_with_family, others) if laid_down else others
    if workload.gpu or workload.gpu_memory_gb:
        lifted: dict[str, object] = {"gpu": None, "gpu_count": None, "gpu_memory_gb": None}
        yield from _retried(evaluated, "allow other accelerators", **lifted)


def _with_family(relaxation: Relaxation) -> Relaxation:
    """Return the change with the family it leads to: unsaid, a default would take its place."""
    family = (relaxation.instance_type or "").partition(".")[0]
    return replace(relaxation, change={"allow": (family,)}) if family else relaxation


def _smaller_weights(evaluated: Evaluation) -> Iterator[Relaxation]:
    question = evaluated.question
    if question.trains:
        if question.workload.method != "qlora":
            yield from _retried(
                evaluated, "train adapters on 4-bit weights (QLoRA)", method="qlora"
            )
        return
    if question.workload.quant not in SIXTEEN_BIT_AND_WIDER:
        return
    for dtype in SMALLER_DTYPES:
        yield from _retried(evaluated, f"quantise the weights to {dtype}", quant=dtype)


def _shorter_context(evaluated: Evaluation) -> Iterator[Relaxation]:
    workload = evaluated.question.workload
    if evaluated.question.said.context is None or not workload.context:
        return
    shorter = workload.context // 4
    output = min(workload.output_tokens or 1, max(1, shorter // 4))
    yield from _retried(
        evaluated,
        f"shorten the context to {shorter:,} tokens",
        context=shorter,
        input_tokens=min(workload.input_tokens or 1, max(1, shorter - output)),
        output_tokens=output,
    )


def _run_elsewhere(evaluated: Evaluation) -> Iterator[Relaxation]:
    region, catalog = evaluated.question.region, evaluated.question.catalog
    if only_elsewhere(evaluated):
        for other in nearest_offering(evaluated):
            yield from _retried(evaluated, f"run it in {other}", region=other)
        return
    for other in catalog.low_priced_regions[:MOST_REGIONS]:
        if other != region and other not in (evaluated.question.said.exclude or ()):
            found = list(_retried(evaluated, f"run it in {other}", region=other))
            yield from found
            if found:
                return


def _retried(evaluated: Evaluation, text: str, **changes: object) -> Iterator[Relaxation]:
    retried = evaluate(with_workload(evaluated.question, **changes))
    if retried.best is not None:
        yield _relaxation_of(text, dict(changes), retried.best)
    elif retried.missing:
        yield from _still_short(retried, text, changes)


def _still_short(
    retried: Evaluation, text: str, changes: dict[str, object]
) -> Iterator[Relaxation]:
    """A change that lets something fit at last, though a limit is still missed: say which."""
    dear = [option for option in retried.missing if option.misses_only_budget]
    if dear:
        nearest = ranked(dear, retried.question)[0]
        missed = [check for check in nearest.limits if check.verdict == "misses"]
        raised = {WORKLOAD_FIELD[check.field]: check.held for check in missed}
        yield _relaxation_of(f"{text} and raise the budget", changes | raised, nearest)


def _relaxation_of(text: str, change: dict[str, object], option: Option) -> Relaxation:
    return Relaxation(
        text, change, option.instance.instance_type, option.usd_per_hour, option.instances
    )
