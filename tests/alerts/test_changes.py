"""What is news and what is not."""

import pytest

from bot.store.alert_changes import PriceNow, after, alert_of
from tests.alerts.channel import G5, G6, subscribed


def seen(usd_per_hour, instance_type=G6, instances=1):
    return PriceNow(instance_type=instance_type, usd_per_hour=usd_per_hour, instances=instances)


PRICE = [
    # threshold, direction, instances, seen before, now → percent, $ a month
    (10, "either", 1, 1.0, 0.90, (-10.0, -73.0)),
    (10, "either", 1, 1.0, 0.91, None),
    (10, "either", 1, 1.0, 1.10, (10.0, 73.0)),
    (10, "either", 1, 1.0, 1.09, None),
    (10, "down", 1, 1.0, 1.50, None),
    (10, "down", 1, 1.0, 0.50, (-50.0, -365.0)),
    (10, "up", 1, 1.0, 0.50, None),
    (10, "up", 1, 1.0, 1.05, None),
    (10, "up", 1, 1.0, 1.50, (50.0, 365.0)),
    (10, "either", 4, 1.0, 0.90, (-10.0, -292.0)),
    (0, "either", 1, 1.0, 1.01, (1.0, 7.3)),
    (0, "either", 1, 1.0, 1.00, None),
    (0, "either", 1, 0.3, 0.1 + 0.2, None),  # one price, two floats
    (5, "either", 1, 1.006, 0.9557, (-5.0, -36.719)),  # the threshold itself, as floats have it
    (0, "either", 1, None, 0.5, None),  # nothing to compare with
    (0, "either", 1, 1.0, None, None),  # nothing known now
]


@pytest.mark.parametrize(("threshold", "direction", "instances", "before", "now", "news"), PRICE)
def test_a_price_is_news_from_the_threshold_on(threshold, direction, instances, before, now, news):
    one = subscribed(
        threshold_percent=threshold,
        direction=direction,
        instances=instances,
        seen_usd_per_hour=before,
    )
    alert = alert_of(one, None if now is None else seen(now))

    if news is None:
        assert alert is None
    else:
        assert (alert.percent, alert.monthly_usd) == pytest.approx(news)
        assert (alert.old_usd_per_hour, alert.new_usd_per_hour) == (before, now)


PICK = [
    # before (type, $, instances), now → (new type, percent, $ a month) or None
    ((G6, 1.0, 1), (G6, 1.0, 1), None),
    ((G6, 1.0, 1), (G5, 1.0, 1), (G5, 0.0, 0.0)),
    ((G6, 1.0, 2), (G5, 0.5, 1), (G5, -75.0, -1095.0)),
    ((G6, 1.0, 1), (G6, 0.9, 1), (G6, -10.0, -73.0)),
    ((G6, 1.0, 1), (G6, 0.95, 1), None),
    ((G6, 1.0, 1), (G6, 1.0, 2), (G6, 100.0, 730.0)),  # the price of the whole pick counts
    ((G6, None, 1), (G5, 1.0, 1), (G5, None, None)),
    ((G6, None, 1), (G6, 1.0, 1), None),
    (("", None, 1), (G5, 1.0, 1), None),
]


@pytest.mark.parametrize(("before", "now", "news"), PICK)
def test_a_pick_is_news_when_it_is_another_or_its_price_moved(before, now, news):
    one = subscribed(
        watches="pick", request="inference 7B", threshold_percent=10,
        instance_type=before[0], seen_usd_per_hour=before[1], instances=before[2],
    )  # fmt: skip
    alert = alert_of(one, seen(now[1], now[0], now[2]))

    if news is None:
        assert alert is None
    else:
        assert (alert.old_type, alert.new_type) == (before[0], news[0])
        assert alert.percent == pytest.approx(news[1])
        assert alert.monthly_usd == pytest.approx(news[2])


def test_the_same_type_in_another_region_is_another_pick():
    one = subscribed(watches="pick", request="inference 7B", threshold_percent=10)
    there = PriceNow(instance_type=G6, usd_per_hour=1.0, region="eu-central-1")
    alert = alert_of(one, there)
    assert (alert.old_region, alert.region) == ("us-east-1", "eu-central-1")
    assert alert_of(after(one, alert), there) is None
    assert after(one, alert).region == "eu-central-1"


@pytest.mark.parametrize("watches", ["price", "pick"])
def test_what_was_told_is_no_news_any_more(watches):
    one = subscribed(watches=watches, request="inference 7B", instances=3)
    now = seen(0.5, G6 if watches == "price" else G5, instances=2)
    told = after(one, alert_of(one, now))

    assert alert_of(told, now) is None
    assert (told.id, told.place, told.request) == (one.id, one.place, one.request)


def test_a_slow_drift_adds_up_from_what_was_last_told():
    one, told = subscribed(threshold_percent=10), []
    for n in range(1, 31):
        alert = alert_of(one, seen(1.0 - 0.01 * n))
        if alert is not None:
            one = after(one, alert)
            told.append(round(alert.new_usd_per_hour, 2))
    assert told == [0.9, 0.81, 0.72]
