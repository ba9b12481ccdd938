"""Numbers as people write them: 7,000 · 2.5k · 1e9 · 10^24 · "half a million" · "two dozen"."""

import re
from typing import Final

from bot.language.text.late import LatePattern
from bot.language.text.units import any_word, sizes_of

# One written number, without its scale word. Every use is guarded by a look-behind, so that a
# long run of digits is tried once, from its start.
DIGITS = (
    r"(?:\d[\d_,']*(?:\.\d+)?(?:e[+-]?\d{1,4}|\s?(?:\^|\*\*)\s?\d{1,4}|\s?[*x]\s?10\s?(?:\^"
    r"|\*\*)\s?\d{1,4})?|\.\d+)"
)
START = r"(?<![\w.,^])"

SCALES: Final = {"": 1.0, **sizes_of("scales"), **sizes_of("count scales")}
SCALE: Final = rf"(?:\s?(?:{any_word('count scales', 'scales')}))?"
# People, requests and items come in these; "7B" beside them is a model's size.
COUNT_SCALE: Final = rf"(?:\s?(?:{any_word('count scales')}))?"
# A token window is a power of two: 8k is 8,192 (128k is 131,072).
WINDOW_SCALES = {**SCALES, "k": 1024.0, "thousand": 1000.0, "m": 1024.0**2}

UNITS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "eins": 1,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "neun": 9,
    "zehn": 10,
    "zwanzig": 20,
    "hundert": 100,
    "deux": 2,
    "trois": 3,
    "quatre": 4,
    "cinq": 5,
    "dos": 2,
    "tres": 3,
    "cuatro": 4,
    "cinco": 5,
}
MULTIPLIERS = {"hundred": 100, "dozen": 12, "thousand": 1000}
LEADS = {
    "": 1.0,
    "a": 1.0,
    "an": 1.0,
    "a couple of": 2.0,
    "half": 0.5,
    "half a": 0.5,
    "half an": 0.5,
}
# No figure is written in words without one of these.
NUMBERED: Final = frozenset({*UNITS, *MULTIPLIERS, *" ".join(LEADS).split()})
CJK_UNITS = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "八": 8, "十": 10}

_WORD = "|".join(sorted((*UNITS, *MULTIPLIERS), key=len, reverse=True))
_LEAD = "half an?|a couple of|an?|half"
# "one thousand two hundred" · "a hundred" · "half a dozen"
RUN = re.compile(
    rf"(?<![\w.'/<])(?:(?P<lead>{_LEAD})[ -])?"
    rf"(?P<words>(?:{_WORD})(?:[ -](?:and )?(?:{_WORD})){{0,6}})(?![\w'=])"
)
# "half a million", "a billion": the scale word itself is read with the digits
LARGE = re.compile(
    rf"(?<![\w.'/<])(?P<lead>{_LEAD})(?=[ -](?:million|billion|trillion|dollar|buck|grand)\b)"
)
HALF = re.compile(r"(?<![\w.'/<])half an?(?= (?:second|minute|hour|day|year)\b)")
_DIGIT = "|".join(word for word, value in UNITS.items() if value < 10)
# "one point five": read before the words on either side
POINT = re.compile(rf"\b(?P<whole>{_WORD}) point (?P<part>(?:{_DIGIT})(?: (?:{_DIGIT})){{0,3}})\b")
COUPLE = re.compile(r"\ba couple of(?= (?!hundred|thousand|dozen|million|billion)[a-z])")
# "3 kilotokens", "200 Mtok": the scale stands in the word that it counts.
IN_TOKENS = re.compile(r"(?<=\d)[ -]?(?P<scale>kilo|mega|giga|tera|[kmbgt])[ -]?(?=tok(?:en)?s?\b)")
METRIC = {"kilo": "k", "mega": "m", "giga": "b", "tera": "t"}
# "1.500", "2 000", "1.234.567": thousands, as most of Europe groups them.
GROUPED = re.compile(
    r"(?<![\w.,$=<>])\d{1,3}(?:(?P<dot>\.)\d{3}(?:\.\d{3})*|(?: \d{3})+)(?![\w.,]?\d)"
)
# A thousand in Spanish and Portuguese, where English says it of a million.
MIL = re.compile(r"(?<=\d) mil(?!\w)")
COUNTED = LatePattern(rf" (?:\w+ )?(?:tokens?|{any_word('who', 'calls', 'items')})(?![\w=])")
AN_HOUR = re.compile(r" ?[$€]? ?(?:/|pro|par|por|a la|l') ?(?:h|stunde|heure|hora)")
CJK = re.compile("[一两二三四五六八十](?=[张个块台万卡])")


def number(digits: str, scale: str = "", scales: dict[str, float] | None = None) -> float:
    """Return what a match of DIGITS (and of SCALE) stands for; infinity beyond a float's range."""
    text = digits.replace("_", "").replace("'", "").replace(" ", "").rstrip(",")
    text = text.replace("**", "^")
    if times := re.fullmatch(r"(.+?)[*x]10\^(\d+)", text):
        return number(times[1]) * _power(10.0, float(times[2]))
    base, power, exponent = text.partition("^")
    if re.fullmatch(r"\d{1,3},\d{1,2}", base):
        base = base.replace(",", ".")  # a decimal comma: "0,5"
    value = float(base.replace(",", ""))
    if power:
        value = _power(value, float(exponent))
    return value * (scales or SCALES)[scale.strip()]


def _power(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except OverflowError:
        return float("inf")


def number_words(low: str) -> list[tuple[int, int, str]]:
    """Return where numbers are written as words, as (start, end, digits), in text order.

    The words million, billion and trillion stay: they are read as scales of the digits.
    """
    found = [(m.start(), m.end(), str(CJK_UNITS[m[0]])) for m in CJK.finditer(low)]
    found += [(m.start(), m.end(), f"{LEADS[m['lead']]:g}") for m in LARGE.finditer(low)]
    found += [(m.start(), m.end(), "0.5") for m in HALF.finditer(low)]
    found += [(m.start(), m.end(), "2") for m in COUPLE.finditer(low)]
    found += [
        (m.start(), m.end(), f"{METRIC.get(m['scale'], m['scale'])} ")
        for m in IN_TOKENS.finditer(low)
    ]
    pointed = [(m.start(), m.end(), _decimal(m)) for m in POINT.finditer(low)]
    found += pointed
    for match in RUN.finditer(low):
        if any(start <= match.start("words") < end for start, end, _ in pointed):
            continue
        words = re.split(r"[ -](?:and )?", match["words"])
        value = _number_value(words, match["lead"] or "")
        if value is not None:
            start = match.start() if words[0] in MULTIPLIERS else match.start("words")
            found.append((start, match.end(), f"{value:g}"))
    return sorted(found)


def grouped_thousands(low: str, *, foreign: bool) -> list[tuple[int, int, str]]:
    """Return where digits are grouped by dots or spaces, as (start, end, digits), in text order.

    In English a dot groups only what is counted ("1.500 tokens"): prices have three decimals.
    """
    found = [(m.start(), m.end(), "k") for m in MIL.finditer(low)] if foreign else []
    for match in GROUPED.finditer(low):
        counted = match["dot"] and COUNTED.match(low, match.end())
        of_an_hour = match["dot"] and AN_HOUR.match(low, match.end())
        if (foreign and not of_an_hour) or counted or match[0].count(".") > 1:
            found.append((match.start(), match.end(), re.sub(r"[. ]", "", match[0])))
    return sorted(found)


def _decimal(match: re.Match[str]) -> str:
    whole = _number_value([match["whole"]], "") or 0
    return f"{whole:g}." + "".join(f"{UNITS[word]}" for word in match["part"].split())


def _number_value(words: list[str], lead: str) -> float | None:
    """Return the number the words form; none for a multiplier with nothing to multiply."""
    if words[0] in MULTIPLIERS and not lead:
        return None  # "10 thousand": the digits before it carry the scale
    total, current = 0.0, (LEADS[lead] if words[0] in MULTIPLIERS else 0.0)
    for word in words:
        if word in UNITS:
            current += UNITS[word]
        elif word == "thousand":
            total, current = total + (current or 1.0) * 1000, 0.0
        else:
            current = (current or 1.0) * MULTIPLIERS[word]
    return total + current
