"""The day a capacity block shall start: "from Monday", "starting 2026-12-01"."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from bot.language.draft import Draft

WEEKDAYS: Final = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
START = re.compile(
    r"\b(?:from|starting|beginning|starts?|begins?|ab)(?: on| at| from)? (?:next |this |coming )?"
    rf"(?P<day>{'|'.join(WEEKDAYS)}|today|tomorrow|next week|\d{{4}}-\d{{2}}-\d{{2}})\b"
)
BLOCK = re.compile(r"\bcapacity ?blocks?\b|\bmarket[=:]")


def read_start(draft: Draft) -> None:
    """Keep the words of the day, where a capacity block is spoken of."""
    match = START.search(draft.reader.work)
    if match is not None and BLOCK.search(draft.reader.whole):
        draft.asked = replace(draft.asked, block_starts=match["day"])
        draft.mark("detail:starts", *match.span())


def start_date(words: str | None, today: date) -> date | None:
    """Return the day meant by `Asked.block_starts`; a weekday is the next one, never today."""
    if words is None or words == "today":
        return None if words is None else today
    if words in WEEKDAYS:
        return today + timedelta(days=(WEEKDAYS.index(words) - today.weekday() - 1) % 7 + 1)
    if words == "next week":
        return start_date("monday", today)
    if words == "tomorrow":
        return today + timedelta(days=1)
    try:
        return date.fromisoformat(words)
    except ValueError:  # the 31st of a month that has none
        return None
