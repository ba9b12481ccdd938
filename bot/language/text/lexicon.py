"""The word tables beside this file, read once: `lexicon.txt`, `stopwords.txt`, `not_slips.txt`."""

import re
from functools import cache
from pathlib import Path
from typing import Final

Row = tuple[str, object, str]  # name, value, phrases joined by ";"

FOLDER: Final = Path(__file__).parent
ENTRY: Final = re.compile(r"(\S+) (\S+): (.+)")
VALUES: Final[dict[str, object]] = {"-": None, "true": True}
UNSPACED: Final = "unspaced"  # scripts that put no space between words


@cache
def lexicon(*, unspaced: bool = False) -> tuple[Row, ...]:
    """Return the phrases of the lexicon as rows, of spaced scripts or of the others.

    Raises:
        ValueError: naming the line that is no `name value: phrases`.
    """
    section, rows = "", []
    for line in _joined_lines("lexicon.txt"):
        if line.startswith("["):
            section = line.strip("[]")
        elif (entry := ENTRY.fullmatch(line)) is None:
            raise ValueError(f"lexicon.txt: not `name value: phrases`: {line}")
        elif (section == UNSPACED) == unspaced:
            rows.append((entry[1], VALUES.get(entry[2], entry[2]), entry[3]))
    return tuple(rows)


def _joined_lines(name: str) -> list[str]:
    """Return the lines that are no comment, each with the indented lines that go on with it."""
    lines: list[str] = []
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("  ") and lines:
            lines[-1] += " " + line.strip()
        elif line.strip() and not line.startswith("#"):
            lines.append(line.strip())
    return lines


@cache
def stopwords() -> frozenset[str]:
    """Return the words that carry no request."""
    return frozenset(" ".join(_joined_lines("stopwords.txt")).split())


@cache
def not_slips() -> frozenset[str]:
    """Return the words that look like a slip of a known word and are none."""
    return frozenset(" ".join(_joined_lines("not_slips.txt")).split())
