"""Measured rows as every family of estimates sees them, and the rows left out with their reason."""

import csv
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
EXCLUSIONS_MAX_SHARE = 0.08  # of the rows of one file

Record = Mapping[str, str]


class SharedDataError(RuntimeError):
    """The measured rows are not on this machine, or one of them cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured figure, what it is compared under, and what predicts it.

    `population`, `metric`, `regime` and `moe` name its range class ("serving", "tpot", "closed");
    a row without population has none. `class_name` is the line of the report it counts in. `cell`
    holds the rows that are not independent: they share one weight. Rows of the same `workload` on
    two `machine`s compare two ways to serve the same thing.
    """

    file: str
    id: str
    source: str
    model: str
    accelerator: str
    metric: str
    regime: str
    class_name: str
    cell: str
    measured: float
    run: object  # the family's own input to its prediction
    weight: float = 1.0
    population: str = ""
    moe: bool | None = None
    workload: str = ""
    machine: str = ""

    def group(self, kind: str) -> str:
        """Return the group of the row that is left out together, for one way of leaving out."""
        if kind == "model_accelerator":
            return f"{self.model} on {self.accelerator}"
        value: str = getattr(self, kind)
        return value


LEFT_OUT_BY = ("model_accelerator", "model", "source", "accelerator")


def shared_folder() -> Path | None:
    """Return the folder of measured rows, None where this machine has none."""
    named = os.environ.get("EC2_PICK_SHARED")
    folder = (Path(named) if named else CHECKOUT.parent / "shared") / "data"
    return folder if (folder / "benchmarks_serving.csv").is_file() else None


def records(file: str) -> Iterator[Record]:
    """Yield the rows of one shared CSV file that are not excluded, as text by column.

    Raises:
        SharedDataError: the file is not on this machine.
    """
    folder = shared_folder()
    if folder is None:
        raise SharedDataError("no measured rows here: set EC2_PICK_SHARED to the shared folder")
    left_out = exclusions()
    with (folder / file).open(encoding="utf-8", newline="") as lines:
        for record in csv.DictReader(lines):
            if (file, record.get("id", "")) not in left_out:
                yield record


@cache
def exclusions() -> Mapping[tuple[str, str], str]:
    """Return why each excluded row is left out, by file and row id."""
    path = Path(__file__).with_name("exclusions.csv")
    with path.open(encoding="utf-8", newline="") as lines:
        return {(line["file"], line["id"]): line["reason"] for line in csv.DictReader(lines)}


def number(record: Record, column: str, default: float | None = None) -> float:
    """Return a column as a number; blank is the default.

    Raises:
        SharedDataError: the column is blank and has no default, or is not a number.
    """
    text = record[column].strip()
    if not text and default is not None:
        return default
    try:
        return float(text)
    except ValueError:
        raise SharedDataError(f"row {record.get('id')}: {column} is {text!r}") from None


def cell_weights(rows: list[Row]) -> list[float]:
    """Return each row's weight: its own over the square root of the rows in its cell."""
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[row.cell] = sizes.get(row.cell, 0) + 1
    return [row.weight / sizes[row.cell] ** 0.5 for row in rows]
