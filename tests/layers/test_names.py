"""One name, one meaning: a stranger who greps a name finds the one thing it stands for."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = [path for layer in ("bot", "engine", "catalog") for path in (ROOT / layer).rglob("*.py")]
# One idea still at two levels of detail, for memory and for performance.
BEING_MERGED = {"Shape"}


def classes() -> dict[str, list[str]]:
    """Every class of the product, and the files that define one of that name."""
    files = defaultdict(list)
    for path in sorted(PRODUCT):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                files[node.name].append(path.relative_to(ROOT).as_posix())
    assert files, "no class found"
    return files


def test_no_class_name_is_defined_twice():
    twice = {name: files for name, files in classes().items() if len(files) > 1}
    assert twice.keys() - BEING_MERGED == set(), twice
