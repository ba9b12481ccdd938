"""What people write is matched in `bot/language` alone; every other room is told what was asked."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MATCHERS = {"re", "rapidfuzz", "difflib", "fnmatch"}


def matching(layer: str) -> set[str]:
    """The modules that import what text is matched with, by their path."""
    found = set()
    for path in (ROOT / layer).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if MATCHERS & {name.partition(".")[0] for name in names}:
                found.add(path.relative_to(ROOT).as_posix())
    return found


def test_the_engine_matches_no_text():
    assert matching("engine") == set()
