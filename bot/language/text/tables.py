"""The word tables beside this file and the spoken names of `data/spoken.json`, read once."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from catalog.load import DATA_DIR


@cache
def _spoken_words() -> Mapping[str, Any]:
    return dict(json.loads((DATA_DIR / "spoken.json").read_text(encoding="utf-8")))


def spoken(section: str) -> dict[str, Any]:
    """Return a section's words and what each means; KeyError where there is none."""
    return dict(_spoken_words()[section])


def words(section: str) -> tuple[str, ...]:
    """Return a section's words, in their order."""
    return tuple(_spoken_words()[section])


def any_of(section: str) -> str:
    """Return the part of a pattern that takes any word of a section."""
    return "|".join(words(section))


LexiconRow = tuple[str, object, str]  # name, value, phrases joined by ";"

FOLDER: Final = Path(__file__).parent
TOKENS_FILE: Final = FOLDER.parent / "compiled" / "tokens.txt"
ENTRY: Final = re.compile(r"(\S+) (\S+): (.+)")
VALUES: Final[dict[str, object]] = {"-": None, "true": True}
UNSPACED: Final = "unspaced"  # scripts that put no space between words


@cache
def lexicon(*, unspaced: bool = False) -> tuple[LexiconRow, ...]:
    """Return the phrases of the lexicon as rows, of spaced scripts or of the others.

    Raises:
        ValueError: naming the line that is no `name value: phrases`.
    """
    return tuple(
        (name, VALUES.get(value, value), phrases)
        for section, entries in sections_of(FOLDER / "lexicon.txt").items()
        if (section == UNSPACED) == unspaced
        for name, value, phrases in entries
    )


@cache
def sections_of(path: Path) -> Mapping[str, Sequence[tuple[str, str, str]]]:
    """Return the entries of a word table by section: name, value, what is said for it.

    Raises:
        ValueError: naming the line that is no `name value: words`.
    """
    entries: list[tuple[str, str, str]] = []
    sections = {"": entries}
    for line in _joined_lines(path):
        if line.startswith("["):
            entries = sections.setdefault(line.partition("#")[0].strip(" []"), [])
        elif (entry := ENTRY.fullmatch(line)) is None:
            raise ValueError(f"{path.name}: not `name value: words`: {line}")
        else:
            entries.append((entry[1], entry[2], entry[3]))
    return sections


def _joined_lines(path: Path) -> list[str]:
    """Return the lines that are no comment, each with the indented lines that go on with it."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  ") and lines:
            lines[-1] += " " + line.strip()
        elif line.strip() and not line.startswith("#"):
            lines.append(line.strip())
    return lines


@cache
def stopwords() -> frozenset[str]:
    """Return the words that carry no request."""
    return frozenset(" ".join(_joined_lines(FOLDER / "stopwords.txt")).split())


@cache
def not_slips() -> frozenset[str]:
    """Return the words that look like a slip of a known word and are none.

    So are the words of the tables that tell what is left out, and what runs or was tried.
    """
    listed = " ".join(_joined_lines(FOLDER / "not_slips.txt")).split()
    tables = (sections_of(FOLDER.parent / f"{name}.txt") for name in ("polarity", "roles"))
    told = (row[2] for table in tables for rows in table.values() for row in rows)
    return frozenset((*listed, *" ".join(told).replace(";", " ").split()))


@cache
def tokens() -> dict[str, int]:
    """Return the row in the table of word vectors of each English word and part of a word."""
    listed = TOKENS_FILE.read_text(encoding="ascii").split("\n")
    return {token: row for row, token in enumerate(listed) if token}
