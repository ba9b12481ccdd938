"""Small modules: one of under 60 lines that a single module imports says here why it stands alone.

A file that holds a function or two for one reader is a jump more and a name more. Imports inside
functions and for type checkers count: a table of module names in text does not.
"""

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[2]
LAYERS = ("bot", "engine", "catalog")
SMALL = 60  # lines, blank ones included
TO_COME: Final = "to be merged where it is used, or given its reason"

# By room: module, and the reason in a line.
REASONS: Final[dict[str, dict[str, str]]] = {
    "bot.__main__": {
        "bot.__main__": "`python -m bot`",
    },
    "bot.answers": {
        "bot.answers.advice.define": TO_COME,
        "bot.answers.advice.guide": TO_COME,
        "bot.answers.advice.handoff": TO_COME,
        "bot.answers.advice.monitoring": TO_COME,
        "bot.answers.advice.practices": TO_COME,
        "bot.answers.advice.scaling": TO_COME,
        "bot.answers.advice.superlative": TO_COME,
        "bot.answers.estimate.derivation_json": TO_COME,
        "bot.answers.picks.own_figure": "what an owner measured, apart from what is estimated",
        "bot.answers.picks.help": TO_COME,
        "bot.answers.picks.more": TO_COME,
        "bot.answers.picks.risks": TO_COME,
        "bot.answers.picks.undo": TO_COME,
        "bot.answers.price_age": TO_COME,
        "bot.answers.spot_risk": TO_COME,
    },
    "bot.cli": {"bot.cli.completion": "a command has a module of its own"},
    "bot.core": {},
    "bot.lambdas": {
        "bot.lambdas.fan_out": "the entry point of a function",
        "bot.lambdas.oauth": "the entry point of a function",
        "bot.lambdas.pictures": "the entry point of a function",
        "bot.lambdas.sweep": "the entry point of a function",
    },
    "bot.language": {
        "bot.language.trades": "a refusal with a table of its own; `parse` only orders what reads",
        "bot.language.mentions": "what a reading is told as; `parse` only reads",
    },
    "bot.manifests": {
        "bot.manifests.beside.quota": TO_COME,
        "bot.manifests.terraform.hcl": TO_COME,
        "bot.manifests.workload.training_jobs": TO_COME,
    },
    "engine.guides": {
        "engine.guides.guide_tables": TO_COME,
    },
    "engine.memory": {
        "engine.memory.activations": TO_COME,
    },
    "engine.pick": {
        "engine.pick.leading": TO_COME,
    },
    "engine.what_if": {
        "engine.what_if.sizing": TO_COME,
        "engine.what_if.stages": "arithmetic of the engine, for an answer of people",
    },
    "catalog.facts": {"catalog.facts.mig": TO_COME},
    "catalog.geography": {
        "catalog.geography": TO_COME,
    },
    "catalog.prices": {
        "catalog.prices.interruptions": TO_COME,
        "catalog.prices.live.credentials": TO_COME,
    },
}


def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name; a package's own file is its name alone."""
    paths = [path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]
    named = {path.relative_to(ROOT).with_suffix("").as_posix(): path for path in paths}
    return {name.replace("/", ".").removesuffix(".__init__"): p for name, p in named.items()}


def imported_by(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the product that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known.keys()) or {node.module}
    return found & known.keys()


def small_ones() -> dict[str, str]:
    """Small modules with at most one importer, and the room each stands in."""
    known = modules()
    importers: dict[str, set[str]] = defaultdict(set)
    for name, path in known.items():
        for there in imported_by(path, known) - {name}:
            importers[there].add(name)
    return {
        name: ".".join(name.split(".")[:2])
        for name, path in known.items()
        if path.name != "__init__.py"
        and len(path.read_text().splitlines()) < SMALL
        and len(importers[name]) <= 1
    }


def test_a_small_module_with_one_importer_has_its_reason():
    without = {name for name, room in small_ones().items() if name not in REASONS.get(room, {})}
    assert without == set()


def test_no_reason_is_left_of_what_is_small_no_more():
    rooms = REASONS.values()
    listed = {name for room in rooms for name, why in room.items() if why is not TO_COME}
    assert listed - small_ones().keys() == set()
