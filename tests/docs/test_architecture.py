"""docs/architecture.md: the rooms are those of the layers, and each step leads to the next."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from docs.render import architecture
from tests.layers.rooms import ROOMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LAYERS = dict(re.findall(r"^### (\w+): .*?$(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
JOURNEYS = dict(
    re.findall(
        r"^### (.+?)$(.*?)(?=^##|\Z)",
        PAGE.partition("## Five journeys")[2],
        re.MULTILINE | re.DOTALL,
    )
)
STEP = re.compile(r"^(\d+)\. `([\w/.]+)` `([\w.]+)` — (.+)\.$", re.MULTILINE)
HANDED = re.compile(r"\(as `(\w+)`, by `([\w/.]+)` `([\w.]+)`\)$")
THROUGH = re.compile(r"\(through `(\w+)`(?: → `(\w+)`)?\)$")
BEGINS = "(begins anew)"


@pytest.mark.parametrize("layer", ROOMS)
def test_the_rooms_are_told_in_their_order(layer):
    assert tuple(re.findall(r"^\| `(\w+)` \|", LAYERS[layer], re.MULTILINE)) == ROOMS[layer]


@cache
def functions(file: str) -> dict[str, ast.AST]:
    """The functions, methods ("Class.method"), classes and tables of a file."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found |= {f"{node.name}.{method.name}": method for method in methods}
    return found


def words(node: ast.AST) -> Iterator[str]:
    """Every name that a piece of code speaks of."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr
        elif isinstance(one, ast.keyword | ast.arg) and one.arg:
            yield one.arg


@cache
def spoken(file: str, function: str) -> frozenset[str]:
    """The names that a function speaks of, and those of whatever it calls in its own file."""
    local, seen, waiting = functions(file), set[str](), [function]
    said: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        new = set(words(local[name]))
        said |= new
        waiting += [one for one in local if one.rpartition(".")[2] in new]
    return frozenset(said)


def last(function: str) -> str:
    return function.rpartition(".")[2]


def fault(step, before) -> str | None:
    """What is wrong with the way to a step from those before it; None where it is reached."""
    _, file, function, told = step
    if not before or told.endswith(BEGINS):
        return None
    if through := THROUGH.search(told):
        made, read = through[1], through[2] or through[1]
        there = any(made in spoken(*one) for one in before) and read in spoken(file, function)
        return None if there else f"nothing is handed on through {made}"
    if handed := HANDED.search(told):
        as_name, by_file, by = handed.groups()
        wired = spoken(by_file, by)
        callers = [one for one in before if as_name in {name.strip("_") for name in spoken(*one)}]
        joined = as_name in wired or any(one[1].partition(".")[0] in wired for one in callers)
        named = last(function) in wired or function.partition(".")[0] in wired
        return None if callers and joined and named else f"{by} does not hand it in as {as_name}"
    if any(last(function) in spoken(*one) for one in before):
        return None
    return "no step above speaks of it"


def steps(journey: str) -> list[tuple[str, str, str, str]]:
    return STEP.findall(JOURNEYS[journey])


@pytest.mark.parametrize("journey", JOURNEYS)
def test_every_step_is_there_and_is_reached(journey):
    found = steps(journey)
    listed = re.findall(r"^\d+\. ", JOURNEYS[journey], re.MULTILINE)
    assert [int(step[0]) for step in found] == list(range(1, len(listed) + 1))
    before: list[tuple[str, str]] = []
    for step in found:
        _, file, function, _ = step
        assert (ROOT / file).exists(), f"step {step[0]}: there is no {file}"
        assert function in functions(file), f"step {step[0]}: {file} has no {function}"
        wrong = fault(step, before)
        assert wrong is None, f"step {step[0]}, {function}: {wrong}"
        before.append((file, function))


def test_there_are_five():
    assert len(JOURNEYS) == 5


@pytest.mark.parametrize(
    ("told", "before"),
    [
        ("nobody calls it", [("bot/cli/ask.py", "print_reply")]),
        ("it (as `run`, by `bot/cli/main.py` `main`)", [("bot/slack/door/worker.py", "Worker")]),
        ("it (through `nothing`)", [("bot/cli/ask.py", "print_reply")]),
    ],
)
def test_a_step_that_is_not_reached_is_found(told, before):
    assert fault(("2", "bot/slack/app.py", "dispatch", told), before) is not None


def drawn() -> dict[architecture.Arrow, int]:
    texts = ET.parse(architecture.PICTURE).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314 - ours
    counts = [one for one in texts if one.get("data-from")]
    return {
        architecture.Arrow(
            str(one.get("data-layer")), str(one.get("data-from")), str(one.get("data-to"))
        ): int(one.text or 0)
        for one in counts
    }


FEW = 3  # imports: an arrow of so few may come and go


def test_the_picture_is_of_these_imports():
    """Arrow for arrow, and near enough in number: not every import is worth a new picture."""
    told, true = drawn(), architecture.arrows()
    assert {arrow for arrow, count in told.items() if count > FEW} <= set(true)
    assert {arrow for arrow, count in true.items() if count > FEW} <= set(told)
    off = {
        arrow: (count, true[arrow])
        for arrow, count in told.items()
        if abs(count - true[arrow]) > max(FEW, true[arrow] / 2)
    }
    assert off == {}, "make architecture-picture"


def test_the_picture_is_the_same_each_time():
    assert architecture.picture() == architecture.picture()
