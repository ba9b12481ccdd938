"""Which numbers a text holds: a model may place them, never make them."""

import re
from dataclasses import dataclass
from typing import Final

from bot.language.text.numbers import SCALES, number_words
from bot.language.text.reader import lower

# A number and the word behind it: "8 bee", "50 folks", "200ms", "g5".
SPOKEN: Final = re.compile(r"(\d+(?:\.\d+)?)([ -]?)([a-z]*)")
GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# "8 bee" and "8 bil" may be 8B; "8 bananas" may not.
MORE_LETTERS: Final = 2


@dataclass(frozen=True, slots=True)
class NumbersOfText:
    """The numbers of a text, each with the word behind it."""

    said: frozenset[tuple[float, str]]

    def holds(self, value: str, *, bare: bool) -> bool:
        """Return whether each number of a value is in the text, with the same unit.

        `bare`: the field counts, so that a number without a unit is one.
        """
        return all(self._holds_one(n, unit, bare=bare) for n, unit in numbers_in(value))

    def _holds_one(self, number: float, unit: str, *, bare: bool) -> bool:
        words = [word for one, word in self.said if one == number]
        if not unit:
            return bare and any(word not in SCALES or not word for word in words)
        return any(
            word.startswith(unit) and len(word) <= len(unit) + MORE_LETTERS for word in words
        )


def numbers_in(text: str) -> list[tuple[float, str]]:
    """Return the numbers of a text in digits or words, each with the word behind it."""
    low = lower(text)
    for start, end, digits in reversed(number_words(low)):
        low = f"{low[:start]}{digits}{low[end:]}"
    return [(float(m[1]), m[3]) for m in SPOKEN.finditer(GROUPED.sub("", low))]


def heard_in(*texts: str) -> NumbersOfText:
    """Return the numbers of the texts."""
    return NumbersOfText(frozenset(pair for text in texts for pair in numbers_in(text)))
