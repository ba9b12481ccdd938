import pytest

from bot.cards.limits_met import limit_words, verdict_words
from bot.core import figures
from engine.core.estimate import Figure
from engine.core.result import LimitCheck


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (1.861, "$1.861"),
        (6.88, "$6.88"),
        (0.80484, "$0.805"),
        (0.0416, "$0.0416"),
        (0.5, "$0.50"),
        (98.32, "$98.32"),
        (1358.53, "$1,359"),
        (0.00001, "under $0.0001"),
    ],
)
def test_usd(amount, text):
    assert figures.usd(amount) == text


@pytest.mark.parametrize(
    ("amount", "text"), [(1.861, "$1.861/h"), (98.32, "$98.32/h"), (1573.12, "$1,573.12/h")]
)
def test_usd_per_hour(amount, text):
    assert figures.usd_per_hour(amount) == text


@pytest.mark.parametrize(
    ("amount", "text"), [(0.3565, "$0.36"), (16.94, "$16.94"), (0.0012, "$0.0012"), (0.09, "$0.09")]
)
def test_usd_estimated(amount, text):
    assert figures.usd_estimated(amount) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0123, "0.012"),
        (0.42, "0.42"),
        (0.996, "1.0"),
        (5.14, "5.1"),
        (9.96, "10"),
        (48.4, "48"),
        (999.7, "1,000"),
        (1454, "1,450"),
        (148800, "149,000"),
    ],
)
def test_quantity(value, text):
    assert figures.quantity(value) == text


@pytest.mark.parametrize(("value", "text"), [(48, "48 ms"), (2349, "2.3 s"), (0.5, "0.50 ms")])
def test_ms(value, text):
    assert figures.ms(value) == text


def test_range_is_in_the_unit_of_the_value():
    assert figures.ms_range(Figure(1100, 900, 1400)) == "(0.90–1.4)"
    assert figures.ms_range(Figure(900, 700, 1400)) == "(700–1,400)"


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "30 min"), (28, "28 h"), (72, "3.0 days"), (720, "30 days")]
)
def test_hours(value, text):
    assert figures.hours(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (512, "512"),
        (8192, "8,192"),
        (47104, "47k"),
        (3_100_000, "3.1M"),
        (15e9, "15B"),
        (1e12, "1.0T"),
    ],
)
def test_tokens(count, text):
    assert figures.tokens(count) == text


@pytest.mark.parametrize(
    ("check", "limit", "verdict"),
    [
        (("ttft_ms", 100, 48, "meets"), "limit 100 ms", "meets, 2.1× headroom"),
        (("ttft_ms", 100, 98, "meets"), "limit 100 ms", "meets"),
        (("ttft_ms", 100, 96, "tight"), "limit 100 ms", "tight, may miss"),
        (("ttft_ms", 100, 110, "tight"), "limit 100 ms", "tight, more likely misses"),
        (("ttft_ms", 100, 210, "misses"), "limit 100 ms", "misses by 110 ms"),
        (("e2e_ms", 3000, 1500, "meets"), "limit 3 s", "meets, 2.0× headroom"),
        (("usd_per_hour", 2, 1.861, "meets"), "limit $2.00/h", "meets, 1.07× headroom"),
        (("usd_per_month", 1000, 1359, "misses"), "limit $1,000/month", "misses by $359/month"),
        (("output_tokens_per_s", 500, 1000, "meets"), "at least 500 tok/s", "meets, 2.0× headroom"),
        (("output_tokens_per_s", 500, 400, "misses"), "at least 500 tok/s", "misses by 100 tok/s"),
        (("time_h", 72, 28, "meets"), "limit 3 days", "meets, 2.6× headroom"),
        (("something_new", 2, 3, "misses"), "limit 2.0", "misses by 1.0"),
    ],
)
def test_verdict_is_in_words(check, limit, verdict):
    check = LimitCheck(*check)
    assert limit_words(check) == limit
    assert verdict_words(check) == verdict


def test_percentile_is_said_with_the_limit():
    assert limit_words(LimitCheck("ttft_ms", 100, 48, "meets"), 95.0) == "limit 100 ms at p95"


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("two\nlines", "two lines"),
        ("tab\tand  spaces ", "tab and spaces"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("right\u202eleft", "rightleft"),
        ("zero\u200bwidth", "zerowidth"),
        ("nul\x00", "nul"),
        ("\ud800lone", "lone"),
        ("next\x85line", "next line"),
    ],
)
def test_plain_line_removes_what_a_terminal_would_obey(typed, line):
    assert figures.plain_line(typed) == line


def test_plain_line_is_bounded():
    assert len(figures.plain_line("x" * 5000, 50)) == 50
