"""Reads money: budgets (`under $5/hr`, `2k a month`) and prices that somebody claims."""

import re
from collections.abc import Iterator
from typing import Any

from bot.language.draft import Draft
from bot.language.roles import is_spent
from bot.language.text.late import LatePattern
from bot.language.text.numbers import DIGITS, SCALE, number
from bot.language.text.units import any_word, seconds, unit_key, words_of
from bot.language.values.currencies import (
    CURRENCY,
    SEEN,
    note_rate,
    rate_said,
    read_currency_wanted,
)
from bot.language.values.durations import TERM_WORD
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.workload import Workload

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
BUDGET_WORD = LatePattern(
    rf"(?<!\w)(?:{any_word('budget words')})(?:\s(?:of|is|at|under|below|up to"
    rf"|at most|max|about|de|von|es))*[\s:]*"
    rf"(?P<n1>-?{DIGITS})(?P<s1>{SCALE})(?!\w|\.\d){PERIOD}{TOTAL}",
    seen="|".join(map(re.escape, words_of("budget words"))),
)
# "under 1k a month": a limit by the hour or month that counts nothing else is money.
AT_MOST = rf"(?<!\w)(?:{any_word('at most')})\s"
BARE_LIMIT = LatePattern(
    rf"{AT_MOST}"
    rf"(?P<n1>{DIGITS})(?P<s1>{SCALE})(?!\w|\.\d)"
    rf"(?P<per>(?: ?/ ?| ?(?:{any_word('each')}) ?){PERIOD_WORD})",
    seen=rf"{AT_MOST}[\d.]",
)
# "an annual budget of $60k", "total cost is $900": what stands before tells what it is for.
PERIOD_BEFORE = LatePattern(rf"(?<!\w)(?P<period>{any_word('every')})(?: [^\W\d_]+){{0,2}}[ :]*\Z")
TOTAL_BEFORE = LatePattern(rf"(?<!\w)(?:{any_word('total before')})(?: [^\W\d_]+){{0,3}}[ :]*\Z")
LIMIT_BEFORE = LatePattern(
    rf"(?<!\w)(?:{any_word('budget words', key='limit')})(?: [^\W\d_]+){{0,3}}[ :]*\Z"
)
# "$25,000 in total to run a six-month pilot", "half a million dollars for three years"
FOR_A_TIME = LatePattern(
    rf"(?:(?: [^\W\d_]+){{0,3}} (?:{any_word('over a time')})|(?<=l))(?: [^\W\d_]+){{0,2}}? ?"
    rf"(?P<count>\d{{1,3}})[ -](?P<unit>{any_word('times')})"
)
FOREIGN = LatePattern(
    rf"(?:(?<!\w)(?P<currency1>{CURRENCY})\s?(?P<n1>{DIGITS})(?P<s1>{SCALE})"
    rf"|(?<![\w.,])(?P<n2>{DIGITS})(?P<s2>{SCALE})\s?(?P<currency2>{CURRENCY}))"
    rf"(?!\w){PERIOD}{TOTAL}",
    seen=SEEN,
)
# "$0.72 per million", "0.5 USD/M tokens", "$3 per 1M output tokens", "$0.002 per token"
PER_TOKENS = LatePattern(
    rf"(?: ?/ ?| (?:{any_word('each')}) )(?:1 ?)?"
    r"(?:million(?!\w)(?: (?:input |output )?tok(?:en)?s?)?"
    rf"|(?:1,?000(?:,000)? |(?:{any_word('count scales', 'scales')})[ -]?)?"
    rf"(?:input |output |generated )?tok(?:en)?s?)(?!\w)"
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
# Fields of a sum, and how each is said.
PERIODS = {
    "budget_usd_total": "in all",
    "budget_usd_per_month": "a month",
    "budget_usd_per_hour": "an hour",
}
WITHOUT_TOTAL = PERIODS.keys() - {"budget_usd_total"}
SERVED = frozenset({"rps", "users"})  # what is served is paid as long as it runs
SHORTEST_SPAN_MONTHS = 0.2  # a week: what is shorter is a job's time


def read_money(draft: Draft) -> None:
    """Say the budget, or keep a claimed price for the explanation."""
    for match in draft.reader.matches(FOREIGN):
        _say_foreign(draft, match)
    read_currency_wanted(draft)
    for pattern in (AMOUNT, BUDGET_WORD, BARE_LIMIT):
        for match in draft.reader.matches(pattern):
            if pattern is not BUDGET_WORD or not _has_budget(draft):
                _say_amount(draft, match)


def _say_foreign(draft: Draft, match: re.Match[str]) -> None:
    """Read a sum of another currency by its published rate; leave it out where none is known."""
    rate = rate_said(match)
    if rate is None:
        leave_out(draft, *match.span())
        return
    note_rate(draft, draft.reader.words(*match.span()).strip(), amount(match), rate)
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
        " exchange rate is known for it. Say the budget in dollars, euros or pounds.",
    )
    draft.mark("open", start, end)


def _say_amount(draft: Draft, match: re.Match[str]) -> None:
    if of_tokens := PER_TOKENS.match(draft.reader.work, match.end()):
        _leave_token_price(draft, match.start(), of_tokens.end())
        return
    before = draft.reader.before(match.start())
    start = match.start()
    if limit := LIMIT_WORDS.search(before):
        start -= len(limit[0])
    if is_spent(before + match[0][: figure_at(match) - match.start()]):
        _keep_spent(draft, match)
    elif DROP.search(before):
        draft.details["alert_below_usd_per_hour"] = f"{amount(match):g}"
        draft.reader.take(*match.span())
    elif match.re.pattern != BARE_LIMIT.source and _is_claim(draft, before):
        draft.details["claimed_usd_per_hour"] = f"{amount(match) / hours(match):g}"
        draft.mark("claim", *match.span())
    else:
        say_budget(draft, match, start)


def _leave_token_price(draft: Draft, start: int, end: int) -> None:
    """Say that a price of tokens is not used: what a machine costs is by the hour."""
    draft.note(
        "token_price",
        f"`{draft.reader.words(start, end).strip()}` is a price of tokens and limits nothing: set"
        " it beside the answer's dollars per 1M output tokens.",
    )
    draft.mark("detail:token_price", start, end)


def _keep_spent(draft: Draft, match: re.Match[str]) -> None:
    """Keep what is spent today as the price of what runs: it limits nothing."""
    words = draft.reader.words(*match.span()).strip()
    draft.details["owned_bill_usd_per_hour"] = f"{amount(match) / _hours_meant(match):g}"
    draft.note("spent_today", f"`{words}` is read as what is spent today, no limit.")
    draft.mark("detail:spent", *match.span())


def _hours_meant(match: re.Match[str]) -> float:
    """Return the hours of a bill: of a month where no period is said and no hour costs as much."""
    if _period_said(match) is None and amount(match) > DEAREST_HOUR_USD:
        return HOURS_PER_MONTH
    return hours(match)


def _is_claim(draft: Draft, before: str) -> bool:
    """Return whether somebody says what a type costs ("the wiki says p5.48xlarge is $98")."""
    claims = CLAIM.search(before) is not None or (
        before.endswith("at ") and "instance" in draft.said
    )
    limits = (STRONG_LIMIT, TOTAL_BEFORE, LIMIT_BEFORE)
    return claims and not any(pattern.search(before) for pattern in limits)


def figure_at(match: re.Match[str]) -> int:
    """Return where the figure of a match stands: words that lead up to it are part of the match."""
    return max(match.start(name) for name in match.re.groupindex if name[0] == "n")


def amount(match: re.Match[str]) -> float:
    """Return the figure of a match of AMOUNT, FOREIGN or BUDGET_WORD, in US dollars."""
    groups = match.groupdict()
    digits, scale = next(
        (groups[f"n{which}"], groups[f"s{which}"] or "")
        for which in (1, 2, 3, 4)
        if groups.get(f"n{which}")
    )
    if groups.get("n4"):
        return number(digits) / 100.0
    sign = -1 if digits.startswith("-") else 1
    rate = rate_said(match)
    return sign * number(digits.lstrip("-"), scale) / (1.0 if rate is None else rate.per_usd)


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
    before = draft.reader.before(match.start())
    if period is None and field is None and (named := PERIOD_BEFORE.search(before)):
        period = unit_key(named["period"], "every")
    if period is None and field is None and _say_for_a_time(draft, match, value, start):
        return
    total = match.groupdict().get("total") or (field is None and TOTAL_BEFORE.search(before))
    if field == "budget_usd_total" or (total and not period):
        draft.say("budget_usd_total", value, start, end, sign="<", keyed=keyed)
    elif period == "mo" or (period is None and field == "budget_usd_per_month"):
        draft.say("budget_usd_per_month", value, start, end, sign="<", keyed=keyed)
    elif period == "y":
        draft.say("budget_usd_per_month", value / 12, start, end, sign="<", keyed=keyed)
    elif period is None and field is None:
        _say_without_period(draft, match, value, start, keyed=keyed)
    else:
        each = value / (seconds()[period or "h"] / seconds()["h"])
        draft.say("budget_usd_per_hour", each, start, end, sign="<", keyed=keyed)


def _say_for_a_time(draft: Draft, match: re.Match[str], value: float, start: int) -> bool:
    """Say a sum for some months or years by the month; return whether it was one."""
    span = FOR_A_TIME.match(draft.reader.whole, match.end())
    if span is None or draft.trains or TERM_WORD.match(draft.reader.after(span.end())):
        return False
    months = float(span["count"]) * seconds()[unit_key(span["unit"], "times")] / seconds()["mo"]
    if months < SHORTEST_SPAN_MONTHS:
        return False
    each = value / months
    words = draft.reader.words(match.start(), span.end()).strip()
    draft.note("budget_over_time", f"`{words}` is read as ${each:,.0f} a month.")
    draft.say("budget_usd_per_month", each, start, span.end(), sign="<")
    return True


def settle_job_budget(draft: Draft, said: dict[str, Any], previous: Workload | None = None) -> None:
    """Read a sum that names no period as a job's whole cost, where this or the thread has a job."""
    items = said.get("items") or (previous.items if previous is not None else None)
    name = next((one for one in said if one in draft.said and one in WITHOUT_TOTAL), None)
    if items is None or SERVED & said.keys() or name is None or "budget_period" not in draft.notes:
        return
    value = float(said.pop(name))
    said["budget_usd_total"] = value
    draft.said["budget_usd_total"] = draft.said.pop(name)
    draft.notes.pop("budget_period")
    draft.offers.pop("budget_period", None)
    _note_period(draft, draft.words("budget_usd_total"), "budget_usd_total", value)


def settle_total(draft: Draft, said: dict[str, Any]) -> None:
    """Read a sum in all, beside a year or more that nobody commits to, as so much a month."""
    years, total = said.get("term_years"), said.get("budget_usd_total")
    if draft.trains or not years or total is None or "market" in said:
        return
    said["budget_usd_per_month"] = said.pop("budget_usd_total") / (12 * said.pop("term_years"))
    each = said["budget_usd_per_month"]
    said["budget_usd_per_hour"] = each / HOURS_PER_MONTH
    draft.note(
        "budget_over_time", f"${total:,.0f} in {years:g} years is read as ${each:,.0f} a month."
    )


def _say_without_period(
    draft: Draft, match: re.Match[str], value: float, start: int, *, keyed: bool
) -> None:
    """Record a budget for no named period: a job's whole cost, or what one instance can cost."""
    dear = "budget_usd_per_month" if value > DEAREST_HOUR_USD else "budget_usd_per_hour"
    name = "budget_usd_total" if draft.trains else dear
    _note_period(draft, draft.reader.words(*match.span()).strip(), name, value)
    draft.say(name, value, start, match.end(), sign="<", keyed=keyed)


def _note_period(draft: Draft, words: str, name: str, value: float) -> None:
    """Say as which period's a sum is read, and offer the others."""
    draft.note("budget_period", f"`{words}` names no period: read as dollars {PERIODS[name]}.")
    draft.offer("budget_period", name, *_other_periods(name, value))


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
