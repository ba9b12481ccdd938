"""Whether a text goes back in its thread: a step, or to its beginning."""

import re
from typing import Final

UNDO: Final = re.compile(
    r"(?:please )?(?:undo|revert|go back|take (?:that|it) back|back to the (?:previous|last) one)"
    r"(?: (?:that|this|it|the last (?:one|step|change)))?(?: please)?[.!]?",
    re.IGNORECASE,
)
FIRST: Final = re.compile(
    r"(?:(?:ok(?:ay)?|no|please|let'?s)[, ]+)*"
    r"(?:(?:go )?back to (?:the )?(?:first|start|beginning|original)"
    r"|start (?:again |over )?from the (?:first|original)|zur[üu]ck zu[mr]? (?:ersten|anfang))"
    r"(?: (?:one|answer|question|pick|request|version|thing))?(?: please)?[.!]?",
    re.IGNORECASE,
)


def says_undo(text: str) -> bool:
    """Return whether a text takes the last change of its thread back."""
    return UNDO.fullmatch(text.strip()) is not None


def says_first(text: str) -> bool:
    """Return whether a text goes back to what its thread began with."""
    return FIRST.fullmatch(text.strip()) is not None
