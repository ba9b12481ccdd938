"""Reads loads that leave their time open: "1000 requests", "5k daily users", "200 employees"."""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.values.quantities import (
    CONCURRENT,
    PERIOD,
    SECONDS,
    TEAM,
    C,
    period_key,
    signed_value,
)

PEOPLE: Final = (
    r"(?:users|people|players|customers|agents|dev(?:eloper)?s|engineers|analysts|employees|staff"
    r"|colleagues|students|testers|visitors|subscribers|members|nutzer|benutzer|mitarbeiter|kunden)"
)
CALLS: Final = (
    r"(?:requests?|reqs?|calls|queries|hits|invocations?|prompts|inferences|predictions|anfragen)"
)
EVERY: Final = (
    r"(?:active\s)?(?P<every>daily|hourly|weekly|monthly|yearly|t[äa]gliche?|monatliche?)\s"
    r"(?:active\s)?"
)
AFTER: Final = rf"(?:{PERIOD}|\s(?P<after>daily|hourly|weekly|monthly|yearly|t[äa]glich)(?![a-z]))"
PEOPLE_OVER_TIME: Final = (
    re.compile(rf"{C}\s?{EVERY}{PEOPLE}(?![a-z])"),
    re.compile(rf"{C}\s?(?:active\s)?{PEOPLE}{AFTER}"),
    re.compile(rf"{C}\s?(?P<every>[dwm]au)(?![a-z])"),
)
CALLS_OVER_TIME: Final = (
    re.compile(rf"{C}\s?{EVERY}{CALLS}(?![a-z])"),
    re.compile(rf"{C}\s?{CALLS}{AFTER}"),
)
SHORT: Final = {"dau": "day", "wau": "week", "mau": "month"}
OPEN_CALLS: Final = re.compile(rf"{C}\s?{CALLS}(?![a-z])(?!\s?/)")
# Counted for their price, for a share or as one heap: no load.
COUNTED: Final = re.compile(
    r"\b(?:costs?|price[ds]?|pricing|pay|how much|bill|usd|percent|percentile|p\d\d|each|first|last"
    r"|batch|per|total|in all)\b|%|\$\S* for \Z"
)
ALL_PEOPLE: Final = re.compile(rf"\A(?!.*\b{CONCURRENT}\b).*{PEOPLE}\Z", re.DOTALL)
# What one person asks in the time that people are counted over: a rule of thumb, always said.
REQUESTS_EACH: Final = 10.0
# Of people who may come, about a tenth is there in the busy hour.
SHARE_AT_ONCE: Final = 0.1
FEWEST_SHARED: Final = 20.0
MOST_AT_ONCE: Final = 1000.0  # of requests that name no time
MOST_THERE: Final = 10_000.0  # of people at once: more are counted over some time


def read_counts_over_time(draft: Draft) -> None:
    """Say `rps` for people and requests counted by the day, week or month."""
    for pattern in CALLS_OVER_TIME:
        for match in draft.reader.matches(pattern):
            draft.say("rps", signed_value(match) / _open_period_seconds(match), *match.span())
    for pattern in PEOPLE_OVER_TIME:
        for match in draft.reader.matches(pattern):
            _say_people(draft, match)


def _open_period_seconds(match: re.Match[str]) -> float:
    groups = match.groupdict()
    word = groups.get("every") or groups.get("after") or groups["period"]
    return SECONDS[period_key(SHORT.get(word, word))]


def _say_people(draft: Draft, match: re.Match[str]) -> None:
    """Say the requests of people who come now and then, and offer that they are there at once."""
    people, words = signed_value(match), draft.reader.words(*match.span()).strip()
    rps = people * REQUESTS_EACH / _open_period_seconds(match)
    draft.note(
        "people_over_time",
        f"`{words}` is read as {REQUESTS_EACH:g} requests from each, spread evenly: {rps:.3g}"
        " requests/s. A peak is higher: say it as rps.",
    )
    peak = people * SHARE_AT_ONCE * min(1.0, SECONDS["d"] / _open_period_seconds(match))
    others = [_users_at_once(count) for count in (peak, people) if 1 <= count <= MOST_THERE]
    draft.offer("people_over_time", "rps", *others)
    draft.say("rps", rps, *match.span())


def _users_at_once(count: float) -> tuple[str, dict[str, object]]:
    whole = float(f"{count:.2g}")  # a share is a guess
    return f"{whole:,.0f} users at once", {"concurrency": whole}


def offer_fewer_at_once(draft: Draft) -> None:
    """Offer that of people who were counted, not said to be there at once, only some are."""
    said = next(iter(draft.said.get("concurrency", ())), None)
    if said is None or said.keyed or not isinstance(said.value, float):
        return
    words = draft.reader.whole[said.start : said.end].strip()
    if said.value >= FEWEST_SHARED and (ALL_PEOPLE.search(words) or TEAM.fullmatch(words)):
        draft.offer("users_at_once", "concurrency", _users_at_once(said.value * SHARE_AT_ONCE))


def read_open_loads(draft: Draft) -> None:
    """Say a number of requests that names no time: at once where they are few, else by the day."""
    if draft.trains or {"rps", "concurrency", "tokens_per_day", "mode"} & draft.said.keys():
        return
    for match in draft.reader.matches(OPEN_CALLS):
        near = draft.reader.before(match.start(), 30), draft.reader.after(match.end(), 20)
        if not any(COUNTED.search(words) for words in near):
            _say_open(draft, match)


def _say_open(draft: Draft, match: re.Match[str]) -> None:
    count, words = signed_value(match), draft.reader.words(*match.span()).strip()
    a_second = (f"{count:,.0f} requests a second", {"rps": count})
    if count <= MOST_AT_ONCE:
        a_day = (f"{count:,.0f} requests a day", {"rps": count / SECONDS["d"]})
        draft.note("open_load", f"`{words}` names no time: read as {count:,.0f} at once.")
        draft.offer("open_load", "concurrency", a_second, a_day)
        draft.say("concurrency", count, *match.span())
    else:
        an_hour = (f"{count:,.0f} requests an hour", {"rps": count / SECONDS["h"]})
        draft.note("open_load", f"`{words}` names no time: read as {count:,.0f} a day.")
        draft.offer("open_load", "rps", an_hour, a_second)
        draft.say("rps", count / SECONDS["d"], *match.span())
