"""Units of time, and the words for who and what is counted: `units.txt`, read once.

The words stand in patterns as alternatives, the longest first, with and without their accents.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from bot.language.text.tables import sections_of

FILE: Final = Path(__file__).with_name("units.txt")
# A word of another alphabet begins and ends beside a letter or digit of ours, and so does a figure.
WIDE: Final = (("\u2e80", "\u9fff"), ("\uac00", "\ud7af"), ("\uf900", "\ufaff"))


@cache
def words_of(section: str, key: str | None = None) -> tuple[str, ...]:
    """Return the words of a section (of one key of it), the longest first, each once."""
    listed = (word for name, word in _listed_words(section) if key in {None, name})
    spelled = (one for word in listed for one in (word, plain(word)))
    return tuple(sorted(dict.fromkeys(map(spaced, spelled)), key=len, reverse=True))


@cache
def any_word(*sections: str, key: str | None = None) -> str:
    """Return the part of a pattern that takes any word of these sections, the longest first.

    A word of letters ends where no letter follows.
    """
    listed = {word for section in sections for word in words_of(section, key)}
    ends: dict[bool, list[str]] = {False: [], True: []}
    for word in sorted(listed, key=lambda word: (-len(word), word)):
        of_letters = word[-1].isalnum() and not is_wide(word[-1])
        ends[of_letters].append(re.escape(word).replace(r"\ ", "[ -]"))
    spelled = [f"(?:{'|'.join(ends[True])})(?!\\w)"] if ends[True] else []
    return "|".join((*ends[False], *spelled))


def is_wide(word: str) -> bool:
    """Return whether a word is of a script that puts no space between words."""
    return any(one > "\u2e7f" for one in word)


def word_at(text: str, place: int, *sections: str) -> tuple[str, int] | None:
    """Return key and end of the longest word of these sections that stands at a place.

    One space or hyphen before it is skipped; within it either joins its parts.
    """
    while place < len(text) and text[place] in " -" and place + 1 < len(text):
        place += 1
    found: tuple[str, int] | None = None
    for section in sections:
        for word, key in _units_by_letter(section).get(text[place : place + 1], ()):
            end = place + len(word)
            if text[place:end].replace("-", " ") == word and _word_ends(text, end, word):
                if found is None or end > found[1]:
                    found = key, end
                break
    return found


def _word_ends(text: str, end: int, word: str) -> bool:
    return not word[-1].isalnum() or is_wide(word[-1]) or not text[end : end + 1].isalnum()


@cache
def _units_by_letter(section: str) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return the words of a section with their keys by first letter, the longest first."""
    found: dict[str, dict[str, str]] = {}
    for key, listed in _listed_words(section):
        for spelled in (listed, plain(listed)):
            word = spaced(spelled).replace("-", " ")
            found.setdefault(word[0], {}).setdefault(word, key)
    return {
        letter: tuple(sorted(words.items(), key=lambda pair: -len(pair[0])))
        for letter, words in found.items()
    }


@cache
def seconds() -> Mapping[str, float]:
    """Return the seconds of every unit of time, by its key ("mo")."""
    return {name: float(size) for name, size, _ in sections_of(FILE)["times"]}


@cache
def sizes_of(section: str) -> Mapping[str, float]:
    """Return what each word of a section stands for, where its lines are named by that."""
    return {
        spelled: float(size)
        for size, word in _listed_words(section)
        for spelled in (spaced(word), plain(word))
    }


@cache
def rate_seconds() -> Mapping[str, float]:
    """Return over how many seconds a word such as "rpm" counts, by its key."""
    return {name: float(size) for name, size, _ in sections_of(FILE)["rates"]}


def unit_key(word: str, *sections: str) -> str:
    """Return the key of a unit of time by one of its names, in any of these sections."""
    written = word.replace("-", " ")
    return next(found for section in sections if (found := _keys_of(section).get(written)))


@cache
def _keys_of(section: str) -> Mapping[str, str]:
    return {spelled: key for key, word in _listed_words(section) for spelled in (word, plain(word))}


def _listed_words(section: str) -> Iterator[tuple[str, str]]:
    for name, _, listed in sections_of(FILE)[section]:
        for word in listed.split(";"):
            if word.strip():
                yield name, word.strip()


def plain(word: str) -> str:
    """Return a word without its accents, as it is typed where the keyboard has none."""
    apart = unicodedata.normalize("NFD", word)
    if is_wide(word) or not any(map(unicodedata.combining, apart)):
        return word
    return "".join(one for one in apart if not unicodedata.combining(one))


def spaced(text: str) -> str:
    """Return the text with a space wherever the script changes."""
    if text.isascii():
        return text
    apart = (one if _of_one_script(before, one) else f" {one}" for before, one in pairwise(text))
    return "".join((text[:1], *apart))


def _of_one_script(before: str, one: str) -> bool:
    """Return whether no script begins or ends between two signs."""
    wide = [any(first <= sign <= last for first, last in WIDE) for sign in (before, one)]
    if wide[0] == wide[1]:
        return True
    ours = one if wide[0] else before
    return not (ours.isalnum() or ours == "_")
