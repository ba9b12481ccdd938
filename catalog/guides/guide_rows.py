"""What the written guides say outside their trees: claims, tables, definitions, snippets.

Kept as data beside the trees, in our own words. A text may hold references to facts, such as
`{price:p5.48xlarge}`: `engine.guides.guide_facts` fills them in from today's catalog, so that no
figure of today is written down. Files are read without checks here; the tests read them strictly.
"""

import csv
import json
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from catalog.guides.guides import GUIDES_FOLDER

Truth = Literal["yes", "stale", "no", "unverifiable"]
ClaimKind = Literal[
    "availability",
    "capability",
    "compute",
    "cost",
    "efficiency",
    "latency",
    "load",
    "memory",
    "network",
    "performance",
    "price",
    "purchase",
    "rating",
    "recommendation",
    "savings",
    "software",
    "speedup",
    "syntax",
]
NEVER = "never"  # in `since`: the claim was wrong from the start

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a document states, and what holds today."""

    document: str  # "001"
    line: int
    kind: ClaimKind
    families: tuple[str, ...]
    claim: str  # a sentence without its full stop
    figure: str  # the document's own figure: "$98.32/h"
    true_today: Truth
    today: str  # with references to facts
    since: str  # when it stopped being so; `NEVER`; blank: not known
    source: str
    as_of: str

    @property
    def key(self) -> str:
        """The claim as requests name it: `001:118`."""
        return f"{self.document}:{self.line}"

    @property
    def usd_per_hour(self) -> float | None:
        """The price that the document prints; None where the figure is none."""
        price = self.figure.removesuffix("/h")
        return float(price[1:]) if price.startswith("$") else None


@dataclass(frozen=True, slots=True)
class Definition:
    """A word the documents use, and which types of today's catalog it covers."""

    term: str
    aliases: tuple[str, ...]
    document: str  # blank: a word of the glossary, which no document prints
    line: int
    definition: str
    select: str  # which types it covers, see `engine.guides.definitions`; blank: a word, not a kind
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code or configuration printed in a document."""

    id: str
    document: str
    line: int
    title: str
    aliases: tuple[str, ...]
    shows: str
    today: str  # what of it works today, and what to use instead
    ask: str  # the request whose answer takes its place
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Saying:
    """What a document says on a topic that an answer of ours is about."""

    document: str
    line: int
    section: str
    topic: Literal["strategy"]
    says: str  # a sentence without its full stop
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a document's table: its cells there, and the same cells today."""

    line: int
    says: tuple[str, ...]
    today: tuple[str, ...]  # with references to facts


@dataclass(frozen=True, slots=True)
class GuideTable:
    """One table, matrix or list of a document."""

    id: str
    document: str
    title: str
    section: str
    line: int
    names: tuple[str, ...]  # what people call it
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...]
    as_of: str


@dataclass(frozen=True, slots=True)
class GuideRows:
    """Everything the documents say beside their trees."""

    claims: tuple[Claim, ...]
    definitions: tuple[Definition, ...]
    snippets: tuple[Snippet, ...]
    sayings: tuple[Saying, ...]
    tables: tuple[GuideTable, ...]


@cache
def load_guide_rows(folder: Path = GUIDES_FOLDER) -> GuideRows:
    """Return the rows of a folder whose files the tests have read strictly."""
    tables = [
        table_from(raw)
        for path in sorted((folder / "tables").glob("*.json"))
        for raw in json.loads(path.read_bytes())["tables"]
    ]
    return GuideRows(
        claims=_csv_rows(folder / "claims.csv", Claim),
        definitions=_csv_rows(folder / "definitions.csv", Definition),
        snippets=_csv_rows(folder / "snippets.csv", Snippet),
        sayings=_csv_rows(folder / "sayings.csv", Saying),
        tables=tuple(tables),
    )


def table_from(raw: dict[str, Any]) -> GuideTable:
    """Return the table a parsed object describes; its shape is not checked here."""
    rows = tuple(TableRow(r["line"], tuple(r["says"]), tuple(r["today"])) for r in raw["rows"])
    lists = {name: tuple(raw[name]) for name in ("names", "columns", "notes")}
    return GuideTable(**{**raw, **lists, "rows": rows})


def _csv_rows(path: Path, row_type: type[Row]) -> tuple[Row, ...]:
    listed = {f.name for f in fields(cast("Any", row_type)) if str(f.type).startswith("tuple")}
    numbers = {f.name for f in fields(cast("Any", row_type)) if f.type is int}

    def cell(name: str, text: str) -> object:
        if name in numbers:
            return int(text)
        return tuple(text.split("; ")) if name in listed else text

    with path.open(encoding="utf-8", newline="") as file:
        read = csv.DictReader(file)
        return tuple(row_type(**{n: cell(n, t) for n, t in row.items()}) for row in read)
