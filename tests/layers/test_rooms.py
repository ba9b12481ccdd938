"""The house: rooms in one order, none of them too full. Imports for type checkers count as well."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.layers.rooms import ROOMS

ROOT = Path(__file__).parents[2]
MOST_IN_A_FOLDER = 25  # about twenty, and the package's own file


def modules(layer: str) -> dict[str, Path]:
    paths = sorted((ROOT / layer).rglob("*.py"))
    assert paths, f"no module found in {layer}/"
    return {path.relative_to(ROOT).with_suffix("").as_posix(): path for path in paths}


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and module (as a path) of every import, those inside functions and for types too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return [(line, name.replace(".", "/")) for line, name in found]


def room_of(module: str, layer: str) -> str | None:
    """The room that a module stands in; None for what stands in front of the rooms."""
    layer_of, _, rest = module.partition("/")
    room = rest.partition("/")[0]
    return room if layer_of == layer and room in ROOMS[layer] else None


@pytest.mark.parametrize("layer", ROOMS)
def test_every_folder_is_a_room_in_the_order(layer):
    folders = {path.parent.relative_to(ROOT / layer).parts[:1] for path in modules(layer).values()}
    assert {name for parts in folders for name in parts} == set(ROOMS[layer])


@pytest.mark.parametrize("layer", ROOMS)
def test_a_room_imports_only_rooms_before_it(layer):
    order = ROOMS[layer]
    wrong = []
    for module, path in modules(layer).items():
        here = room_of(module, layer)
        for line, name in imported(path):
            there = room_of(name, layer)
            if here and there and order.index(there) > order.index(here):
                wrong.append(f"{module}.py:{line} imports {name}: {there} stands after {here}")
    assert wrong == []


@pytest.mark.parametrize("layer", ["bot", "engine"])
def test_no_room_imports_what_stands_in_front_of_the_rooms(layer):
    """What combines the rooms (`engine/ask.py`, `bot/__main__.py`) is for other layers."""
    names = modules(layer)
    front = {name for name in names if room_of(name, layer) is None and name.count("/") == 1}
    wrong = [
        f"{module}.py:{line} imports {name}"
        for module, path in names.items()
        if room_of(module, layer)
        for line, name in imported(path)
        if name in front or name.rpartition("/")[0] in front
    ]
    assert wrong == []


@pytest.mark.parametrize("layer", ROOMS)
def test_no_folder_is_too_full(layer):
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in modules(layer).values())
    assert {folder: n for folder, n in counts.items() if n > MOST_IN_A_FOLDER} == {}


@pytest.mark.parametrize("layer", ROOMS)
def test_every_import_is_written_as_one(layer):
    """A module named in a string hides who calls whom, from readers and from these tests."""
    hidden = {"importlib/import_module", "importlib", "pkgutil", "runpy"}
    wrong = [
        f"{module}.py:{line} imports {name}"
        for module, path in modules(layer).items()
        for line, name in imported(path)
        if name in hidden
    ]
    called = [name for name, path in modules(layer).items() if "__import__" in path.read_text()]
    assert wrong + called == []
