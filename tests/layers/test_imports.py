"""The layers: bot → engine → catalog, and who may import what from outside.

Read from the source, so that an import inside a function counts as well. What is imported for type
checkers only costs nothing at run time and is held to the direction of the layers alone.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

OUTSIDE = {"file": {"io", "os", "pathlib", "shutil", "tempfile", "sqlite3"},
           "clock": {"time"},
           "network": {"socket", "ssl", "urllib", "http", "requests", "httpx"},
           "chance": {"random", "secrets", "uuid"},
           "process": {"subprocess", "threading", "multiprocessing", "asyncio", "signal"},
           "logging": {"logging", "warnings"}}  # fmt: skip
SLACK = {"slack_bolt", "slack_sdk"}
AWS = {"boto3", "botocore"}
IMPURE_CALLS = {"open", "print", "input", "exec", "eval"}
CLOCK_READS = {"now", "utcnow", "today"}


@dataclass(frozen=True)
class Import:
    """One import: the module it names, and whether only type checkers see it."""

    module: str
    file: str
    line: int
    typing_only: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports_of(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text())
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer they come from"
            modules = [node.module or ""]
        else:
            continue
        name = path.relative_to(ROOT).as_posix()
        yield from (Import(m, name, node.lineno, node in typing_only) for m in modules)


def imports_in(folder: str) -> list[Import]:
    paths = sources(folder)
    assert paths, f"no module found in {folder}/"
    return [one for path in paths for one in imports_of(path)]


def root_of(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize(
    ("layer", "above"),
    [
        ("catalog", {"bot", "engine", "templates"}),
        ("engine", {"bot", "templates"}),
        ("templates", {"bot", "engine", "catalog"}),
        ("bot", {"tests", "benchmarks"}),
    ],
)
def test_a_layer_knows_only_those_below_it(layer, above):
    wrong = [str(one) for one in imports_in(layer) if root_of(one.module) in above]
    assert wrong == []


LIVE = ("catalog/prices/live/", "catalog/collect/")


@pytest.mark.parametrize(
    ("folder", "forbidden", "except_in"),
    [
        ("engine", AWS | SLACK | {"jinja2", "pydantic", "yaml", "rich", "rapidfuzz"}, ()),
        ("engine", set().union(*OUTSIDE.values()), ()),
        ("catalog", SLACK | {"jinja2", "rich"}, ()),
        ("catalog", AWS, LIVE),
        ("bot", SLACK, ("bot/slack/",)),
    ],
    ids=["engine-libraries", "engine-outside", "catalog", "catalog-aws", "bot-slack"],
)
def test_what_is_imported_from_outside(folder, forbidden, except_in):
    wrong = [
        str(one)
        for one in imports_in(folder)
        if root_of(one.module) in forbidden
        and not one.typing_only
        and not one.file.startswith(except_in or ("nowhere",))
    ]
    assert wrong == []


def test_the_engine_reads_no_clock_no_file_and_prints_nothing():
    wrong = []
    for path in sources("engine"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            plain = isinstance(called, ast.Name) and called.id in IMPURE_CALLS
            clock = isinstance(called, ast.Attribute) and called.attr in CLOCK_READS
            if plain or clock:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} calls {ast.unparse(called)}")
    assert wrong == []


HEAVY = sorted(
    AWS | SLACK | {"jinja2", "pydantic", "yaml", "rich", "waitress", "asyncio", "sqlite3"}
)


@pytest.mark.parametrize("layer", ["engine", "catalog"])
def test_loading_a_layer_loads_nothing_heavy(layer):
    """Also through a third module: what counts is what ends up in memory."""
    names = [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in sources(layer)
        if not path.relative_to(ROOT).as_posix().startswith(LIVE)
    ]
    modules = [name.removesuffix(".__init__") for name in names]
    script = (
        f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import boto3", [("boto3", False)]),
        ("def f():\n    from boto3.session import Session", [("boto3.session", False)]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import boto3",
         [("typing", False), ("boto3", True)]),
        ("try:\n    import os.path as p\nexcept ImportError:\n    p = None", [("os.path", False)]),
    ],
)  # fmt: skip
def test_no_import_escapes_the_reading(tmp_path, monkeypatch, source, found):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    path = tmp_path / "m.py"
    path.write_text(source)

    assert [(one.module, one.typing_only) for one in imports_of(path)] == found
