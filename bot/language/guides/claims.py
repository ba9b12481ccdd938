"""Which of the documents' claims a question is about: by types, families, figures and words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from bot.language.guides.names import DOCUMENT, FILLER
from bot.language.text.tables import spoken
from catalog.guides.guide_rows import Claim
from engine.guides.claims import CLOSE

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


PLACE = re.compile(r"(?<![\d.])(00[0-4])\b\D{0,12}\b(\d{1,3})\b")
KEY_INSIGHTS: Final = frozenset(("000", line) for line in range(51, 55))
ADVICE: Final = frozenset({"recommendation", "availability", "software"})
# Which share of a question's words a claim must hold: (with figures, strict) -> share.
SHARED_WORDS: Final = {
    (True, False): 0.3,
    (True, True): 0.7,
    (False, False): 0.6,
    (False, True): 1.0,
}


def claims_at(text: str, claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims a text names by document and line ("001:118", "guide 001 line 118")."""
    places = {(match[1], int(match[2])) for match in PLACE.finditer(text)}
    return [claim for claim in claims if (claim.document, claim.line) in places]


def claims_about(text: str, claims: Iterable[Claim]) -> list[Claim]:
    """Return what the documents state of the one type a text names, else advise of its families.

    Empty where it names a size as well: that is a workload.
    """
    said = said_in(text)
    if any(unit == "B" for _, unit in said.numbers):
        return []
    document = DOCUMENT.search(text)
    asked = [c for c in claims if document is None or c.document == document[1]]
    if said.types:
        every = [claim for claim in asked if said.types <= _said_in(claim).types]
        return every or [claim for claim in asked if said.types & _said_in(claim).types]
    advice = [claim for claim in asked if claim.kind in ADVICE]
    return [claim for claim in advice if said.families & set(claim.families)]


def names_hardware_alone(text: str) -> bool:
    """Return whether a text names types, or families and nothing else."""
    said = said_in(text)
    return bool(said.types) or not said.words


def insights(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims of the closing list that guide 000 calls its key insights."""
    return [claim for claim in claims if (claim.document, claim.line) in KEY_INSIGHTS]


def claims_meant(text: str, claims: Iterable[Claim], *, strict: bool = False) -> list[Claim]:
    """Return the claims a question is about, the nearest first; empty for none.

    With figures in the question one claim per figure, which must be near it; without, the one with
    the same words. `strict` is for texts that may as well describe a workload.
    """
    said = said_in(text)
    if strict and not (said.words or said.numbers):
        return []  # families alone: they are set side by side
    least = SHARED_WORDS[bool(said.numbers), strict]
    alike = [claim for claim in claims if _shared(said, _said_in(claim)) >= least]
    scored = [(score, claim) for claim in alike if (score := _score(said, _said_in(claim))) > 0]
    scored.sort(key=lambda found: -found[0])
    if not said.numbers:
        return [claim for _, claim in scored[:1]]
    best: dict[Figure, Claim] = {}
    for number in said.numbers:
        near = (claim for _, claim in scored if _close_to(number, _said_in(claim).numbers))
        found = next(near, None)
        if found is not None:
            best.setdefault(number, found)
    return list(dict.fromkeys(best.values()))


@cache
def _said_in(claim: Claim) -> ClaimText:
    said = said_in(f"{claim.claim} {claim.figure}")
    return replace(said, families=said.families | frozenset(claim.families))


def _score(said: ClaimText, claim: ClaimText) -> float:
    """Return how near a claim is to what was said, 0 where they speak of different things."""
    if not (said.numbers or said.types) and _of_types(claim, said):
        return 0.0
    if said.families and claim.families and not said.families & claim.families:
        return 0.0
    if said.types and claim.types and not said.types & claim.types:
        return 0.0
    if any(unit == "B" and not _close_to((n, unit), claim.numbers) for n, unit in said.numbers):
        return 0.0  # a size that the claim does not speak of: a workload
    near = sum(1.0 for number in said.numbers if _close_to(number, claim.numbers))
    words = _shared_words(said.words, claim.words)
    named = len(said.types & claim.types) + 0.3 * len(said.families & claim.families)
    return near * 2 + words * 3 + named + 0.01 * _shared_words(said.spelled, claim.spelled) + 0.001


def _of_types(claim: ClaimText, said: ClaimText) -> bool:
    """Return whether a claim is a figure of a type, or sets types of unnamed families together."""
    families = {name.partition(".")[0] for name in claim.types}
    return bool(claim.types) and (bool(claim.numbers) or not families <= said.families)


def _shared_words(one: frozenset[str], other: frozenset[str]) -> float:
    """Return which share of the words of both they have in common."""
    return len(one & other) / len(one | other) if one | other else 0.0


def _close_to(figure: Figure, others: tuple[Figure, ...]) -> bool:
    number, unit = figure
    return any(
        abs(number - other) <= CLOSE * abs(other) and unit in {"", its} for other, its in others
    )


def _shared(said: ClaimText, claim: ClaimText) -> float:
    """Return which share of what a question speaks of a claim holds; its families count as one."""
    families = 1 if said.families else 0
    held = len(said.words & claim.words) + (families and bool(said.families & claim.families))
    return held / (len(said.words) + families) if said.words or families else 1.0
