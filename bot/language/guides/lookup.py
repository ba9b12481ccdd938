"""What of the guides a text asks for: a table, a snippet, a term, families, claims.

A name counts only where the text says nothing else: "GPU vs Trainium training cost" is a table of
a guide, "GPU vs Trainium training cost for 13B" is a workload.
"""

import re
from collections.abc import Mapping
from typing import Final

from bot.language.guides.claims import (
    BEATS,
    TYPE,
    claims_about,
    claims_at,
    claims_meant,
    insights,
    names_hardware_alone,
)
from bot.language.guides.names import (
    DOCUMENT,
    FILLER,
    document_named,
    every_named,
    named,
    named_in_any_order,
    phrases,
    spaced,
    superlative_asked,
    without_document,
)
from bot.language.text.tables import any_of, words
from catalog.catalog import Catalog
from catalog.guides.guide_rows import (
    Claim,
    Definition,
    GuideRows,
    GuideTable,
    Snippet,
    load_guide_rows,
)
from catalog.guides.guides import Guides, load_guides
from catalog.reference import glossary
from engine.guides.asked import (
    ClaimsQuestion,
    FamiliesQuestion,
    GuideQuestion,
    SnippetQuestion,
    TablesQuestion,
    TermsQuestion,
)

TABLE_WORDS: Final = re.compile(
    r"\b(?:table|tables|matrix|stars?|map|comparison|criteria|vs|versus|against|selection|recap"
    r"|ratings?|options|impact|compare|or|matrices|recommender|hardwarerecommender|complex|complexity|debugging"
    r"|ecosystem|scalability|framework support|model support)\b"
    rf"|\bwhen (?:to|should|do|would|gpus?|{any_of('neuron')}|cpus?)\b"
)
SNIPPET_WORDS: Final = re.compile(
    r"\b(?:snippet|example|code|manifest|sample|config|configuration|group|flowchart|tikz\w*"
    r"|mermaid|rules?|pipeline)\b"
)
ASKS_MEANING: Final = re.compile(
    r"\A\s*(?:(?:please|can you|could you|and|the)[ ,]+)*"
    r"(?:what(?:'?s| is| are| does| do| exactly)|which|define|definition of|meaning of|explain"
    r"|(?:tell me|(?:i don'?t|do you) know) what)\b"
)
WHICH_ONE: Final = re.compile(r"\A\W*which\b")
THE: Final = re.compile(r"\b(?:the|its|our|your)\b")
ASKS_CLAIM: Final = re.compile(r"\bclaims?\b|\bline\b")
SURE: Final = re.compile(
    r"\b(?:isn'?t|aren'?t|wasn'?t|doesn'?t|is it (?:still )?true|still true|true that"
    r"|claims?|says|said|correct (?:both|that|this))\b|\b(?:right|correct|true)\s*\?"
    r"|,\s*no\s*\?|\b(?:i (?:have )?(?:read|heard)|told me)\b"
)
# All that the documents state of a type, or where they send people to a family.
ABOUT: Final = re.compile(
    r"\b(?:say|says|said|claims?|list|lists|know|write|print)\b.{0,12}\b(?:about|of|on)\b"
    r"|\bin the guides?\b"
)
STILL_GOOD: Final = re.compile(
    r"\b(?:is|are)\b.{1,30}\b(?:(?:still )?an? good (?:choice|option|idea|pick)"
    r"|still (?:good|worth|ok|fine|current)|outdated|obsolete|recommended|worth (?:it|using))\b"
)
SAVES: Final = re.compile(r"\bhow much\b.{0,40}\b(?:saves?|saved|cheaper|savings?)\b")
INSIGHTS: Final = re.compile(r"\binsights?\b")
# A statement that is doubted by its form: a question of yes or no, or a figure before the mark.
UNSURE: Final = re.compile(
    r"\A\s*(?:is|are|does|do|has|have|did|was|can|could|will|would|must)\b"
    r"|(?:%|\bpercent|\d ?x|\btimes)(?! (?:cheaper|faster|more|less) than)[^?]*\?\s*\Z"
)
FIGURES_COMPARED: Final = frozenset(
    {"price", "prices", "pricing", "memory", "bandwidth", "flops", "specs", "network", "cheaper"}
)
# Beside a table's name these say which of its columns is of interest.
HARDWARE: Final = frozenset(
    {
        "gpu",
        "gpus",
        "cpu",
        "cpus",
        *words("neuron"),
        "nvidia",
        "neuron",
        "hardware",
        "savings",
        "saving",
    }
)
SIDES: Final = re.compile(r"\b(?:vs\.?|versus|or|against|compared? (?:to|with)|and)\b")
TWO: Final = 2
FAMILY_WORD: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
SIZE: Final = re.compile(r"\b\d+(?:\.\d+)?\s?(?:b|t|billion|trillion)\b")


def guide_asked(
    text: str, rows: GuideRows, guides: Guides, catalog: Catalog
) -> GuideQuestion | None:
    """Return what a text asks for of all that the guides print, else None."""
    return (
        _doubted(text, rows, guides, catalog)
        or superlative_asked(text, catalog)
        or _printed(text, rows, guides)
        or _meaning_asked(text, rows, guides, catalog)
    )


def _doubted(text: str, rows: GuideRows, guides: Guides, catalog: Catalog) -> ClaimsQuestion | None:
    claims = tuple(claims_asked(text, rows, guides))
    if claims or _claims_a_price(text, catalog):
        return ClaimsQuestion(claims, families_named(text, catalog))
    return None


def _printed(text: str, rows: GuideRows, guides: Guides) -> TablesQuestion | SnippetQuestion | None:
    if tables := tables_asked(text, rows, guides):
        return TablesQuestion(tuple(tables))
    snippet = snippet_asked(text, rows, guides)
    return SnippetQuestion(snippet) if snippet else None


def _meaning_asked(
    text: str, rows: GuideRows, guides: Guides, catalog: Catalog
) -> TermsQuestion | FamiliesQuestion | None:
    one = definition_asked(text, rows, guides)
    if terms := (one,) if one else definitions_compared(text, rows, guides):
        return TermsQuestion(terms)
    families = families_asked(text, catalog)
    return FamiliesQuestion(families) if families else None


def claims_in(text: str, catalog: Catalog) -> ClaimsQuestion:
    """Return the claims that a text about a price means, and the families it names."""
    claims = claims_asked(text, load_guide_rows(), load_guides())
    return ClaimsQuestion(tuple(claims), families_named(text, catalog))


def _claims_a_price(text: str, catalog: Catalog) -> bool:
    """Return whether a text states the price of a type or family and asks whether it is right."""
    low = text.lower()
    if "$" not in low or SIZE.search(low) or SURE.search(low) is None:
        return False
    return TYPE.search(low) is not None or bool(families_named(text, catalog))


def claims_asked(text: str, rows: GuideRows, guides: Guides) -> list[Claim]:
    """Return the claims a question is about, by place, by figure or by words; empty for none."""
    low = text.lower()
    if named_claims := _claims_named(low, rows.claims, document_named(text, guides)):
        return named_claims
    if SIZE.search(low) and BEATS.search(low):
        return []  # for a workload, that is worked out
    if SURE.search(low):
        return claims_meant(low, rows.claims)
    return claims_meant(low, rows.claims, strict=True) if UNSURE.search(low) else []


def _claims_named(low: str, claims: tuple[Claim, ...], document: str | None) -> list[Claim]:
    """Return the claims that a text names as such, whatever it asks of them."""
    if INSIGHTS.search(low):
        return insights(claims)
    if SAVES.search(low) and document is not None:
        return claims_meant(low, claims, strict=True)
    if STILL_GOOD.search(low) or (ABOUT.search(low) and names_hardware_alone(low)):
        return claims_about(low, claims)
    return claims_at(low, claims) if ASKS_CLAIM.search(low) else []


def tables_asked(text: str, rows: GuideRows, guides: Guides) -> list[GuideTable]:
    """Return the tables that a text names and asks nothing else of; empty for none."""
    document, low = document_named(text, guides), text.lower()
    if document is None and not TABLE_WORDS.search(low):
        return []
    tables = {
        f"{table.document}/{table.id}": table
        for table in rows.tables
        if document in {None, table.document}
    }
    names = phrases({key: table.names for key, table in tables.items()})
    words = without_document(text, guides)
    found = (
        *every_named(spaced(DOCUMENT.sub(" ", low)), names),  # an alias may be part of a name
        *every_named(words, names),
        named_in_any_order(words, names),
    )
    told = (keys for keys, rest in found if keys and not set(rest.split()) - HARDWARE)
    return [tables[key] for key in next(told, ())]


def snippet_asked(text: str, rows: GuideRows, guides: Guides) -> Snippet | None:
    """Return the snippet that a text names and asks nothing else of."""
    document = document_named(text, guides)
    if document is None and not SNIPPET_WORDS.search(text.lower()):
        return None
    snippets = {s.id: s for s in rows.snippets if document in {None, s.document}}
    keys, rest = _entries(text, {key: (s.id, *s.aliases) for key, s in snippets.items()}, guides)
    return snippets[keys[0]] if keys and not rest else None


def definition_asked(text: str, rows: GuideRows, guides: Guides) -> Definition | None:
    """Return the term whose meaning is asked for, where nothing else is."""
    low = text.lower()
    if not ASKS_MEANING.match(low):
        return None
    if WHICH_ONE.match(low):  # "which AMI?" asks for one, not for what it is
        terms = _printed_terms(rows)
    else:
        terms = _terms(rows, figures=THE.search(low) is None)
    keys, rest = _entries(text, {term: (term, *d.aliases) for term, d in terms.items()}, guides)
    return terms[keys[0]] if keys and not rest else None


def definitions_compared(text: str, rows: GuideRows, guides: Guides) -> tuple[Definition, ...]:
    """Return two terms that a text sets side by side and asks nothing else of; empty for none."""
    low = text.lower()
    if SIZE.search(low) or SIDES.search(low) is None:
        return ()
    terms = _terms(rows, figures=True) if ASKS_MEANING.match(low) else _printed_terms(rows)
    names = phrases({term: (term, *d.aliases) for term, d in terms.items()})
    halves = SIDES.split(low)
    found = [named(without_document(half, guides), names) for half in halves]
    if len(halves) != TWO or any(not keys or rest for keys, rest in found):
        return ()
    return tuple(terms[keys[0]] for keys, _ in found)


def _printed_terms(rows: GuideRows) -> dict[str, Definition]:
    return {definition.term: definition for definition in rows.definitions}


def _terms(rows: GuideRows, *, figures: bool) -> dict[str, Definition]:
    """Return the terms that have a meaning to tell: those of the guides go before the glossary's.

    "What is the TTFT?" asks for the figure: without `figures` such terms are left out.
    """
    own = {
        row.term: Definition(
            row.term, row.aliases, "", 0, row.definition, "", row.source, row.as_of
        )
        for row in glossary()
        if figures or not row.figure
    }
    return _printed_terms(rows) | {t: d for t, d in own.items() if t not in _printed_terms(rows)}


def families_asked(text: str, catalog: Catalog) -> tuple[str, ...]:
    """Return the families a text sets side by side, or the one whose meaning it asks for.

    Empty where it names a size, a type or anything else: that is a workload.
    """
    low = text.lower()
    if SIZE.search(low) or "=" in low:
        return ()
    families = families_named(text, catalog)
    if len(families) < (1 if ASKS_MEANING.match(low) else 2):
        return ()
    said = {word.strip("-") for word in FAMILY_WORD.findall(low)} - set(families)
    return () if said - FIGURES_COMPARED - FILLER else families


def families_named(text: str, catalog: Catalog) -> tuple[str, ...]:
    """Return the families a text names, in its order."""
    known = {i.family for i in catalog.instances.values()}
    words = (word.strip("-") for word in FAMILY_WORD.findall(text.lower()))
    return tuple(dict.fromkeys(word for word in words if word in known))


def _entries(
    text: str, names: Mapping[str, tuple[str, ...]], guides: Guides
) -> tuple[tuple[str, ...], str]:
    """Return the entries that the longest name in a text stands for, and what is left over.

    What people call a document may itself be part of a name ("gpu selection table").
    """
    known = phrases(names)
    keys, rest = named(spaced(DOCUMENT.sub(" ", text.lower())), known)
    return (keys, rest) if keys and not rest else named(without_document(text, guides), known)
