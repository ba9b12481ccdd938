"""What counts as news: the price now, or the best pick now, held against what was last told."""

from dataclasses import dataclass, replace
from typing import Final

from bot.alerts.subscription import Subscription, Watches
from catalog.schema import Market
from catalog.units import HOURS_PER_MONTH

# Two floats that came of one price differently, in percent: a millionth of the smallest threshold
# that anybody would name.
NOISE_PERCENT: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is true now: a type (the one watched, or the best pick) and its price."""

    instance_type: str
    usd_per_hour: float  # of one instance
    instances: int = 1
    source: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One piece of news, with all that is needed to word it.

    Prices are those of one instance; `percent` and `monthly_usd` compare all instances of the pick,
    and are None where the old price was not known.
    """

    watches: Watches
    region: str
    market: Market
    request: str
    old_type: str
    new_type: str
    old_usd_per_hour: float | None
    new_usd_per_hour: float
    old_instances: int
    new_instances: int
    percent: float | None
    monthly_usd: float | None  # new minus old, at 730 h
    source: str = ""
    as_of: str = ""


def alert_of(subscription: Subscription, seen: Seen | None) -> Alert | None:
    """Return the news; None below the threshold, and where nothing is known now."""
    if seen is None or lacks_baseline(subscription):
        return None
    alert = _compared(subscription, seen)
    is_news = alert.new_type != alert.old_type or _moved(subscription, alert.percent)
    return alert if is_news else None


def lacks_baseline(subscription: Subscription) -> bool:
    """Return whether nothing was told yet that a change could be measured from."""
    known = subscription.seen_usd_per_hour is not None
    return not known if subscription.watches == "price" else not subscription.instance_type


def with_baseline(subscription: Subscription, seen: Seen) -> Subscription:
    """Return the subscription with what is true now as what was last told."""
    changed = replace(subscription, seen_usd_per_hour=seen.usd_per_hour)
    if subscription.watches == "price":
        return changed
    return replace(changed, instance_type=seen.instance_type, instances=seen.instances)


def after(subscription: Subscription, alert: Alert) -> Subscription:
    """Return the subscription once the alert is told: the next change counts from there."""
    told = Seen(
        instance_type=alert.new_type,
        usd_per_hour=alert.new_usd_per_hour,
        instances=alert.new_instances,
    )
    return with_baseline(subscription, told)


def _compared(subscription: Subscription, seen: Seen) -> Alert:
    picks = subscription.watches == "pick"
    instances = seen.instances if picks else subscription.instances
    old, new = _hourly(subscription), seen.usd_per_hour * instances
    return Alert(
        watches=subscription.watches,
        region=subscription.region,
        market=subscription.market,
        request=subscription.request,
        old_type=subscription.instance_type,
        new_type=seen.instance_type if picks else subscription.instance_type,
        old_usd_per_hour=subscription.seen_usd_per_hour,
        new_usd_per_hour=seen.usd_per_hour,
        old_instances=subscription.instances,
        new_instances=instances,
        percent=100 * (new - old) / old if old else None,
        monthly_usd=(new - old) * HOURS_PER_MONTH if old else None,
        source=seen.source,
        as_of=seen.as_of,
    )


def _hourly(subscription: Subscription) -> float | None:
    """Return what all instances cost an hour, as last told."""
    seen = subscription.seen_usd_per_hour
    return None if seen is None else seen * subscription.instances


def _moved(subscription: Subscription, percent: float | None) -> bool:
    if percent is None or (subscription.only_drops and percent > 0):
        return False
    wanted = max(subscription.threshold_percent - NOISE_PERCENT, NOISE_PERCENT)
    return abs(percent) >= wanted
