"""What a machine that is named is to who asks: what runs today, what was tried, what is wanted.

Only what is wanted narrows a choice. What runs today is `owned`: judged and set beside the pick;
what was tried is explained. `roles.txt` holds the words, near or far, before or behind.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from bot.core.understanding import Intent
from bot.language.draft import Draft, NamedThing, Role, StatedValue
from bot.language.polarity import CLAUSE_END, are_known, blotted, link_between
from bot.language.text.phrases import WORD, Index, hits, phrase_index
from bot.language.text.plain import TAKEN
from bot.language.text.tables import sections_of
from bot.language.text.units import any_word
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.workload import OwnedHardware

TABLE: Final = sections_of(Path(__file__).with_name("roles.txt"))
ROLES: Final[dict[str, Role]] = {"have": "have", "had": "had"}
MOST_FAR: Final = 8  # words
MOST_TO_FIGURE: Final = 4
GAP: Final = re.compile(r"[\s\"'`*(:=,-]*")
FIGURE: Final = re.compile(r"\d[\d.,]*\s?([^\W\d_]+)")
COUNT: Final = re.compile(
    rf"(?<![\w.])(\d{{1,4}})(?: ?x)?(?: (?:{any_word('kinds of machines')}))?\s*[台张个块]?\s*\Z"
)
PRICED: Final = re.compile(r"[\s(,@]*(?:at|for|costing|costs|cost)?[\s(]*\$?\Z")
SHARE: Final = re.compile(r"(?<![\w.])\d{1,2} ?%")  # "7 % done after a day"
COMMA: Final = re.compile(r",(?!\d)")
SLOW: Final = re.compile(r"\b(?:too slow|faster|zu langsam|schneller)\b")
MOVES: Final = frozenset({"savings", "upgrade"})  # asked of what runs today and of what would
SIZED: Final = frozenset({"model", "models", "params_b"})
WHETHER: Final = frozenset({None, "fit"})  # whether it does: what runs narrows no choice
JUDGED: Final = ("pick", "explain", "compare", "estimate")
HARDWARE: Final = ("instance", "gpu", "allow")


class RoleCue(NamedTuple):
    """A phrase of the table, and where it stands."""

    section: str
    name: str
    side: str
    start: int
    end: int


SECTIONS: Final = ("near", "far", "weak", "measured", "better")


@cache
def _role_index(sections: tuple[str, ...]) -> Index:
    rows = [
        (f"{section}:{name}:{side}", None, listed)
        for section in sections
        for name, side, listed in TABLE[section]
    ]
    return phrase_index(rows)


@cache
def _words(section: str, name: str) -> tuple[str, ...]:
    rows = [words.replace(";", " ").split() for one, _, words in TABLE[section] if one == name]
    return tuple(sorted({word for row in rows for word in row}, key=len, reverse=True))


@cache
def _role_phrases(sections: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for entries in _role_index(sections).values():
        for phrase, meanings in entries:
            if len(phrase) == 1 and "\u3400" <= phrase[0][0] <= "\u9fff":
                found.setdefault(phrase[0], []).extend(one.name for one in meanings)
    return {phrase: tuple(found[phrase]) for phrase in sorted(found, key=len, reverse=True)}


def _role_cues(text: str, *sections: str) -> tuple[RoleCue, ...]:
    listed = hits(text, _role_index(sections or SECTIONS))
    found = [(one.name, hit.start, hit.end) for hit in listed for one in hit.meanings]
    for phrase, names in () if text.isascii() else _role_phrases(sections or SECTIONS).items():
        found += [
            (name, match.start(), match.end())
            for match in re.finditer(phrase, text)
            for name in names
        ]
    cues = []
    for told, start, end in found:
        section, name, side = told.split(":")
        cues.append(RoleCue(section, name, side, start, end))
    return tuple(cues)


def is_observed(before: str, after: str) -> bool:
    """Return whether a time between the two is what is seen today, and no limit."""
    near = re.split(r"[,;]", before)[-1][-40:]
    if set(WORD.findall(near)) & set(_words("observed", "limit")) or "<" in near[-3:]:
        return False
    ahead = any(one.name == "before" for one in _role_cues(near, "observed"))
    behind = [one for one in _role_cues(after[:24], "observed") if one.name == "after"]
    return ahead or any(not re.search(r"[,\d]", after[: one.start]) for one in behind)


def is_capacity(before: str) -> bool:
    """Return whether a rate behind these words is the most that is carried today, and no wish."""
    near = before[-40:]
    ends = (one.end for one in _role_cues(near, "capacity"))
    return any(not near[end:].strip(" ~about") for end in ends)


def is_spent(before: str) -> bool:
    """Return whether a sum is what is spent today ("we spend $9,000 a month on two p4d")."""
    near = re.split(r"[,;]", before)[-1]
    limits = set(WORD.findall(near)) & set(_words("observed", "limit"))
    return not limits and any(one.name == "spent" for one in _role_cues(near, "observed"))


def read_roles(draft: Draft) -> None:
    """Give each machine that is named its role, and take the words that tell it."""
    named = draft.mentions
    if not any(one.kind == "hardware" for one in named):
        return
    text = blotted(draft.reader.whole, [one for one in named if one.kind == "hardware"])
    cues = _role_cues(text)
    settled: list[NamedThing] = []
    for one in named:
        role, cue = _role(one, text, cues)
        if role == "want" and settled and settled[-1].kind == one.kind:
            role = settled[-1].role if link_between(text, settled[-1], one) else "want"
        if one.kind != "hardware" or one.polarity != "for":
            role = "want"
        elif cue is not None and not is_spent(text[cue.start : cue.end]):
            draft.reader.take(cue.start, cue.end + text.startswith("=", cue.end))
        settled.append(replace(one, role=role))
    draft.mentions = tuple(settled)


def _role(one: NamedThing, text: str, cues: tuple[RoleCue, ...]) -> tuple[Role, RoleCue | None]:
    ends = [match.end() for match in CLAUSE_END.finditer(text)]
    start = max((end for end in ends if end <= one.start), default=0)
    end = min((end for end in ends if end > one.start), default=len(text))
    clause = [cue for cue in cues if start <= cue.start and cue.end <= end]
    asked = _clause_asks(text[start:end])
    for found in (_role_ahead(one, text, clause), _role_behind(one, text, clause)):
        if found is not None and not (found[0] == "had" and asked):
            return found
    return "want", None


def _clause_asks(clause: str) -> bool:
    """Return whether a clause asks what would happen ("does it OOM on a g5?")."""
    first = WORD.search(clause)
    return (
        clause.rstrip().endswith("?")
        and first is not None
        and first[0] in (*_words("wish", "void"), *_words("wish", "asks"))
    )


def _role_ahead(one: NamedThing, text: str, cues: list[RoleCue]) -> tuple[Role, RoleCue] | None:
    better = any(cue.section == "better" for cue in _role_cues(text))
    ahead = [cue for cue in cues if cue.side in {"before", "any"} and cue.end <= one.start]
    for cue in sorted(ahead, key=lambda cue: -cue.end):
        gap = text[cue.end : one.start]
        if cue.section == "near" and _is_beside(gap) and not _is_void(cue, text):
            return ROLES[cue.name], cue
        if is_spent(text[cue.start : cue.end]):
            gap = gap.replace(" for ", " on ")  # what a bill is for runs, nobody wishes for it
        far = cue.section == "far" or (cue.section == "weak" and better)
        if far and _is_far(gap) and not _is_void(cue, text):
            return ROLES[cue.name], cue
        if (cue.section, cue.name) == ("measured", "before") and _has_figure(gap, MOST_FAR):
            return "had", cue
    return None


def _role_behind(one: NamedThing, text: str, cues: list[RoleCue]) -> tuple[Role, RoleCue] | None:
    behind = [cue for cue in cues if cue.side in {"after", "any"} and cue.start >= one.end]
    for cue in sorted(behind, key=lambda cue: (cue.start, -cue.end)):
        gap = SHARE.sub("", text[one.end : cue.start])
        if not GAP.fullmatch(WORD.sub("", gap)) or not are_known(gap, _words("between", "after")):
            continue
        if cue.section == "near":
            return ROLES[cue.name], cue
        if (cue.section, cue.name) == ("measured", "after") and _has_figure(
            text[cue.end :], MOST_TO_FIGURE
        ):
            return "had", cue
    return None


def _is_beside(gap: str) -> bool:
    words = " ".join(word for word in WORD.findall(gap) if not word[0].isdigit())
    return bool(GAP.fullmatch(WORD.sub("", gap))) and are_known(words, _words("between", "before"))


def _is_far(gap: str) -> bool:
    words = WORD.findall(gap)
    wishes = set(words) & set(_words("wish", "words"))
    return len(words) <= MOST_FAR and not wishes and TAKEN not in gap and not COMMA.search(gap)


def _is_void(cue: RoleCue, text: str) -> bool:
    """Return whether a question or condition leads up to the words: "can we run", "if we have"."""
    if cue.name != "have":
        return False
    ahead = WORD.findall(text[max(0, cue.start - 16) : cue.start])
    return bool(ahead) and ahead[-1] in _words("wish", "void")


def _has_figure(text: str, most_words: int) -> bool:
    figure = FIGURE.search(text)
    if figure is None or TAKEN in text[: figure.end()]:
        return False
    return figure[1] in _words("measured", "unit") and (
        len(WORD.findall(text[: figure.start()])) <= most_words
    )


def read_owned_price(draft: Draft) -> None:
    """Keep a price beside what runs today as what that costs: it is no claim to check."""
    if "claimed_usd_per_hour" in draft.details and any(
        one.role == "have" for one in draft.mentions
    ):
        draft.details["owned_usd_per_hour"] = draft.details.pop("claimed_usd_per_hour")


def hold_roles(
    draft: Draft,
    said: dict[str, Any],
    alternatives: dict[str, tuple[Any, ...]],
    intent: Intent,
    topic: str | None,
) -> tuple[Intent, str | None]:
    """Make of what runs today `owned`, of what was tried a question; return what is asked then."""
    _drop_tried_cards(draft, said)
    owned, had = next(_of_role(draft, "have"), None), next(_of_role(draft, "had"), None)
    held = owned or had
    if held is None or intent not in JUDGED:
        return intent, topic
    if owned is not None:
        said["owned"] = str(_owned(draft, said, owned))
    if topic == "upgrade" and SIZED & said.keys():
        topic = None  # with a model the pick itself is held against what runs
    if owned is not None and topic in MOVES:
        _drop_unwanted(draft, said, alternatives)
        return intent, topic
    wanted = any(_of_role(draft, "want"))
    asked_about = intent == "estimate" and owned is not None
    if (
        intent == "compare"
        or (topic is not None and intent == "explain")
        or (asked_about and not wanted and topic not in WHETHER)
    ):
        said.pop("nodes", None)
        return intent, topic
    _drop_unwanted(draft, said, alternatives)
    _settle_slow(draft, said, held)
    if asked_about and not wanted:
        said.pop("nodes", None)
        return intent, topic
    return _held_intent(draft, said, held, intent, topic)


def _held_intent(
    draft: Draft, said: dict[str, Any], held: StatedValue, intent: Intent, topic: str | None
) -> tuple[Intent, str | None]:
    """Return what is asked of hardware that runs or was tried, once only wishes are left."""
    wanted, asked_about = any(_of_role(draft, "want")), intent == "estimate"
    owned = next(_of_role(draft, "have"), None)
    asked_about = asked_about and owned is not None
    if wanted and owned is None:
        words = draft.reader.words(held.start, held.end).strip()
        draft.note("tried", f"{words}: read as what was tried, no wish.")
        return intent, topic
    if not asked_about:
        said["compare_family"] = held.value
    if wanted:
        return ("compare" if intent == "pick" else intent), topic
    return "explain", None


def _drop_tried_cards(draft: Draft, said: dict[str, Any]) -> None:
    """Leave out the memory and number of cards that failed: the next need no such."""
    for one in draft.said.get("gpu_memory_gb", ()):
        if _role_said(draft, one) == "had" and said.pop("gpu_memory_gb", None) is not None:
            said.pop("gpu_count", None)
            words = draft.reader.words(one.start, one.end).strip()
            draft.note("tried", f"{words}: read as what was tried, no wish.")


def _of_role(draft: Draft, role: Role) -> Iterator[StatedValue]:
    every = [one for name in HARDWARE for one in draft.said.get(name, ())]
    for one in sorted(every, key=lambda one: one.start):
        if _role_said(draft, one) == role:
            yield one


def _role_said(draft: Draft, one: StatedValue) -> Role:
    mention = None if one.keyed else draft.mention_at(one.start, one.end)
    return "want" if mention is None else mention.role


def _drop_unwanted(
    draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]
) -> None:
    """Leave in what was said the hardware that is wanted: no count speaks of another."""
    for name, count in (("instance", "nodes"), ("gpu", "gpu_count"), ("allow", "nodes")):
        every = draft.said.get(name, ())
        kept = tuple(one.value for one in every if _role_said(draft, one) == "want")
        if not every or len(kept) == len(every):
            continue
        said.pop(count, None)
        alternatives.pop(name, None)
        said.pop(name, None)
        if kept:
            said[name] = kept if name == "allow" else kept[0]


def _owned(draft: Draft, said: dict[str, Any], one: StatedValue) -> OwnedHardware:
    """Return what runs today, how many, and what one costs where its price stands beside it."""
    whole = draft.reader.whole
    mention = draft.mention_at(one.start, one.end)
    start, end = (mention.start, mention.end) if mention else (one.start, one.end)
    ahead = max(0, start - 24)
    before = COUNT.search(whole[ahead:start])
    if before is not None:
        draft.reader.take(ahead + before.start(1), ahead + before.end(1))
    number = int(before[1]) if before else said.get("gpu_count") or said.get("nodes") or 1
    paid, bill = (draft.details.pop(f"owned_{name}_per_hour", None) for name in ("usd", "bill_usd"))
    usd = float(paid) if paid else float(bill) / float(number) if bill else None
    for name, hours in (("budget_usd_per_hour", 1.0), ("budget_usd_per_month", HOURS_PER_MONTH)):
        for price in draft.said.get(name, ()):
            if price.start >= end and PRICED.fullmatch(whole[end : price.start]):
                usd = float(str(price.value)) / hours
                said.pop(name, None)
    return OwnedHardware(str(one.value), int(number), usd)


def _settle_slow(draft: Draft, said: dict[str, Any], held: StatedValue) -> None:
    """Rank by price and speed alike what is to be faster than a machine that runs or was tried."""
    if SLOW.search(draft.reader.whole) and not {"objective", "latency_ms"} & said.keys():
        is_type = "." in str(held.value)
        said["objective"] = "performance" if is_type else "balanced"
        ranked = (
            f"speed, within twice the price of {held.value}" if is_type else "price and speed alike"
        )
        draft.note(
            "too_slow",
            f"Too slow: ranked by {ranked}. Say a limit, such as ttft<200ms, to have the cheapest"
            " that meets it.",
        )
