"""What counts as news: the price now, or the best pick now, held against what was last told."""

from dataclasses import dataclass, replace
from typing import Final

from bot.core.subscription import Direction, Every, Subscription, Watches
from catalog.facts.schema import Market
from catalog.facts.units import HOURS_PER_MONTH

# Two floats that came of one price differently, in percent: a millionth of the smallest threshold
# that anybody would name.
NOISE_PERCENT: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceNow:
    """What is true now: a type (the one watched, or the best pick) and its price."""

    instance_type: str
    usd_per_hour: float  # of one instance
    instances: int = 1
    region: str = ""  # of a pick: its request may leave several open
    source: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One piece of news, with all that is needed to word it.

    Prices are those of one instance; `percent` and `monthly_usd` compare all instances of the pick,
    and are None where the old price was not known.
    """

    subscription: str  # its id
    watches: Watches
    region: str
    market: Market
    term_years: int
    request: str
    old_type: str
    new_type: str
    old_usd_per_hour: float | None
    new_usd_per_hour: float
    old_instances: int
    new_instances: int
    percent: float | None
    monthly_usd: float | None  # new minus old, at 730 h
    old_region: str = ""
    every: Every = ""  # how often its digest is told, where it is in one
    old_on: str = ""  # ISO date
    source: str = ""
    as_of: str = ""
    # A price watched for a workload: the best pick for it before and now ("": not known).
    old_best: str = ""
    new_best: str = ""


def alert_of(subscription: Subscription, seen: PriceNow | None) -> Alert | None:
    """Return the news; None below the threshold, and where nothing is known now."""
    if seen is None or lacks_baseline(subscription):
        return None
    alert = _compared(subscription, seen)
    return alert if is_another(alert) or _moved(subscription, alert.percent) else None


def is_another(alert: Alert) -> bool:
    """Return whether the pick is another one: another type, or the same in another region."""
    return (alert.new_type, alert.region) != (alert.old_type, alert.old_region)


def lacks_baseline(subscription: Subscription) -> bool:
    """Return whether nothing was told yet that a change could be measured from."""
    known = subscription.seen_usd_per_hour is not None
    return not known if subscription.watches == "price" else not subscription.instance_type


def with_baseline(subscription: Subscription, seen: PriceNow) -> Subscription:
    """Return the subscription with what is true now as what was last told."""
    changed = replace(subscription, seen_usd_per_hour=seen.usd_per_hour, seen_on=seen.as_of)
    if subscription.watches == "price":
        return changed
    return replace(
        changed,
        instance_type=seen.instance_type,
        instances=seen.instances,
        region=seen.region or subscription.region,
    )


def after(subscription: Subscription, alert: Alert) -> Subscription:
    """Return the subscription once the alert is told: the next change counts from there."""
    told = PriceNow(
        instance_type=alert.new_type,
        usd_per_hour=alert.new_usd_per_hour,
        instances=alert.new_instances,
        region=alert.region,
        as_of=alert.as_of,
    )
    known = with_baseline(subscription, told)
    return replace(known, best_type=alert.new_best or known.best_type)


def merged(earlier: Alert, later: Alert) -> Alert:
    """Return two alerts of one subscription as the one change that they come to."""
    old = _hourly(earlier.old_usd_per_hour, earlier.old_instances)
    new = later.new_usd_per_hour * later.new_instances
    return replace(
        later,
        old_type=earlier.old_type,
        old_usd_per_hour=earlier.old_usd_per_hour,
        old_instances=earlier.old_instances,
        old_region=earlier.old_region,
        old_on=earlier.old_on,
        old_best=earlier.old_best,
        percent=_percent_change(old, new),
        monthly_usd=_monthly(old, new),
    )


def _compared(subscription: Subscription, seen: PriceNow) -> Alert:
    picks = subscription.watches == "pick"
    instances = seen.instances if picks else subscription.instances
    old = _hourly(subscription.seen_usd_per_hour, subscription.instances)
    new = seen.usd_per_hour * instances
    return Alert(
        subscription=subscription.id,
        watches=subscription.watches,
        region=(picks and seen.region) or subscription.region,
        market=subscription.market,
        term_years=subscription.term_years,
        request=subscription.request,
        old_type=subscription.instance_type,
        new_type=seen.instance_type if picks else subscription.instance_type,
        old_usd_per_hour=subscription.seen_usd_per_hour,
        new_usd_per_hour=seen.usd_per_hour,
        old_instances=subscription.instances,
        new_instances=instances,
        percent=_percent_change(old, new),
        monthly_usd=_monthly(old, new),
        old_region=subscription.region,
        every=subscription.every,
        old_on=subscription.seen_on,
        source=seen.source,
        as_of=seen.as_of,
        old_best=subscription.best_type,
    )


def _hourly(usd_per_hour: float | None, instances: int) -> float | None:
    """Return what all instances cost an hour."""
    return None if usd_per_hour is None else usd_per_hour * instances


def _percent_change(old: float | None, new: float) -> float | None:
    return 100 * (new - old) / old if old else None


def _monthly(old: float | None, new: float) -> float | None:
    return (new - old) * HOURS_PER_MONTH if old else None


def _moved(subscription: Subscription, percent: float | None) -> bool:
    if percent is None or not _is_watched(subscription.direction, percent):
        return False
    wanted = max(subscription.threshold_percent - NOISE_PERCENT, NOISE_PERCENT)
    return abs(percent) >= wanted


def _is_watched(direction: Direction, percent: float) -> bool:
    """Return whether a change in this direction is one to be told of."""
    if direction == "either":
        return True
    return percent < 0 if direction == "down" else percent > 0
