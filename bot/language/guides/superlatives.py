"""Hears that a text asks whether something leads its kind: "is g4dn the cheapest GPU?"."""

import re
from typing import Final

from bot.language.guides.names import FILLER
from catalog.catalog import Catalog
from engine.guides.asked import ScaleName, SuperlativeQuestion
from engine.guides.superlatives import types_called

WORD: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
ASKING: Final = frozenset(
    ("isn", "t", "aren", "really", "still", "always", "true", "right", "on", "aws")
)
PLACE: Final = re.compile(r"\bin [a-z0-9-]+")  # the turn's region, read elsewhere
SCALE_WORDS: Final[dict[ScaleName, tuple[str, ...]]] = {
    "cheapest": ("cheapest", "least expensive", "most affordable", "lowest priced"),
    "dearest": ("most expensive", "dearest", "priciest"),
    "fastest": ("fastest", "quickest", "strongest", "most powerful"),
    "largest": ("biggest", "largest"),
}
SCALES: Final = {word: name for name, words in SCALE_WORDS.items() for word in words}
KINDS: Final = {
    "gpu": "vendor nvidia",
    "gpus": "vendor nvidia",
    "accelerator": "accelerated",
    "chip": "accelerated",
    "cpu": "cpu",
    "instance": "any",
    "type": "any",
    "machine": "any",
}
ASKED: Final = re.compile(
    rf"\bthe (?P<most>{'|'.join(SCALES)}) (?:nvidia |aws |ec2 )?(?P<kind>{'|'.join(KINDS)})\b"
)


def superlative_asked(text: str, catalog: Catalog) -> SuperlativeQuestion | None:
    """Return what a yes-or-no question says leads its kind; None where it says more than that."""
    low = PLACE.sub(" ", text.lower())
    match = ASKED.search(low)
    if match is None:
        return None
    words = [word.rstrip(".-") for word in WORD.findall(low[: match.start()] + low[match.end() :])]
    named = [word for word in words if types_called(word, catalog)]
    if len(named) != 1 or set(words) - set(named) - FILLER - ASKING - KINDS.keys():
        return None
    return SuperlativeQuestion(named[0], SCALES[match["most"]], KINDS[match["kind"]])
