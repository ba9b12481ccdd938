"""What the audit makes of what pip-audit and npm report, above all where they could not ask."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "requirements" / "audit.py"
CLEAN = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


def python(*packages):
    return {"dependencies": list(packages)}


def node(**counts):
    return {"metadata": {"vulnerabilities": counts}}


@pytest.fixture
def audit():
    spec = importlib.util.spec_from_file_location("audit", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("for_python", "for_node", "code", "said"),
    [
        (python(CLEAN), node(moderate=3), 0, "Python packages: no known vulnerability"),
        (python(CLEAN, BAD), node(), 1, "b: 2 has CVE-1"),
        (python(CLEAN, UNKNOWN), node(), 1, "c: not audited: not found"),
        (python(UNKNOWN, UNKNOWN), node(), 3, "Python packages: NOT AUDITED"),
        (None, node(), 3, "Python packages: NOT AUDITED"),
        (python(CLEAN), {"error": {"summary": "no route"}}, 3, "Node packages: NOT AUDITED"),
        (python(CLEAN), node(high=1), 1, "node: 1 packages with serious"),
        (python(CLEAN, BAD), None, 1, "b: 2 has CVE-1"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_each_report_comes_to(
    audit, monkeypatch, capsys, for_python, for_node, code, said, lenient
):
    monkeypatch.setattr(
        audit, "_json_of", lambda command, *_: for_node if command[0] == "npm" else for_python
    )
    monkeypatch.setattr(sys, "argv", ["audit.py", *(["--if-reachable"] if lenient else [])])
    assert audit.main() == (0 if lenient and code == 3 else code)
    told = capsys.readouterr()
    assert said in told.out + told.err
