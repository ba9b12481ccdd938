"""`ec2-pick catalog refresh`: rewrite instances.csv from what the EC2 API lists today."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catalog.collect.describe import Answers, asked, commercial_regions, listed_instance
from catalog.facts.files import write_text
from catalog.facts.instances import family_name
from catalog.facts.rows import BOOLEANS, LIST_SEPARATOR, cell_check, column_types, keyed, read_rows
from catalog.facts.schema import Family
from catalog.facts.source_rows import ListedInstance

FILE = "instances.csv"
SMALLEST_SHARE = 0.9  # of the types the file had: fewer looks like a failure, not like news
SOURCE = "EC2 DescribeInstanceTypes and DescribeInstanceTypeOfferings"


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh found, kept out, and whether it was published."""

    types: int
    regions: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    bad_rows: Mapping[str, str]  # instance type -> what is wrong with the API's answer
    unknown_families: tuple[str, ...]  # kept out until families.csv has them
    unreachable: Mapping[str, str]  # region -> why; its offerings stay as they were
    published: bool
    refused: str | None  # why nothing was published

    def __str__(self) -> str:
        """Return the report as lines for a person."""
        changes = f"{len(self.added)} added, {len(self.removed)} removed"
        lines = [
            f"{self.types} instance types from {len(self.regions)} regions ({changes})",
            *(f"left out {name}: {why}" for name, why in self.bad_rows.items()),
            *(f"left out family {name}: add it to families.csv" for name in self.unknown_families),
            *(f"{region} did not answer: {why}" for region, why in self.unreachable.items()),
            "published: run `make catalog`" if self.published else f"not published: {self.refused}",
        ]
        return "\n".join(lines)


def refresh(
    data_dir: Path,
    regions: Sequence[str] | None = None,
    *,
    force: bool = False,
    source: str = SOURCE,
    as_of: str | None = None,
) -> RefreshReport:
    """Rewrite instances.csv in one step from the EC2 API, and say what changed.

    `regions` defaults to all commercial regions. `as_of` defaults to today (UTC). A type that the
    API describes badly, or whose family is unknown here, is kept out and reported. Nothing is
    written when fewer than 90 % of the types of before would remain, unless `force` is set.
    Regions that were not asked, or refused, keep the offerings they had.
    """
    date = as_of or datetime.now(tz=UTC).date().isoformat()
    before = _rows_before(data_dir / FILE)
    answers = asked(regions or commercial_regions())
    families = keyed(
        "families.csv", read_rows(data_dir / "families.csv", Family), lambda row: row.family
    )
    rows, bad_rows = _refreshed_rows(answers, before, source, date)
    unknown = sorted({family_name(name) for name in rows} - set(families))
    kept = {name: row for name, row in rows.items() if family_name(name) not in unknown}
    refused = None if force else _shrink_refusal(len(kept), len(before))
    if refused is None:
        write_rows(data_dir / FILE, ListedInstance, [kept[name] for name in sorted(kept)])
    return RefreshReport(
        types=len(kept),
        regions=tuple(sorted(answers.offerings)),
        added=tuple(sorted(set(kept) - set(before))),
        removed=tuple(sorted(set(before) - set(kept))),
        bad_rows=bad_rows,
        unknown_families=tuple(unknown),
        unreachable=answers.unreachable,
        published=refused is None,
        refused=refused,
    )


def _rows_before(path: Path) -> dict[str, ListedInstance]:
    if not path.exists():
        return {}
    return keyed(FILE, read_rows(path, ListedInstance), lambda row: row.instance_type)


def _refreshed_rows(
    answers: Answers, before: Mapping[str, ListedInstance], source: str, date: str
) -> tuple[dict[str, ListedInstance], dict[str, str]]:
    offered = _offered_types(answers, before)
    rows, bad_rows = {}, {}
    for name, described in answers.types.items():
        try:
            row = listed_instance(
                described, sorted(offered.get(name, ())), source=source, as_of=date
            )
            _check_row(row)
        except (KeyError, TypeError, ValueError) as error:
            bad_rows[name] = f"{type(error).__name__}: {error}"
        else:
            rows[name] = row
    return rows, bad_rows


def _offered_types(answers: Answers, before: Mapping[str, ListedInstance]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for region, names in answers.offerings.items():
        for name in names:
            found.setdefault(name, set()).add(region)
    for name, row in before.items():
        not_asked = {region for region in row.regions if region not in answers.offerings}
        found.setdefault(name, set()).update(not_asked)
    return found


def _check_row(row: ListedInstance) -> None:
    """Hold the row to the file's own rules, by writing each cell and reading it back."""
    hints = column_types(ListedInstance)
    for name, value in asdict(row).items():
        cell_check(hints[name])(cell(value))


def _shrink_refusal(types: int, types_before: int) -> str | None:
    if types >= SMALLEST_SHARE * types_before:
        return None
    return (
        f"the API listed {types} usable types where the file has {types_before}; "
        "check credentials and regions, or force it"
    )


def cell(value: Any) -> str:  # noqa: ANN401 - any column's value
    """Return a value as a data file writes it: blank for unknown, yes/no, lists with `; `."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return {truth: word for word, truth in BOOLEANS.items()}[value]
    if isinstance(value, tuple):
        return LIST_SEPARATOR.join(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def write_rows(path: Path, row_type: type[Any], rows: Iterable[Any]) -> None:
    """Write a data file, a row for each fact."""
    columns = [column.name for column in fields(row_type)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(getattr(row, name)) for name in columns] for row in rows)
    write_text(path, text.getvalue())
