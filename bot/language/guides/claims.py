"""Which of the documents' claims a question is about.

A claim is found by what it speaks of (types and families), by its figures and by its words.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final

from bot.language.guides.claim_words import ClaimText, Figure, said_in
from bot.language.guides.names import DOCUMENT
from catalog.guides.guide_rows import Claim
from engine.guides.claims import CLOSE

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
