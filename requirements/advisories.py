"""Holds locked packages against advisories.csv, where no live source of advisories can be reached.

The file keeps facts, no text, of the PyPA advisory database (github.com/pypa/advisory-database,
CC-BY 4.0): one row for each range of versions that an advisory affects. A package without any has
one row with nothing but its name; of one without a row nothing is known, it was never asked about.
Some rows are from the GitHub advisory database (CC-BY 4.0 too), where PyPA's says less. Withdrawn
advisories are left out, and until `make advisories` runs again Pillow's before 2022, whose versions
newer ones affect too.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

SNAPSHOT = Path(__file__).with_name("advisories.csv")
ANY_VERSION = "0"  # as "introduced", in the database's schema: before every release, 0.dev1 too


@dataclass(frozen=True)
class AffectedRange:
    """Versions from `introduced` up to `fixed` or `last_affected`; with neither, all later ones."""

    package: str
    id: str
    aliases: str
    introduced: str
    fixed: str
    last_affected: str
    modified: str
    source: str

    def holds(self, version: Version) -> bool:
        """Return whether the advisory affects this version."""
        if self.introduced != ANY_VERSION and version < Version(self.introduced):
            return False
        if self.fixed:
            return version < Version(self.fixed)
        return not self.last_affected or version <= Version(self.last_affected)

    def __str__(self) -> str:
        names = f"{self.id} ({self.aliases})" if self.aliases else self.id
        return f"{names}, fixed in {self.fixed}" if self.fixed else names


@dataclass(frozen=True)
class Snapshot:
    """The packages that were asked about, and every range of their advisories."""

    asked: frozenset[str]
    ranges: tuple[AffectedRange, ...]

    @property
    def as_of(self) -> str:
        """Return the date (ISO 8601) of the newest advisory: later ones may be missing."""
        return max((one.modified for one in self.ranges), default="unknown date")

    @property
    def advisories(self) -> int:
        """Return how many advisories there are, whatever their number of ranges."""
        return len({one.id for one in self.ranges})

    def affected(self, locked: Mapping[str, str]) -> list[str]:
        """Return a line for each advisory that holds for a locked version."""
        return [
            f"{one.package}: {locked[one.package]} has {one}"
            for one in self.ranges
            if one.package in locked and one.holds(Version(locked[one.package]))
        ]

    def unasked(self, locked: Mapping[str, str]) -> list[str]:
        """Return the locked packages of which nothing is known."""
        return sorted(set(locked) - self.asked)


def snapshot(path: Path = SNAPSHOT) -> Snapshot | None:
    """Return what the file holds, None where there is none."""
    if not path.exists():
        return None
    with path.open(newline="") as file:
        rows = [AffectedRange(**row) for row in csv.DictReader(file)]
    return Snapshot(frozenset(row.package for row in rows), tuple(row for row in rows if row.id))


def locked(lock: Path) -> dict[str, str]:
    """Return the version of every package in a lock file, by its normalised name."""
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ \\]+)", lock.read_text(), re.MULTILINE))
