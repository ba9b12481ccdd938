"""The first day of a capacity block, as people say it."""

from datetime import date

import pytest

from bot.language.parse import parse
from bot.language.text.starts import start_date

SATURDAY = date(2026, 11, 28)

SAID = [
    ("train 8B on a capacity block for 2 weeks from Monday", "monday"),
    ("capacity block for 2 weeks starting next Tuesday, train 8B", "tuesday"),
    ("p5.48xlarge capacity block for 3 days from 2026-12-01", "2026-12-01"),
    ("train 8B, capacity block for a week, starts tomorrow", "tomorrow"),
    ("migrate from g4dn on a capacity block", None),
    ("train 8B in 2 weeks from Monday", None),  # nothing is reserved
]


@pytest.mark.parametrize(("text", "words"), SAID)
def test_the_day_is_understood(catalog, text, words):
    understood = parse(text, catalog)
    assert understood.asked.block_starts == words
    if words is not None:
        assert understood.not_understood == ()
        assert understood.workload.market == "capacity_block"


@pytest.mark.parametrize(
    ("words", "day"),
    [
        (None, None),
        ("monday", date(2026, 11, 30)),
        ("saturday", date(2026, 12, 5)),  # the next one, not today
        ("next week", date(2026, 11, 30)),
        ("tomorrow", date(2026, 11, 29)),
        ("today", SATURDAY),
        ("2026-12-01", date(2026, 12, 1)),
        ("2026-02-31", None),
    ],
)
def test_the_day_meant(words, day):
    assert start_date(words, SATURDAY) == day
