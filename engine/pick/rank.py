"""One sort key per objective; ties end in price, headroom, then in the instance name."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from engine.core.job import items_of_job
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import FrontierPoint
from engine.pick.energy import ranked_by_energy
from engine.pick.standing import known_of, standing

T = TypeVar("T")

INFINITY = float("inf")
DARED_PREMIUM = 1.5  # times the price, that a known machine may cost more than an unproven one
# Times the price that room in memory may cost more than none; more where what is tight is also
# spread over cards that only PCIe joins.
ROOM_PREMIUM, ROOM_PREMIUM_OVER_PCIE = 1.5, 2.0
SAFE_PREMIUM = 1.5  # times the price, that whole ranges within the limits may cost more
PCIE = frozenset({"pcie_p2p", "pcie_host"})
RESERVE_PREMIUM = 6.0  # times the price, beyond which nobody would leave it in reserve
DARED = ("measured", "documented", "nothing")
OF_WORK = frozenset({"cost", "max_savings", "value"})  # of a job: the bill for all of it
# Wishes for speed: nobody puts an 8B on eight B200 to be a little faster. The fastest within about
# twice the cheapest: no public default pays more for speed alone.
WISHES = frozenset({"latency", "throughput", "performance"})
WORTH_A_WISH = 2.0
# Objectives whose figure holds a price.
PRICE_OBJECTIVES = frozenset({"cost", "max_savings", "value", "balanced"})

RankKey = tuple[bool, bool, float, float, float, int, float, str]


def ranked(options: Sequence[Option], question: Question) -> list[Option]:
    """Return options best first; unpriced ones follow every priced one.

    First is the one that leads; behind it all stand in the order of the objective.
    """
    order = sorted(options, key=rank_key(question))
    first = leader(order, question)
    return order if first is None else [first, *(o for o in order if o is not first)]


def _too_slow_price(question: Question) -> float:
    """Return what a machine costs an hour that a faster one is asked beside, 0.0 without one."""
    instance = question.catalog.instances.get(question.said.compare_family or "")
    return 0.0 if instance is None else question.quote(instance).usd_per_hour or 0.0


def ranked_within_money(options: list[Option], question: Question) -> list[Option]:
    """Return options best first; of a wish for speed those within twice the cheapest price first.

    Only of serving: a training job that is faster costs less to run.
    """
    if question.trains or question.workload.objective not in WISHES or not options:
        return ranked(options, question)
    current = [option for option in options if not in_reserve(option, question)] or options
    most = WORTH_A_WISH * max(min(map(hourly, current)), _too_slow_price(question))
    near = [option for option in options if hourly(option) <= most]
    dear = [option for option in options if hourly(option) > most]
    return [*ranked(near, question), *ranked(dear, question)]


def leader(options: Sequence[Option], question: Question) -> Option | None:
    """Return the option an expert would put first: the objective's, if somebody would dare.

    What only an older release runs, or nobody serves so, is first where nothing else does, or all
    else costs over six times as much. What nobody measured yields to what was measured at up to
    1.5 times its price, what not even a maker documents to what is documented; what may miss a
    limit to what surely holds them all.
    """
    first = daring_leader(options, question)
    return first if first is None or not first.may_miss else _safer(first, options, question)


def daring_leader(options: Sequence[Option], question: Question) -> Option | None:
    """Return what would lead, were a limit that may be missed as good as one that is held."""
    current = [o for o in options if not in_reserve(o, question)] or options
    usd = dollars_compared(question)
    pinned = [o for o in options if _is_pinned(o, question)]
    least = min(map(usd, current), default=INFINITY)
    if min(map(usd, pinned), default=INFINITY) * RESERVE_PREMIUM < least < INFINITY:
        current = pinned
    first = dared_first(
        current, key=rank_key(question), usd=usd, unproven=lambda o: how_unproven(o, question)
    )
    if first is None:
        return None
    if ranked_value(question) is usd_per_million and question.workload.mode == "batch":
        first = _smallest_for(first, current, question)
    if first.estimate.memory.tight:
        first = _roomier(first, current, question)
    return first


def _safer(first: Option, options: Sequence[Option], question: Question) -> Option:
    """Return what ranks first with its whole range within the limits, at little more money.

    Nobody starts a service on what may turn out too slow where the next type does for sure. A job
    is given more machines where it may be late, so no other type is needed.
    """
    level, usd = how_unproven(first, question), dollars_compared(question)
    if question.trains or items_of_job(question.workload) is not None or usd(first) == INFINITY:
        return first
    safe = (
        option
        for option in options
        if not option.may_miss
        and in_reserve(option, question) <= in_reserve(first, question)
        and option.spans_hosts <= first.spans_hosts
        and option.estimate.memory.tight <= first.estimate.memory.tight
        and usd(option) <= SAFE_PREMIUM * usd(first)
        and how_unproven(option, question) <= level
    )
    return min(safe, key=rank_key(question), default=first)


def _roomier(first: Option, options: Sequence[Option], question: Question) -> Option:
    """Return what ranks first with room in memory, at little more money, else the tight one.

    A default is above the minimum (expert rule R4): what fits by a few GiB fails on the first long
    prompt.
    """
    level, usd = how_unproven(first, question), dollars_compared(question)
    chip = question.catalog.accelerators.get(first.instance.accelerator_id or "")
    over_pcie = chip is not None and chip.link in PCIE and first.estimate.plan.tensor_parallel > 1
    most = (ROOM_PREMIUM_OVER_PCIE if over_pcie else ROOM_PREMIUM) * usd(first)
    roomy = (
        option
        for option in options
        if not option.estimate.memory.tight
        and option.spans_hosts <= first.spans_hosts
        and usd(option) <= most
        and how_unproven(option, question) <= level
    )
    return min(roomy, key=rank_key(question), default=first)


def _smallest_for(first: Option, options: Sequence[Option], question: Question) -> Option:
    """Return the smallest bill an hour for a batch of unknown volume, at little more a token.

    Nobody rents eight accelerators for a few per cent of a bill that may be of an hour.
    """
    most, level = DARED_PREMIUM * usd_per_million(first), how_unproven(first, question)
    fair = [
        option
        for option in options
        if usd_per_million(option) <= most and how_unproven(option, question) <= level
    ]
    return min(fair, key=lambda o: (hourly(o), o.instance.instance_type), default=first)


def dollars_compared(question: Question) -> Callable[[Option], float]:
    """Return what people compare in dollars: a job's bill, a batch's rate, else the hour."""
    if question.trains or items_of_job(question.workload) is not None:
        return job_usd
    return usd_per_million if question.workload.mode == "batch" else hourly


def dared_first(
    found: Iterable[T],
    *,
    key: Callable[[T], Any],
    usd: Callable[[T], float],
    unproven: Callable[[T], int],
) -> T | None:
    """Return the least by `key`, unless something less unproven costs at most 1.5 times as much."""
    found = list(found)
    first = min(found, key=key, default=None)
    if first is None:
        return None
    most = DARED_PREMIUM * usd(first)
    for level in range(unproven(first)):
        known = (one for one in found if usd(one) <= most and unproven(one) == level)
        if (better := min(known, key=key, default=None)) is not None:
            return better
    return first


def in_reserve(option: Option, question: Question) -> bool:
    """Return whether a type is at most a runner-up for this kind of work, unless asked for."""
    found = standing(option.instance, question)
    return found is not None and found.reserve is not None


def _is_pinned(option: Option, question: Question) -> bool:
    """Return whether an older release of its software runs it: no experiment, but no future."""
    found = standing(option.instance, question)
    return found is not None and found.reserve is not None and found.reserve.status == "pinned"


def how_unproven(option: Option, question: Question) -> int:
    """Return 0 for what was measured, 1 for what is documented, 2 for what is neither.

    A training job that runs slower than thought ends later; a service misses its limits. So what is
    documented is enough for training.
    """
    level = DARED.index(known_of(option, question))
    return 0 if question.trains and level == 1 else level


def rank_key(question: Question) -> Callable[[Option], RankKey]:
    """Return the sort key of the question's objective.

    A replica spread over machines is for models that no machine holds: it follows those that one
    machine holds, since a few per cent of price do not pay for running it. Figures that agree to
    four digits are the same: eight cards at eight times the price of one are no better value. Where
    the market has no figure its most does, the on-demand price: a type that costs less even then
    is cheaper than one with a figure. Without that one it is the size: within a family the smaller
    machine costs no more.
    """
    value = ranked_value(question)
    bounded = value in BOUNDED_BY_ON_DEMAND and question.market in DISCOUNTS

    def order(option: Option) -> RankKey:
        unpriced, name = option.usd_per_hour is None, option.instance.instance_type
        most, size = _without_price(option) if unpriced else (0.0, 0)
        figure, usd = value(option), hourly(option)
        if bounded and unpriced and most < INFINITY:
            unpriced, figure, usd = False, most * _billed_hours(option), most
        spans, headroom = option.spans_hosts, option.headroom
        return unpriced, spans, float(f"{figure:.4g}"), usd, most, size, -headroom, name

    return order


def _billed_hours(option: Option) -> float:
    """Return the hours a bill is for: those of a job, one of a service."""
    timed = option.estimate.training or option.estimate.job
    if timed is None:
        return 1.0
    return INFINITY if timed.time_h is None else timed.time_h.value


def _without_price(option: Option) -> tuple[float, int]:
    """Return what stands in for a price: the on-demand ceiling, then the vCPUs of it all."""
    most = option.most_usd_per_hour
    return INFINITY if most is None else most, option.instances * option.instance.vcpus


def ranked_value(question: Question) -> Callable[[Option], float]:
    """Return the figure that the objective ranks by, lower is better."""
    objective = question.workload.objective or "cost"
    if objective == "energy":
        return ranked_by_energy(question)
    if question.trains:
        return TRAINING_VALUE.get(objective, job_usd)
    if objective in OF_WORK and items_of_job(question.workload) is not None:
        return job_usd
    if objective in {"cost", "max_savings"} and question.workload.mode == "batch":
        return usd_per_million
    if objective == "latency":
        return _latency_value(question)
    return SERVING_VALUE.get(objective, hourly)


def hourly(option: Option) -> float:
    """Return USD per hour; infinite where unpriced."""
    usd = option.cost.usd_per_hour
    return INFINITY if usd is None else usd


def usd_per_million(option: Option) -> float:
    """Return USD per million tokens at full load (requests, where work has no tokens).

    Infinite where unknown.
    """
    cost = option.cost
    figure = cost.usd_per_million_tokens_full_load or cost.usd_per_million_requests
    return INFINITY if figure is None else figure


def job_usd(option: Option) -> float:
    """Return USD for the whole job; infinite where unknown."""
    return INFINITY if option.cost.usd_total is None else option.cost.usd_total


def request_ms(option: Option) -> float:
    """Return the time of a whole request in ms; infinite where unknown."""
    figure = option.figure("e2e_ms")
    return INFINITY if figure is None else figure.value


def instance_hours(option: Option) -> float:
    """Return training time x instances: how fast the type is, whatever the cluster's size."""
    training = option.estimate.training
    if training is None or training.time_h is None:
        return INFINITY
    return training.time_h.value * option.instances


def _latency_value(question: Question) -> Callable[[Option], float]:
    name = {"ttft": "ttft_ms", "per_token": "tpot_ms"}.get(
        question.workload.latency_kind or "", "e2e_ms"
    )

    def value(option: Option) -> float:
        figure = option.figure(name)
        return INFINITY if figure is None else figure.value

    return value


def _slowness_at_full_load(option: Option) -> float:
    """Return hours per million tokens at full load, from the cost figure and the price."""
    if not option.usd_per_hour:
        return INFINITY
    return usd_per_million(option) / option.usd_per_hour


SERVING_VALUE: dict[str, Callable[[Option], float]] = {
    "cost": hourly,
    "max_savings": hourly,
    "value": usd_per_million,
    "throughput": _slowness_at_full_load,
    "performance": request_ms,
    "balanced": lambda option: hourly(option) * request_ms(option),
}
TRAINING_VALUE: dict[str, Callable[[Option], float]] = {
    "performance": instance_hours,
    "latency": instance_hours,
    "throughput": instance_hours,
    "balanced": lambda option: job_usd(option) * instance_hours(option),
}


def frontier(options: Sequence[Option]) -> tuple[FrontierPoint, ...]:
    """Return the options that nothing is both cheaper and faster than, cheapest first."""
    priced = [option for option in options if option.usd_per_hour is not None]
    points, fastest = [], INFINITY
    for option in sorted(priced, key=lambda o: (hourly(o), _speed(o), o.instance.instance_type)):
        if _speed(option) < fastest:
            fastest = _speed(option)
            points.append(_point(option))
    return tuple(points)


def _speed(option: Option) -> float:
    return instance_hours(option) if option.estimate.training is not None else request_ms(option)


def _point(option: Option) -> FrontierPoint:
    def value(name: str) -> float | None:
        figure = option.figure(name)
        return None if figure is None else figure.value

    return FrontierPoint(
        instance_type=option.instance.instance_type,
        instances=option.instances,
        usd_per_hour=hourly(option),
        ttft_ms=value("ttft_ms"),
        tpot_ms=value("tpot_ms"),
        output_tokens_per_s=value("output_tokens_per_s"),
        e2e_ms=value("e2e_ms"),
    )


# Bills in dollars, which on these markets are no higher than on demand: without a figure for a type
# that still bounds what it costs.
BOUNDED_BY_ON_DEMAND = frozenset({hourly, job_usd})
DISCOUNTS = frozenset({"spot", "savings_plan", "reserved"})
