"""Reads several loads in one text ("1, 10 and 100 rps", "low, medium and high traffic").

They ask for the cheapest type at each of them: the crossover.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.language.draft import Draft
from bot.language.text.numbers import START, number
from bot.language.values.quantities import (
    ASKS,
    AT_ONCE,
    CONCURRENT,
    PERIOD,
    RATE_WORDS,
    SECONDS,
    WHO,
    period_key,
)

ITEM = r"(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?k?)"
CLOSE = r"\d+(?:,\d+){2,}"  # 1,10,100
NEXT = r"(?:, |,? (?:and|or|und) | ?/ ?|; ?)"
LOADS = rf"(?P<loads>{ITEM}(?:{NEXT}{ITEM})+|{CLOSE})"
LISTED: Final = re.compile(
    rf"{START}{LOADS}\s?(?:(?P<word>rps|qps|req/s|r/s|rpm|qpm)(?![a-z0-9])|{ASKS}{PERIOD}"
    rf"|(?P<who>(?:{CONCURRENT}\s)?(?:{WHO}|{ASKS})(?![a-z])(?:\s{AT_ONCE})?))"
)
KEYED: Final = re.compile(
    r"(?<![\w./-])(?P<key>rps|qps|users|concurrency)\s?[=:]\s?(?P<loads>\d+(?:,\d+)+)(?!\w)"
)
CLOSED: Final = re.compile(r"\d+(?:,\d+)+")
ONE_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+")  # 10,000
RANGE_BEFORE: Final = re.compile(r"\b(?:between|from) \Z")
LEVELS: Final = re.compile(
    r"\b(?:low|small|light|little)(?:er)?(?:, ?| and | to |/| )(?:(?:and )?"
    r"(?:medium|mid|middle|moderate|average|normal)(?:, ?| and | to |/| ))?(?:and )?"
    r"(?:high|heavy|large|big|huge) (?:traffic|loads?|volumes?|usage|demand)\b"
)
# Two figures that belong to one load.
ONE_LOAD: Final = re.compile(
    r"\b(?:peaks?|average|avg|bursts?|spikes?|max|maximum|up to|usually)\b"
)
APART: Final = 2.0  # "2 or 3 users" is one load
FEW: Final = 2


def read_loads(draft: Draft) -> None:
    """Say every load of a list, and mark what a list of loads asks for."""
    for match in draft.reader.matches(KEYED):
        if _loads(match):
            field = "rps" if match["key"] in {"rps", "qps"} else "concurrency"
            _say_load(draft, match, field, 1.0)
    for match in draft.reader.matches(LISTED):
        if not _is_one_load(draft, match):
            _say_load(
                draft, match, "concurrency" if match["who"] else "rps", _period_seconds(match)
            )
    for match in draft.reader.matches(LEVELS):
        draft.mark("topic:crossover", *match.span())


def mark_several_loads(draft: Draft) -> None:
    """Mark a text that names several loads one by one ("at 10 rps and at 100 rps")."""
    models = draft.said.get("model", ())
    for field in ("rps", "concurrency"):
        loads = draft.said.get(field, ())
        if len(loads) == len(models) >= FEW:  # each its own
            draft.asked = replace(draft.asked, load_of_each_model=field)
        elif len(loads) >= FEW and ONE_LOAD.search(draft.reader.whole) is None:
            draft.marks.setdefault("topic:crossover", (loads[0].start, loads[-1].end))


def settle_peak(
    draft: Draft, said: dict[str, object], alternatives: Mapping[str, tuple[object, ...]]
) -> None:
    """Size for the larger of two figures of one load (average and peak), and say so."""
    if draft.asked.load_of_each_model:
        draft.note("loads_of_models", "Each model is sized for the load said beside it.")
        return
    for field in alternatives.keys() & {"rps", "concurrency"}:
        loads = [load for load in alternatives[field] if isinstance(load, float)]
        if "topic:crossover" not in draft.marks and loads:
            said[field] = max(loads)
            draft.note("peak_load", f"Sized for the peak, {max(loads):g}, of the loads said.")


def _is_one_load(draft: Draft, match: re.Match[str]) -> bool:
    loads = _loads(match)
    between = RANGE_BEFORE.search(draft.reader.before(match.start())) is not None
    two = len(loads) == FEW and re.search(r"and|or|und|/", match["loads"]) is None  # "llama 3, 10"
    return between or two or not loads or max(loads) < APART * min(loads)


def _loads(match: re.Match[str]) -> list[float]:
    if ONE_NUMBER.fullmatch(match["loads"]):
        return []
    apart = match["loads"].split(",") if CLOSED.fullmatch(match["loads"]) else None
    parts = apart or re.findall(ITEM, match["loads"])
    return [number(part.rstrip("k"), "k" if part.endswith("k") else "") for part in parts]


def _period_seconds(match: re.Match[str]) -> float:
    if match["word"]:
        return RATE_WORDS[match["word"]]
    return SECONDS[period_key(match["period"])] if match["period"] else 1.0


def _say_load(draft: Draft, match: re.Match[str], field: str, seconds: float) -> None:
    for load in _loads(match):
        draft.say(field, load / seconds, *match.span())
    draft.mark("topic:crossover", *match.span())
