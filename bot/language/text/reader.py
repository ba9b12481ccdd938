"""The text while it is being read: what is still open, and where each reading came from.

`work` is the lower-case text with numbers written as digits and typing slips mended; a rule that
understands a stretch takes it, so that no later rule reads it again. `text` is what the user
wrote: every span handed out points into it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

TAKEN = "\0"  # cannot be typed: normalising removes control characters


def lower(text: str) -> str:
    """Return `text` in lower case, character by character, so that offsets stay the same."""
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


@dataclass(slots=True)
class Reader:
    """One text; `work` shrinks to what no rule has read yet. Offsets are of `work`."""

    text: str
    work: str = ""
    whole: str = ""  # `work` as it was before anything was taken, for a look at the neighbours
    _origin: list[int] = field(default_factory=list)

    def rewrite(self, changes: list[tuple[int, int, str]]) -> None:
        """Set `work` to the lower-case text with `changes` made (start, end, replacement)."""
        low = lower(self.text)
        pieces: list[str] = []
        origin: list[int] = []
        done = 0
        for start, end, replacement in sorted(changes):
            if start < done:
                continue
            pieces += (low[done:start], replacement)
            origin += (*range(done, start), *([start] * len(replacement)))
            done = end
        self.work = self.whole = "".join((*pieces, low[done:]))
        self._origin = [*origin, *range(done, len(low)), len(low)]

    def put(self, start: int, end: int, words: str) -> None:
        """Put other words, in lower case, for a stretch; they point at where it starts."""
        self._origin[start:end] = [self._origin[start]] * len(words)
        self.work = self.work[:start] + words + self.work[end:]
        self.whole = self.whole[:start] + words + self.whole[end:]

    def take(self, start: int, end: int) -> None:
        """Mark a stretch as understood."""
        self.work = self.work[:start] + TAKEN * (end - start) + self.work[end:]

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield matches of `pattern` in the open text, each searched after the last was handled."""
        position = 0
        while match := pattern.search(self.work, position):
            yield match
            position = max(match.end(), match.start() + 1)

    def was_taken(self, place: int) -> bool:
        """Return whether the stretch of `text` that holds `place` was understood."""
        return any(
            self._origin[at] >= place and self.work[at] == TAKEN
            for at in range(len(self.work))
            if self._origin[at] in {place, place + 1}
        )

    def words(self, start: int, end: int) -> str:
        """Return the user's own words behind a stretch."""
        first, last = self.origin(start, end)
        return self.text[first:last]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of `work` stands in `text`."""
        last = self._origin[end - 1] if end > start else self._origin[start]
        following = self._origin[end]
        # A rewritten word maps to its start only; its end is the start of what follows.
        return self._origin[start], following if following > last else last + 1

    def before(self, start: int, length: int = 40) -> str:
        """Return the text that leads up to `start` in the same sentence, taken or not."""
        return re.split(r"[\n;?!]|[.,] ", self.whole[max(0, start - length) : start])[-1]

    def after(self, end: int, length: int = 40) -> str:
        """Return the text that follows `end` in the same sentence, taken or not."""
        return re.split(r"[\n;?!]|[.,] ", self.whole[end : end + length], maxsplit=1)[0]
