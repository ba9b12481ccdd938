"""What the audit makes of what pip-audit and npm report, above all where they could not ask."""

import sys

import pytest

from requirements import audit
from requirements.advisories import AffectedRange, Snapshot

CLEAN = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}
SNAPSHOT = "of 2026-01-02 (2 packages, 1 advisories; the live index could not be reached)"


def python(*packages):
    return {"dependencies": list(packages)}


def node(**counts):
    return {"metadata": {"vulnerabilities": counts}}


def known(fixed="2.0", asked=("sound", "risky")):
    affected = AffectedRange("risky", "PYSEC-1", "CVE-1", "0", fixed, "", "2026-01-02", "pypa")
    return Snapshot(frozenset(asked), (affected,))


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """The audit of two locked packages, with these reports of the tools and this snapshot."""

    def audited(for_python, for_node, snapshot, *arguments):
        for lock in audit.LOCKS:
            (tmp_path / f"{lock}.txt").write_text("sound==1.0 \\\n    --hash=x\nrisky==2.0 \\\n")
        monkeypatch.setattr(audit, "HERE", tmp_path)
        monkeypatch.setattr(
            audit, "_json_of", lambda command, *_: for_node if command[0] == "npm" else for_python
        )
        monkeypatch.setattr(audit.advisories, "snapshot", lambda: snapshot)
        monkeypatch.setattr(sys, "argv", ["audit.py", *arguments])
        code = audit.main()
        told = capsys.readouterr()
        return code, told.out + told.err

    return audited


@pytest.mark.parametrize(
    ("for_python", "for_node", "snapshot", "code", "said"),
    [
        (python(CLEAN), node(moderate=3), None, 0, "Python packages: no known vulnerability\n"),
        (python(CLEAN), node(), known("9.9"), 0, "Python packages: no known vulnerability\n"),
        (python(CLEAN, BAD), node(), known(), 1, "b: 2 has CVE-1"),
        (python(CLEAN, UNKNOWN), node(), known(), 1, "c: not audited: not found"),
        (python(UNKNOWN, UNKNOWN), node(), None, 3, "Python packages: NOT AUDITED"),
        (None, node(), None, 3, "Python packages: NOT AUDITED"),
        (None, node(), known(), 0, f"no known vulnerability in the PyPA advisories {SNAPSHOT}"),
        (
            python(UNKNOWN),
            node(),
            known(),
            0,
            f"no known vulnerability in the PyPA advisories {SNAPSHOT}",
        ),
        (None, node(), known("2.0.1"), 1, "dev: risky: 2.0 has PYSEC-1 (CVE-1), fixed in 2.0.1"),
        (
            None,
            node(),
            known("2.0.1"),
            1,
            f"Python packages: see above, in the PyPA advisories {SNAPSHOT}",
        ),
        (
            None,
            node(),
            known(asked=["risky"]),
            3,
            "Python packages: NOT AUDITED: sound; of the others",
        ),
        (None, node(), known("9", ["risky"]), 1, "risky: 2.0 has PYSEC-1"),
        (python(CLEAN), {"error": {"summary": "no route"}}, None, 3, "Node packages: NOT AUDITED"),
        (python(CLEAN), node(high=1), None, 1, "node: 1 packages with serious"),
        (python(CLEAN, BAD), None, None, 1, "b: 2 has CVE-1"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_each_report_comes_to(run, for_python, for_node, snapshot, code, said, lenient):
    found, told = run(for_python, for_node, snapshot, *(["--if-reachable"] if lenient else []))
    assert found == (0 if lenient and code == 3 else code)
    assert said in told


def test_a_vulnerability_counts_where_another_lock_could_not_be_asked_about(run, monkeypatch):
    seen = {"lambda": audit.VULNERABLE, "pictures": audit.AUDITED}
    monkeypatch.setattr(audit, "_lock", lambda _, lock: seen.get(lock, audit.UNREACHABLE))
    assert run(None, node(), known(), "--if-reachable")[0] == 1
