"""What differs between two texts, for a person to read and to restore the whole text from.

It reads like a unified diff with no line numbers, so that it changes only where its own case does:

    --- kubernetes/realtime_7b.yaml     the goldens it is like, one after the other
    === llama-3-1-8b -> llama-3-1-70b   what reads otherwise throughout
    +++ kubernetes/quantised_70b.yaml   its own name
    @@ resources:                       a change, and the line it stands under
     limits:                            lines that tell the place, where the change alone does not
    -  memory: 28288Mi                  lines of the others
    +  memory: 58560Mi                  lines of its own

Each change stands at the first place after the one before where its lines are found.
"""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BASE, OTHERWISE, OWN, CHANGE = "--- ", "=== ", "+++ ", "@@"
TO = " -> "


@dataclass(frozen=True)
class Likeness:
    """The goldens that one is like, and the words that read otherwise in it."""

    bases: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, lines: list[str]) -> tuple["Likeness", list[list[str]]]:
        """Return what the lines of a file say, and its changes."""
        own = next((i for i, line in enumerate(lines) if line.startswith(OWN)), len(lines))
        bases = (line.removeprefix(BASE) for line in lines[:own] if line.startswith(BASE))
        words = (line.removeprefix(OTHERWISE) for line in lines[:own] if line.startswith(OTHERWISE))
        like = cls(tuple(bases), tuple(tuple(word.split(TO)) for word in words))
        return like, _changes(lines[own + 1 : -1])

    def head(self, name: str) -> list[str]:
        """Return the first lines of the file."""
        words = (f"{OTHERWISE}{old}{TO}{new}" for old, new in self.words)
        return [*(BASE + base for base in self.bases), *words, OWN + name]

    def base(self, texts: Iterable[str]) -> list[str]:
        """Return the lines that the changes are made to."""
        text = "".join(texts)
        for old, new in self.words:
            text = text.replace(old, new)
        return text.split("\n")


def differing(base: list[str], text: list[str]) -> Iterator[str]:
    """Yield the lines that tell `text` by `base`."""
    done = 0
    matcher = difflib.SequenceMatcher(None, base, text, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag == "equal":
            continue
        before = _placed(base, start, end, done)
        if done == 0 or before > done:
            yield f"{CHANGE} {_above(base, before)}".rstrip()
        yield from (f" {line}" for line in base[before:start])
        yield from (f"-{line}" for line in base[start:end])
        yield from (f"+{line}" for line in text[first:last])
        done = end


def restored(base: list[str], changes: Iterable[list[str]]) -> list[str]:
    """Return the lines of the text that the changes tell.

    Raises:
        AssertionError: the lines of a change are not in `base`.
    """
    text, done = [], 0
    for change in changes:
        old = [line[1:] for line in change if not line.startswith("+")]
        start = _found(base, old, done)
        assert start is not None, "not in what it is told by:\n" + "\n".join(change)
        text += base[done:start] + [line[1:] for line in change if not line.startswith("-")]
        done = start + len(old)
    return text + base[done:]


def _changes(lines: list[str]) -> list[list[str]]:
    changes: list[list[str]] = []
    for line in lines:
        if line.startswith(CHANGE):
            changes.append([])
        else:
            changes[-1].append(line)
    return changes


def _placed(base: list[str], start: int, end: int, done: int) -> int:
    """Return where to begin telling a change so that it is found where it stands.

    An addition is told with the line before it; a single line between two changes joins them.
    """
    before = start - (start == end or start == done + 1)
    before = max(before, done)
    while _found(base, base[before:end], done) != before:
        before -= 1
    return before


def _found(base: list[str], lines: list[str], after: int) -> int | None:
    places = range(after, len(base) - len(lines) + 1)
    return next((i for i in places if base[i : i + len(lines)] == lines), None)


def _above(base: list[str], at: int) -> str:
    """Return the line that the one at `at` stands under: the last with less of a margin."""
    margin = _margin(base[at]) if at < len(base) else 0
    above = (line for line in reversed(base[:at]) if line.strip() and _margin(line) < margin)
    return next(above, "").strip()


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())
