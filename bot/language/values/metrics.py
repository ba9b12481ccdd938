"""Reads what asks for the four metrics: a list of them, or what one inference costs."""

import re
from typing import Final

from bot.language.draft import Draft

METRIC = (
    r"(?:throughput|latency|latencies|utili[sz]ation|speed"
    r"|costs?(?: per (?:inference|prediction|request|call))?|price)"
)
JOIN = r"(?:, ?(?:and )?| and | & | ?/ ?|; ?)"
# Two are a wish ("low cost and latency"), unless one is utilisation, which nobody wishes for.
LISTED: Final = re.compile(
    rf"\b{METRIC}(?:{JOIN}{METRIC}){{2,}}\b"
    rf"|\butili[sz]ation{JOIN}{METRIC}\b|\b{METRIC}{JOIN}utili[sz]ation\b"
)
UNIT = r"(?:inference|prediction|request|call|query|classification|forward pass)"
UNIT_COST: Final = re.compile(
    rf"\b(?:costs?|prices?) (?:of|for|per) (?:an? |1 |each |every |a single )?(?:\w+ )?{UNIT}\b"
    rf"|\b(?:1|each|every|an?|single) (?:\w+ )?{UNIT} costs?\b"
)


def read_metrics(draft: Draft) -> None:
    """Mark a text that lists the metrics, or asks what one inference costs."""
    for match in draft.reader.matches(LISTED):
        draft.mark("topic:metrics", *match.span())
    for match in draft.reader.matches(UNIT_COST):
        draft.marks.setdefault("topic:metrics", match.span())  # a model may be named inside
