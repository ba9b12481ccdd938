"""From files of the PyPA advisory database to the rows that the locks are held against."""

import pytest

from requirements.advisories import SNAPSHOT, snapshot
from requirements.collect_advisories import collect

ENTRY = """\
id: {id}
modified: '2026-05-20T09:19:20.983812Z'
aliases:
- CVE-2026-1
- GHSA-1
details: not kept
affected:
- package: {{ecosystem: PyPI, name: {name}}}
{rest}
"""
GIT = "  - type: GIT\n    events:\n    - introduced: '0'\n    - fixed: 4e98d57809\n"


def events(*pairs):
    lines = [f"    - {kind}: {version}\n" if kind else "    - {}\n" for kind, version in pairs]
    return f"  ranges:\n{GIT}  - type: ECOSYSTEM\n    events:\n" + "".join(lines)


@pytest.fixture
def collected(tmp_path):
    """Return what advisories.csv holds of package `it` after these files were collected."""

    def collected_from(files, before=""):
        folder = tmp_path / "vulns" / "it"
        folder.mkdir(parents=True)
        for name, rest in files.items():
            text = ENTRY.format(id=name, name="It", rest=rest)
            (folder / f"{name}.yaml").write_text(text)
        path = tmp_path / "advisories.csv"
        path.write_text(SNAPSHOT.read_text().partition("\n")[0] + f"\n{before}")
        collect(tmp_path, ["it", "quiet"], path)
        known = snapshot(path)
        assert known.asked == {"it", "quiet"}
        return [(one.id, one.introduced, one.fixed, one.last_affected) for one in known.ranges]

    return collected_from


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        (events(("introduced", "'0'"), ("fixed", "1.10")), [("0", "1.10", "")]),
        (
            events(("introduced", "2.0"), ("fixed", "2.1"), ("introduced", "0"), ("fixed", "1.9")),
            [("2.0", "2.1", ""), ("0", "1.9", "")],
        ),
        (events(("introduced", "0"), ("last_affected", "4.0.1")), [("0", "", "4.0.1")]),
        (events(("introduced", "0")), [("0", "", "")]),
        (events(("introduced", "0"), ("", "")), [("0", "", "")]),
        (
            "  versions:\n  - 2.0.34\n  - 2.0.35",
            [("2.0.34", "", "2.0.34"), ("2.0.35", "", "2.0.35")],
        ),
        (events(("introduced", "0"), ("fixed", "1.0")) + "withdrawn: '2026-06-09'", []),
    ],
)
def test_the_ranges_of_an_entry(collected, rest, found):
    assert collected({"PYSEC-2026-1": rest}) == [("PYSEC-2026-1", *one) for one in found]


def test_an_entry_without_its_number_is_the_draft_of_another(collected):
    rest = events(("introduced", "0"), ("fixed", "1.0"))
    assert len(collected({"PYSEC-0000-CVE-2026-1": rest, "PYSEC-2026-1": rest})) == 1


def test_a_row_of_another_source_stands_for_the_entry_it_names(collected):
    before = "it,GHSA-f8,CVE-1 PYSEC-2021-427,0,1.3.0,,2023-05-22,github/advisory-database\n"
    open_ended, other = events(("introduced", "0")), events(("introduced", "0"), ("fixed", "1.1"))
    found = collected({"PYSEC-2021-427": open_ended, "PYSEC-2026-1": other}, before)
    assert found == [("PYSEC-2026-1", "0", "1.1", ""), ("GHSA-f8", "0", "1.3.0", "")]


def test_what_is_kept_of_an_entry(collected, tmp_path):
    collected({"PYSEC-2026-1": events(("introduced", "0"), ("fixed", "1.0"))})
    assert (tmp_path / "advisories.csv").read_text().splitlines()[1:] == [
        "it,PYSEC-2026-1,CVE-2026-1 GHSA-1,0,1.0,,2026-05-20,pypa/advisory-database",
        "quiet,,,,,,,",
    ]


def test_a_folder_that_is_no_checkout_changes_nothing(tmp_path):
    path = tmp_path / "advisories.csv"
    path.write_text("as it was")
    with pytest.raises(SystemExit, match=r"is no checkout of github\.com/pypa/advisory-database"):
        collect(tmp_path, ["it"], path)
    assert path.read_text() == "as it was"
