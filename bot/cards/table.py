"""Tables as fixed-width text: the one layout that a terminal and a Slack code block share."""

import textwrap
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from bot.core.figures import plain_line
from bot.core.views import TableView

GAP = "  "
NARROWEST = 6
CELL_CHARS = 200


def table_view(
    title: str,
    lead: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
) -> TableView:
    """Return a table ready to lay out: every cell one plain line, rows as long as the header."""
    width = len(columns)
    cells = tuple(
        tuple(plain_line(cell, CELL_CHARS) for cell in (*row, *([""] * width))[:width])
        for row in rows
    )
    return TableView(
        title=plain_line(title, 150),
        lead=plain_line(lead, 1500),
        columns=tuple(plain_line(column, 60) for column in columns),
        rows=cells,
        notes=tuple(line for line in map(plain_line, notes) if line),
    )


def table_lines(view: TableView, width: int) -> list[str]:
    """Return the table as lines of at most `width` columns; long cells wrap inside their column."""
    every = [view.columns, *view.rows]
    widths = _fitted([max(map(_cells, column)) for column in zip(*every, strict=True)], width)
    lines = _row_lines(view.columns, widths)
    lines.append(GAP.join("-" * w for w in widths))
    for row in view.rows:
        lines += _row_lines(row, widths)
    return lines


def _fitted(wanted: list[int], width: int) -> list[int]:
    """Return column widths that fit: the widest column gives way first."""
    widths = list(wanted)
    room = width - len(GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _row_lines(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    wrapped = [textwrap.wrap(c, w) or [""] for c, w in zip(cells, widths, strict=True)]
    return [
        GAP.join(_padded(part, w) for part, w in zip(parts, widths, strict=True)).rstrip()
        for parts in zip_longest(*wrapped, fillvalue="")
    ]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _cells(text: str) -> int:
    """Return how many columns a text takes; East Asian wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
