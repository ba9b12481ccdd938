"""Why a type is not picked: one sentence with the two numbers that decided."""

from collections.abc import Sequence

from catalog.facts.schema import Accelerator, Instance
from engine.core.estimate import Memory
from engine.core.limits import LOAD_FIELD
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import LimitCheck, Number, Rejection

UNIT = {
    "ttft_ms": ("first token", "ms"),
    "tpot_ms": ("time per token", "ms"),
    "e2e_ms": ("whole request", "ms"),
    "usd_per_hour": ("price", "USD/h"),
    "usd_per_month": ("price", "USD/month"),
    "usd_total": ("job cost", "USD"),
    "time_h": ("time to finish", "h"),
    LOAD_FIELD: ("load", "requests/s"),
}


def does_not_fit(instance: Instance, memories: Sequence[Memory]) -> Rejection:
    """Return the rejection of a type that holds the model in no plan, by its closest plan."""
    detail, numbers = too_large(memories)
    return Rejection(
        instance_type=instance.instance_type, reason="does_not_fit", detail=detail, numbers=numbers
    )


def same_memory(chip: Accelerator, wanted_gb: float) -> bool:
    """Return whether a chip has the memory that people mean by a figure, in GB."""
    return abs(chip.mem_gb_marketed - wanted_gb) <= 0.1 * wanted_gb


def too_large(memories: Sequence[Memory]) -> tuple[str, tuple[Number, ...]]:
    """Return why no plan of those memories fits, and the two numbers that say so."""
    if not memories:
        return "no valid way to split this model over its devices", ()
    closest = min(memories, key=lambda memory: memory.needed_gib / max(memory.limit_gib, 1e-9))
    needs = Number("memory needed", closest.needed_gib, "GiB", closest.limit_gib)
    detail = (
        closest.why_not or f"needs {closest.needed_gib:.1f} GiB, has {closest.limit_gib:.1f} GiB"
    )
    return detail, (needs, Number("memory available", closest.limit_gib, "GiB"))


def misses_limit(option: Option) -> Rejection:
    """Return the rejection of an option that misses a limit: too slow or over budget."""
    check = option.worst_miss
    if check is None:
        return overloaded(option)
    name, unit = UNIT[check.field]
    return Rejection(
        instance_type=option.instance.instance_type,
        reason="over_budget" if check.field.startswith("usd") else "too_slow",
        detail=against_words(check),
        numbers=(Number(name, check.held, unit, check.limit),),
    )


def against_words(check: LimitCheck) -> str:
    """Return a figure against its limit: `first token 210 ms against a limit of 100 ms`."""
    name, unit = UNIT[check.field]
    limit = quantity(check.limit, unit)
    if check.field == LOAD_FIELD:
        return f"carries {quantity(check.value, unit)}, asked are {limit}"
    return f"{name} {quantity(check.value, unit)}{_at_worst(check)} against a limit of {limit}"


def beyond_quota(option: Option, question: Question) -> Rejection | None:
    """Return the rejection of what takes more vCPUs in all than a quota leaves."""
    most, takes = question.workload.vcpus_max, option.instance.vcpus * option.instances
    if most is None or takes <= most:
        return None
    return Rejection(
        instance_type=option.instance.instance_type,
        reason="excluded",
        detail=f"takes {takes} vCPUs, your quota leaves {most}",
        numbers=(Number("vCPUs", takes, "vCPUs", most),),
    )


def overloaded(option: Option) -> Rejection:
    """Return the rejection of an option that cannot carry the load with any number tried."""
    performance = option.estimate.performance
    rate = performance.requests_per_s if performance is not None else None
    carried = f"{rate.value:.2f} requests/s" if rate is not None else "less than the load"
    return Rejection(
        instance_type=option.instance.instance_type,
        reason="too_slow",
        detail=f"carries {carried} on {option.instances} instance(s), below the load asked",
        numbers=(Number("requests carried", rate.value, "1/s"),) if rate is not None else (),
    )


def dominated(option: Option, pick: Option, ranked_by: Number) -> Rejection:
    """Return the rejection of a good option that the pick beats on what is ranked.

    `ranked_by` holds the option's figure, and the pick's as its limit.
    """
    best = ranked_by.value if ranked_by.limit is None else ranked_by.limit
    name = pick.instance.instance_type
    detail = _beaten_by(name, ranked_by, best)
    if ranked_by.value < best and option.may_miss and not pick.may_miss:
        tight = next(check for check in option.limits if check.verdict == "tight")
        detail = f"may miss: {held_words(tight)}; {name} does not"
    return Rejection(
        instance_type=option.instance.instance_type,
        reason="dominated",
        detail=detail,
        numbers=(ranked_by,),
    )


def _beaten_by(pick: str, ranked_by: Number, best: float) -> str:
    value, unit, name = ranked_by.value, ranked_by.unit, ranked_by.name
    if not unit:  # a product: only the ratio says something
        return f"meets the limits; its {name} is {value / best:.1f} times that of {pick}"
    if unit.startswith("USD"):
        return f"meets the limits at {quantity(value, unit)}; {pick} does at {quantity(best, unit)}"
    figures = _ranked(value, unit), _ranked(best, unit)
    return f"meets the limits, {name} {figures[0]}; {pick} does with {figures[1]}"


def unpriced(option: Option) -> Rejection:
    """Return the rejection of an option ranked behind priced ones because it has no price."""
    why = option.quote.why_unpriced or "no price known"
    return Rejection(
        instance_type=option.instance.instance_type,
        reason="dominated",
        detail=f"would do, but is unpriced on this market: {why}",
    )


def unpriced_against_budget(option: Option) -> Rejection:
    """Return the rejection of a type that cannot be held against a stated budget."""
    why = option.quote.why_unpriced or "no price known"
    return Rejection(
        instance_type=option.instance.instance_type,
        reason="over_budget",
        detail=f"cannot be held against the budget: {why}",
    )


def _ranked(value: float, unit: str) -> str:
    """Return what is ranked by; hours that round to nothing in seconds."""
    return quantity(value * 3600, "s") if unit == "h" and value < 1 else quantity(value, unit)


def quantity(value: float, unit: str) -> str:
    """Return a figure with its unit, rounded to what an estimate is good for."""
    if unit.startswith("USD"):
        cents = 0 if value >= 1000 else 3 if value < 10 else 2
        return f"${value:,.{cents}f}" + unit.removeprefix("USD")
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MS_PER_S = 1000.0


def limit_number(check: LimitCheck) -> Number:
    """Return the figure that decides about a limit, beside it."""
    name, unit = UNIT[check.field]
    return Number(name, check.held, unit, check.limit)


def counted_words(count: int, name: str = "") -> str:
    """Return a count and what is counted: `one g6.xlarge`, `two L40S`, `16 H100 80 GB`."""
    words = NUMBER_WORDS[count - 1] if count <= len(NUMBER_WORDS) else f"{count:,}"
    return f"{words} {name}".strip()


def held_words(check: LimitCheck) -> str:
    """Return a figure against its limit: `first token 21 s, at worst 23 s, against 2 s`."""
    name, unit = UNIT[check.field]
    if check.field == LOAD_FIELD:
        return f"load {check.limit:.3g} of the {quantity(check.value, unit)} it carries"
    worst = "" if check.worst is None else f", at worst {_short(check.worst, unit)},"
    return f"{name} {_short(check.value, unit)}{worst} against {_short(check.limit, unit)}"


def _short(value: float, unit: str) -> str:
    if unit == "ms" and value >= MS_PER_S:
        return f"{value / MS_PER_S:.3g} s"
    return f"{value:.3g} ms" if unit == "ms" else quantity(value, unit)


def shortfall(option: Option) -> str:
    """Return that more sessions are open than are held; empty where none is too many."""
    performance = option.estimate.performance
    crowded = performance is not None and performance.saturated
    return "the load is more than it carries" if crowded else ""


def describe_miss(check: LimitCheck) -> str:
    """Return a missed limit in words: 'first token 210 ms, limit 100 ms'."""
    name, unit = UNIT[check.field]
    if check.field == LOAD_FIELD:
        return against_words(check)
    value = f"{quantity(check.value, unit)}{_at_worst(check)}".rstrip(",")
    return f"{name} {value}, limit {quantity(check.limit, unit)}"


def _at_worst(check: LimitCheck) -> str:
    """Return the far end of a range where that decides: nobody measured the figure."""
    if check.held <= check.value:
        return ""
    return f", at worst {quantity(check.held, UNIT[check.field][1])},"
