"""The strict reading of the guides: every mistake stops the build and names its file and node.

Run in CI and when guides are edited; a request reads the same files with `load_guides`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from catalog.facts.errors import CatalogError
from catalog.guides.guides import (
    FAMILY_GROUPS,
    FIELDS,
    GUIDES_FOLDER,
    WORDS_FILE,
    Guides,
    Tree,
    guide_from,
    load_guides,
)
from tests.guides.guides_reach import unreachable_leaves

_OPERATORS_OF_KIND: Mapping[str, frozenset[str]] = {
    "choice": frozenset({"is", "is_not", "in", "not_in", "known", "unknown"}),
    "text": frozenset({"is", "is_not", "in", "not_in", "known", "unknown"}),
    "number": frozenset({"above", "at_least", "below", "at_most", "known", "unknown"}),
    "flag": frozenset({"is", "is_not", "known", "unknown"}),
    "hardware": frozenset({"is", "is_not", "in", "not_in", "known", "unknown"}),
    "words": frozenset({"has", "lacks"}),
}
# Keys of each object: those that must be there, and those that may.
_SHAPES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "guide": (
        frozenset(
            {"id", "document", "title", "as_of", "precedence", "precedence_why", "trees"},
        ),
        frozenset({"aliases"}),
    ),
    "tree": (frozenset({"id", "title", "nodes"}), frozenset({"remarks"})),
    "remark": (frozenset({"when", "note"}), frozenset()),
    "node": (
        frozenset({"id", "label", "citation"}),
        frozenset({"when", "key", "children", "leaf"}),
    ),
    "citation": (frozenset({"section", "line"}), frozenset()),
    "leaf": (frozenset({"families"}), frozenset({"instances", "note", "today"})),
    "today": (frozenset({"families", "why"}), frozenset()),
    "condition": (frozenset({"field", "operator"}), frozenset({"value"})),
}


def check_guides(folder: Path = GUIDES_FOLDER, families: Iterable[str] | None = None) -> Guides:
    """Return the guides of a folder after checking everything a walk relies on.

    `families` are the instance families that exist; without them family names go unchecked.

    Raises:
        CatalogError: for an unknown or missing key, field, operator, value or family, a missing
            citation, a double id, a node with neither or both of children and leaf, or a leaf that
            no facts lead to. The message names file and node.
    """
    words, hardware = _checked_words(folder)
    known = None if families is None else frozenset(families) | frozenset(FAMILY_GROUPS)
    for path in sorted(folder.glob("*.json")):
        if path.name != WORDS_FILE:
            _Reader(path.name, words, hardware, known).guide(_parsed_file(path))
    guides = load_guides(folder)
    _refuse_shared_precedence(guides)
    return guides


class _Reader:
    """Checks one document, keeping its file name for the messages."""

    def __init__(
        self,
        file: str,
        words: frozenset[str],
        hardware: frozenset[str],
        families: frozenset[str] | None,
    ) -> None:
        self.file = file
        self.listed = {"words": words, "hardware": hardware}  # the choices of words.json
        self.families = families

    def guide(self, raw: dict[str, Any]) -> None:
        self._shape("guide", raw, "the document")
        if raw["id"] != self.file.removesuffix(".json"):
            self._refuse("the document", f"id is {raw['id']!r}", "name the file after the id")
        for tree in self._items(raw["trees"], "trees", "the document"):
            self._tree(tree)
        for tree in guide_from(raw).trees:
            self._reachable(tree)

    def _tree(self, raw: dict[str, Any]) -> None:
        where = f"tree {raw.get('id')!r}"
        self._shape("tree", raw, where)
        for remark in raw.get("remarks", ()):
            self._shape("remark", remark, where)
            self._when(remark["when"], where)
        seen: set[str] = set()
        for node in self._items(raw["nodes"], "nodes", where):
            self._node(node, seen)

    def _node(self, raw: dict[str, Any], seen: set[str]) -> None:
        where = f"node {raw.get('id')!r}"
        self._shape("node", raw, where)
        if raw["id"] in seen:
            self._refuse(where, "this id is used twice", "give each node of a tree its own id")
        seen.add(raw["id"])
        self._text(raw, "label", where)
        self._citation(raw["citation"], where)
        self._when(raw.get("when", []), where)
        if ("leaf" in raw) == ("children" in raw):
            self._refuse(where, "needs either children or a leaf", "add one, drop the other")
        if raw.get("key") is not None and "leaf" not in raw:
            self._refuse(where, "has a key but no leaf", "keys name leaves; move it to one")
        if "leaf" in raw:
            self._leaf(raw["leaf"], where)
        else:
            for child in self._items(raw["children"], "children", where):
                self._node(child, seen)

    def _leaf(self, raw: dict[str, Any], where: str) -> None:
        self._shape("leaf", raw, where)
        self._families(raw["families"], where)
        if "today" in raw:
            self._shape("today", raw["today"], where)
            self._families(raw["today"]["families"], where)
            self._text(raw["today"], "why", where)

    def _families(self, names: object, where: str) -> None:
        for name in self._items(names, "families", where):
            if self.families is not None and name not in self.families:
                self._refuse(where, f"no such family: {name!r}", "use EC2's spelling")

    def _citation(self, raw: dict[str, Any], where: str) -> None:
        self._shape("citation", raw, f"{where}, citation")
        self._text(raw, "section", f"{where}, citation")
        if type(raw["line"]) is not int or raw["line"] < 1:
            self._refuse(where, f"cites line {raw['line']!r}", "give the line in the document")

    def _when(self, raw: object, where: str) -> None:
        if not isinstance(raw, list) or not all(isinstance(g, list) and g for g in raw):
            self._refuse(where, "`when` is not a list of groups", "write [[{condition}, …], …]")
        for condition in (condition for group in raw for condition in group):
            self._condition(condition, where)

    def _condition(self, raw: dict[str, Any], where: str) -> None:
        self._shape("condition", raw, where)
        field = FIELDS.get(raw["field"])
        if field is None:
            self._refuse(
                where, f"unknown field {raw['field']!r}", f"use one of {_sorted_names(FIELDS)}"
            )
        usable = _OPERATORS_OF_KIND[field.kind]
        if raw["operator"] not in usable:
            self._refuse(
                where,
                f"unknown operator {raw['operator']!r} for {raw['field']}",
                f"use one of {_sorted_names(usable)}",
            )
        if not self._value_fits(raw):
            self._refuse(
                where,
                f"{raw['field']} {raw['operator']} cannot take {raw.get('value')!r}",
                "give a value the field can have",
            )

    def _value_fits(self, raw: dict[str, Any]) -> bool:
        field, operator, value = FIELDS[raw["field"]], raw["operator"], raw.get("value")
        if operator in {"known", "unknown"}:
            return "value" not in raw
        if field.kind == "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        if field.kind == "flag":
            return isinstance(value, bool)
        many = operator in {"in", "not_in"}
        if many and not (isinstance(value, list) and value):
            return False
        names = value if isinstance(value, list) and many else [value]
        allowed = self.listed.get(field.kind, frozenset(field.choices))
        return all(
            isinstance(name, str) and (field.kind == "text" or name in allowed) for name in names
        )

    def _reachable(self, tree: Tree) -> None:
        for node_id in unreachable_leaves(tree):
            self._refuse(
                f"node {node_id!r}",
                "no facts lead here",
                "an earlier sibling takes them all, or its conditions exclude each other",
            )

    def _items(self, raw: object, name: str, where: str) -> list[Any]:
        if not isinstance(raw, list) or not raw:
            self._refuse(where, f"{name} is not a list of at least one", f"fill in {name}")
        return raw

    def _text(self, raw: dict[str, Any], key: str, where: str) -> None:
        if not isinstance(raw[key], str) or not raw[key].strip():
            self._refuse(where, f"{key} is {raw[key]!r}", f"write a {key}")

    def _shape(self, kind: str, raw: object, where: str) -> None:
        required, optional = _SHAPES[kind]
        if not isinstance(raw, dict):
            self._refuse(where, f"{kind} is not an object", f"give it {_sorted_names(required)}")
        for key in sorted(required - raw.keys()):
            self._refuse(where, f"{kind} has no {key}", f"add {key}")
        for key in sorted(raw.keys() - required - optional):
            self._refuse(where, f"{kind} has an unknown key {key!r}", "remove or correct it")

    def _refuse(self, where: str, problem: str, remedy: str) -> NoReturn:
        raise CatalogError(self.file, None, f"{where}: {problem}", remedy)


def _parsed_file(path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(path.read_bytes())
    except ValueError as error:
        raise CatalogError(path.name, None, f"is not JSON ({error})", "mend the syntax") from None
    if not isinstance(raw, dict):
        raise CatalogError(path.name, None, "is not an object", "start the file with {")
    return raw


def _checked_words(folder: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the context words, and the kinds of hardware that conditions may ask for."""
    parsed = _parsed_file(folder / WORDS_FILE)
    raw = parsed.get("words")
    if not isinstance(raw, dict) or not raw:
        raise CatalogError(WORDS_FILE, None, "has no words", "list each word with its phrases")
    for word, phrases in raw.items():
        for phrase in phrases:
            # The text is reduced to such words before phrases are looked up in it.
            if not re.fullmatch(r"[a-z0-9]+( [a-z0-9]+)*", phrase):
                raise CatalogError(
                    WORDS_FILE,
                    None,
                    f"{word}: {phrase!r} can never be found",
                    "write lower-case letters and digits, single spaces between",
                )
    return frozenset(raw), frozenset(parsed.get("hardware", ()))


def _refuse_shared_precedence(guides: Guides) -> None:
    for before, after in pairwise(guides.documents):
        if before.precedence == after.precedence:
            raise CatalogError(
                f"{after.id}.json",
                None,
                f"has the precedence of {before.id}.json ({after.precedence})",
                "give each document its own",
            )


def _sorted_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
