"""Reading one data file: every cell is checked against its column's type in `schema`."""

import csv
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from catalog.facts.errors import CatalogError

Row = TypeVar("Row")
Check = Callable[[str], Any]

LIST_SEPARATOR = "; "
BOOLEANS = {"yes": True, "no": False}
NO_CONSTANTS: Mapping[str, Any] = MappingProxyType({})


def read_rows(
    path: Path, row_type: type[Row], *, constant: Mapping[str, Any] = NO_CONSTANTS
) -> list[tuple[int, Row]]:
    """Return (row number as an editor counts it, typed row) for every row of a CSV file.

    `constant` holds the fields that have no column because every row has the same value.

    Raises:
        CatalogError: for a missing file, an unknown or missing column, a row that is too short or
            too long, or a cell that its column's type refuses.
    """
    checks = {
        name: check
        for name, check in _checks(cast("Hashable", row_type)).items()
        if name not in constant
    }
    return [
        (number, row_type(**_typed_cells(path.name, number, cells, checks), **constant))
        for number, cells in _raw_rows(path, list(checks))
    ]


def keyed(
    file: str, rows: Sequence[tuple[int, Row]], key: Callable[[Row], Hashable]
) -> dict[Any, Row]:
    """Return the rows by key.

    Raises:
        CatalogError: when two rows have the same key.
    """
    found: dict[Any, Row] = {}
    for number, row in rows:
        name = key(row)
        if name in found:
            raise CatalogError(file, number, f"{name!r} is listed twice", "keep one of the rows")
        found[name] = row
    return found


def _raw_rows(path: Path, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CatalogError(path.name, None, "the file is missing", "restore it from git") from None
    reader = csv.reader(text.splitlines())
    header = next(reader, [])
    _check_header(path.name, header, columns)
    order = [header.index(column) for column in columns]
    for cells in reader:
        if len(cells) != len(header):
            raise CatalogError(
                path.name,
                reader.line_num,
                f"has {len(cells)} cells where the header has {len(header)}",
                "quote a comma inside a cell, or fill in the missing cells",
            )
        yield reader.line_num, [cells[index] for index in order]


def _check_header(file: str, header: list[str], columns: list[str]) -> None:
    unknown = [name for name in header if name not in columns]
    missing = [name for name in columns if name not in header]
    if unknown:
        raise CatalogError(
            file, 1, f"unknown column {unknown[0]!r}", f"the columns are {', '.join(columns)}"
        )
    if missing:
        raise CatalogError(file, 1, f"column {missing[0]!r} is missing", "add it to every row")
    if len(set(header)) != len(header):
        raise CatalogError(file, 1, "a column is named twice", "keep one of them")


def _typed_cells(
    file: str, number: int, cells: list[str], checks: dict[str, Check]
) -> dict[str, Any]:
    values = {}
    for (column, check), cell in zip(checks.items(), cells, strict=True):
        try:
            values[column] = check(cell)
        except ValueError as error:
            raise CatalogError(
                file,
                number,
                f"{column} is {cell!r} ({_one_line_reason(error)})",
                "correct the cell; leave it blank only where the figure is unknown",
            ) from None
    return values


def _one_line_reason(error: ValueError) -> str:
    """Return what is wrong in one line; pydantic's own text has several."""
    errors = getattr(error, "errors", None)
    return str(error) if errors is None else str(errors()[0]["msg"])


@cache
def _checks(row_type: Hashable) -> dict[str, Check]:
    hints = column_types(cast("type[Any]", row_type))
    return {name: cell_check(hint) for name, hint in hints.items()}


def column_types(row_type: type[Any]) -> dict[str, Any]:
    """Return each field's annotation with its limits."""
    from catalog.facts import constraints, schema

    names = vars(schema) | vars(constraints)
    return get_type_hints(row_type, localns=names, include_extras=True)


def cell_check(hint: Any) -> Check:  # noqa: ANN401 - a type annotation has no narrower type
    """Return the function that turns a cell into a value of the annotated type, or raises."""
    from pydantic import ConfigDict, TypeAdapter

    optional = NoneType in get_args(hint)
    if hint is bool:
        return _boolean
    adapter = TypeAdapter(hint, config=ConfigDict(allow_inf_nan=False))
    if get_origin(hint) is tuple:
        return lambda cell: adapter.validate_python(
            tuple(cell.split(LIST_SEPARATOR)) if cell else ()
        )
    if optional:
        return lambda cell: adapter.validate_python(cell or None)
    return adapter.validate_python


def _boolean(cell: str) -> bool:
    if cell not in BOOLEANS:
        raise ValueError("write yes or no")
    return BOOLEANS[cell]
