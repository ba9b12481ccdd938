"""The committed advisories: which versions each holds for, and that no locked one is among them."""

import re
from datetime import date

import pytest
from packaging.version import Version

from requirements.advisories import SNAPSHOT, AffectedRange, Snapshot, locked, snapshot
from requirements.audit import HERE, LOCKS

COMMITTED = snapshot()


def affected_range(introduced="0", fixed="", last_affected="", id_="PYSEC-1", aliases=""):
    return AffectedRange("it", id_, aliases, introduced, fixed, last_affected, "2026-01-02", "pypa")


@pytest.mark.parametrize(
    ("introduced", "fixed", "last_affected", "version", "holds"),
    [
        ("0", "2.0", "", "1.9", True),
        ("0", "2.0", "", "2.0", False),
        ("0", "2.0", "", "2.0rc1", True),
        ("0", "2.0", "", "0.0.0.dev3", True),
        ("0", "10.0", "", "9.9", True),
        ("1.5", "2.0", "", "1.4.9", False),
        ("1.5", "2.0", "", "1.5", True),
        ("2024.7.4", "2025.1", "", "2024.7.4.post1", True),
        ("0", "", "4.0.1", "4.0.1", True),
        ("0", "", "4.0.1", "4.0.2", False),
        ("1.0", "", "", "99", True),  # nothing has fixed it yet
    ],
)
def test_the_versions_a_range_holds_for(introduced, fixed, last_affected, version, holds):
    assert affected_range(introduced, fixed, last_affected).holds(Version(version)) is holds


@pytest.mark.parametrize(
    ("version", "told"),
    [("1.26.17", True), ("1.26.18", False), ("2.0.6", True), ("2.0.7", False)],
)
def test_an_advisory_of_several_ranges_is_one_advisory(version, told):
    ranges = (affected_range(fixed="1.26.18"), affected_range("2.0.0", fixed="2.0.7"))
    known = Snapshot(frozenset(["it"]), ranges)
    assert known.advisories == 1
    assert bool(known.affected({"it": version})) is told


def test_what_is_told_of_an_affected_version():
    ranges = (affected_range(fixed="2.0", aliases="CVE-1 GHSA-1"), affected_range(id_="PYSEC-2"))
    assert Snapshot(frozenset(), ranges).affected({"it": "1.0", "other": "1.0"}) == [
        "it: 1.0 has PYSEC-1 (CVE-1 GHSA-1), fixed in 2.0",
        "it: 1.0 has PYSEC-2",
    ]


def test_a_package_without_advisories_is_not_one_that_was_never_asked_about(tmp_path):
    path = tmp_path / "advisories.csv"
    header = SNAPSHOT.read_text().partition("\n")[0]
    path.write_text(f"{header}\nquiet,,,,,,,\nit,PYSEC-1,,0,2.0,,2026-01-02,pypa\n")
    known = snapshot(path)
    assert known.unasked({"quiet": "1.0", "it": "2.0", "new": "1.0"}) == ["new"]
    assert (known.as_of, known.advisories) == ("2026-01-02", 1)


def test_without_a_file_nothing_is_known(tmp_path):
    assert snapshot(tmp_path / "advisories.csv") is None


@pytest.mark.parametrize("lock", LOCKS)
def test_no_locked_version_is_affected(lock):
    pins = locked(HERE / f"{lock}.txt")
    assert len(pins) > 10
    assert COMMITTED.affected(pins) == []


@pytest.mark.parametrize(
    ("lock", "package", "version"),
    [
        ("lambda", "jinja2", "3.1.5"),
        ("runtime", "urllib3", "2.6.3"),
        ("runtime", "waitress", "3.0.0"),
    ],
)
def test_a_downgrade_is_caught(lock, package, version):
    pins = locked(HERE / f"{lock}.txt")
    assert package in pins
    assert COMMITTED.affected(pins | {package: version})[0].startswith(f"{package}: {version} has ")


def test_every_committed_row_is_sound():
    for one in COMMITTED.ranges:
        assert one.package == re.sub(r"[-_.]+", "-", one.package).lower()
        assert one.package in COMMITTED.asked
        assert re.fullmatch(r"(PYSEC-\d{4}|GHSA-\w{4}-\w{4})-\w+", one.id)
        assert not (one.fixed and one.last_affected)
        assert date.fromisoformat(one.modified) > date(2013, 1, 1)
        assert one.source in {"pypa/advisory-database", "github/advisory-database"}
        end = one.fixed or one.last_affected
        assert Version(one.introduced) < Version(end)
