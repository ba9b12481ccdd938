"""Defaults in words: each with what holds and whose it is."""

from collections.abc import Iterator
from typing import Final

from bot.core.wording import MARKET_WORDS
from bot.slack.home.home_view import Laid
from bot.store.people.preferences import Preferences

NOTHING: Final = "none"
NAMES: Final = {"region": "Region", "market": "Purchase option", "allow": "Instance families"}


def laid_down(holds: Preferences) -> Iterator[Laid]:
    """Yield every default there can be, with what holds of a person's and the workspace's."""
    taken = {one.field: one for one in holds.taken}
    for field, name in NAMES.items():
        one = taken.get(field)
        yield Laid(name, NOTHING if one is None else f"{_value(one.value)} ({one.why})")
    discount, currency = holds.discount, holds.currency
    off = NOTHING if discount is None else f"{discount.words}, off on-demand list prices"
    yield Laid("Discount", off)
    beside = NOTHING
    if currency is not None:
        beside = f"{currency.code} {currency.words}, set on {currency.on}"
    yield Laid("Currency beside USD", beside)


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return MARKET_WORDS.get(str(value), str(value))
