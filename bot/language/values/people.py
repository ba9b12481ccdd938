"""Reads people who are named by no word of the tables: "70 Sachbearbeiter", "用户3000".

A noun in the plural that a figure counts, where nothing else is said of the load, may be people.
The answer says so.
"""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.text.numbers import COUNT_SCALE, DIGITS, number
from bot.language.text.tables import stopwords
from bot.language.text.units import any_word, word_at, words_of
from bot.language.values.loads import COUNT, OTHER_LOADS, counted, say_users
from bot.language.values.quantities import signed_value

NAMED: Final = re.compile(
    rf"(?<!\w)(?:{any_word('named people')})(?: (?:is|of|are))?[ :=]*"
    rf"(?P<n>{DIGITS})(?P<scale>{COUNT_SCALE})(?![\w.])(?! ?[台张个块卡])"
)
NOUN: Final = re.compile(r" (?P<noun>[^\W\d_]{4,24}(?:[ -][^\W\d_]{4,24})?)(?![\w=:])")
BEFORE: Final = re.compile(rf"(?<!\w)(?:{any_word('for people')})(?: \w+){{0,1}} ?\Z")
FEWEST, MOST = 5, 1_000_000  # a smaller figure counts anything


def read_people_named(draft: Draft) -> None:
    """Say the users whose number stands behind the word for them, as some scripts put it."""
    for match in draft.reader.matches(NAMED):
        if counted(draft.reader.work, match.end()) is None:
            value = number(match["n"], match["scale"] or "")
            say_users(draft, value, match.start(), match.end())


def read_nouns_of_people(draft: Draft) -> None:
    """Say the users that a noun of no table may be, where nothing else is said of the load."""
    if draft.trains or (OTHER_LOADS | {"compare_family"}) & draft.said.keys():
        return
    for match in draft.reader.matches(COUNT):
        value, noun = signed_value(match), NOUN.match(draft.reader.work, match.end())
        if noun is None or not FEWEST <= value <= MOST or not value.is_integer():
            continue
        if end := _end_of_people(draft, match.start(), noun):
            words = draft.reader.words(match.start(), end).strip()
            draft.note("people_noun", f"`{words}` is read as {value:,.0f} users.")
            say_users(draft, value, match.start(), end)
            return


def _end_of_people(draft: Draft, start: int, noun: re.Match[str]) -> int | None:
    """Return where a noun ends that may be of people, None where it is none."""
    end, words = noun.end(), noun["noun"].split()
    if words[-1] in stopwords() | set(words_of("people do")):
        end, words = noun.start("noun") + len(words[0]), words[:1]
    if any(word in stopwords() or word in words_of("not people") for word in words):
        return None
    if word_at(words[-1], 0, "times", "items", "calls", "lengths", "dollars", "scales"):
        return None
    asks = word_at(draft.reader.whole, end, "people do") is not None
    plural = words[-1].endswith("s") or asks
    led = BEFORE.search(draft.reader.before(start)) is not None
    of_people = words[-1].endswith(words_of("people end"))
    return end if of_people or (plural and (led or asks)) else None
