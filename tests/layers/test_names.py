"""One name, one meaning: a stranger who greps a name finds the one thing it stands for."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = [path for layer in ("bot", "engine", "catalog") for path in (ROOT / layer).rglob("*.py")]
NOUNS = {"Even", "Need", "Token"}  # that end as participles do
PAST = {
    *("Built", "Felt", "Found", "Heard", "Held", "Kept", "Known", "Laid", "Left", "Made", "Meant"),
    *("Met", "Paid", "Read", "Said", "Sent", "Shown", "Sold", "Told", "Thought", "Won", "Worn"),
}


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
    assert not twice


def test_a_class_is_named_by_what_it_is_not_by_what_was_done():
    """`HostRefusal` says what it is; `Refused` leaves the reader to ask who refused what."""
    done = {name for name in classes() if is_participle(re.findall(r"[A-Z][a-z0-9]*", name)[-1])}
    assert done == set()


def is_participle(word: str) -> bool:
    return word in PAST or (word.endswith(("ed", "en")) and word not in NOUNS)


def test_a_private_function_is_defined_in_one_module():
    """So its name says what it is about: `_bill_row` and `_spot_row`, not `_row` and `_row`."""
    modules = defaultdict(set)
    for path in PRODUCT:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_"):
                modules[node.name].add(path.relative_to(ROOT).as_posix())
    assert {name: sorted(found) for name, found in modules.items() if len(found) > 1} == {}
