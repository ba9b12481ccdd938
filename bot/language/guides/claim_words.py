"""What a question or a claim speaks of: types, families, figures, and words that say the same."""

import re
from dataclasses import dataclass
from typing import Final

from bot.language.guides.names import FILLER
from bot.language.text.spoken import spoken

TYPE = re.compile(
    r"\b[a-z][a-z0-9]*(?:-[a-z0-9]+)?\.(?:metal|[a-z0-9]*(?:x?large|medium|small|nano|micro))\b"
)
FAMILY = re.compile(r"\b(?:p6e?-[bg]b?\d00|[a-z]{1,3}\d[a-z]{0,3})\b")
NUMBER = re.compile(
    r"(?<![a-z0-9.-])(?P<sign>\$?)\s?(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>%|[a-z]+)?"
)
UNITS: Final = {
    "$": "USD", "dollars": "USD", "usd": "USD",
    "%": "%", "percent": "%",
    "x": "x", "times": "x",
    "gb": "GB", "gib": "GB", "gig": "GB", "tb": "TB", "tib": "TB",
    "gbps": "Gbps", "tbps": "Tbps",
    "b": "B", "billion": "B",
    "petaflops": "petaflops", "pflops": "petaflops",
    "chips": "chips", "chip": "chips", "gpus": "GPUs", "gpu": "GPUs",
}  # fmt: skip
# Figures in words, and both ends of a range, as NUMBER reads them.
IN_FIGURES: Final = (
    (re.compile(r"\b(?:twice|double|two times)\b"), "2x"),
    (re.compile(r"\b(?:three times|triple|threefold)\b"), "3x"),
    (re.compile(r"\b(?:four times|fourfold)\b"), "4x"),
    (re.compile(r"\b(?:ten times|tenfold)\b"), "10x"),
    (re.compile(r"\b(?:twenty times)\b"), "20x"),
    (re.compile(r"\bhalf(?= the (?:price|costs?)| as expensive)|\bhalves\b"), "50 % less"),
    (re.compile(r"\b1(?:\.0)?\s?(?:t|trillion)\b|\b1,?000\s?(?:b|billion)\b"), "trillion"),
    (re.compile(r"\b(\d+)\s?(?:-|–|to)\s?(\d+)\s?(%|percent|x)"), r"\1 \3 \2 \3"),
)  # fmt: skip
# What stands on both sides of these is set side by side.
BEATS: Final = re.compile(
    r"\b(?:beats?|beating|outperforms?"
    r"|(?:cheaper|faster|slower|better|worse|greener|dearer|(?:more|less) [a-z]+) than)\b"
)
WORD = re.compile(r"[a-z][a-z0-9]+")
# The first word of a row stands for the others; a plural stands for its singular anyway.
SAME_ROWS: Final = """
cost cheaper cheap save saving price priced dearer expensive less tco
speed faster fast quicker throughput
choice choosing choose chosen selection selecting select picking
move change affect impact influence shift vary
require required need must necessary mandatory
trillion frontier
carbon greenest greener eco environmental climate
serve serving inference
train training
"""
SAME: Final = {
    word: first for first, *others in map(str.split, SAME_ROWS.splitlines()[1:]) for word in others
}
# Words that only ask.
ASKING_WORDS: Final = """
isn aren wasn doesn don true right correct still both hour hourly per up has have higher read heard
told someone no really always ever every lower use beat outperform handle make run fact work
give bring how much over friendly according realistic credible plausible
"""
ASKING: Final = FILLER | UNITS.keys() | frozenset(ASKING_WORDS.split())
SPOKEN_FAMILIES: Final[dict[str, list[str]]] = spoken("families")
Figure = tuple[float, str]  # a number and its unit, "" where none was said


@dataclass(frozen=True, slots=True)
class ClaimText:
    """What a text speaks of; `words` neither ask nor name a unit, `spelled` are all as written."""

    types: frozenset[str]
    families: frozenset[str]
    numbers: tuple[Figure, ...]
    words: frozenset[str]
    spelled: frozenset[str]


def said_in(text: str) -> ClaimText:
    """Return what a text speaks of."""
    low = text.lower()
    for pattern, figures in IN_FIGURES:
        low = pattern.sub(figures, low)
    types = frozenset(TYPE.findall(low))
    rest = TYPE.sub(" ", low)
    families = {name.partition(".")[0] for name in types} | set(FAMILY.findall(rest))
    spelled = frozenset(WORD.findall(rest))
    words = {_stem(word) for word in spelled - ASKING}
    for name in SPOKEN_FAMILIES.keys() & (words | families):
        families.update(SPOKEN_FAMILIES[name])
    numbers = tuple(_figure_of(match) for match in NUMBER.finditer(FAMILY.sub(" ", rest)))
    told = words - ASKING - families - SPOKEN_FAMILIES.keys()
    return ClaimText(types, frozenset(families), numbers, frozenset(told), spelled)


def _stem(word: str) -> str:
    """Return the word that stands for this one and for all that say the same."""
    singular = word[:-1] if word.endswith("s") and len(word) > 3 else word
    return SAME.get(word) or SAME.get(singular) or singular


def _figure_of(match: re.Match[str]) -> Figure:
    unit = UNITS.get(match["sign"] or match["unit"] or "", "")
    return float(match["n"].replace(",", "")), unit
