"""A table of a guide beside the same table today: what it prints, then what the catalog says."""

from collections.abc import Iterable
from dataclasses import dataclass

from catalog.catalog import Catalog
from catalog.guides.guide_rows import GuideTable
from engine.core.result import Number
from engine.guides.guide_facts import filled, price_note


@dataclass(frozen=True, slots=True)
class TableToday:
    """Two lines for each row of a document's table: as printed, and as of today."""

    title: str
    lead: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    numbers: tuple[Number, ...]


def table_today(tables: Iterable[GuideTable], catalog: Catalog, region: str) -> TableToday:
    """Return one or several tables of a document, recomputed beside the document's own figures."""
    several = list(tables)
    first = several[0]
    rows: list[tuple[str, ...]] = []
    numbers: list[Number] = []
    quotes = []
    for table in several:
        if table is not first:
            rows.append(("", *table.columns))
        for row in table.rows:
            today = [filled(cell, catalog, region) for cell in row.today]
            rows += [(f"line {row.line}", *row.says), ("today", *(cell.text for cell in today))]
            numbers += [number for cell in today for number in cell.numbers]
            quotes += [quote for cell in today for quote in cell.quotes]
    notes = (*dict.fromkeys(note for table in several for note in table.notes), price_note(quotes))
    return TableToday(
        title=" and ".join(dict.fromkeys(table.title for table in several)),
        lead=_tables_lead(several),
        columns=("", *first.columns),
        rows=tuple(rows),
        notes=tuple(note for note in notes if note),
        numbers=tuple(numbers),
    )


def _tables_lead(tables: list[GuideTable]) -> str:
    places = "; ".join(
        f"guide {table.document}, {table.section}, line {table.line}" for table in tables
    )
    return f"As printed in {places}, and recomputed from today's catalog."
