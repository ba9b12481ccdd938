"""A pattern that is made late matches what it would match were it made at once."""

import re
from pathlib import Path

import pytest

from bot.language.fields.numbers import BARE_AMOUNT
from bot.language.text.late import LatePattern
from bot.language.values import money, quantities, training_data

EXAMPLES = Path(quantities.__file__).parents[1] / "examples"
SAID = (
    *(line for file in sorted(EXAMPLES.rglob("*.txt")) for line in file.read_text().splitlines()),
    *("under $5/hr", "2 cents an hour", "5c/h", "300 美元", "at most .5 an hour", "5k grand"),
    *("pay 3k a month", "500 € a month", "5 евро", "900 tokens a day", "3t/s", "30 tok/s each"),
)
LATE = {
    "amount": money.AMOUNT,
    "budget": money.BUDGET_WORD,
    "limit": money.BARE_LIMIT,
    "foreign": money.FOREIGN,
    "keyed": BARE_AMOUNT,
    "token rate": quantities.TOKEN_RATE,
    "examples": training_data.EXAMPLES,
}


@pytest.mark.parametrize("pattern", LATE.values(), ids=LATE)
def test_what_is_seen_stands_wherever_the_pattern_matches(pattern):
    at_once = re.compile(pattern.source)
    matched = [text for text in map(str.lower, SAID) if at_once.search(text)]
    assert matched
    for text in matched:
        assert LatePattern(pattern.source, pattern.seen).search(text) is not None, text
