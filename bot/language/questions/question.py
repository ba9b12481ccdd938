"""What a text asks, by its kind, and what the question is about, by the values in it.

The kind comes from the examples; a number, an ordinal or a figure never does. A text that asks and
names no value is taken whole: no word of it is a wish.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from bot.core.asked import LikelyKind
from bot.language.draft import Draft
from bot.language.questions.kinds import ANSWERED, OTHER, SURE, kind_model
from bot.language.questions.masking import (
    MACHINE,
    PLACEHOLDERS,
    lines_of,
    masked_words,
)
from bot.language.text.numbers import DIGITS, number
from bot.language.text.phrases import Hit, Index, hits, phrase_index
from bot.language.text.tables import sections_of
from bot.language.text.vocabulary import Vocabulary

logger = logging.getLogger(__name__)

ASKED_AS: Final = Path(__file__).parent / "asked_as.txt"
OFFERED: Final = 0.1  # a kind less likely is not offered
ARGUMENTS: Final = Path(__file__).parent / "arguments.txt"
# Kinds about the answer before them: there is none at the start of a conversation.
OF_PICKS: Final = frozenset(
    {"recap", "cheaper", "risks", "more", "choose", "bill", "manifest", "cost"}
)
# Kinds by what answers them: an intent, and the topic where that is not the kind.
TOPICS: Final[dict[str, str]] = {
    "speed": "latency",
    "cost": "metrics",
    "parallelism": "plan",
    "sharing": "practices",
}
ANYWHERE: Final = frozenset(
    {"growth", "derivation", "price_change", "regions", "what_would", "crossover", "fleet"}
    | {"energy", "monitoring", "scaling", "practices", "strategy", "history"}
    | {"quota", "availability", "memory", "kv", "speed", "fit", "parallelism", "efa"}
    | {
        "ami",
        "spot_worth",
        "commit",
        "redundancy",
        "cheapest_monthly",
        "savings",
        "spec",
        "records",
    }
    | {"upgrade", "startup", "sharing", "bill", "records"}
    | {"manifest", "migration", "compare", "price", "why", "why_not", "help", "reset"}
)
# What changes the thread or what is kept is not done on a guess.
CHANGES: Final = frozenset({"reset", "undo", "save", "alert", "alerts_change"})
CERTAIN: Final = 0.8
OF_ALL_MACHINES: Final = frozenset({"records"})
SETS_NO_OBJECTIVE: Final = frozenset({"records", "regions"})
# Topics that are about an earlier answer unless a model is named.
ABOUT_AN_ANSWER: Final = frozenset({"topic:growth", "topic:price_change", "topic:derivation"})
NUMBERED: Final = re.compile(
    r"(?:\b(?:number|option|no\.?|nr\.?|pick|choice|nummer)|#) ?(?P<n>[1-9]\d?)\b(?! ?%)"
)
OF_A_CHOICE: Final = re.compile(r" (?:1|one|option|pick|best|cheapest)\b")
LISTED: Final = re.compile(
    r"\btop (?P<n>[2-9]|[1-4]\d)\b(?! ?%)|(?<![\w.])(?P<n2>[2-9]|[1-4]\d)(?: \w+)? "
    r"(?:more|options|candidates|alternatives|choices|picks)\b"
)
COPIES: Final = re.compile(
    r"(?<![\w.$])(?P<n>\d{1,4}) (?:of (?:them|these|those|it|that|the same)|times that|such|davon"
    r"|machines|instances|boxes|replicas)\b"
)
BARE_LOAD: Final = re.compile(r"(?<![\w.$])(?P<n>\d[\d,]*)(?: at once)?\s*\?*\Z")
PERCENT: Final = re.compile(rf"(?<![\w.,])(?P<n>{DIGITS})\s?(?:%|percent\b|per cent\b|pct\b)")
VALUES: Final = PLACEHOLDERS | {"="}
# Kinds that are an intent of their own; of the others the kind is the topic.
INTENTS: Final = {
    "manifest": "intent:manifest",
    "migration": "intent:migrate",
    "compare": "intent:compare",
    "price": "intent:price",
    "why": "intent:explain",
    "why_not": "intent:explain",
    "help": "intent:help",
    "reset": "intent:reset",
}
# Fields whose words are values of a workload rather than of every sentence.
NAMED: Final = frozenset(
    {"market", "method", "framework", "mode", "quant", "kv_dtype", "intent:manifest"}
)


def likely_question(plain: str, vocabulary: Vocabulary) -> LikelyKind:
    """Return which kind of question a text looks like; one that is all fields asks nothing."""
    _, *fields = plain.split()
    if fields and "?" not in plain and all("=" in word for word in fields):
        return LikelyKind(OTHER, 1.0)  # a form's words: the weights are not even loaded
    return kind_model("questions").read(masked_words(plain, vocabulary))


def kind_asked(question: LikelyKind, *, in_thread: bool) -> str | None:
    """Return the kind that is answered: of an answer at once, elsewhere where it is sure."""
    least = CERTAIN if question.kind in CHANGES else ANSWERED if in_thread else SURE
    return None if question.kind == OTHER or question.probability < least else question.kind


def is_unsure(question: LikelyKind) -> bool:
    """Return whether a text may ask something, but not surely enough to answer unasked."""
    return question.kind != OTHER and question.probability < SURE


def note_guess(draft: Draft, question: LikelyKind) -> None:
    """Say how a question was read that is only likely."""
    if draft.question is not None and is_unsure(question) and question.kind in asked_as():
        draft.note(
            "question_guessed",
            f"Read as “{asked_as()[question.kind]}”: say it in other words where that is wrong.",
        )


def may_mean(question: LikelyKind) -> tuple[str, ...]:
    """Return up to three questions, in people's words, that a text may have meant."""
    likely = ((question.kind, question.probability), *question.following)
    known = asked_as()
    offered = (one for one, share in likely if share >= OFFERED and one not in CHANGES)
    return tuple(known[kind] for kind in offered if kind in known)


def log_asked_back(question: LikelyKind, plain: str, vocabulary: Vocabulary) -> None:
    """Write for the maintainer which kind a text looked like, and its words as examples have them.

    A word that stands in no example may be a name: it is left out, and so is every figure.
    """
    known = kind_model("questions").words
    words = (
        one if one in known and one.isalpha() else "..." for one in masked_words(plain, vocabulary)
    )
    logger.info("asked back: %s: %s", question.kind, " ".join(words))


@cache
def asked_as() -> dict[str, str]:
    """Return the words that each kind is asked in."""
    rows = (line.partition(": ") for line in lines_of(ASKED_AS))
    return {kind: words for kind, _, words in rows}


def asks_of_picks(question: LikelyKind) -> bool:
    """Return whether a text of a thread is a question about the picks shown."""
    return kind_asked(question, in_thread=True) in OF_PICKS | {"growth"}


def read_listed(draft: Draft) -> None:
    """Keep how many picks are to be listed ("top 5 instances for a 7B"), in any text."""
    for match in draft.reader.matches(LISTED):
        listed = int(match["n"] or match["n2"])
        draft.asked = replace(draft.asked, listed=listed)
        draft.mark("topic:more", *match.span())


def names_a_value(plain: str, vocabulary: Vocabulary) -> bool:
    """Return whether a text names hardware, a model, a place, a number or a way to run."""
    if VALUES & set(masked_words(plain, vocabulary)):
        return True
    found = (meaning for hit in hits(plain.lower(), vocabulary.phrases) for meaning in hit.meanings)
    return any(one.name in NAMED or one.name.startswith("detail:") for one in found)


def read_question(
    draft: Draft, question: LikelyKind, vocabulary: Vocabulary, *, in_thread: bool
) -> str | None:
    """Mark what a text asks, keep what it asks of, and return the kind; None where it asks none."""
    draft.asks_nothing = question.kind == OTHER and question.probability >= SURE
    kind = kind_asked(question, in_thread=in_thread)
    if kind is None or kind not in (OF_PICKS | ANYWHERE if in_thread else ANYWHERE):
        return None
    pointed_at = MACHINE in masked_words(draft.reader.whole, vocabulary)
    if pointed_at and kind in OF_ALL_MACHINES:
        return None  # "is the T4 the cheapest?" is about that one
    if _tells_what_is_left(draft, kind, in_thread=in_thread):
        return None
    reads = READERS.get(kind)
    if reads is not None and not reads(draft):
        return None  # what it would be about is not said
    draft.question = kind
    draft.marks.setdefault(INTENTS.get(kind, f"topic:{TOPICS.get(kind, kind)}"), (0, 0))
    # What a turn points at ("the cheaper of the two") stands by its name in the text that is read.
    if in_thread and not pointed_at and not names_a_value(draft.reader.text, vocabulary):
        draft.reader.take(0, len(draft.reader.work))
    return kind


def _tells_what_is_left(draft: Draft, kind: str, *, in_thread: bool) -> bool:
    """Return whether a turn tells what may be had, rather than asks: a quota, what is sold out."""
    left_out = any(one.left_out for one in draft.mentions)
    if kind == "availability":
        return left_out
    asks = draft.reader.whole.rstrip().endswith("?")
    return kind == "quota" and in_thread and "vcpus_max" in draft.said and not asks


def set_no_objective(draft: Draft, said: dict[str, Any]) -> None:
    """Take "cheapest" of a question for what is asked, not for what to rank by."""
    ranked = draft.said.get("objective", ())
    if draft.question in SETS_NO_OBJECTIVE and not any(one.keyed for one in ranked):
        said.pop("objective", None)


def _choice(draft: Draft) -> bool:
    found = NUMBERED.search(draft.reader.work)
    if found is not None:
        draft.asked = replace(draft.asked, choice=found["n"])
        draft.reader.take(*found.span())
        return True
    for hit, _, value in arguments_in(draft.reader.work, "choose"):
        draft.asked = replace(draft.asked, choice=value)
        after = OF_A_CHOICE.match(draft.reader.work, hit.end)
        draft.reader.take(hit.start, hit.end if after is None else after.end())
        return True
    return False


def _bill(draft: Draft) -> bool:
    """Keep for how many and for whom a bill is asked."""
    for hit, name, value in arguments_in(draft.reader.work, "bill"):
        if name == "choice":
            draft.asked = replace(draft.asked, choice=value)
        elif name == "whom":
            draft.asked = replace(draft.asked, per_whom=value)
        draft.reader.take(hit.start, hit.end)
    if found := NUMBERED.search(draft.reader.work):
        draft.asked = replace(draft.asked, choice=found["n"])
        draft.reader.take(*found.span())
    if found := COPIES.search(draft.reader.work):
        draft.asked = replace(draft.asked, copies=int(found["n"]))
        draft.reader.take(*found.span())
    return True


def _load_or_growth(draft: Draft) -> bool:
    """Read "can it handle 60?" as so many at once; every other question is how far it goes."""
    found = BARE_LOAD.search(draft.reader.work)
    if found is not None:
        draft.say("concurrency", number(found["n"].replace(",", "")), *found.span())
    return found is None


def _measure(draft: Draft) -> bool:
    """Keep by what chips are set in order: the first that is named."""
    said = arguments_in(draft.reader.work, "records")
    if said:
        draft.asked = replace(draft.asked, figure=said[0][2])
    for hit, _, _ in said:
        draft.reader.take(hit.start, hit.end)
    return True


def _figure(draft: Draft) -> bool:
    for hit, _, value in arguments_in(draft.reader.work, "derivation"):
        if draft.asked.figure == "all":
            draft.asked = replace(draft.asked, figure=value)
        draft.reader.take(hit.start, hit.end)
    return True


def _price_change(draft: Draft) -> bool:
    """Keep by how many per cent prices change in the world that is supposed."""
    said = arguments_in(draft.reader.work, "price_change")
    ways = [value for _, name, value in said if name == "way"]
    found = PERCENT.search(draft.reader.work)
    shares = [float(value) for _, name, value in said if name == "share"]
    if not ways or (found is None and not shares):
        return False
    size = shares[0] if found is None else number(found["n"].replace(",", ""))
    down = ways[0] == "down"
    draft.asked = replace(draft.asked, price_change_percent=-size if down else size)
    for hit, _, _ in said:
        draft.reader.take(hit.start, hit.end)
    if found is not None:
        draft.reader.take(*found.span())
    return True


READERS: Final[dict[str, Callable[[Draft], bool]]] = {
    "growth": _load_or_growth,
    "choose": _choice,
    "bill": _bill,
    "derivation": _figure,
    "price_change": _price_change,
    "records": _measure,
}


@cache
def _arguments() -> dict[str, Index]:
    return {
        section: phrase_index((name, value, phrases) for name, value, phrases in rows)
        for section, rows in sections_of(ARGUMENTS).items()
        if section
    }


def arguments_in(text: str, section: str) -> list[tuple[Hit, str, str]]:
    """Return the phrases of a section of arguments in a text, each with its name and value."""
    return [
        (hit, meaning.name, str(meaning.value))
        for hit in hits(text, _arguments()[section])
        for meaning in hit.meanings
    ]
