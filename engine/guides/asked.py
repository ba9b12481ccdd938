"""What is asked of the written guides, as a value: claims, tables, terms, families, an order."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from catalog.guides.guide_rows import Claim, Definition, GuideTable, Snippet

Topic = Literal["claim", "define", "superlative", "table"]
ScaleName = Literal["cheapest", "dearest", "fastest", "largest"]


@dataclass(frozen=True, slots=True)
class ClaimsQuestion:
    """Is it true? The claims meant, the nearest first; without any, the families named."""

    topic: ClassVar[Topic] = "claim"
    claims: tuple[Claim, ...]
    families: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TablesQuestion:
    """Tables of the documents that go by the name said."""

    topic: ClassVar[Topic] = "table"
    tables: tuple[GuideTable, ...]


@dataclass(frozen=True, slots=True)
class SnippetQuestion:
    """A piece of code or configuration that a document prints."""

    topic: ClassVar[Topic] = "table"
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class TermsQuestion:
    """One term whose meaning is asked for, or two side by side."""

    topic: ClassVar[Topic] = "define"
    terms: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class FamiliesQuestion:
    """Families of instance types: what each is, side by side."""

    topic: ClassVar[Topic] = "define"
    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuperlativeQuestion:
    """Whether one family or type leads its kind.

    `kind` is a rule of `engine.guides.definitions.RULES` with its argument.
    """

    topic: ClassVar[Topic] = "superlative"
    subject: str
    scale: ScaleName
    kind: str


GuideQuestion = (
    ClaimsQuestion
    | TablesQuestion
    | SnippetQuestion
    | TermsQuestion
    | FamiliesQuestion
    | SuperlativeQuestion
)
