"""One `field=value` found in the text, and what its readers need to take it."""

import re
from dataclasses import dataclass

from bot.language.draft import Draft, Sign
from bot.language.text.numbers import DIGITS, SCALE, SCALES, number
from bot.language.text.vocabulary import Vocabulary

RAW = re.compile(r"\S+")

WORDS = re.compile(r"[^\s,;]+")

SIGNED = rf"(?P<minus>-?)(?P<n>{DIGITS})"

NUMBER = re.compile(rf"{SIGNED}(?P<scale>{SCALE})(?P<percent>\s?%)?")


@dataclass(slots=True)
class Entry:
    """One `key sign` found, and where its value starts."""

    draft: Draft
    vocabulary: Vocabulary
    key: str
    field: str
    sign: Sign
    start: int  # of the key
    value_at: int
    certain: bool  # "=", "<" and ">" are grammar; a colon may be plain English
    keyed: bool = True  # false where no sign stands between name and value

    @property
    def text(self) -> str:
        """Return the open text."""
        return self.draft.reader.work

    def say(self, value: object, end: int, *, field: str | None = None) -> None:
        """Record the value for this entry's field (or another)."""
        name = field or self.field
        self.draft.say(name, value, self.start, end, sign=self.sign, keyed=self.keyed)

    def raw_end(self) -> int:
        """Return where the value ends at the latest: the next space or comma."""
        match = WORDS.match(self.text, self.value_at)
        return match.end() if match else self.value_at


def signed_number(match: re.Match[str], scales: dict[str, float] = SCALES) -> float:
    """Return what a match with the groups of NUMBER stands for, with its sign."""
    value = number(match["n"], (match["scale"] or "").strip(), scales)
    return -value if match["minus"] else value


def ends_value(entry: Entry, end: int) -> bool:
    """Return whether the value ends there, rather than in the middle of a word."""
    return end >= len(entry.text) or not (entry.text[end].isalnum() or entry.text[end] == "_")
