"""Rewrites advisories.csv from a checkout of the PyPA advisory database: `make advisories`.

Rows of another source stay: PyPA has no such entry, or one that does not know the fix, which they
name among their aliases and stand for.
"""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path

import yaml

from requirements.advisories import SNAPSHOT, AffectedRange, locked, snapshot
from requirements.audit import HERE, LOCKS

SOURCE = "pypa/advisory-database"


def ranges(database: Path, package: str) -> Iterator[AffectedRange]:
    """Yield every range of the package's advisories; those that were withdrawn are left out."""
    for path in sorted((database / "vulns" / package).glob("PYSEC-[1-9]*.yaml")):
        # BaseLoader makes nothing but strings: a version 1.10 is no number here, a date no date.
        entry = yaml.load(path.read_text(), yaml.BaseLoader)  # noqa: S506
        if "withdrawn" not in entry:
            for introduced, fixed, last_affected in _bounds(entry["affected"], package):
                yield AffectedRange(
                    package=package,
                    id=entry["id"],
                    aliases=" ".join(entry.get("aliases", [])),
                    introduced=introduced,
                    fixed=fixed,
                    last_affected=last_affected,
                    modified=entry["modified"][:10],
                    source=SOURCE,
                )


def _bounds(affected: list[dict], package: str) -> Iterator[tuple[str, str, str]]:
    for one in affected:
        if re.sub(r"[-_.]+", "-", one["package"]["name"]).lower() != package:
            continue
        events = [
            event
            for span in one.get("ranges", [])
            if span["type"] == "ECOSYSTEM"
            for event in span["events"]
        ]
        yield from _spans(events)
        if not events:  # single releases, as of a package that was taken over
            yield from ((version, "", version) for version in one.get("versions", []))


def _spans(events: Iterable[dict[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield (introduced, fixed, last affected): each introduction with the event that ends it."""
    introduced = None
    for event in events:
        if "introduced" in event:
            introduced = event["introduced"]
        elif introduced is not None and event:
            yield introduced, event.get("fixed", ""), event.get("last_affected", "")
            introduced = None
    if introduced is not None:
        yield introduced, "", ""


def collect(database: Path, packages: Iterable[str], path: Path = SNAPSHOT) -> None:
    """Write the advisories of these packages, each of which has a row even without any."""
    if not (database / "vulns").is_dir():
        sys.exit(f"{database} is no checkout of github.com/{SOURCE}: it has no folder vulns.")
    known = snapshot(path)
    kept = [one for one in known.ranges if one.source != SOURCE] if known else []
    replaced = {alias for one in kept for alias in one.aliases.split()}
    columns = [field.name for field in fields(AffectedRange)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for package in sorted(packages):
            found = [one for one in ranges(database, package) if one.id not in replaced]
            found += [one for one in kept if one.package == package]
            writer.writerows([asdict(one) for one in found] or [{"package": package}])


if __name__ == "__main__":
    collect(Path(sys.argv[1]), {name for lock in LOCKS for name in locked(HERE / f"{lock}.txt")})
