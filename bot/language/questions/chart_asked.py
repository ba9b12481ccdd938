"""Asking for a chart: which one, and what else the text says."""

import re
from dataclasses import dataclass
from typing import Final, Literal

ChartKind = Literal["memory", "frontier", "history", "crossover"]

_CHART = r"(?:charts?|graphs?|plots?|diagrams?)"
_DRAWN = r"(?:memory|vram|price|cost|latency|frontier|pareto|crossover|history|load)"
# A text asks for one by its first words or by its last; "graph neural network" does not.
_ASKS: Final = re.compile(
    r"\A(?:please |can you |could you |now )?(?:"
    rf"(?:draw|plot|visuali[sz]e)\b"
    rf"|(?:show|give|send)(?: me| us)? (?:the |a |an |its )?(?:{_DRAWN}\b.{{0,40}}?)?"
    rf"(?:{_CHART}|frontier)\b"
    rf"|(?:{_DRAWN}\b.{{0,25}}? {_CHART}|charts?|diagrams?)\b(?!\s*[=:<>])"
    rf")|\b(?:as|in) an? {_CHART}[.?!]*\Z",
    re.IGNORECASE,
)
# Cost against complexity is a table of its own, whatever it is called.
_A_TABLE: Final = re.compile(r"\bcomplexity\b", re.IGNORECASE)
_KINDS: Final[tuple[tuple[ChartKind, re.Pattern[str]], ...]] = (
    ("memory", re.compile(r"\b(?:memory|vram)\b(?: (?:bar|breakdown|use|usage))?", re.IGNORECASE)),
    (
        "history",
        re.compile(r"\b(?:price|cost)s? (?:history|over time)\b|\bhistory\b", re.IGNORECASE),
    ),
    (
        "crossover",
        re.compile(r"\bcrossovers?\b|\b(?:cheapest )?(?:at )?every load\b", re.IGNORECASE),
    ),
    (
        "frontier",
        re.compile(
            r"\b(?:pareto )?frontier\b|\blatency\b.{1,10}\b(?:cost|price)\b"
            r"|\b(?:cost|price)\b.{1,10}\blatency\b",
            re.IGNORECASE,
        ),
    ),
)
# Whole words: `us` of us-east-1 is none of them.
_FILLERS: Final = re.compile(
    r"(?<![\w.-])(?:please|can you|could you|now|(?:show|give|send)(?: me| us)?|draw|plot|"
    rf"visuali[sz]e|the|an?|its?|this|that|{_CHART}|of|for|as|in an?(?= {_CHART})|against|versus|"
    r"vs)(?![\w.=-])|[?!.]+\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """A chart that is asked for: its kind (None: whatever there is), and the words around it."""

    kind: ChartKind | None
    rest: str


def chart_asked(text: str) -> ChartRequest | None:
    """Return the chart a text asks for; None where it asks for none."""
    text = " ".join(text.split())
    if _ASKS.search(text) is None or _A_TABLE.search(text):
        return None
    for kind, words in _KINDS:
        if words.search(text):
            return ChartRequest(kind, _words_around(words.sub(" ", text)))
    return ChartRequest(None, _words_around(text))


def _words_around(text: str) -> str:
    """Return what is left when the words about the chart are taken out; "in Ohio" stays."""
    left = " ".join(_FILLERS.sub(" ", text).split())
    return left if re.search(r"[A-Za-z0-9]", left) else ""
