"""One bill against another: what a move saves, which of several is cheapest, what to move to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.answers.facts.subject import Subject, speaks_of_a_workload, table_reply
from bot.answers.pick import recommendation_of, shown_picks
from bot.answers.planning import about
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.limits_met import FIELD_WORDS, limit_value
from bot.cards.runner_ups import misses_words
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.figures import percent, usd, usd_per_hour
from bot.core.wording import machines
from catalog.facts.schema import Instance
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.limits import limit_checks
from engine.core.result import LimitCheck, Number, Pick, Recommendation
from engine.core.workload import Workload, owned_hardware
from engine.what_if.sizing import strength_of, successors

SAME_USD: Final = 0.5
NO_MODEL: Final = (
    "Chosen as newer, with as much memory and more speed: name the model to have it judged."
)
NO_PRICE: Final = "no price is known"
OPEN_HARDWARE: Final[dict[str, Any]] = dict.fromkeys(
    ("instance", "gpu", "gpu_count", "gpu_memory_gb", "allow", "compare_family", "nodes")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """So many machines and what they cost: a month of a service, a run of a job."""

    instance: Instance
    count: int
    usd_per_hour: float | None  # of all of them
    usd_per_run: float | None = None  # of a training job
    misses: str = ""  # where they do not do, and by how much
    limits: tuple[LimitCheck, ...] = ()
    speed: tuple[str, float] | None = None  # what is compared where there are no limits

    @property
    def name(self) -> str:
        """The machines: `2 × p5.48xlarge`."""
        return machines(self.instance.instance_type, self.count)

    @property
    def usd(self) -> float | None:
        """The bill of a month of 730 hours, of a job that of a run."""
        if self.usd_per_run is not None or self.usd_per_hour is None:
            return self.usd_per_run
        return self.usd_per_hour * HOURS_PER_MONTH

    @property
    def per(self) -> str:
        """What the bill is of."""
        return "a month" if self.usd_per_run is None else "a run"

    @property
    def verdict(self) -> str:
        """How it stands to its limits, in a word or two."""
        if self.misses:
            return self.misses
        if any(check.verdict == "tight" for check in self.limits):
            return "may miss"
        return "meets" if self.limits else ""


def savings_turn(turn: Turn) -> Reply:
    """Return what is saved a month and a year against what runs now, or against the other one.

    Raises:
        RequestError: there is nothing to compare with.
    """
    ours, others = _sides(turn)
    rows = [
        (*_compared_row(bill), _saved_words(bill, ours), bill.verdict) for bill in (ours, *others)
    ]
    return table_reply(
        turn,
        _subject(turn, ours),
        title=f"What {ours.name} saves",
        line=_savings_line(ours, others[0]),
        columns=("machines", "an hour", ours.per, "saved", "limits"),
        rows=rows,
        notes=(*_said_price(turn), *_price_days(turn, (ours, *others))),
        numbers=_bills_compared((ours, *others)),
        verdict="computed",
        sized=True,
    )


def upgrade_turn(turn: Turn) -> Reply:
    """Return what to move to from the machine that is named, and the two numbers that decided.

    Raises:
        RequestError: no machine is named, or no workload to judge it by.
    """
    running = _running_bill(turn)
    named = _named_bills(turn) if running is None else [running]
    if not named:
        message = "Say which type runs now, best with the model on it."
        raise RequestError("no_context", message, field="instance", example=example("upgrade"))
    now, sized = named[0], speaks_of_a_workload(turn.workload)
    best = _bill_after_move(turn, now)
    return table_reply(
        turn,
        _subject(turn, best),
        title=f"From {now.name}",
        line=_upgrade_line(now, best),
        columns=("", "machines", "an hour", best.per, "limits"),
        rows=[
            ("runs now", *_compared_row(now), now.verdict),
            ("move to", *_compared_row(best), best.verdict),
        ],
        notes=(*_said_price(turn), *_price_days(turn, (now, best)), "" if sized else NO_MODEL),
        numbers=_bills_compared((now, best)),
        verdict="computed",
        sized=True,
    )


def cheapest_monthly_turn(turn: Turn) -> Reply:
    """Return which of those compared, else of those shown, is cheapest a month."""
    bills = _named_bills(turn)
    if len(bills) < 2 and speaks_of_a_workload(turn.workload):
        bills = [_bill_of_pick(pick) for pick in shown_picks(recommendation_of(turn))]
    ranked = sorted(bills, key=lambda bill: (bill.usd is None, bill.usd or 0.0))
    if not ranked:
        raise RequestError("no_context", "Name the types to compare, or a model to pick one for.")
    return table_reply(
        turn,
        _subject(turn, ranked[0]),
        title=f"Cheapest {ranked[0].per}",
        line=_cheapest_line(ranked),
        columns=("machines", "an hour", ranked[0].per, "limits"),
        rows=[(*_compared_row(bill), bill.verdict) for bill in ranked],
        notes=_price_days(turn, ranked),
        numbers=_bills_compared(ranked),
        verdict="computed",
        sized=True,
    )


def _sides(turn: Turn) -> tuple[Bill, list[Bill]]:
    """Return what is to be run, and against what: what runs now, types named, else those shown."""
    named, running = _named_bills(turn), _running_bill(turn)
    if running is not None:
        others = [bill for bill in named if bill.instance != running.instance]
        return (others[0] if others else _bill_after_move(turn, running)), [running]
    if len(named) > 1:
        cheapest = min(named, key=lambda bill: bill.usd or float("inf"))
        return cheapest, [bill for bill in named if bill is not cheapest]
    if not speaks_of_a_workload(turn.workload):
        raise RequestError(
            "no_context", "Say against what: two types, or what runs now and the model on it."
        )
    if named:
        return _open_bill(turn), named
    shown = [_bill_of_pick(pick) for pick in shown_picks(recommendation_of(turn))]
    if len(shown) < 2:
        raise RequestError("invalid_value", "Say what runs now: there is one machine to speak of.")
    return shown[0], shown[1:]


def _named_bills(turn: Turn) -> list[Bill]:
    """Return the bill of each type that this text names, held to the limits of any other."""
    types = turn.world.catalog.instances
    several = turn.understanding.alternatives.get("instance", ())
    said = turn.workload.instance if "instance" in turn.understanding.said else None
    # "Instead of g5.12xlarge" leaves that type out, and asks what it would have cost.
    left_out = turn.workload.exclude if "exclude" in turn.understanding.said else None
    told = several or (said, turn.workload.compare_family, *(left_out or ()))
    named = [str(name) for name in dict.fromkeys(told) if name in types]
    if not named or not speaks_of_a_workload(turn.workload):
        return [_bill_alone(turn, types[name]) for name in named]
    held_to = _open_answer(turn).workload
    return [_bill_of_type(turn, types[name], held_to) for name in named]


def _running_bill(turn: Turn) -> Bill | None:
    """Return the bill of what runs today: as many as were said, at what is paid where that was."""
    owned = None if turn.workload.owned is None else owned_hardware(turn.workload.owned)
    instance = None if owned is None else turn.world.catalog.instances.get(owned.name)
    if owned is None or instance is None:
        return None
    listed = _bill_alone(turn, instance)
    each = listed.usd_per_hour if owned.usd_per_hour is None else owned.usd_per_hour
    return _as_many(replace(listed, usd_per_hour=each), owned.count)


def _as_many(one: Bill, count: int) -> Bill:
    """Return the bill of so many of one machine."""
    paid = None if one.usd_per_hour is None else one.usd_per_hour * count
    speed = None if one.speed is None else (one.speed[0], one.speed[1] * count)
    return replace(one, count=count, usd_per_hour=paid, speed=speed)


def _said_price(turn: Turn) -> Iterator[str]:
    """Yield that a price is the one that was said, where what runs today has one."""
    owned = None if turn.workload.owned is None else owned_hardware(turn.workload.owned)
    if owned is not None and owned.usd_per_hour is not None:
        yield f"{owned.name} at {usd_per_hour(owned.usd_per_hour)} each, as you said."


def _bill_after_move(turn: Turn, running: Bill) -> Bill:
    """Return the bill of what takes the place of what runs: the pick where work was spoken of."""
    sized = speaks_of_a_workload(turn.workload)
    return _open_bill(turn) if sized else _newer(turn, running)


def _bill_of_type(turn: Turn, instance: Instance, held_to: Workload) -> Bill:
    """Return the bill of a type for the workload; where it does not run it, of as many as said."""
    named = {"instance": instance.instance_type, "nodes": turn.workload.nodes}
    result = recommendation_of(about(turn, **(OPEN_HARDWARE | named)))
    if result.asked is not None:
        pick = result.asked
        checks = limit_checks(held_to, pick.estimate, pick.cost)
        return _bill_of_pick(replace(pick, limits=checks))
    rejection = result.asked_rejection
    why = "does not run it" if rejection is None else rejection.detail
    return replace(_bill_alone(turn, instance), misses=why)


def _bill_alone(turn: Turn, instance: Instance) -> Bill:
    """Return the bill of a type that is only priced."""
    workload, count = turn.workload, turn.workload.nodes or 1
    region = workload.region or turn.world.default_region
    prices = turn.world.catalog.prices
    quote = prices.quote(instance, region, workload.market or "on_demand")
    whole = None if quote.usd_per_hour is None else quote.usd_per_hour * count
    has = strength_of(instance, turn.world.catalog)
    speed = None if has is None else (has.rate_name, has.rate * count)
    return Bill(instance=instance, count=count, usd_per_hour=whole, speed=speed)


def _bill_of_pick(pick: Pick) -> Bill:
    return Bill(
        instance=pick.instance,
        count=pick.instances,
        usd_per_hour=pick.cost.usd_per_hour,
        usd_per_run=pick.cost.usd_total,
        misses=misses_words(pick),
        limits=pick.limits,
        speed=_compared_speed(pick),
    )


def _compared_speed(pick: Pick) -> tuple[str, float] | None:
    """Return the figure that is compared where nobody set a limit, by the field of a limit."""
    full, trained = pick.estimate.at_max, pick.estimate.training
    if trained is not None and trained.time_h is not None:
        return "time_h", trained.time_h.value
    if full is not None and full.output_tokens_per_s is not None:
        return "output_tokens_per_s", full.output_tokens_per_s.value
    return None


def _open_answer(turn: Turn) -> Recommendation:
    """Return the answer without the type that this text names: the thread's, else the open one."""
    before = turn.previous
    kept = {} if before is None else {name: getattr(before, name) for name in OPEN_HARDWARE}
    return recommendation_of(about(turn, **(OPEN_HARDWARE | kept)))


def _open_bill(turn: Turn) -> Bill:
    """Return the bill of the thread's pick, else of the best of all types.

    Raises:
        RequestError: nothing fits.
    """
    shown = shown_picks(_open_answer(turn))
    if not shown:
        raise RequestError("invalid_value", "Nothing fits, so there is nothing to move to.")
    return _bill_of_pick(shown[0])


def _newer(turn: Turn, now: Bill) -> Bill:
    """Return as many of the cheapest newer type of the same kind with as much of all, else now."""
    count = 1 if turn.workload.nodes else now.count  # a bill alone is of the nodes that were said
    newer = successors(now.instance, turn.world.catalog)
    bills = [_as_many(_bill_alone(turn, other), count) for other in newer]
    return min(bills, key=lambda bill: (bill.usd is None, bill.usd or 0.0, bill.name), default=now)


def _subject(turn: Turn, bill: Bill) -> Subject:
    """Return what the reply is about; its notes come from the workload where there is one."""
    sized = speaks_of_a_workload(turn.workload)
    return Subject(
        instance=bill.instance,
        count=bill.count,
        region=turn.workload.region or turn.world.default_region,
        result=_open_answer(turn) if sized else None,
    )


def _savings_line(ours: Bill, theirs: Bill) -> str:
    """Return what is saved, a service's a year as well; less than nothing is said as it is."""
    if ours.usd is None or theirs.usd is None:
        return f"Not known: {NO_PRICE} of {(ours if ours.usd is None else theirs).name}."
    saved, per = theirs.usd - ours.usd, ours.per
    bills = f"{usd(ours.usd)} against {usd(theirs.usd)} {per}"
    if abs(saved) < SAME_USD:
        return f"Nothing: {ours.name} and {theirs.name} cost the same, {usd(ours.usd)} {per}."
    if saved < 0:
        return f"Nothing: {ours.name} costs {usd(-saved)} {per} more than {theirs.name} ({bills})."
    a_year = f", {usd(12 * saved)} a year" if ours.usd_per_run is None else ""
    less = percent(saved / theirs.usd)
    told = f"{ours.name} saves {usd(saved)} {per}{a_year}, against {theirs.name}"
    return f"{told} ({bills}, {less} less){_warning(ours)}."


def _warning(bill: Bill) -> str:
    """Return what must be told beside a bill: that it may miss a limit, or does."""
    return f"; it {bill.verdict}" if bill.verdict not in {"", "meets"} else ""


def _cheapest_line(ranked: Sequence[Bill]) -> str:
    """Return the cheapest that meets its limits, and what is cheaper and does not."""
    first, *others = [bill for bill in ranked if not bill.misses] or ranked
    if first.usd is None:
        return f"Not known: {NO_PRICE} of {first.name}."
    told = f"{first.name} is cheapest: {usd(first.usd)} {first.per}{_warning(first)}"
    priced = [(bill.name, bill.usd) for bill in others if bill.usd is not None]
    told += "".join(f"; next {name}, {usd(amount)}" for name, amount in priced[:1])
    under = next((b for b in ranked if b.misses and b.usd is not None and b.usd < first.usd), None)
    if under is not None and under.usd is not None:
        told += f"; {under.name} would be {usd(under.usd)} but {under.misses}"
    return f"{told}."


def _upgrade_line(now: Bill, best: Bill) -> str:
    """Return the move and the two numbers that decided: the bill, and a figure that both have."""
    if now.instance == best.instance:
        return f"Stay on {now.name}: nothing better is known{_warning(best)}."
    bills = " against ".join(
        "no known price" if bill.usd is None else f"{usd(bill.usd)} {bill.per}"
        for bill in (best, now)
    )
    told = f"Move from {now.name} to {best.name}: {bills}"
    pairs = [
        (check.field, check.value, other.value)
        for check in best.limits
        for other in now.limits
        if check.field == other.field and not check.field.startswith("usd")
    ]
    if not pairs and best.speed is not None and now.speed is not None:
        pairs = [(*best.speed, now.speed[1])]
    for name, ours, theirs in pairs[:1]:
        figures = f"{limit_value(name, ours)} against {limit_value(name, theirs)}"
        told += f", {FIELD_WORDS.get(name, name)} {figures}"
    return f"{told}{'' if pairs else _warning(now)}{_warning(best)}."


def _compared_row(bill: Bill) -> tuple[str, ...]:
    """Return machines, an hour, and the bill by the month or the run."""
    an_hour = "not known" if bill.usd_per_hour is None else usd_per_hour(bill.usd_per_hour)
    return bill.name, an_hour, "not known" if bill.usd is None else usd(bill.usd)


def _saved_words(bill: Bill, ours: Bill) -> str:
    if bill is ours or bill.usd is None or ours.usd is None:
        return "-"
    return usd(bill.usd - ours.usd) if bill.usd >= ours.usd else "none"


def _price_days(turn: Turn, bills: Sequence[Bill]) -> list[str]:
    """Return of which day the prices are."""
    region = turn.workload.region or turn.world.default_region
    market, prices = turn.workload.market or "on_demand", turn.world.catalog.prices
    quotes = [prices.quote(bill.instance, region, market) for bill in bills]
    days = sorted({quote.as_of for quote in quotes if quote.as_of})
    return [f"Prices of {' to '.join(dict.fromkeys((days[0], days[-1])))}."] if days else []


def _bills_compared(bills: Sequence[Bill]) -> tuple[Number, ...]:
    known = ((bill.name, bill.usd, bill.per) for bill in bills if bill.usd is not None)
    return tuple(Number(name, amount, f"USD/{per[2:]}") for name, amount, per in known)
