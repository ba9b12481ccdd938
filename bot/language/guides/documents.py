"""Texts about the written guides: what they print, what they claim, what they say of a workload.

Most texts are not: what looks things up in the guides is imported for those that are.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.core.asked import LikelyKind
from bot.core.errors import RequestError
from bot.core.understanding import Intent, Span, Understanding
from bot.language.guides.names import branch_words, document_named
from bot.language.questions.intent import FACT_TOPICS
from bot.language.questions.question import asks_of_picks
from bot.language.turns import wish_in
from catalog.catalog import Catalog
from catalog.guides.guides import load_guides, load_words
from engine.core.workload import Workload

if TYPE_CHECKING:
    from engine.guides.asked import GuideQuestion

MENTIONS: Final = re.compile(
    r"\bguides?\b|\bselection table\b|\b(?:hardware|sample|python) ?recommender\b"
    r"|\b(?:decision )?tree (?:for|says?|recommends?|recommendation)\b"
    r"|\b(?:the|our|per the|by the) (?:decision )?tree\b(?! model)"
    r"|(?:\A|[,.;?!] )(?:decision )?tree:"
    r"|\btree,? (?:batch|inference|training|train|edge|development)\b"
)
# Without any of these a text is about a workload alone; the guides are not even read then.
CUES: Final = re.compile(
    r"(?<![\d.])00[0-4]\b|\b(?:guides?|trees?|documents?|tables?|matrix|matrices|stars?|maps?|vs|versus"
    r"|against|compared?|comparison|difference|or|insights?|what|what's|which|when|ratings?|define|definition|meaning|explain"
    r"|claims?|line|is|are|isn'?t|aren'?t|wasn'?t|doesn'?t|does|do|has|have|did|was|can|true|right"
    r"|correct|really|says?|said|snippet|example|code|selection|recommender|hardwarerecommender"
    r"|recap|criteria|flowchart|recommendation|options|impact|complexity)\b|\?\s*\Z"
)
EITHER: Final = re.compile(r"\b(?:or|vs\.?|versus)\b")
PRINTED: Final = re.compile(
    r"\b(?:tables?|matri(?:x|ces)|guides?|stars?|recap|criteria|maps?|documents?|00[0-4])\b"
)
# What people call their own things names no guide: name=*000.
OWN_NAME: Final = re.compile(r"\b(?:name|cluster(?:_name)?)=\S+", re.IGNORECASE)
# "Does guide 002 say inf1?" asks what it says: the hardware is no wish.
ASKS_WHAT_IT_SAYS: Final = re.compile(
    r"\b(?:does|did|why)\b.{0,40}\b(?:say|recommend|suggest|pick|name)s? "
    r"(?:to use )?(?:an? )?[a-z]+\d"
)
OURS: Final = re.compile(
    r"[^a-z0-9]*(?:(?:the|a|tree|trees|document|doc|guide|00[0-4]|table|seed|per|recommender|sample"
    r"|hardwarerecommender|says?)[^a-z0-9]*)+"
)
# What a mention of a guide turns into a question about it; all else the text asks by itself.
OPEN: Final = {
    ("pick", None),
    ("pick", "guide"),
    ("estimate", None),
    ("estimate", "guide"),
    ("estimate", "gpu"),
    ("explain", "guide"),
}
DOUBTS: Final = frozenset({"claim", "superlative"})
KEPT_INTENTS: Final[frozenset[Intent]] = frozenset({"price", "compare", "explain"})
ParseDocument = Callable[[], Understanding]


def with_documents(
    plain: str,
    catalog: Catalog,
    parsed: ParseDocument,
    previous: Workload | None,
    question: LikelyKind,
) -> Understanding:
    """Return what `parsed` understood, with the topic of a text about the written guides.

    Raises:
        RequestError: what `parsed` raises, unless the text asks for something the guides print.
    """
    words = OWN_NAME.sub(" ", plain)
    if CUES.search(words.lower()) is None:
        return _about_a_price(parsed(), catalog)
    asked = _asked(words, catalog)
    if asked is None or _for_a_workload(asked, words, previous, question):
        return _about_a_price(_of_guide(words, parsed(), previous), catalog)
    try:
        found = parsed()
    except RequestError:
        found = Understanding(text=plain, intent="explain", workload=Workload())
    if asked.topic in DOUBTS and found.topic in FACT_TOPICS and not _doubts_in_words(words):
        return found  # "is a reservation worth it for p5?" doubts nothing a guide says
    intent: Intent = found.intent if found.intent in KEPT_INTENTS else "explain"
    said = replace(found.asked, guide=asked)
    return replace(found, topic=asked.topic, intent=intent, asked=said, not_understood=())


def _asked(words: str, catalog: Catalog) -> "GuideQuestion | None":
    from bot.language.guides.lookup import guide_asked
    from catalog.guides.guide_rows import load_guide_rows

    return guide_asked(words, load_guide_rows(), load_guides(), catalog)


def _doubts_in_words(plain: str) -> bool:
    from bot.language.guides.lookup import SURE

    return SURE.search(plain.lower()) is not None


def _for_a_workload(
    asked: "GuideQuestion", plain: str, previous: Workload | None, question: LikelyKind
) -> bool:
    """Return whether hardware is set side by side for the model that a thread is about."""
    if previous is None or (previous.model or previous.params_b) is None:
        return False
    from bot.language.guides.claims import BEATS
    from engine.guides.asked import FamiliesQuestion

    low = plain.lower()
    if wish_in(low) or asks_of_picks(question):
        return True
    if asked.topic == "claim":
        return BEATS.search(low) is not None and "%" not in low
    if asked.topic == "table":
        return EITHER.search(low) is not None and PRINTED.search(low) is None
    return isinstance(asked, FamiliesQuestion) and len(asked.families) > 1


def _about_a_price(found: Understanding, catalog: Catalog) -> Understanding:
    """Return the reading of a price that was heard with the claims it may be about."""
    if found.topic != "claim":
        return found
    from bot.language.guides.lookup import claims_in

    return replace(found, asked=replace(found.asked, guide=claims_in(found.text, catalog)))


def _of_guide(plain: str, found: Understanding, previous: Workload | None) -> Understanding:
    """Return the reading with the guide it names; a text that names none stays as it is."""
    low = plain.lower()
    guide = found.workload.guide or document_named(low, load_guides())
    open_to_it = (found.intent, found.topic) in OPEN
    if not open_to_it or (guide is None and MENTIONS.search(low) is None):
        return found
    workload = found.workload
    if previous is not None and not found.follow_up and not workload.said().keys() - {"task"}:
        workload = previous
    if ASKS_WHAT_IT_SAYS.search(low) and "only" not in low:
        workload = replace(workload, allow=None, instance=None, gpu=None)
    return replace(
        found,
        topic="guide",
        workload=replace(workload, guide=guide),
        not_understood=tuple(s for s in found.not_understood if not _is_read(s, low)),
    )


def _is_read(span: Span, low: str) -> bool:
    """Return whether a stretch that no rule took names a guide or a word that guides branch on."""
    said = span.text.lower()
    if OURS.fullmatch(said):
        return True
    phrases = (load_words()[word] for word in branch_words(low))
    read = {part for listed in phrases for phrase in listed for part in phrase.split()}
    return set(re.findall(r"[a-z0-9]+", said)) <= read
