"""What a move saves and costs, and where it breaks even: by price, by load, by market."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from catalog.catalog import Catalog
from catalog.facts.schema import Market
from engine.core.workload import Workload
from engine.plans.phases import CanaryStage, CompileJob, Pilot
from engine.plans.sides import Side

UnitOfWork = Literal["month", "job", "million_tokens"]
MARKETS: Final[tuple[Market, ...]] = ("on_demand", "capacity_block", "savings_plan", "spot")
MOST_COPIES = 64  # how far a break-even load is looked for
EXACT = 1e-9  # a load that fills whole copies exactly needs the next one just above it


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """What moving saves and costs: per month of serving, per job, or per million batch tokens."""

    per: UnitOfWork
    source_usd: float
    target_usd: float
    saved_usd: float
    saved_share: float
    one_off_usd: float | None  # compile, pilot and running both sides
    pays_back_after: float | None  # months, jobs or millions of tokens
    source_wins_from_requests_per_s: float | None  # the first load at which the old side costs less


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherMarket:
    """A market on which moving saves money today, both sides bought there."""

    market: Market
    source_usd_per_hour: float
    target_usd_per_hour: float
    saved_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """When moving would pay: by price, by load (from where the new side is cheaper), by market."""

    target_usd_per_hour: float
    discount_share: float
    requests_per_s: float | None
    markets: tuple[OtherMarket, ...] = ()


def unit_of_work(workload: Workload, *, trains: bool) -> UnitOfWork:
    """Return what both sides are billed for alike: a job, tokens that wait, or being there."""
    if trains:
        return "job"
    return "million_tokens" if workload.mode == "batch" else "month"


def one_off_usd(
    before: Side,
    after: Side,
    compiling: CompileJob | None,
    pilot: Pilot,
    stages: tuple[CanaryStage, ...],
) -> float | None:
    """Return what moving costs once: compile job, pilot, and both sides during the rollout."""
    known = (compiling.usd if compiling else 0.0, pilot.usd, after.usd_per_hour)
    if any(amount is None for amount in known) or before.usd_per_hour is None:
        return None
    compile_usd, pilot_usd, after_usd = (amount or 0.0 for amount in known)
    one_usd = after_usd / max(1, after.instances)
    both = sum(stage.target_instances * stage.hours * one_usd for stage in stages)
    return compile_usd + pilot_usd + both


def money_of(
    before: Side, after: Side, once_usd: float | None, per: UnitOfWork = "month"
) -> Money | None:
    """Return the bill of both sides for the same work; None where one has no price."""
    old, new = (
        {
            "job": side.usd_total,
            "million_tokens": side.usd_per_million_tokens,
            "month": side.usd_per_month,
        }[per]
        for side in (before, after)
    )
    if old is None or new is None or old <= 0:
        return None
    saved = old - new
    pays_back = once_usd / saved if once_usd is not None and saved > 0 else None
    return Money(
        per=per,
        source_usd=old,
        target_usd=new,
        saved_usd=saved,
        saved_share=saved / old,
        one_off_usd=once_usd,
        pays_back_after=pays_back,
        source_wins_from_requests_per_s=(
            break_even_load(after, before) if per == "month" and saved > 0 else None
        ),
    )


def break_even(money: Money, before: Side, after: Side, catalog: Catalog) -> BreakEven | None:
    """Return the target's price at which both sides cost the same, and the load where it wins."""
    old, new = before.usd_per_hour, after.usd_per_hour
    if old is None or new is None:
        return None
    price = new * money.source_usd / money.target_usd
    return BreakEven(
        target_usd_per_hour=price,
        discount_share=1 - price / new,
        requests_per_s=break_even_load(before, after) if money.per == "month" else None,
        markets=tuple(_other_markets(before, after, price / old, catalog)),
    )


def _other_markets(
    before: Side, after: Side, price_ratio: float, catalog: Catalog
) -> Iterator[OtherMarket]:
    """Yield the markets where the target's price over the source's is below the break-even's."""
    old_type, new_type = (catalog.instances[s.instance_type] for s in (before, after))
    for market in MARKETS:
        old = catalog.prices.quote(old_type, before.region, market).usd_per_hour
        new = catalog.prices.quote(new_type, after.region, market).usd_per_hour
        if market == after.market or old is None or new is None:
            continue
        old, new = old * before.instances, new * after.instances
        saved = 1 - new / (price_ratio * old)
        if saved > 0:
            yield OtherMarket(
                market=market,
                source_usd_per_hour=old,
                target_usd_per_hour=new,
                saved_share=saved,
            )


def break_even_load(before: Side, after: Side) -> float | None:
    """Return the requests a second above which the new side costs less, None if there is none.

    Each side buys whole copies of its plan; the new side starts to win just where the old one
    needs another copy, so only full copies of the old side are tried.
    """
    old_rate, new_rate = before.requests_per_s, after.requests_per_s
    if old_rate is None or new_rate is None or not before.usd_per_hour or not after.usd_per_hour:
        return None
    for copies in range(MOST_COPIES):
        load = copies * old_rate.value
        old_usd = (copies + 1) * before.usd_per_hour
        new_copies = int(load / new_rate.value + EXACT) + 1
        if new_copies * after.usd_per_hour < old_usd:
            return load
    return None
