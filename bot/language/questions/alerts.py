"""Reads what a text wants of alerts: to set one and on what terms, to see them, to change one.

That it is about alerts tells its kind; what is watched tell the rules for types, places and money.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, cast

from bot.core.asked import AlertAction, AlertQuestion, LikelyKind
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.subscription import Direction, Every, Watches
from bot.core.understanding import Understanding
from bot.language.draft import Draft
from bot.language.questions.kinds import OTHER, SURE, kind_model
from bot.language.questions.masking import in_english
from bot.language.questions.question import CERTAIN, arguments_in
from bot.language.text.tables import stopwords
from bot.language.text.vocabulary import Vocabulary
from catalog.facts.schema import Market

EXAMPLE: Final = example("alert_request")
ALL: Final = "all"
LEAST_PERCENT: Final = 0.1  # a smaller change is rounding
MOST_PERCENT: Final = 95.0
# These set an alert whatever follows, as the commands they are.
COMMAND: Final = re.compile(
    r"\A(?:please )?(?:alert|watch|notify|subscribe|keep an eye on)\b(?!\s*[=:])"
)
PERCENT: Final = re.compile(
    r"(?<![\w.])(?P<n>[-−]?\d{1,9}(?:[.,]\d{1,6})?)\s?(?:%|percent\b|prozent\b)"
)
LIMIT: Final = re.compile(
    r"\b(?:(?P<down>below|under|less than|cheaper than|at most|to)|above|over|more than|at least"
    r"|exceeds?)\s+(?:(?:\$|usd)\s?(?P<n>\d{1,7}(?:\.\d{1,6})?)"
    r"|(?P<n2>\d{1,7}(?:\.\d{1,6})?)\s?(?:\$|usd|dollars?))"
)
NAMED: Final = re.compile(r"[^\s,!?]+")
LISTED: Final = re.compile(r"#?(\d+)")
SEVERAL_SENTENCES: Final = re.compile(r"[;\0]")


def read_alert(draft: Draft, question: LikelyKind, vocabulary: Vocabulary) -> bool:
    """Note what a text wants of alerts; return whether it wants anything of them.

    Raises:
        RequestError: what is changed is named by something other than a number or a type, or an
            alert's terms shall be changed in place.
    """
    kind, certain = question.kind, question.probability >= CERTAIN
    if kind == "alerts_change" and certain:
        wanted = _change(draft, vocabulary)
    elif kind == "alerts_list" and question.probability >= SURE:
        wanted = AlertQuestion("list")
    elif (kind == "alert" and certain) or _wishes(draft.reader.work, question):
        wanted = AlertQuestion("add")
        for hit, _, _ in arguments_in(draft.reader.work, "alert"):
            draft.reader.take(hit.start, hit.end)  # "cheaper" is no wish about the pick here
    else:
        return False
    draft.asked = replace(draft.asked, alert=wanted)
    draft.mark("head", 0, 0 if wanted.action == "add" else len(draft.reader.work))
    return True


def _wishes(text: str, question: LikelyKind) -> bool:
    """Return whether a text that is no example wishes for an alert: "let us know if … climbs"."""
    if COMMAND.match(text):
        return question.kind.startswith(("alert", OTHER)) or question.probability < SURE
    return {"tell", "way"} <= {name for _, name, _ in arguments_in(text, "alert")}


def _change(draft: Draft, vocabulary: Vocabulary) -> AlertQuestion:
    """Return what shall be done to which alert."""
    text = in_english(draft.reader.work)
    done = arguments_in(text, "alerts_change")
    if not done:
        raise RequestError(
            "invalid_value",
            "An alert is changed by saying it anew: it takes the place of the one that asked the "
            "same.",
            words=draft.reader.text[:120],
            example=example("alert_words"),
        )
    if SEVERAL_SENTENCES.search(text):
        raise _no_number(draft.reader.text[:120])
    meant = AlertQuestion(cast("AlertAction", done[0][2]))
    numbers = [value for _, name, value in done if name == "number"]
    subjects = list(_subjects(text, vocabulary))
    if numbered := [found[1] for one in subjects if (found := LISTED.fullmatch(one))] or numbers:
        return replace(meant, number=int(numbered[0]))
    if figures := [one for one in subjects if one.lstrip("-+").replace(".", "", 1).isdigit()]:
        raise _no_number(figures[0])
    if any(name == ALL for _, name, _ in done):
        return replace(meant, subject=ALL)
    return replace(meant, subject=next(iter(subjects), ""))


def _subjects(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the words that are none of every sentence about alerts: numbers, types, families."""
    usual = kind_model("questions").words | stopwords()
    for word in (found[0].rstrip(".") for found in NAMED.finditer(text)):
        if word in vocabulary.families or word not in usual:
            yield word


def _no_number(which: str) -> RequestError:
    return RequestError(
        "invalid_value",
        f"`{which}` names no alert: say its number in the list, from 1.",
        words=which,
        example="delete alert 1",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRequest:
    """What shall be done; the turn fills in what it has to find out (prices, the pick)."""

    action: AlertAction
    number: int | None = None  # of the list; None: the one `subject` means, or the only one
    subject: str = ""  # a type, a family, or "all"
    watches: Watches = "price"
    family: str = ""  # the one that the text names, where no pick is spoken of
    instance_type: str = ""
    region: str = ""
    market: Market = "on_demand"
    term_years: int = 0
    threshold_percent: float | None = None  # None: nobody said
    limit_usd_per_hour: float | None = None  # the price to reach, in `direction`
    direction: Direction = "either"
    every: Every = ""
    request: str = ""  # the request that is answered again
    instances: int = 1
    best_type: str = ""
    seen_usd_per_hour: float | None = None
    seen_on: str = ""
    told: str = ""  # the answer once it is kept


def alert_request(understanding: Understanding) -> AlertRequest | None:
    """Return what a text wants of alerts; None where it wants nothing of them.

    Raises:
        RequestError: the change to be told of is none that a price can make.
    """
    asked = understanding.asked.alert
    if asked is None:
        return None
    if asked.action != "add":
        return AlertRequest(action=asked.action, number=asked.number, subject=asked.subject)
    text, workload = understanding.text.lower(), understanding.workload
    said = (*arguments_in(text, "alert"), *arguments_in(in_english(text), "alert"))
    terms = {(name, value) for _, name, value in said}
    of_pick = ("of", "pick") in terms
    watches: Watches = "pick" if of_pick or workload.instance is None else "price"
    limit = LIMIT.search(text) if watches == "price" else None  # of a pick it is a budget
    ways = {value for name, value in terms if name == "way"}
    if limit is not None:
        ways = {"down" if limit["down"] else "up"}
    return AlertRequest(
        action="add",
        watches=watches,
        family="" if of_pick else _family(text, workload.allow or ()),
        instance_type=workload.instance or "",
        region=workload.region or "",
        market=workload.market or "on_demand",
        threshold_percent=_percent_watched(text),
        limit_usd_per_hour=None if limit is None else float(limit["n"] or limit["n2"]),
        direction="down" if ways == {"down"} else "up" if ways == {"up"} else "either",
        every=next((one for one in ("weekly", "daily") if ("every", one) in terms), ""),
    )


def told_when(direction: Direction, percent: float) -> str:
    """Return which change is told, after "when its price"."""
    verb = {"down": "drops", "up": "rises", "either": "changes by"}[direction]
    return f"{verb} {percent:.3g} % or more"


def _family(text: str, allowed: tuple[str, ...]) -> str:
    """Return the first family that the text itself names; the thread's own is another."""
    return next((one for one in allowed if re.search(rf"\b{re.escape(one)}\b", text)), "")


def _percent_watched(text: str) -> float | None:
    """Return the change to be told of, within what can happen and means something."""
    found = PERCENT.search(text)
    if found is None:
        return None
    percent = float(found["n"].replace(",", ".").replace("−", "-"))
    if LEAST_PERCENT <= percent <= MOST_PERCENT:
        return percent
    raise RequestError(
        "out_of_range",
        f"An alert needs a change between {LEAST_PERCENT:g} % and {MOST_PERCENT:g} %, "
        f"not {found['n']} %.",
        words=found[0],
        example=EXAMPLE,
    )
