"""Reads money: budgets (`under $5/hr`, `2k a month`) and prices that somebody claims."""

import re
from collections.abc import Iterator

from bot.language.draft import Draft
from bot.language.text.late import LatePattern
from bot.language.text.numbers import DIGITS, SCALE, number
from bot.language.text.units import any_word, seconds, unit_key, words_of

DOLLAR = r"(?:us ?\$|usd|\$)"
DOLLARS = rf"(?:{any_word('dollars')})"
TOTAL = rf"(?P<total>\s(?:{any_word('in total')})(?!\w))?"
PER = rf"(?: ?/ ?| ?(?:{any_word('each')}) ?| )"
PERIOD_WORD = rf"(?P<period>{any_word('times', 'every', 'short times')})"
PERIOD = rf"(?P<per>{PER}{PERIOD_WORD})?"
AMOUNT = LatePattern(
    rf"(?<![\w.,])(?:{DOLLAR}\s?(?P<n1>-?{DIGITS})(?P<s1>{SCALE})"
    rf"|(?<![\d.,])(?P<n2>-?{DIGITS})(?P<s2>{SCALE})\s?{DOLLARS}"
    rf"|(?<![\d.,])(?P<n3>{DIGITS})(?P<s3>\s?grand)"
    rf"|(?<![\d.,])(?P<n4>{DIGITS})(?P<s4>\s?(?:cents?|¢|c(?=/))))"
    rf"(?!\w){PERIOD}{TOTAL}",
    seen=rf"{DOLLAR}|{'|'.join(map(re.escape, words_of('dollars')))}|grand|cent|¢|\dc|\d c",
)
# "budget 5k a month": no currency, but the word says it is money
SPENT = r"\b(?:budget|spend|spending|pay|cost limit|cap)"
BUDGET_WORD = LatePattern(
    rf"{SPENT}(?:\s(?:of|is|at|under|below|up to"
    rf"|at most|max|about))*\s?"
    rf"(?P<n1>-?{DIGITS})(?P<s1>{SCALE})(?!\w|\.\d){PERIOD}{TOTAL}",
    seen=SPENT,
)
# "under 1k a month": a limit by the hour or month that counts nothing else is money.
AT_MOST = r"\b(?:under|below|less than|at most|max(?:imum)?|no more than|within|unter|höchstens)\s"
BARE_LIMIT = LatePattern(
    rf"{AT_MOST}"
    rf"(?P<n1>{DIGITS})(?P<s1>{SCALE})(?!\w|\.\d)"
    rf"(?P<per>(?: ?/ ?| ?(?:{any_word('each')}) ?){PERIOD_WORD})",
    seen=rf"{AT_MOST}[\d.]",
)
FOREIGN = LatePattern(
    rf"(?:(?:[€£¥₹]|(?<!\w)(?:eur|gbp|jpy|inr|cny|rmb|chf))\s?{DIGITS}"
    rf"|(?<![\w.,]){DIGITS}(?:{SCALE})\s?(?:{any_word('other money')}))(?!\w){PERIOD}",
    seen="|".join(words_of("other money")),
)
# What people claim a price to be; anything else said in dollars is a limit.
CLAIM = re.compile(
    r"\b(?:is|was|are|says?|costs?|charges?|listed|priced|pays?|paying|quoted|lists)\s*\Z"
)
LIMIT_WORDS = re.compile(
    r"(?:\b(?:budget|under|below|less than|at most|max(?:imum)?|up to|no more than"
    r"|not more than|within"
    r"|cap(?:ped)?|unter|höchstens|maximal|bis zu|bis|moins de|menos de|for|spend|around|about"
    r"|of|at|is"
    r"|only|have|got|and|to|than|cheaper than|for under|limit|price|cost|costs|costing|hourly"
    r"|monthly)"
    r"\s*[:=]?|<=?|=|:)\s*\Z"
)
STRONG_LIMIT = re.compile(
    r"(?:\b(?:budget|under|below|less than|at most|max(?:imum)?|up to|no more than"
    r"|not more than|within"
    r"|cap(?:ped)?|unter|höchstens|maximal|bis|moins de|spend|cheaper than)\b[^$]{0,14}|<=?\s*)\Z"
)
DROP = re.compile(r"\b(?:drops?|falls?|goes|sinks?|dips?)\b[^$]{0,20}\Z")

# No EC2 type lists above this an hour, so a larger sum cannot be an hourly limit.
DEAREST_HOUR_USD = 250.0
# Nor does anything run for less than this a month, or does anyone name less for a year.
LEAST_MONTH_USD = 20.0
LEAST_YEAR_USD = 3000.0


def read_money(draft: Draft) -> None:
    """Say the budget, or keep a claimed price for the explanation."""
    for match in draft.reader.matches(FOREIGN):
        leave_out(draft, *match.span())
    for pattern in (AMOUNT, BUDGET_WORD, BARE_LIMIT):
        for match in draft.reader.matches(pattern):
            if pattern is not BUDGET_WORD or not _has_budget(draft):
                _say_amount(draft, match)


def _has_budget(draft: Draft) -> bool:
    """Return whether a budget is known: what follows the word is another's ("$5 budget 7 rps")."""
    return any(name.startswith("budget_") for name in draft.said)


def leave_out(draft: Draft, start: int, end: int) -> None:
    """Say that money of another currency is not used, and take its words."""
    if "foreign_money" in draft.notes:
        draft.ignore(start, end)
        return
    draft.note(
        "foreign_money",
        f"`{draft.reader.words(start, end).strip()}` is left out: prices are in US dollars, and no"
        " exchange rate is known. Say the budget in dollars.",
    )
    draft.mark("open", start, end)


def _say_amount(draft: Draft, match: re.Match[str]) -> None:
    before = draft.reader.before(match.start())
    start = match.start()
    if limit := LIMIT_WORDS.search(before):
        start -= len(limit[0])
    if DROP.search(before):
        draft.details["alert_below_usd_per_hour"] = f"{amount(match):g}"
        draft.reader.take(*match.span())
    elif _is_claim(draft, before):
        draft.details["claimed_usd_per_hour"] = f"{amount(match) / hours(match):g}"
        draft.mark("claim", *match.span())
    else:
        say_budget(draft, match, start)


def _is_claim(draft: Draft, before: str) -> bool:
    """Return whether somebody says what a type costs ("the wiki says p5.48xlarge is $98")."""
    claims = CLAIM.search(before) is not None or (
        before.endswith("at ") and "instance" in draft.said
    )
    return claims and not STRONG_LIMIT.search(before)


def amount(match: re.Match[str]) -> float:
    """Return the figure of a match of AMOUNT or BUDGET_WORD."""
    groups = match.groupdict()
    digits, scale = next(
        (groups[f"n{which}"], groups[f"s{which}"] or "")
        for which in (1, 2, 3, 4)
        if groups.get(f"n{which}")
    )
    if groups.get("n4"):
        return number(digits) / 100.0
    sign = -1 if digits.startswith("-") else 1
    return sign * number(digits.lstrip("-"), scale)


def hours(match: re.Match[str]) -> float:
    """Return the hours of the period an amount is for; one hour where none is said."""
    return seconds()[_period_said(match) or "h"] / seconds()["h"]


def _period_said(match: re.Match[str]) -> str | None:
    word = match.groupdict().get("period")
    return unit_key(word, "times", "every", "short times") if word else None


def say_budget(
    draft: Draft, match: re.Match[str], start: int, *, field: str | None = None, keyed: bool = False
) -> None:
    """Record a budget in the field its period belongs to; `field` is what a key named."""
    value, period = amount(match), _period_said(match)
    end = match.end()
    if field == "budget_usd_total" or (match.groupdict().get("total") and not period):
        draft.say("budget_usd_total", value, start, end, sign="<", keyed=keyed)
    elif period == "mo" or (period is None and field == "budget_usd_per_month"):
        draft.say("budget_usd_per_month", value, start, end, sign="<", keyed=keyed)
    elif period == "y":
        draft.say("budget_usd_per_month", value / 12, start, end, sign="<", keyed=keyed)
    elif period is None and field is None:
        _say_without_period(draft, match, value, start, keyed=keyed)
    else:
        draft.say("budget_usd_per_hour", value / hours(match), start, end, sign="<", keyed=keyed)


def _say_without_period(
    draft: Draft, match: re.Match[str], value: float, start: int, *, keyed: bool
) -> None:
    """Record a budget for no named period: a job's whole cost, or what one instance can cost."""
    if draft.trains:
        name, per = "budget_usd_total", "in all"
    elif value > DEAREST_HOUR_USD:
        name, per = "budget_usd_per_month", "a month"
    else:
        name, per = "budget_usd_per_hour", "an hour"
    words = draft.reader.words(*match.span()).strip()
    draft.note("budget_period", f"`{words}` names no period: read as dollars {per}.")
    draft.offer("budget_period", name, *_other_periods(name, value))
    draft.say(name, value, start, match.end(), sign="<", keyed=keyed)


def _other_periods(name: str, value: float) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the other periods that a sum is plausible for."""
    usd = f"${value:,.0f}" if value == round(value) else f"${value:,.2f}"
    if name == "budget_usd_total":
        if value <= DEAREST_HOUR_USD:
            yield f"{usd} an hour", {"budget_usd_per_hour": value}
        return
    if name == "budget_usd_per_hour" and value >= LEAST_MONTH_USD:
        yield f"{usd} a month", {"budget_usd_per_month": value}
    if LEAST_MONTH_USD <= value <= 24 * DEAREST_HOUR_USD:
        yield f"{usd} a day", {"budget_usd_per_hour": value / 24}
    if value >= LEAST_YEAR_USD:
        yield f"{usd} a year", {"budget_usd_per_month": value / 12}
