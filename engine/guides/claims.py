"""What a document claims, cited, and what holds instead today.

A figure that the documents got wrong is only ever repeated as theirs.
"""

from dataclasses import dataclass
from typing import Final

from catalog.catalog import Catalog
from catalog.guides.guide_rows import NEVER, Claim, Truth
from engine.core.result import Number
from engine.guides.guide_facts import FilledText, filled

CLOSE: Final = 0.02  # $98 is said for $98.32
VERDICTS: Final = {
    "yes": "Yes, that still holds",
    "stale": "No longer",
    "no": "No",
    "unverifiable": "That cannot be confirmed",
}


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """What a document states, and what holds today."""

    claim: Claim
    text: str
    today: FilledText

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Today's numbers; the document's own are in the text only."""
        return self.today.numbers


def claim_answer(claim: Claim, catalog: Catalog, region: str) -> ClaimAnswer:
    """Return what the document says, cited, what holds today, and since when."""
    today = filled(claim.today, catalog, region)
    parts = [
        f"{VERDICTS[verdict(claim, today.numbers)]}.",
        f"Guide {claim.document}, line {claim.line}, says: {claim.claim} ({claim.figure}).",
        f"Today: {today.text}",
        _since_sentence(claim),
        today.price_note,
        f"Source: {claim.source}.",
    ]
    return ClaimAnswer(claim, " ".join(part for part in parts if part), today)


def verdict(claim: Claim, today: tuple[Number, ...]) -> Truth:
    """Return whether a claim holds; a price that held when the row was written may have moved."""
    printed = claim.usd_per_hour
    if claim.kind != "price" or claim.true_today != "yes" or printed is None or not today:
        return claim.true_today
    return "yes" if abs(today[0].value - printed) <= CLOSE * printed else "stale"


def _since_sentence(claim: Claim) -> str:
    if claim.since == NEVER:
        return "It was never so."
    checked = f"checked {claim.as_of}"
    return f"Since {claim.since}, {checked}." if claim.since else f"{checked.capitalize()}."
