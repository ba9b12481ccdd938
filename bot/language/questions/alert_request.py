"""What somebody wants done about alerts, as read: the terms of a new one, or which one is meant."""

import re
from dataclasses import dataclass
from typing import Final

from bot.core.asked import AlertAction
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.subscription import Direction, Every, Watches
from bot.core.understanding import Understanding
from catalog.facts.schema import Market

EXAMPLE: Final = example("alert_request")
LEAST_PERCENT: Final = 0.1  # a smaller change is rounding
MOST_PERCENT: Final = 95.0
PICK = re.compile(
    r"\b(?:beats?|beaten|better than|overtakes?)\b|\b(?:this|the|my|our) (?:pick|thread|answer"
    r"|recommendation|choice)\b|\bwatch (?:this|it|that)\b"
)
DOWN = re.compile(
    r"\b(?:drops?|falls?|sinks?|cheaper|lower|below|under|goes down|decreases?|billiger|less)\b"
)
UP = re.compile(
    r"\b(?:rises?|goes up|increases?|climbs?|expensive|dearer|higher|above|exceeds?|teurer)\b"
)
EITHER = re.compile(r"\b(?:changes?|moves?|either way)\b")
WEEKLY = re.compile(r"\b(?:weekly|(?:once a|every|per) week)\b")
DAILY = re.compile(r"\b(?:daily|(?:once a|every|per) day|digest)\b")
PERCENT = re.compile(r"(?<![\w.])(?P<n>[-−]?\d{1,9}(?:[.,]\d{1,6})?)\s?(?:%|percent\b|prozent\b)")
_USD = (
    r"\s+(?:(?:\$|usd)\s?(?P<before>\d{1,7}(?:\.\d{1,6})?)"
    r"|(?P<after>\d{1,7}(?:\.\d{1,6})?)\s?(?:\$|usd|dollars?))"
)
BELOW = re.compile(rf"\b(?:below|under|less than|cheaper than|at most|to){_USD}")
ABOVE = re.compile(rf"\b(?:above|over|more than|at least|exceeds?){_USD}")


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
    of_pick = PICK.search(text) is not None
    watches: Watches = "pick" if of_pick or workload.instance is None else "price"
    # Of a pick a sum of money is a budget.
    limit, direction = _price_limit(text) if watches == "price" else (None, _direction(text))
    return AlertRequest(
        action="add",
        watches=watches,
        family="" if of_pick else _family(text, workload.allow or ()),
        instance_type=workload.instance or "",
        region=workload.region or "",
        market=workload.market or "on_demand",
        threshold_percent=_percent_watched(text),
        limit_usd_per_hour=limit,
        direction=direction,
        every="weekly" if WEEKLY.search(text) else "daily" if DAILY.search(text) else "",
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


def _price_limit(text: str) -> tuple[float | None, Direction]:
    """Return the price to be told at, where one is said, and the direction it is reached in."""
    ways: tuple[tuple[re.Pattern[str], Direction], ...] = ((BELOW, "down"), (ABOVE, "up"))
    for pattern, direction in ways:
        found = pattern.search(text)
        if found is not None:
            return float(found["before"] or found["after"]), direction
    return None, _direction(text)


def _direction(text: str) -> Direction:
    down, up = bool(DOWN.search(text)), bool(UP.search(text))
    if down == up or EITHER.search(text):
        return "either"
    return "down" if down else "up"
