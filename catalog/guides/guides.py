"""The written decision guides as data: what a node asks, what a leaf says, where it is cited.

One file per document in `data/guides`, read at run time without checks; the tests read the same
files strictly. Documents contradict each other: each keeps its own leaves, and
`precedence` says in which order they are shown.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from catalog.facts.schema import ModelTask

GUIDES_FOLDER = Path(__file__).parents[1] / "data" / "guides"
WORDS_FILE = "words.json"

FactKind = Literal["choice", "number", "flag", "text", "words", "hardware"]

# Leaves name families; these two stand for every family of their kind.
FAMILY_GROUPS = ("cpu", "gpu")


@dataclass(frozen=True, slots=True)
class Field:
    """A fact a condition may look at: its kind and, for a choice, the values it can take."""

    kind: FactKind
    choices: tuple[str, ...] = ()


# The facts, by the names the engine hands them in under (`engine.guides.guides.GuideFacts`).
FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "task": Field("choice", ("inference", "train", "finetune", "development")),
        "mode": Field("choice", ("realtime", "batch", "edge")),
        "size_b": Field("number"),
        "moe": Field("flag"),
        "classic_ml": Field("flag"),
        "transformer": Field("flag"),
        "model_task": Field(
            "choice",
            get_args(ModelTask),
        ),
        "objective": Field(
            "choice",
            (
                "cost",
                "performance",
                "latency",
                "throughput",
                "balanced",
                "max_savings",
                "value",
                "energy",
            ),
        ),
        "throughput": Field("choice", ("standard", "high", "ultra_high")),
        "network": Field("choice", ("standard", "ultra_high")),
        "network_gbps": Field("number"),
        "latency_ms": Field("number"),
        "method": Field("text"),
        "framework": Field("text"),
        "needs_cuda": Field("flag"),
        "hardware": Field("hardware"),  # a kind of hardware that words.json lists
        "words": Field("words"),
    }
)

FactValue = str | float | bool | tuple[str, ...] | None
Operator = Callable[[Any, Any], bool]

# What each operator means for a fact and the condition's value. An unknown fact (None) meets no
# comparison, and every denial: it is not above 10, and it is not one of the listed values.
OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        "is": lambda fact, value: fact == value,
        "is_not": lambda fact, value: fact != value,
        "in": lambda fact, value: fact in value,
        "not_in": lambda fact, value: fact not in value,
        "above": lambda fact, value: fact is not None and fact > value,
        "at_least": lambda fact, value: fact is not None and fact >= value,
        "below": lambda fact, value: fact is not None and fact < value,
        "at_most": lambda fact, value: fact is not None and fact <= value,
        "known": lambda fact, _: fact is not None,
        "unknown": lambda fact, _: fact is None,
        "has": lambda fact, value: value in fact,
        "lacks": lambda fact, value: value not in fact,
    }
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of one fact."""

    field: str
    operator: str
    value: FactValue = None


@dataclass(frozen=True, slots=True)
class Citation:
    """Where the document says it: its section heading and the line in the file."""

    section: str
    line: int


@dataclass(frozen=True, slots=True)
class Today:
    """What stands in for a leaf that time has passed, and why."""

    families: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """What a path ends in. `families` are the document's own, even where they are gone."""

    families: tuple[str, ...]
    instances: tuple[str, ...] = ()  # where the document names sizes
    note: str = ""  # a figure of the document that needs correcting, in our words
    today: Today | None = None


When = tuple[tuple[Condition, ...], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A branch or a leaf, taken when every condition of any one group of `when` holds.

    An empty `when` always holds. Siblings are tried in order. `key` names the leaf among its
    siblings where the document lets the reader choose by objective ("cost", "mixed_models").
    """

    id: str
    label: str
    citation: Citation
    when: When = ()
    key: str | None = None
    children: tuple["Node", ...] = ()
    leaf: Leaf | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that goes with every leaf of a tree when its conditions hold."""

    when: When
    note: str


@dataclass(frozen=True, slots=True)
class Tree:
    """One decision of a document; its trees are tried in order until one reaches a leaf."""

    id: str
    title: str
    nodes: tuple[Node, ...]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Guide:
    """One document. `as_of` is when its leaves were last held against today's facts."""

    id: str
    document: str
    title: str
    as_of: str
    precedence: int  # 1 is shown first where documents contradict each other
    precedence_why: str
    trees: tuple[Tree, ...]
    aliases: tuple[str, ...] = ()  # what people call the document, beside its number


@dataclass(frozen=True, slots=True)
class Guides:
    """All documents by precedence, and the phrases that people say for each context word."""

    documents: tuple[Guide, ...]
    words: Mapping[str, tuple[str, ...]]

    def __iter__(self) -> Iterator[Guide]:
        """Iterate over the documents by precedence."""
        return iter(self.documents)

    def __getitem__(self, guide_id: str) -> Guide:
        """Return the document with this id ("000"); KeyError where there is none."""
        for guide in self.documents:
            if guide.id == guide_id:
                return guide
        raise KeyError(guide_id)


def family_letters(family: str) -> str:
    """Return the letters that say the kind of a family: `trn` of trn2.

    Source: EC2 instance type naming conventions (letters before the generation digit).
    """
    return "".join(takewhile(str.islower, family))


def leaves(tree: Tree) -> Iterator[Node]:
    """Yield the leaf nodes of a tree in the order they are tried."""
    pending = list(reversed(tree.nodes))
    while pending:
        node = pending.pop()
        if node.leaf is not None:
            yield node
        pending.extend(reversed(node.children))


@cache
def load_guides(folder: Path = GUIDES_FOLDER) -> Guides:
    """Return the guides of a folder whose files the tests have read strictly."""
    files = sorted(path for path in folder.glob("*.json") if path.name != WORDS_FILE)
    documents = [guide_from(json.loads(path.read_bytes())) for path in files]
    documents.sort(key=lambda guide: guide.precedence)
    return Guides(tuple(documents), load_words(folder))


@cache
def load_words(folder: Path = GUIDES_FOLDER) -> Mapping[str, tuple[str, ...]]:
    """Return the words that conditions look at, each with the phrases that say it."""
    words = json.loads((folder / WORDS_FILE).read_bytes())["words"]
    return {word: tuple(phrases) for word, phrases in words.items()}


def guide_from(raw: dict[str, Any]) -> Guide:
    """Return the document a parsed file describes; the file's shape is not checked here."""
    trees = tuple(
        Tree(
            id=tree["id"],
            title=tree["title"],
            nodes=tuple(_node_of(node) for node in tree["nodes"]),
            remarks=tuple(Remark(_when_of(r["when"]), r["note"]) for r in tree.get("remarks", ())),
        )
        for tree in raw["trees"]
    )
    return Guide(**{**raw, "trees": trees, "aliases": tuple(raw.get("aliases", ()))})


def _node_of(raw: dict[str, Any]) -> Node:
    leaf = raw.get("leaf")
    return Node(
        raw["id"],
        raw["label"],
        Citation(**raw["citation"]),
        _when_of(raw.get("when", ())),
        raw.get("key"),
        tuple(_node_of(child) for child in raw.get("children", ())),
        _leaf(leaf) if leaf is not None else None,
    )


def _leaf(raw: dict[str, Any]) -> Leaf:
    today = raw.get("today")
    return Leaf(
        tuple(raw["families"]),
        tuple(raw.get("instances", ())),
        raw.get("note", ""),
        Today(tuple(today["families"]), today["why"]) if today is not None else None,
    )


def _when_of(raw: list[list[dict[str, Any]]]) -> When:
    return tuple(tuple(_condition(condition) for condition in group) for group in raw)


def _condition(raw: dict[str, Any]) -> Condition:
    value = raw.get("value")
    return Condition(
        raw["field"], raw["operator"], tuple(value) if isinstance(value, list) else value
    )
