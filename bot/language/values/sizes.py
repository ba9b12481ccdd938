"""Reads model sizes: `7B`, `350M`, `8x7B`, `671B-A37B`, `7e9 parameters`, `seven billion`."""

import re
from collections import Counter
from typing import Any

from bot.language.draft import Draft
from bot.language.names.model_names import ModelMention, NameParts
from bot.language.names.models import say_model
from bot.language.names.whole_names import glued, say_unknown
from bot.language.text.numbers import DIGITS, number
from bot.language.text.tables import words
from bot.language.text.vocabulary import Vocabulary

EDGE = r"(?<![\w.,^])"
NEGATIVE = r"(?P<minus>(?:(?<![^\s=:<>(])-|\bminus |\bnegative ))?"
PARAMETERS = r"(?:parametern|parameters?|params?|weights|paramètres|parámetros|个参数|参数)"
# 8x7B: experts that share attention
EXPERTS = re.compile(rf"{EDGE}(\d{{1,3}})\s?x\s?(\d+(?:\.\d+)?)\s?b(?!\w)")
# 671B-A37B · 30b a3b · 30B (3B active)
TOTAL_ACTIVE = re.compile(
    rf"{EDGE}(?P<n>{DIGITS})\s?b[ -]a(?P<active>\d+(?:\.\d+)?)b(?!\w)"
    rf"|{EDGE}(?P<n2>{DIGITS})\s?b(?:illion)?\b[^.;\n\d]{{0,20}}?(?P<active2>\d+"
    rf"(?:\.\d+)?)\s?b(?:illion)? active\b"
)
UNIT = r"(?P<unit>b|bn|billions?|t|trillions?|m|mio|millions?|k|milliarden|mrd)"
SIZE = re.compile(
    rf"{NEGATIVE}{EDGE}(?:(?P<low>\d+(?:\.\d+)?)\s?b?\s?(?:-"
    rf"|to)\s?)?(?P<n>{DIGITS})[ -]?{UNIT}(?!\w)"
    rf"(?:[ -]?plus\b|\+)?(?P<what>[ -]{PARAMETERS}(?!\w))?"
)
COUNT = re.compile(rf"{NEGATIVE}{EDGE}(?P<n>{DIGITS})[ -]?{PARAMETERS}(?!\w)")
PER_B = {"b": 1.0, "t": 1e-3, "m": 1e3, "k": 1e6}  # how many of a unit make a billion
SMALLEST_ALONE_B = 300.0  # below, a size is any model of about that size
NAMED_BEFORE = re.compile(r"[\w>\0.]+-\Z")


def read_sizes(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say `params_b` and `active_params_b`, or the model that a shape such as 8x7B names."""
    for match in draft.reader.matches(EXPERTS):
        _say_experts(draft, match, vocabulary)
    for match in draft.reader.matches(TOTAL_ACTIVE):
        draft.say("active_params_b", float(match["active"] or match["active2"]), *match.span())
        draft.say("params_b", number(match["n"] or match["n2"]), *match.span())
    for match in draft.reader.matches(SIZE):
        _say_size(draft, match, vocabulary)
    for match in draft.reader.matches(COUNT):
        count = number(match["n"])
        draft.say("params_b", (-count if match["minus"] else count) / 1e9, *match.span())


def _say_experts(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    size = f"{match[1]}x{match[2]}b"
    found = vocabulary.models.find(NameParts(frozenset(words("models_by_experts")), None, size))
    start, end = match.span()
    if found is None:
        total = float(match[1]) * float(match[2])
        draft.note(
            "experts", f"{size} is read as {total:g}B in all: no model of that shape is known."
        )
        draft.say("params_b", total, start, end)
        return
    model = vocabulary.catalog.models[vocabulary.model_id(found[0])]
    draft.say("params_b", model.total_params_b, start, end)
    draft.say("active_params_b", model.active_params_b, start, end)
    named = ModelMention(found[0], NameParts(frozenset(), None, size), start, end, in_full=True)
    say_model(draft, named, vocabulary)


def _say_size(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    size_b = number(match["n"]) / PER_B[_size_unit(match["unit"])]
    if match["unit"] == "k" and not match["what"]:
        return  # "10k" alone is no size
    before = draft.reader.work[max(0, match.start() - 40) : match.start()]
    if match["low"]:
        words = draft.reader.words(*match.span())
        draft.note("params_range", f"`{words}` is read by its upper end.")
    if match["minus"]:
        draft.say("params_b", -size_b, *match.span())
    elif NAMED_BEFORE.search(before):
        start, end = glued(draft.reader.work, *match.span())
        say_unknown(draft, start, end, vocabulary)
        draft.ignored.append((start, match.start(), None))
    else:
        draft.say("params_b", size_b, *match.span())


def settle_only_size(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Read a size that only public models of one shape have as the best known of them."""
    every = draft.said.get("params_b", ())
    if len(every) != 1 or every[0].keyed or {"model", "models", "active_params_b"} & said.keys():
        return
    if "unknown_model_sized" in draft.notes:
        return  # it is the size of a model that was named
    size_b = float(said["params_b"])
    if size_b < SMALLEST_ALONE_B or said.get("task") == "train":
        return
    words = draft.reader.words(every[0].start, every[0].end).strip()
    first, *same = _models_of_size(size_b, vocabulary) or (None,)
    if first is None:
        return
    said["model"] = first
    del said["params_b"]
    beside = f" ({', '.join(map(str, same))}: the same shape)" if same else ""
    draft.note("model_assumed", f"`{words}` is read as {first}{beside}.")


def _models_of_size(size_b: float, vocabulary: Vocabulary) -> list[str]:
    """Return the models that carry a size in their name, the best known first.

    None where they differ in shape: the size then says too little.
    """
    every = vocabulary.models.exact.items()
    named = {vocabulary.model_id(n) for parts, n in every if parts.size == f"{size_b:g}b"}
    models = [vocabulary.catalog.models[one] for one in named]
    if len({(m.layers, m.hidden_size, m.num_experts, m.total_params_b) for m in models}) != 1:
        return []
    known = Counter(vocabulary.catalog.model_names.values())
    return sorted(named, key=lambda one: (-known[one], one))


def _size_unit(word: str) -> str:
    return "b" if word in {"milliarden", "mrd"} else word[0]
