"""Turns what a model said into words of the grammar; what it made up is left out."""

import re
from collections.abc import Mapping
from typing import Final

from bot.language.fields.keys import ValueKind
from bot.language.model_reading.text_numbers import SPOKEN, NumbersOfText
from bot.language.model_reading.tool import MOST_VALUE_CHARACTERS, kinds

VALUE: Final = re.compile(r"[a-z0-9._/+-]+")
# Of these a number without a unit is a count or part of a name; all others need the text's unit.
BARE: Final[frozenset[ValueKind]] = frozenset(
    {"count", "percentile", "fraction", "length", "instance", "chip", "groups", "region"}
)
NAMES: Final[frozenset[ValueKind]] = frozenset({"model", "choice"})
IN_MILLISECONDS: Final = "_ms"


def grammar_words(
    said: Mapping[str, object], unread: NumbersOfText, whole: NumbersOfText
) -> dict[str, str]:
    """Return the fields as values the parser takes: known ones, short, without signs or spaces.

    A number has to stand in what the grammar left `unread`; a model's name may use the `whole`.
    """
    words = {}
    for field, kind in kinds().items():
        value = _plain_value(said.get(field), "-" if kind in NAMES else "")
        if kind == "model":
            value = _named_in(value, whole)
        elif not unread.holds(value, bare=_is_count(field, kind)):
            continue
        if VALUE.fullmatch(value):
            words[field] = value
    return words


def _plain_value(value: object, space: str) -> str:
    """Return a value in lower case, spaces replaced; nothing for one that is no short text."""
    if not isinstance(value, str) or len(value) > MOST_VALUE_CHARACTERS:
        return ""
    return re.sub(r"\s+", space, value.strip().lower())


def _is_count(field: str, kind: ValueKind) -> bool:
    return kind in BARE and not field.endswith(IN_MILLISECONDS)


def _named_in(value: str, whole: NumbersOfText) -> str:
    """Return a model's name without the versions and sizes that nobody said."""

    def kept(match: re.Match[str]) -> str:
        return match[0] if whole.holds(match[0], bare=True) else ""

    return re.sub(r"[-_.]{2,}", "-", SPOKEN.sub(kept, value)).strip("-_.")
