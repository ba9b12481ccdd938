"""Which of the documents' claims a question is about, and what holds instead.

A claim is found by what it speaks of (types and families), by its figures and by its words. A
figure that the documents got wrong is only ever repeated as theirs.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from catalog.catalog import Catalog
from catalog.guide_rows import NEVER, Claim, Truth
from engine.guide_facts import Filled, filled
from engine.guide_words import FILLER
from engine.result import Number

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
WORD = re.compile(r"[a-z][a-z0-9]+")
PLACE = re.compile(r"(?<![\d.])(00[0-4])\b\D{0,12}\b(\d{1,3})\b")
KEY_INSIGHTS: Final = frozenset(("000", line) for line in range(51, 55))
CLOSE: Final = 0.02  # $98 is said for $98.32
Figure = tuple[float, str]  # a number and its unit, "" where none was said
# Which share of a question's words a claim must hold: (with figures, strict) -> share.
SHARED_WORDS: Final = {
    (True, False): 0.3,
    (True, True): 0.7,
    (False, False): 0.6,
    (False, True): 1.0,
}
# Words that say the same, or that only ask.
COST_WORDS: Final = "cheaper cheap saves save saving savings costs price priced dearer"
SAME: Final = dict.fromkeys(COST_WORDS.split(), "cost")
ASKING_WORDS: Final = """
isn aren wasn doesn don true right correct still both hour hourly per up has have higher read heard
told someone no really always
"""
ASKING: Final = FILLER | UNITS.keys() | frozenset(ASKING_WORDS.split())
SPOKEN_FAMILIES: Final = {
    "trainium": ("trn1", "trn2", "trn2u", "trn"),
    "inferentia": ("inf1", "inf2"),
    "inferentia2": ("inf2",),
    "trainium2": ("trn2", "trn2u"),
    "p4": ("p4d",),
    "g4": ("g4dn",),
}
VERDICTS: Final = {
    "yes": "Yes, that still holds",
    "stale": "No longer",
    "no": "No",
    "unverifiable": "That cannot be confirmed",
}


@dataclass(frozen=True, slots=True)
class _Said:
    """What a text speaks of."""

    types: frozenset[str]
    families: frozenset[str]
    numbers: tuple[Figure, ...]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """What a document states, and what holds today."""

    claim: Claim
    text: str
    today: Filled

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Today's numbers; the document's own are in the text only."""
        return self.today.numbers


def claims_at(text: str, claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims a text names by document and line ("001:118", "guide 001 line 118")."""
    places = {(match[1], int(match[2])) for match in PLACE.finditer(text)}
    return [claim for claim in claims if (claim.document, claim.line) in places]


def insights(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims of the closing list that guide 000 calls its key insights."""
    return [claim for claim in claims if (claim.document, claim.line) in KEY_INSIGHTS]


def claims_meant(text: str, claims: Iterable[Claim], *, strict: bool = False) -> list[Claim]:
    """Return the claims a question is about, the nearest first; empty for none.

    With figures in the question one claim per figure, which must be near it; without, the one with
    the same words. `strict` is for texts that may as well describe a workload.
    """
    said = _said(text.lower())
    least = SHARED_WORDS[bool(said.numbers), strict]
    alike = [claim for claim in claims if _shared(said, _of(claim)) >= least]
    scored = [(score, claim) for claim in alike if (score := _score(said, _of(claim))) > 0]
    scored.sort(key=lambda found: -found[0])
    if not said.numbers:
        return [claim for _, claim in scored[:1]]
    best: dict[Figure, Claim] = {}
    for number in said.numbers:
        near = (claim for _, claim in scored if _close(number, _of(claim).numbers))
        found = next(near, None)
        if found is not None:
            best.setdefault(number, found)
    return list(dict.fromkeys(best.values()))


def claim_answer(claim: Claim, catalog: Catalog, region: str) -> ClaimAnswer:
    """Return what the document says, cited, what holds today, and since when."""
    today = filled(claim.today, catalog, region)
    parts = [
        f"{VERDICTS[verdict(claim, today.numbers)]}.",
        f"Guide {claim.document}, line {claim.line}, says: {claim.claim} ({claim.figure}).",
        f"Today: {today.text}",
        _since(claim),
        today.price_note,
        f"Source: {claim.source}.",
    ]
    return ClaimAnswer(claim, " ".join(part for part in parts if part), today)


def verdict(claim: Claim, today: tuple[Number, ...]) -> Truth:
    """Return whether a claim holds; a price that held when the row was written may have moved."""
    printed = [figure for figure in _of(claim).numbers if figure[1] == "USD"]
    if claim.kind != "price" or claim.true_today != "yes" or not printed or not today:
        return claim.true_today
    return "yes" if _close((today[0].value, "USD"), tuple(printed)) else "stale"


def _since(claim: Claim) -> str:
    if claim.since == NEVER:
        return "It was never so."
    checked = f"checked {claim.as_of}"
    return f"Since {claim.since}, {checked}." if claim.since else f"{checked.capitalize()}."


@cache
def _of(claim: Claim) -> _Said:
    said = _said(f"{claim.claim} {claim.figure}".lower())
    families = said.families | frozenset(claim.families)
    return _Said(said.types, families, said.numbers, said.words)


def _said(text: str) -> _Said:
    types = frozenset(TYPE.findall(text))
    rest = TYPE.sub(" ", text)
    families = {name.partition(".")[0] for name in types} | set(FAMILY.findall(rest))
    words = frozenset(SAME.get(word, word) for word in WORD.findall(rest))
    for spoken, meant in SPOKEN_FAMILIES.items():
        if spoken in words or spoken in families:
            families.update(meant)
    numbers = tuple(_figure(match) for match in NUMBER.finditer(FAMILY.sub(" ", rest)))
    return _Said(types, frozenset(families), numbers, words - ASKING)


def _figure(match: re.Match[str]) -> Figure:
    unit = UNITS.get(match["sign"] or match["unit"] or "", "")
    return float(match["n"].replace(",", "")), unit


def _score(said: _Said, claim: _Said) -> float:
    """Return how near a claim is to what was said, 0 where they speak of different things."""
    if said.families and claim.families and not said.families & claim.families:
        return 0.0
    if said.types and claim.types and not said.types & claim.types:
        return 0.0
    if any(unit == "B" and not _close((n, unit), claim.numbers) for n, unit in said.numbers):
        return 0.0  # a size that the claim does not speak of: a workload
    near = sum(1.0 for number in said.numbers if _close(number, claim.numbers))
    every = said.words | claim.words
    words = len(said.words & claim.words) / len(every) if every else 0.0
    named = len(said.types & claim.types) + 0.3 * len(said.families & claim.families)
    return near * 2 + words * 3 + named + 0.001


def _close(figure: Figure, others: tuple[Figure, ...]) -> bool:
    number, unit = figure
    return any(
        abs(number - other) <= CLOSE * abs(other) and unit in {"", its} for other, its in others
    )


def _shared(said: _Said, claim: _Said) -> float:
    """Return which share of a question's words a claim holds."""
    mine = said.words | said.families
    its = claim.words | claim.families
    return len(mine & its) / len(mine) if mine else 1.0
