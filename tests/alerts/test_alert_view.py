"""What an alert says, in blocks and as text."""

import json
from dataclasses import replace

import pytest

from bot.cards.alert_card import MOST_SHOWN, alert_message, alert_view
from bot.store.alert_changes import PriceNow, alert_of
from tests.alerts.channel import G5, G6, subscribed
from tests.slack.block_limits import refusal


def news(usd_per_hour=0.9, instance_type=G6, now_instances=1, now_in="", **fields):
    """Return the alert that a subscription of $1 an hour comes to."""
    one = subscribed(seen_on="2026-11-01", **fields)
    seen = PriceNow(
        instance_type=instance_type, usd_per_hour=usd_per_hour, instances=now_instances,
        region=now_in,
        source="pricing_api", as_of="2026-11-28",
    )  # fmt: skip
    return alert_of(one, seen)


def text_of(*alerts):
    return alert_message(alert_view(alerts))["text"].splitlines()


WORKLOAD = {"request": "inference 7B", "instances": 4}
SAID = [
    # the alert, its title, what else it says
    (news(), "g6.xlarge in us-east-1 costs 10.0 % less",
     ["$1.00/h → $0.90/h (−10.0 %)", "−$73.00/month at 730 h, around the clock.",
      "AWS list price of 2026-11-28, AWS Pricing API; before: 2026-11-01."]),
    (news(1.05), "g6.xlarge in us-east-1 costs 5.0 % more",
     ["$1.00/h → $1.05/h (+5.0 %)", "+$36.50/month at 730 h, around the clock."]),
    (news(market="savings_plan", term_years=3), "g6.xlarge in us-east-1 costs 10.0 % less",
     ["Savings Plan rate of 2026-11-28, AWS Pricing API, 3 years; before: 2026-11-01."]),
    (news(**WORKLOAD), "4 × g6.xlarge in us-east-1 costs 10.0 % less",
     ["$4.00/h → $3.60/h (−10.0 %)", "−$292/month at 730 h, for “inference 7B”."]),
    (replace(news(**WORKLOAD), old_best=G5, new_best=G6), "4 × g6.xlarge in us-east-1 costs",
     ["The best pick for it is now g6.xlarge; it was g5.xlarge."]),
    (replace(news(**WORKLOAD), old_best=G6, new_best=G6), "4 × g6.xlarge in us-east-1 costs",
     ["The best pick for it is still g6.xlarge."]),
    (replace(news(**WORKLOAD), new_best=G6), "4 × g6.xlarge in us-east-1 costs",
     ["The best pick for it is g6.xlarge."]),
    (news(0.8, G5, 2, watches="pick", request="inference 7B"), "New best pick: 2 × g5.xlarge",
     ["g6.xlarge $1.00/h → 2 × g5.xlarge $1.60/h (+60.0 %)",
      "+$438/month at 730 h, for “inference 7B”."]),
    (news(1.0, G5, watches="pick", request="7B"), "New best pick: g5.xlarge",
     ["g6.xlarge $1.00/h → g5.xlarge $1.00/h (+0.0 %)", "About the same cost a month, for “7B”."]),
    (news(0.9, watches="pick", request="7B", now_in="eu-central-1"),
     "New best pick: g6.xlarge in eu-central-1",
     ["g6.xlarge in us-east-1 $1.00/h → g6.xlarge in eu-central-1 $0.90/h (−10.0 %)"]),
    (news(0.5, watches="pick", request="7B"),
     "The best pick, g6.xlarge in us-east-1, costs 50.0 % less", ["$1.00/h → $0.50/h (−50.0 %)"]),
    (news(0.5, G5, watches="pick", request="7B", seen_usd_per_hour=None),
     "New best pick: g5.xlarge", ["g6.xlarge no known price → g5.xlarge $0.50/h"]),
]  # fmt: skip


@pytest.mark.parametrize(("alert", "title", "said"), SAID)
def test_an_alert_says_old_new_percent_and_what_it_means(alert, title, said):
    first, *lines = text_of(alert)
    assert first.startswith(title)
    assert [line for line in said if line not in lines] == []


@pytest.mark.parametrize(("alert", "title", "said"), SAID)
def test_the_blocks_say_the_same_and_slack_takes_them(alert, title, said):
    blocks = alert_message(alert_view([alert]))["blocks"]
    assert refusal(blocks) is None
    assert blocks[0]["text"]["text"].startswith(title)
    shown = json.dumps(blocks, ensure_ascii=False)
    assert [line for line in said if line not in shown] == []


def test_a_digest_counts_its_changes_and_holds_each():
    alerts = [news(every="weekly"), news(0.5, every="weekly", instance_type=G5)]
    first, *lines = text_of(*alerts)
    assert first == "Your weekly digest: 2 changes"
    assert sum("→" in line for line in lines) == 2


def test_a_long_digest_keeps_to_what_slack_takes():
    alerts = [news(every="daily", region=f"r{n}") for n in range(MOST_SHOWN + 9)]
    message = alert_message(alert_view(alerts))
    assert refusal(message["blocks"]) is None
    assert "And 9 more changes." in json.dumps(message["blocks"])
    assert message["text"].endswith("And 9 more changes.")


def test_what_somebody_asked_can_neither_ping_nor_format():
    hostile = "7B <!channel> <@U1> *x* `y` & <https://e.example|z>\n• forged"
    shown = json.dumps(alert_message(alert_view([news(request=hostile)]))["blocks"])
    assert "<" not in shown.replace("&lt;", "")
    assert "*x*" not in shown
    assert "\\n• forged" not in shown
