"""Patterns that hold hundreds of words, made when a text first has what every match of them has.

A cold start waits for each pattern that is made when its module is imported.
"""

import re


class LatePattern:
    """A pattern that is made when it is first needed."""

    __slots__ = ("_made", "seen", "source")

    def __init__(self, source: str, seen: str = "") -> None:
        """Keep a pattern and a short one, `seen`, that is found wherever the first matches."""
        self.source, self.seen = source, seen
        self._made: re.Pattern[str] | None = None

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        if self._made is None and re.search(self.seen, text):
            self._made = re.compile(self.source)
        return self._made

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Return the first match in a stretch of the text."""
        pattern = self._pattern(text)
        return pattern and pattern.search(text, start, len(text) if end is None else end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the match that begins at `start`."""
        pattern = self._pattern(text)
        return pattern and pattern.match(text, start)
