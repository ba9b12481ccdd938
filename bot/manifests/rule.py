"""Files read back and held against rules: an id, a check, and the sentence when it is broken."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import yaml

from bot.core.figures import plain_line
from bot.core.manifest import ManifestError
from catalog.facts.schema import EksType, Instance

Document = Mapping[str, Any]
# Safe both of them; the parser in C, which PyYAML's wheels hold, is ten times as fast.
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFacts:
    """What the rules hold a manifest against."""

    eks: Mapping[str, EksType]
    instances: Mapping[str, Instance]
    # What images, weights and scratch take on a node, by the name of its group.
    root_need_gb: Mapping[str, int] = field(default_factory=dict)
    efa_tolerations: frozenset[str] = frozenset()  # taint keys the EFA plugin values tolerate


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a manifest breaks."""

    rule: str
    where: str
    what: str

    def __str__(self) -> str:
        """Return the sentence with its rule and place."""
        return f"{self.rule} {self.where}: {self.what}"


Subject = TypeVar("Subject")
Check = Callable[[Subject], Iterator[str]]


@dataclass(frozen=True, slots=True)
class RuleBook(Generic[Subject]):
    """Rules by id, in the order they were written down; each yields what breaks it."""

    checks: dict[str, Check[Subject]] = field(default_factory=dict)

    def rule(self, rule_id: str) -> Callable[[Check[Subject]], Check[Subject]]:
        """Return a decorator that files a check under its id."""

        def file(check: Check[Subject]) -> Check[Subject]:
            self.checks[rule_id] = check
            return check

        return file

    def broken(self, subject: Subject, where: str) -> Iterator[Breach]:
        """Yield each rule that a subject breaks; `where` is its place in the file."""
        for rule_id, check in self.checks.items():
            yield from (Breach(rule_id, where, what) for what in check(subject))


def parsed(text: str, what: str) -> tuple[Any, ...]:
    """Return the documents of `what`, without the empty ones.

    Raises:
        ManifestError: it does not parse.
    """
    try:
        documents = tuple(yaml.load_all(text, LOADER))
    except yaml.YAMLError as error:
        raise ManifestError(f"{what} does not parse: {plain_line(str(error))}") from error
    return tuple(document for document in documents if document is not None)


def refuse_broken(what: str, broken: Collection[Breach]) -> None:
    """Let a file pass that keeps its rules.

    Raises:
        ManifestError: it breaks some; names each with its place.
    """
    if broken:
        raise ManifestError(f"{what} breaks {'; '.join(map(str, broken))}")
