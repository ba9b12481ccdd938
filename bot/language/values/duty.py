"""Reads what bounds a service beside its limits: hours of a week, runs of a month, a quota.

The words stand in `text/units.txt`. Hours and days may be said apart, in either order.
"""

from typing import Any, Final

from bot.language.draft import Draft
from bot.language.text.late import LatePattern
from bot.language.text.numbers import START
from bot.language.text.units import any_word, sizes_of

DAYS: Final = 7.0
HALF_DAY: Final = 12.0
FLOWS: Final = frozenset({"rps", "concurrency", "users", "tokens_per_day"})
OFFICE_DAYS: Final = 5.0  # of a week, where office hours are said without their days
LONGEST: Final = 24.0
DAYS_PER_MONTH: Final = 365.0 / 12.0
NEAR: Final = 16  # letters between a window of clock time and the days that it is said of
DAY: Final = f"{any_word('working day')}|{any_word('times', key='d')}"
WEEK: Final = any_word("times", key="w")
PER: Final = rf" ?(?:/ ?|(?:{any_word('each')}) ?)"
FIGURE: Final = rf"{START}(?<!-)(?P<n>\d{{1,3}}(?:[.,]5)?)"
VCPUS: Final = rf"{START}(?P<n>\d{{1,5}}) ?(?:{any_word('vcpus')})"
HOURS: Final = LatePattern(
    rf"{FIGURE}[ -]?(?:{any_word('times', key='h')})"
    rf"(?:{PER}(?:(?P<day>{DAY})|(?P<week>{WEEK}))| (?:{any_word('every', key='d')}))",
    r"\d",
)
DAILY_HOURS: Final = LatePattern(
    rf"(?<![a-z0-9])(?:{any_word('every', key='d')}|(?:{any_word('each')}) ?(?:{DAY}))"
    rf" ?{FIGURE} ?(?:{any_word('times', key='h')})"
)
NAMED_HOURS: Final = LatePattern(rf"(?<![\w/])(?P<word>{any_word('whole days', 'office hours')})")
COUNTED_DAYS: Final = LatePattern(
    rf"{FIGURE}[ -]?(?:{any_word('times', key='d')}){PER}(?:{WEEK})", r"\d"
)
NAMED_DAYS: Final = LatePattern(rf"(?<![\w/])(?P<word>{any_word('days of a week')})")
QUOTA: Final = LatePattern(
    rf"(?<!\w)(?:{any_word('quota')})[^.;?!\d\0]{{0,40}}{VCPUS}"
    rf"|{VCPUS.replace('n>', 'n2>')}[^,.;?!\d\0]{{0,24}}(?<!\w)(?:{any_word('quota')})",
    r"\d",
)
AGAIN: Final = LatePattern(
    rf"(?<!\w)(?P<word>{any_word('again')})(?! ?(?:{any_word('asks the price', 'budget words')}))"
)
WORKING_DAY: Final = LatePattern(any_word("working day"))


def _clock(name: str) -> str:
    mark = rf"(?P<{name}_mark> ?(?:(?P<{name}_half>[ap])\.?m(?!\w)\.?|{any_word('clock')}))?"
    return (
        rf"(?P<{name}>\d{{1,2}})(?P<{name}_min>:\d\d)?{mark}(?: ?(?:{any_word('hours of a day')}))?"
    )


WINDOW: Final = LatePattern(
    rf"{START}(?<!-){_clock('at')} ?(?:{any_word('range', 'until')})"
    rf" ?{_clock('to')}(?![\w%]|[.,:/-]\d)",
    r"\d",
)


def read_duty(draft: Draft) -> None:
    """Say `duty_h_per_day`, the mean over a week, where hours, days or a window are named."""
    if draft.trains:
        return
    spans: list[tuple[int, int]] = []
    hours = _hours_said(draft, spans)
    days = _days_said(draft, spans)
    if hours is None:
        hours = _window_said(draft, spans)
    if not spans:
        return
    mean = (LONGEST if hours is None else hours) * (1.0 if days is None else days / DAYS)
    if 0 < mean <= LONGEST:
        for span in spans:
            draft.say("duty_h_per_day", mean, *span)


def _hours_said(draft: Draft, spans: list[tuple[int, int]]) -> float | None:
    """Return the hours of a day that are said: "8 hours a day", "around the clock"."""
    work = draft.reader.work
    if found := HOURS.search(work) or DAILY_HOURS.search(work):
        spans.append(found.span())
        in_a_week = found.groupdict().get("week") is not None
        return float(found["n"].replace(",", ".")) / (DAYS if in_a_week else 1.0)
    if found := NAMED_HOURS.search(work):
        spans.append(found.span())
        return _size_of(found["word"], "whole days", "office hours")
    return None


def _days_said(draft: Draft, spans: list[tuple[int, int]]) -> float | None:
    """Return the days of a week that are said: "weekdays", "6 days a week", "per working day"."""
    work = draft.reader.work
    if found := COUNTED_DAYS.search(work):
        spans.append(found.span())
        return float(found["n"])
    if found := NAMED_DAYS.search(work):
        spans.append(found.span())
        return _size_of(found["word"], "days of a week")
    hours, office = HOURS.search(work), NAMED_HOURS.search(work)
    of_working_day = hours is not None and hours["day"] and WORKING_DAY.search(hours["day"])
    of_office = hours is None and office is not None and _is_office(office["word"])
    return OFFICE_DAYS if of_working_day or of_office else None


def _window_said(draft: Draft, spans: list[tuple[int, int]]) -> float | None:
    """Return the hours of a window: "9 to 18" beside the days, "9am-6pm" and "8-18 Uhr" alone."""
    for match in draft.reader.matches(WINDOW):
        beside = any(
            0 <= gap <= NEAR
            for start, end in spans
            for gap in (match.start() - end, start - match.end())
        )
        halves = match["at_half"], match["to_half"]
        by_clock = match["to_mark"] or (match["at_min"] and match["to_min"])
        at, to = (float(match[name]) % LONGEST for name in ("at", "to"))
        at += HALF_DAY if halves[0] == "p" and at < HALF_DAY else 0.0
        to += HALF_DAY if halves[1] == "p" and to < HALF_DAY else 0.0
        if (beside or by_clock) and max(float(match["at"]), float(match["to"])) <= LONGEST:
            spans.append(match.span())
            return _hours_between(at, to, marked=bool(by_clock))
    return None


def _hours_between(at: float, to: float, *, marked: bool) -> float:
    """Return the hours from one time to another: "9 to 5" is of a day, "22-6 Uhr" of a night."""
    if to > at:
        return to - at
    if not marked and at <= HALF_DAY:
        return (to - at) % HALF_DAY or HALF_DAY
    return (to - at) % LONGEST or LONGEST


def _is_office(word: str) -> bool:
    return _size_of(word, "whole days", "office hours") < LONGEST


def _size_of(word: str, *sections: str) -> float:
    sizes = {name: size for section in sections for name, size in sizes_of(section).items()}
    return sizes[word if word in sizes else word.replace("-", " ")]


def settle_runs(draft: Draft, said: dict[str, Any]) -> None:
    """Say how many runs a month has of a job or of training that comes again ("every night").

    What is trained on each time is said by the month or day, as a load would be.
    """
    trains = said.get("task") in {"train", "finetune"}
    flows = bool(FLOWS & said.keys()) and not trains
    if not (trains or "items" in said) or flows or "runs_per_month" in said:
        return
    found = AGAIN.search(draft.reader.whole)
    if found is not None:
        said["runs_per_month"] = _size_of(found["word"], "again")
        draft.reader.take(*found.span())
    if found is not None and trains and "tokens_per_day" in said:
        a_month = said.pop("tokens_per_day") * DAYS_PER_MONTH
        said.pop("avg_tokens_per_s", None)
        said.setdefault("tokens_total", a_month / said["runs_per_month"])


def read_quota(draft: Draft) -> None:
    """Say `vcpus_max`, what a quota of vCPUs leaves: "quota: only 16 vCPUs of G instances"."""
    for match in draft.reader.matches(QUOTA):
        draft.say("vcpus_max", float(match["n"] or match["n2"]), *match.span())
