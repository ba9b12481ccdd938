"""Reads lengths that are said in words, sentences, paragraphs or pages: "each ticket is a page".

`text/units.txt` holds what one of them is in tokens, and the words that tell which end it is of.
"""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.text.numbers import DIGITS, number
from bot.language.text.units import any_word, sizes_of
from bot.language.values.loads import Walk

LENGTH: Final = re.compile(
    rf"(?<![\w.,$-])(?:(?P<n>{DIGITS})(?P<joint>[ -])|(?P<one>{any_word('one')}) ?)"
    rf"(?P<unit>{any_word('lengths')})"
)
BESIDE: Final = re.compile(
    rf"(?<!\w)(?:(?P<out>{any_word('answers')})|{any_word('prompts', 'items', 'each', 'each one')})"
)
APART: Final = re.compile(r"[,;\d\0]")
NOT_LONG: Final = re.compile(r" ?(?:long|lang|longs?|longues?|de largo)\b")
LONGEST: Final = 131_072.0  # tokens: more are how much there is, and no length of one
NEAR: Final = 32  # characters that lead up to a length


def read_lengths_in_words(draft: Draft) -> None:
    """Say the tokens of a prompt or an answer that is told in words or pages of one of them."""
    for match in draft.reader.matches(LENGTH):
        field, end = _field_of(draft, match)
        value = _tokens_of(match)
        if field is None or not 1.0 <= value <= LONGEST or draft.trains:
            continue
        words = draft.reader.words(*match.span()).strip()
        plural = "" if value == 1.0 else "s"
        draft.note(f"{field}_in_words", f"`{words}` is read as {value:,.0f} token{plural}.")
        draft.say(field, value, match.start(), end)


def _tokens_of(match: re.Match[str]) -> float:
    count = number(match["n"]) if match["n"] else sizes_of("one")[match["one"].replace("-", " ")]
    return float(round(count * sizes_of("lengths")[match["unit"].replace("-", " ")]))


def _field_of(draft: Draft, match: re.Match[str]) -> tuple[str | None, int]:
    """Return which length it is by the words beside it, None where it is none, and its end."""
    walk = Walk(draft.reader.whole, match.end())
    if long := NOT_LONG.match(walk.text, walk.place):
        walk.place = long.end()
    if walk.take_period() is not None or walk.take("every"):
        return None, match.end()  # "2 pages a day" is a load
    if walk.take("answers"):
        return "output_tokens", walk.place
    hyphened = match["joint"] == "-"
    if walk.take("prompts", "each one") or (walk.take_each() and walk.take("items", "calls")):
        return "input_tokens", walk.place
    before = draft.reader.before(match.start(), NEAR)
    named = list(BESIDE.finditer(before))
    if named and not APART.search(before[named[-1].end() :]):
        return ("output_tokens" if named[-1]["out"] else "input_tokens"), match.end()
    return ("input_tokens" if hyphened or long else None), match.end()
