"""The levers: at which price, load, number format or limit a type becomes the best."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from engine.core.limits import LATENCY_FIGURE, latency_limits
from engine.core.option import Option
from engine.core.question import Question
from engine.pick.groups import in_group
from engine.pick.rank import (
    PRICE_OBJECTIVES,
    daring_leader,
    how_unproven,
    in_reserve,
    leader,
    ranked,
)
from engine.pick.reasons import UNIT, quantity
from engine.pick.recommend import Evaluation, evaluate, evaluator, with_workload
from engine.pick.relax import WORKLOAD_FIELD
from engine.pick.serving import ServingEvaluator
from engine.placement.work_cache import WorkCache
from engine.what_if.capacity import PRECISION as CAPACITY_PRECISION
from engine.what_if.capacity import at_load, contenders, load_field, units
from engine.what_if.crossover import DEFAULT_RANGE, LoadRange, crossover
from engine.what_if.other_prices import priced_at

Lever = Literal["price", "load", "dtype", "limit"]
PRECISION = 1.0005  # where a flip lies is searched to 0.05 %
PRICE_BOUNDS = (0.01, 100.0)  # times the price of what it has to beat
DTYPES = ("bf16", "fp8", "int4")
LIMIT_BOUNDS = (0.01, 100.0)  # times the limit as it stands
LIMIT_STEPS = 24  # a scan this fine before bisecting: the ranking may flip back and forth


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
    evaluated: Evaluation
    options: list[Option]

    def has(self, option: Option | None) -> bool:
        """Return whether an option is of the group asked about."""
        return option is not None and in_group(option.instance, self.subject, self.question.catalog)

    def rival(self) -> Option | None:
        """Return what leads without the group."""
        return leader([o for o in self.evaluated.meeting if not self.has(o)], self.question)


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


def price_flip(case: Case, *, is_best: bool) -> Flip:
    """Return the price below which the group wins (up to which the best stays), or that none is."""
    objective = case.question.workload.objective or "cost"
    if objective not in PRICE_OBJECTIVES:
        text = f"no price does: the ranking is by {objective}, and price has no part in it"
        return Flip(lever="price", found=False, text=text)
    rival = case.rival()
    if rival is None or rival.usd_per_hour is None:
        return Flip(lever="price", found=False, text="nothing priced to beat")
    if case.options and all(in_reserve(option, case.question) for option in case.options):
        return _price_of_reserve(case, rival.usd_per_hour)
    solved = [
        (price / (option.quote.usd_per_hour or price), option, price)
        for option in case.options
        if (price := tie_price(case.question, option, rival)) is not None
    ]
    if not solved:
        low, high = (quantity(b * rival.usd_per_hour, "USD/h") for b in PRICE_BOUNDS)
        text = f"no price between {low} and {high} does"
        return Flip(lever="price", found=False, text=text, unit="USD/h")
    _, option, price = max(solved, key=lambda one: (one[0], one[1].instance.instance_type))
    return _price_found(case.question, option, rival, price, is_best=is_best)


def _price_of_reserve(case: Case, rival_usd_per_hour: float) -> Flip:
    """Return where what is never first would cost as much as the best of the others."""
    option = min(case.options, key=lambda o: (o.excess, o.usd_per_hour or 0, o.instance.vcpus))
    price = rival_usd_per_hour / option.instances
    text = (
        f"no price does: {option.instance.instance_type} costs as much as the pick at "
        f"{quantity(price, 'USD/h')} an instance, but only an older release of its software runs "
        "this, or nobody is known to serve so"
    )
    return Flip(lever="price", found=False, text=text)


def _price_found(
    question: Question, option: Option, rival: Option, price: float, *, is_best: bool
) -> Flip:
    name, today = option.instance.instance_type, option.quote.usd_per_hour
    at = quantity(price, "USD/h")
    if today is None:
        change = f"it has no price today ({option.quote.why_unpriced or 'none known'})"
    else:
        change = f"today {quantity(today, 'USD/h')}, {100 * (price / today - 1):+.0f} %"
    verb = "stays the pick up to" if is_best else "wins below"
    text = (
        f"{name} {verb} {at} an instance ({change}): there it "
        f"{_beside(question, option, rival, price)} {rival.instances}x "
        f"{rival.instance.instance_type}"
    )
    return Flip(
        lever="price",
        found=True,
        text=text,
        instance_type=name,
        value=price,
        today=today,
        unit="USD/h",
    )


def _beside(question: Question, option: Option, rival: Option, price: float) -> str:
    """Return how a price stands to the rival's where the ranking flips.

    What surely holds its limits, is better proven or has room in memory may cost more and be first.
    """
    standings = [
        (one.may_miss, how_unproven(one, question), one.estimate.memory.tight)
        for one in (option, rival)
    ]
    if standings[0] == standings[1] or not rival.usd_per_hour:
        return "ties with"
    return f"costs {price * option.instances / rival.usd_per_hour:.2f} times the price of"


def tie_price(question: Question, option: Option, rival: Option) -> float | None:
    """Return the hourly price of one instance at which the option ties with the rival.

    None where no price within the bounds puts it first, or every one does.
    """
    if rival.usd_per_hour is None:
        return None
    at_par = rival.usd_per_hour / option.instances
    low, high = (bound * at_par for bound in PRICE_BOUNDS)

    def wins(price: float) -> bool:
        world, instance = priced_at(question, option.instance, price)
        works = evaluator(world, WorkCache())
        found = works.evaluate(instance)
        if not isinstance(found, Option) or not found.meets_limits:
            return False
        if found.may_miss and isinstance(works, ServingEvaluator):
            leads = daring_leader([found, rival], question) is found
            found = (works.on_enough_to_be_sure(found) if leads else None) or found
        return leader([found, rival], question) is found

    if not wins(low) or wins(high):
        return None
    return bisected(wins, low, high)


def load_flip(case: Case) -> Flip:
    """Return the load nearest to today's at which the group is the cheapest, or that none is."""
    question = case.question
    field = load_field(question)
    word, low, high = _load_lever_words(question)
    objective = question.workload.objective or "cost"
    if objective not in {"cost", "max_savings"} or question.workload.mode == "batch":
        text = f"not searched: ranked by {objective}, the order does not hang on the load"
        return Flip(lever="load", found=False, text=text)
    lines = crossover(units(question, field), field, low, high)
    catalog = question.catalog
    wins = [s for s in lines.segments if in_group(s.first.unit.instance, case.subject, catalog)]
    today: float = getattr(question.workload, field) or 1.0
    if not wins:
        reach = f"{low:g} and {lines.carried_to or high:.4g} {word}"
        text = f"no load between {reach} makes it the cheapest"
        return Flip(lever="load", found=False, text=text, unit=word)
    nearest = min(wins, key=lambda s: _distance(s, today))
    load = _load_inside(nearest, today)
    if not case.has(evaluate(at_load(question, field, load)).best):
        text = f"it is the cheapest at {load:.4g} {word}, but a safer type is first there"
        return Flip(lever="load", found=False, text=text)
    text = (
        f"from {nearest.first.load:.4g} to {nearest.last.load:.4g} {word} (today {today:.4g}) "
        f"{nearest.last.instances}x {nearest.name} is the cheapest, at "
        f"{quantity(nearest.last.usd_per_hour, 'USD/h')}"
    )
    return Flip(
        lever="load",
        found=True,
        text=text,
        instance_type=nearest.name,
        value=load,
        today=today,
        unit=word,
        change={field: load},
    )


def _load_lever_words(question: Question) -> tuple[str, float, float]:
    field = load_field(question)
    word = "requests/s" if field == "rps" else "users at once"
    return word, *DEFAULT_RANGE[field]


def _load_inside(segment: LoadRange, today: float) -> float:
    """Return the load nearest to today's that is surely within a segment of known precision."""
    first, last = segment.first.load, segment.last.load
    if first <= today:
        return last
    return min(last, max(first, segment.above * CAPACITY_PRECISION**2))


def _distance(segment: LoadRange, load: float) -> float:
    """Return the factor between a load and the nearest end of a segment."""
    if segment.first.load > load:
        return segment.first.load / load
    return max(1.0, load / segment.last.load)


def dtype_flips(case: Case) -> Iterator[Flip]:
    """Yield the first number format in which the group wins, or that none does."""
    question = case.question
    now = question.workload.quant
    tried = [dtype for dtype in DTYPES if dtype != now]
    for dtype in tried:
        best = evaluate(_in_dtype(question, dtype)).best
        if best is None or not case.has(best):
            continue
        price = "unpriced" if best.usd_per_hour is None else quantity(best.usd_per_hour, "USD/h")
        text = f"with {dtype} weights {best.instances}x {best.instance.instance_type} is the best"
        yield Flip(
            lever="dtype",
            found=True,
            text=f"{text}, at {price}",
            instance_type=best.instance.instance_type,
            value=dtype,
            today=now,
            change={"quant": dtype},
        )
        return
    text = f"no other number format does (tried {', '.join(tried)}; today {now})"
    yield Flip(lever="dtype", found=False, text=text, today=now)


def _in_dtype(question: Question, dtype: str) -> Question:
    changed = with_workload(question, quant=dtype)
    return replace(changed, said=replace(changed.said, quant=dtype))


def limit_flip(case: Case) -> Flip:
    """Return the limit nearest to today's at which the group wins, or that there is none."""
    question = case.question
    field, name, unit = _limit_varied(case)
    today = getattr(question.workload, field)
    if today is None:
        return Flip(lever="limit", found=False, text="no limit is set that could move")
    worked = _worked_with_contenders(case)

    def best_at(limit: float) -> Option | None:
        return evaluate(with_workload(question, **{field: limit}), worked).best

    limit = _nearest_limit(lambda value: case.has(best_at(value)), today)
    if limit is None:
        low, high = (quantity(bound * today, unit) for bound in LIMIT_BOUNDS)
        now = quantity(today, unit)
        text = f"no limit on the {name} between {low} and {high} does (today {now})"
        return Flip(lever="limit", found=False, text=text, today=today, unit=unit)
    best = best_at(limit)
    assert best is not None  # noqa: S101 - `_nearest_limit` returns only limits that hold
    price = "unpriced" if best.usd_per_hour is None else quantity(best.usd_per_hour, "USD/h")
    text = (
        f"with a {name} limit of {quantity(limit, unit)} (today {quantity(today, unit)}) "
        f"{best.instances}x {best.instance.instance_type} is the best, at {price}"
    )
    return Flip(
        lever="limit",
        found=True,
        text=text,
        instance_type=best.instance.instance_type,
        value=limit,
        today=today,
        unit=unit,
        change={field: limit},
    )


def _worked_with_contenders(case: Case) -> WorkCache | None:
    """Return what is worked out already, cut to the types that could be best under some limit."""
    works, objective = case.evaluated.works, case.question.workload.objective or "cost"
    if not isinstance(works, ServingEvaluator) or objective not in PRICE_OBJECTIVES:
        return works.worked if isinstance(works, ServingEvaluator) else None
    every = [*case.evaluated.meeting, *case.evaluated.missing]
    kept = {o.instance.instance_type: o.instance for o in (*contenders(every), *case.options)}
    return replace(works.worked, candidates=(list(kept.values()), []))


def _limit_varied(case: Case) -> tuple[str, str, str]:
    """Return the workload field, name and unit of the limit that stands in the way."""
    workload = case.question.workload
    nearest = nearest_option(case.options, case.question)
    miss = nearest.worst_miss if nearest is not None else None
    if miss is not None and miss.field in WORKLOAD_FIELD:
        return WORKLOAD_FIELD[miss.field], *UNIT[miss.field]
    if case.question.trains:
        return "deadline_h", *UNIT["time_h"]
    if miss is not None:
        return latency_limits(workload)[miss.field][0], UNIT[miss.field][0], "ms"
    return "latency_ms", UNIT[LATENCY_FIGURE[workload.latency_kind or "e2e"]][0], "ms"


def _nearest_limit(wins: Callable[[float], bool], today: float) -> float | None:
    """Return the limit nearest to today's at which `wins` holds, None within the bounds."""
    factor = LIMIT_BOUNDS[1] ** (1 / LIMIT_STEPS)
    for step in range(1, LIMIT_STEPS + 1):
        for towards in (factor, 1 / factor):
            near, far = today * towards ** (step - 1), today * towards**step
            if wins(far):
                return _from_inside(wins, near, far)
    return None


def _from_inside(wins: Callable[[float], bool], outside: float, inside: float) -> float:
    """Return a limit just inside the flip between two neighbours, to 0.05 %."""
    while max(outside, inside) / min(outside, inside) > PRECISION:
        middle = sqrt(outside * inside)
        outside, inside = (outside, middle) if wins(middle) else (middle, inside)
    return inside
