"""The strict reading of the guides' rows: every mistake stops the build and names its place.

Run in CI and when rows are edited; a request reads the same files with `load_guide_rows`. Whether
the fact references of a text can be filled in is the engine's to say: `filled` is handed in.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from catalog.facts.errors import CatalogError
from catalog.facts.rows import keyed, read_rows
from catalog.guides.guide_rows import (
    Claim,
    Definition,
    GuideRows,
    Saying,
    Snippet,
    load_guide_rows,
    table_from,
)
from catalog.guides.guides import GUIDES_FOLDER

Row = TypeVar("Row")
TABLE_KEYS = frozenset(
    {"id", "document", "title", "section", "line", "names", "columns", "rows", "notes", "as_of"}
)
ROW_KEYS = frozenset({"line", "says", "today"})


def check_guide_rows(
    folder: Path = GUIDES_FOLDER,
    documents: Iterable[str] = (),
    fill: Callable[[str], object] | None = None,
) -> GuideRows:
    """Return the rows of a folder after checking everything an answer relies on.

    `documents` are the ids of the guides; `fill` fills the fact references of a text and raises
    LookupError where it cannot. Without them neither is checked.

    Raises:
        CatalogError: for a bad cell, an unknown document, kind or fact, a double name, or a table
            whose rows are not as long as its header. The message names file and row.
    """
    known = frozenset(documents)
    _check_rows(folder / "claims.csv", Claim, known, lambda c: (c.document, c.line, c.claim))
    _check_rows(folder / "definitions.csv", Definition, known, lambda d: d.term)
    _check_rows(folder / "snippets.csv", Snippet, known, lambda s: s.id)
    _check_rows(folder / "sayings.csv", Saying, known, lambda s: (s.document, s.line))
    for path in sorted((folder / "tables").glob("*.json")):
        for raw in _tables(path):
            _check_table(path.name, raw, known)
    rows = load_guide_rows(folder)
    if fill is not None:
        _check_facts(rows, fill)
    return rows


def _check_rows(
    path: Path, row_type: type[Row], documents: frozenset[str], key: Callable[[Row], Any]
) -> None:
    rows = read_rows(path, row_type)
    keyed(path.name, rows, key)
    for number, row in rows:
        document, line = getattr(row, "document", ""), getattr(row, "line", 0)
        if documents and document not in documents:
            _refuse(path.name, number, f"no guide {document!r}", "cite one of the documents")
        if line < 1:
            _refuse(path.name, number, f"cites line {line}", "give the line in the document")


def _tables(path: Path) -> list[dict[str, Any]]:
    try:
        raw = json.loads(path.read_bytes())
    except ValueError as error:
        _refuse(path.name, None, f"is not JSON ({error})", "mend the syntax")
    if not isinstance(raw, dict) or raw.keys() != {"tables"}:
        _refuse(path.name, None, "holds something else than tables", 'write {"tables": […]}')
    tables: list[dict[str, Any]] = raw["tables"]
    return tables


def _check_table(file: str, raw: Mapping[str, Any], documents: frozenset[str]) -> None:
    where = f"table {raw.get('id')!r}"
    if raw.keys() != TABLE_KEYS:
        odd = ", ".join(sorted(raw.keys() ^ TABLE_KEYS))
        _refuse(file, None, f"{where}: missing or unknown keys: {odd}", "see the other tables")
    if documents and raw["document"] not in documents:
        _refuse(file, None, f"{where}: no guide {raw['document']!r}", "cite one of the documents")
    if not raw["names"] or not raw["rows"]:
        _refuse(file, None, f"{where}: no names or no rows", "say what people call it, and fill it")
    for row in raw["rows"]:
        if row.keys() != ROW_KEYS:
            _refuse(file, None, f"{where}: a row has {sorted(row)}", "line, says and today")
        if not len(row["says"]) == len(row["today"]) == len(raw["columns"]):
            _refuse(
                file,
                None,
                f"{where}, line {row['line']}: cells do not match the columns",
                f"give {len(raw['columns'])} cells, for the document and for today",
            )
    table_from(dict(raw))


def _check_facts(rows: GuideRows, fill: Callable[[str], object]) -> None:
    texts = [("claims.csv", claim.key, claim.today) for claim in rows.claims]
    texts += [
        (f"tables/{table.document}.json", f"{table.id}, line {row.line}", cell)
        for table in rows.tables
        for row in table.rows
        for cell in row.today
    ]
    for file, where, text in texts:
        try:
            fill(text)
        except (LookupError, TypeError) as error:
            _refuse(file, None, f"{where}: {error}", "name a fact, type or family that exists")


def _refuse(file: str, row: int | None, problem: str, remedy: str) -> NoReturn:
    raise CatalogError(file, row, problem, remedy)
