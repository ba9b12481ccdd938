"""What a click says of a card whose price has moved on."""

import pytest

from bot.slack.talk.fresh import repriced_words
from catalog.facts.schema import Quote

CARD = {"instance_type": "g6.xlarge", "region": "us-east-1", "market": "on_demand",
        "as_of": "2026-07-20", "usd_per_hour": 0.8}  # fmt: skip


def quote(usd, day, **other):
    fields = {"instance_type": "g6.xlarge", "region": "us-east-1", "market": "on_demand"} | other
    return Quote(**fields, usd_per_hour=usd, source="pricing_api", as_of=day)


LEAD = "The card's prices were of 2026-07-20 (g6.xlarge $0.80/h), now of "


@pytest.mark.parametrize(
    ("quotes", "words"),
    [
        ([quote(1.0, "2026-09-25")], f"{LEAD}2026-09-25: $1.00/h (+25.0 %)."),
        ([quote(0.6, "2026-09-25")], f"{LEAD}2026-09-25: $0.60/h (−25.0 %)."),
        ([quote(0.8, "2026-09-25")], f"{LEAD}2026-09-25: unchanged at $0.80/h."),
        ([quote(0.6, "2026-07-20")], f"{LEAD}2026-07-20: $0.60/h (−25.0 %)."),  # spot, same day
        ([quote(0.8, "2026-07-20")], ""),
        ([quote(0.8004, "2026-07-20")], ""),
        ([quote(1.0, "2026-07-19")], ""),  # AWS answered then and does not now
        ([], ""),
        ([quote(1.0, "2026-09-25", region="us-east-2")], ""),
        ([quote(1.0, "2026-09-25", market="spot")], ""),
        ([quote(1.0, "2026-09-25", instance_type="g6.2xlarge")], ""),
        (
            [quote(None, "2026-09-25", why_unpriced="sold out")],
            f"{LEAD}2026-09-25: no price (sold out).",
        ),
    ],
)
def test_what_is_said_of_an_older_price(quotes, words):
    assert repriced_words(CARD, quotes) == words


@pytest.mark.parametrize(
    "odd", [{}, CARD | {"usd_per_hour": None}, CARD | {"usd_per_hour": "x"}, CARD | {"as_of": None}]
)
def test_a_card_that_tells_no_price_says_nothing(odd):
    assert repriced_words(odd, [quote(1.0, "2026-09-25")]) == ""


def test_a_price_of_nothing_is_not_divided_by():
    assert repriced_words(CARD | {"usd_per_hour": 0}, [quote(1.0, "2026-09-25")])
