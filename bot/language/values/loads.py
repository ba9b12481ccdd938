"""Reads load: requests over time, people, requests at once, jobs, hours of audio.

A figure is a load by the words behind it, which `text/units.txt` lists: what is counted, whether at
the same time, over what time, by each user or in all.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.language.draft import Draft
from bot.language.roles import is_capacity
from bot.language.text.numbers import COUNT_SCALE, DIGITS, START, number
from bot.language.text.tables import stopwords
from bot.language.text.units import (
    any_word,
    rate_seconds,
    seconds,
    unit_key,
    word_at,
    words_of,
)
from bot.language.values.quantities import LOW, signed_value
from bot.language.values.training_data import tokens_each
from catalog.facts.units import SECONDS_PER_DAY

COUNT: Final = re.compile(rf"{START}{LOW}(?P<sign>-)?(?P<n>{DIGITS})(?P<scale>{COUNT_SCALE})")
AUDIO_OF: Final = re.compile(
    r" ?(?:of )?(?:[^\W\d_]+ ){0,2}"
    r"(?P<what>audio|speech|recordings?|calls|podcasts?|video|footage|meetings?)(?!\w)"
)
AUDIO_EACH: Final = re.compile(
    r",?(?: (?:of|with|at|a))?(?: about| around| up to)? ?(?P<n>\d+(?:\.\d+)?)[ -]?"
    r"(?:(?P<h>h|hours?)|min|minutes?)(?: each)?(?!\w)"
)
BARE_FIGURE: Final = re.compile(rf"{START}(?P<n>{DIGITS})(?= ?(?:\?|,|\.|\Z))")
SEEN: Final = frozenset({"video", "footage"})  # frames a second are not said: no rate follows
# What one request of a speech model holds: "shapes.speech_frames" counts the positions of it.
WINDOW_S: Final = 30.0
EACH_BEFORE: Final = re.compile(r"\b(?:each|every|jeder?|chacun|cada|ogni|elk)\b[^.;\d]{0,30}\Z")
ACTIVE: Final = re.compile(
    rf"{START}(?P<n>\d{{1,3}}(?:\.\d+)?) ?(?:{any_word('percent')})[^,.;\d\0]{{0,30}}?"
    rf"(?:[ -]?(?:{any_word('at once', 'concurrent')})){{1,2}}(?: users| share)?"
    r"|\bactive share(?: of| is|:)? (?P<n2>\d{1,3}(?:\.\d+)?) ?%"
)
PEAK: Final = re.compile(
    rf"(?<!\w)(?:{any_word('peak')})[^.;\d\0]{{0,24}}?(?<![\w.])(?P<n>\d{{1,3}}(?:\.\d+)?)"
    rf"(?:[ -]?(?:{any_word('fold')})|(?= ?\Z|[,;]))(?: (?:the )?(?:{any_word('usual load')}))*"
    rf"|(?<![\w.])(?P<n2>\d{{1,3}}(?:\.\d+)?) ?x[^.,;\d\0]{{0,16}} (?:{any_word('peak')})"
)
CACHED: Final = re.compile(
    r"(?P<n>\d{1,2}(?:\.\d+)?) ?(?:%|percent) (?:of (?:the )?(?:prompts?|input|tokens|context) )?"
    r"(?:is |are )?(?:cached|cache hits?|prefix hits?|(?:prefix|prompt)[- ]cache hits?)\b"
)
STEPS: Final = re.compile(
    rf"{START}(?P<n>\d{{1,3}})[ -](?:denoising |inference |sampling |diffusion )?steps?\b"
)
SIDE: Final = r"(?P<{0}>\d{{3,4}})"
# "1024x1024", "1280 x 720 px", "768px", "at 512 pixels"
PIXELS: Final = re.compile(
    rf"{START}{SIDE.format('wide')} ?[x×] ?{SIDE.format('high')}(?: ?(?:px|pixels?))?(?![\w.])"
    rf"|{START}{SIDE.format('side')} ?-?(?:px|pixels?)(?![\w.])"
)
TEAM: Final = re.compile(
    r"(?<!\w)(?P<group>[^\W\d_]+) (?:of|with|von|mit|de|di|van|из|aus)"
    r" (?:about |around |some |up to |etwa |~ ?)?(?=\d)"
)
NAMED_BEFORE: Final = re.compile(
    rf"(?<![\w=])(?P<word>{any_word('named concurrency')})"
    rf"(?: (?:of|is|are|about|around|at|up to))*:? ?{DIGITS}(?![\w%.]|/)"
)
# LoadFigure for their price, for a share or as one heap: no load.
COUNTED: Final = re.compile(
    r"\b(?:costs?|price[ds]?|pricing|pay|how much|bill|usd|percent|percentile|p\d\d|each|first|last"
    r"|batch|per|total|in all)\b|%|\$\S* for \Z"
)
# What one person asks in the time that people are counted over: a rule of thumb, always said.
REQUESTS_EACH: Final = 10.0
SHARE_AT_ONCE: Final = 0.1  # of people who come now and then: about a tenth in the busy hour
FEWEST_SHARED: Final = 20  # fewer users may well all ask at once, and it makes no difference
MOST_AT_ONCE: Final = 1000.0  # of requests that name no time
MOST_THERE: Final = 10_000.0  # of people at once: more are counted over some time
FEWEST_ITEMS: Final = 1000.0  # fewer may be one prompt's tokens, or come at once
WORKED_THROUGH: Final = re.compile(
    rf"(?<!\w)(?:{any_word('worked through')}|{any_word('overnight')}|{any_word('by when')}"
    r"|(?:in|within) \d+ ?(?:h|hours?|min|minutes|days?))(?!\w)"
)
LEAST_JOB_H, MOST_JOB_H = 0.5, 24.0 * 92  # of a job that is told in hours or days
JOB_TIME: Final = re.compile(rf"{START}(?P<n>{DIGITS})[ -]?(?P<unit>{any_word('times')})")
DAY_S: Final = SECONDS_PER_DAY
NOUNS: Final = ("who", "calls", "items", "sessions", "together", "noun concurrency")
STRANGER: Final = re.compile(r"[ -](?P<word>[^\W\d_]{4,20})(?= )")
WORD: Final = re.compile(r"(?<!\w)[^\W\d_]+")
NEXT_WORD: Final = re.compile(r" [^\W\d_]+")
SINGLE: Final = re.compile(r"(?<!\w)(?:an? )?single(?= \w)")
MACHINES_NEXT: Final = re.compile(r" ?(?:gpus?|machines|nodes|instances)\b|\.\d")
OTHER_LOADS: Final = frozenset({"rps", "concurrency", "tokens_per_day", "mode", "users", "items"})
ITEM: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?k?)"
CLOSE: Final = r"\d+(?:,\d+){2,}"  # 1,10,100
NEXT: Final = r"(?:, |,? (?:and|or|und) | ?/ ?|; ?)"
LISTED: Final = re.compile(rf"{START}(?P<loads>{ITEM}(?:{NEXT}{ITEM})+|{CLOSE})")
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
LONGEST_PROMPT, LONGEST_ANSWER = 12e6, 1e6  # tokens: no window is longer
FAR_APART: Final = 500.0  # of two figures, the larger first: no two loads to compare
ASKED: Final = frozenset({"call", "item", "run"})
LOADS: Final = frozenset({"rps", "concurrency", "tokens_per_day", "avg_tokens_per_s"})
PEOPLE: Final = ("users", "active_share", "requests_per_user_min", "peak_factor")
MOST_WORDS: Final = 4  # adjectives before, and remarks behind, what is counted


@dataclass(frozen=True, slots=True)
class LoadFigure:
    """What the words behind a figure say: what it counts, over which time, and of whom."""

    what: str  # "rate", "people", "open", "call", "run", "item"
    end: int
    seconds: float | None = None
    at_once: bool = False
    each: bool = False  # of every user


class Walk:
    """Goes over the words behind a figure."""

    def __init__(self, text: str, place: int) -> None:
        """Start right behind the figure."""
        self.text, self.place = text, place

    def take(self, *sections: str) -> str | None:
        """Return the key of a word of these sections that stands here, and go past it."""
        found = word_at(self.text, self.place, *sections)
        if found is None:
            return None
        self.place = found[1]
        return found[0]

    def take_each(self) -> bool:
        """Go past "/", "per", "every"; return whether it stood here."""
        if slash := re.compile(r" ?/ ?").match(self.text, self.place):
            self.place = slash.end()
            return True
        return self.take("each") is not None

    def take_period(self) -> float | None:
        """Go past "per minute", "/s", "every 30 seconds"; return the seconds, None if not there."""
        start = self.place
        if self.take_each():
            count = 1.0
            if figure := COUNT.match(self.text, self._past_space()):
                count, self.place = number(figure["n"], figure["scale"] or ""), figure.end()
            if unit := self.take("times", "short periods"):
                return count * seconds()[unit]
        self.place = start
        return None

    def take_owner(self) -> bool:
        """Go past "each" or "per user"; return whether it stood here."""
        start = self.place
        if self.take_each() and self.take("who"):
            return True
        self.place = start
        return self.take("each one") is not None

    def take_call(self) -> bool:
        """Go past "per query"; return whether it stood here."""
        start = self.place
        if self.take_each() and self.take("calls"):
            return True
        self.place = start
        return False

    def take_stranger(self, *sections: str) -> str | None:
        """Go past one word that says nothing here and a word of these sections behind it."""
        start = self.place
        if word := STRANGER.match(self.text, start):
            known = word_at(self.text, start, "times", "scales", "rates", "each", "at once")
            if known is None and word["word"] not in stopwords():
                self.place = word.end()
                if found := self.take(*sections):
                    return found
        self.place = start
        return None

    def take_ahead(self, section: str) -> bool:
        """Go past a few words and one of this section: "64 people hammering it at once"."""
        place = self.place
        for _ in range(MOST_WORDS):
            if (word := NEXT_WORD.match(self.text, place)) is None:
                return False
            place = word.end()
            if found := word_at(self.text, place, section):
                self.place = found[1]
                return True
        return False

    def _past_space(self) -> int:
        return self.place + (self.text[self.place : self.place + 1] == " ")


def counted(text: str, place: int) -> LoadFigure | None:
    """Return what a figure that ends at a place counts, None where it is no load."""
    walk = Walk(text, place)
    if rate := walk.take("rates"):
        return LoadFigure("rate", walk.place, rate_seconds()[rate])
    if daily := walk.take("counted daily"):
        return LoadFigure("people", walk.place, seconds()[daily])
    over, at_once = _before_noun(walk)
    adjectives = walk.place
    what = walk.take(*NOUNS) or walk.take_stranger("who", "items")
    while what in {"people", "item"} and (more := walk.take("items")):
        what = more  # "customer emails", "product descriptions"
    if what is None:
        return _without_noun(text, place, adjectives)
    if what in {"noun", "them"}:
        what, at_once = "open", at_once or what == "noun"
        if not at_once and not walk.take("at once"):
            return None
        at_once = True
    return _behind_noun(walk, LoadFigure(what, walk.place, over, at_once))


def _before_noun(walk: Walk) -> tuple[float | None, bool]:
    """Return the time and whether it is at once, as the adjectives say."""
    over, at_once = None, False
    walk.take("counters")
    for _ in range(MOST_WORDS):
        if every := walk.take("every"):
            over = seconds()[every]
        elif kind := walk.take("concurrent"):
            at_once = at_once or kind == "concurrent"
        else:
            break
    return over, at_once


def _without_noun(text: str, place: int, adjectives: int) -> LoadFigure | None:
    """Return "32 concurrent", "32 at once" and "5/s", which count requests."""
    if noun := word_at(text, place, "noun concurrency", "at once"):
        return LoadFigure("open", max(noun[1], adjectives), at_once=True)
    walk = Walk(text, place)
    over = walk.take_period()
    return LoadFigure("rate", walk.place, over) if over in {1.0, 60.0} else None


def _behind_noun(walk: Walk, read: LoadFigure) -> LoadFigure:
    """Return what the words behind the noun add, in whatever order."""
    for _ in range(MOST_WORDS):
        if walk.take("at once") or walk.take("concurrent"):
            read = replace(read, at_once=True)
        elif (over := walk.take_period()) is not None:
            read = replace(read, seconds=over)
        elif walk.take_owner():
            read = replace(read, each=True)
        elif walk.take_call():
            read = replace(read, what="item")  # "50 passages a query"
        elif every := walk.take("every"):
            read = replace(read, seconds=seconds()[every])
        elif walk.take_ahead("at once"):
            read = replace(read, at_once=True)
        else:
            break
    return replace(read, end=walk.place)


def _period_before(text: str, start: int) -> tuple[float, int] | None:
    """Return the seconds of a time right before a figure ("每秒 10"), and where it begins."""
    lead = text[max(0, start - 24) : start].rstrip(" :,")
    first = max(0, start - 24)
    for word in re.finditer(r"(?<!\w)\w", lead):
        if (every := word_at(lead, word.start(), "every")) and every[1] == len(lead):
            return seconds()[every[0]], first + word.start()
        if each := word_at(lead, word.start(), "each"):
            unit = word_at(lead, each[1], "times")
            if unit and unit[1] == len(lead):
                return seconds()[unit[0]], first + word.start()
        unit = word_at(lead, word.start(), "times")
        if unit and lead[unit[1] :] in words_of("behind a time"):
            return seconds()[unit[0]], first + word.start()
    return None


def read_loads(draft: Draft) -> None:
    """Say every load that the words behind (or right before) a figure tell."""
    _read_shares(draft)
    for match in draft.reader.matches(COUNT):
        text = draft.reader.work
        if _read_hours(draft, match):
            continue
        read = counted(text, match.end()) or _counted_of_them(draft, match)
        if read is not None:
            _say_counted(draft, match, read)
    _read_beside_capacity(draft)
    _read_teams(draft)
    _read_single(draft)
    _read_often(draft)
    for match in draft.reader.matches(WORD):
        if found := word_at(draft.reader.work, match.start(), "by when"):
            draft.say("deadline_h", float(found[0]), match.start(), found[1], sign="<")


def _read_beside_capacity(draft: Draft) -> None:
    """Read a bare figure beside what is carried today as what is wanted: "melts at 12, need 40"."""
    if "owned_carries_rps" not in draft.details or "rps" in draft.said:
        return
    free = list(BARE_FIGURE.finditer(draft.reader.work))
    if free:
        draft.say("rps", number(free[-1]["n"]), *free[-1].span())


def _start_of(match: re.Match[str]) -> int:
    """Return where a figure begins: at its lower end only where that is the lower one."""
    low = re.match(rf"({DIGITS})\s?([km]?)", match[0])
    lower = low is None or number(low[1], low[2]) <= signed_value(match)
    return match.start() if lower else match.start("n")  # "16k and 10 requests"


def _counted_of_them(draft: Draft, match: re.Match[str]) -> LoadFigure | None:
    """Return "25,000 of them" and "2,000 a day" of what a job works through, named before."""
    before = draft.reader.whole[: match.start()]
    named = any(word_at(before, word.start(), "items") for word in WORD.finditer(before))
    walk = Walk(draft.reader.work, match.end())
    of_them = walk.take("together") is not None
    if not named and not (of_them and signed_value(match) >= FEWEST_ITEMS):
        return None
    if (over := walk.take_period()) is not None:
        return LoadFigure("rate", walk.place, over)
    return LoadFigure("item", walk.place) if of_them else None


def _say_counted(draft: Draft, match: re.Match[str], read: LoadFigure) -> None:
    """Say the load that a figure is, or leave a bare number of requests for later."""
    value, start = signed_value(match), _start_of(match)
    if read.what in ASKED and not read.at_once:
        if read.seconds is None and (before := _period_before(draft.reader.work, start)):
            read, start = replace(read, seconds=before[0]), before[1]
        if EACH_BEFORE.search(draft.reader.before(start)):
            read = replace(read, each=True)
    span = start, read.end
    if read.seconds is not None and is_capacity(draft.reader.before(start)):
        draft.details["owned_carries_rps"] = f"{value / read.seconds:g}"
        draft.mark("detail:capacity", *span)
    elif read.seconds is not None:
        _say_over_time(draft, value, read, span)
    elif read.at_once or read.what == "open" or (read.what == "people" and value == 1.0):
        draft.say("concurrency", value, *span)
    elif read.what in {"people", "group"}:
        say_users(draft, value, *span)
    elif read.what == "item" and not draft.trains:
        _say_job(draft, value, span)
    elif _is_worked_through(draft, value, read) and not draft.trains:
        draft.say("items", value, *span)


def _is_worked_through(draft: Draft, value: float, read: LoadFigure) -> bool:
    """Whether many requests are one heap: "evaluate it on 10,000 prompts", "… overnight"."""
    heap = read.what in {"call", "run"} and value >= FEWEST_ITEMS
    return heap and _is_heap(draft)


def _is_heap(draft: Draft) -> bool:
    return WORKED_THROUGH.search(draft.reader.whole) is not None


def _say_over_time(draft: Draft, value: float, read: LoadFigure, span: tuple[int, int]) -> None:
    over = read.seconds or 1.0
    if read.what == "people" and over >= seconds()["mo"] and _asks_the_price(draft):
        say_users(draft, value, *span)  # the month is the bill's
    elif read.what == "people":
        _say_people_over_time(draft, value, over, span)
    elif read.what in ASKED and (spoken := AUDIO_EACH.match(draft.reader.work, span[1])):
        audio_s = value * float(spoken["n"]) * seconds()["h" if spoken["h"] else "min"]
        _say_audio_rate(draft, audio_s / over / WINDOW_S, span[0], spoken.end())
    elif read.what == "item" and over >= seconds()["w"] and _is_heap(draft):
        _say_job(draft, value, span)  # how often it comes again is read for itself
    elif read.each and read.what in ASKED:
        draft.say("requests_per_user_min", value * 60.0 / over, *span)
    else:
        draft.say("rps", value / over, *span)


def _asks_the_price(draft: Draft) -> bool:
    whole = draft.reader.whole
    return any(word_at(whole, word.start(), "asks the price") for word in WORD.finditer(whole))


def say_users(draft: Draft, value: float, start: int, end: int) -> None:
    """Record people who have access; many of them may be meant as there at once."""
    draft.say("users", value, start, end)
    if value >= FEWEST_SHARED:
        draft.offer("users_at_once", "users", _users_at_once(value))


def _users_at_once(count: float) -> tuple[str, dict[str, object]]:
    return f"{count:,.0f} users at once", {"concurrency": count}


def _say_people_over_time(draft: Draft, people: float, over: float, span: tuple[int, int]) -> None:
    """Say the requests of people who come now and then, and offer that they are there at once."""
    words = draft.reader.words(*span).strip()
    rps = people * REQUESTS_EACH / over
    draft.note(
        "people_over_time",
        f"`{words}` is read as {REQUESTS_EACH:g} requests from each, spread evenly: {rps:.3g}"
        " requests/s. A peak is higher: say it as rps.",
    )
    peak = people * SHARE_AT_ONCE * min(1.0, DAY_S / over)
    shown = [float(f"{count:.2g}") for count in (peak, people) if 1 <= count <= MOST_THERE]
    draft.offer("people_over_time", "rps", *map(_users_at_once, shown))
    draft.say("rps", rps, *span)


def _say_job(draft: Draft, count: float, span: tuple[int, int]) -> None:
    """Say how much a job works through, and how long one item is."""
    if spoken := AUDIO_EACH.match(draft.reader.work, span[1]):
        hours = count * float(spoken["n"]) * seconds()["h" if spoken["h"] else "min"] / 3600
        draft.details["audio_hours"] = f"{hours:g}"
        draft.details["audio_words"] = draft.reader.words(span[0], spoken.end()).strip()
        draft.mark("detail:audio_hours", span[0], spoken.end())
        return
    draft.say("items", count, *span)
    if length := tokens_each(draft.reader.work, span[1]):
        draft.say("tokens_per_item", number(length["n"], length["scale"] or ""), *length.span())


def _read_hours(draft: Draft, match: re.Match[str]) -> bool:
    """Read "500 hours of audio a day" and "8 hours a day"; return whether it was one."""
    walk = Walk(draft.reader.work, match.end())
    unit = walk.take("times")
    if unit not in {"h", "min"}:
        return False
    if of_audio := AUDIO_OF.match(draft.reader.work, walk.place):
        walk.place = of_audio.end()
        every = walk.take("every")
        over = seconds()[every] if every else walk.take_period()
        walk.take("overnight")
        _say_audio(draft, match, walk.place, seconds()[unit], (of_audio["what"], over))
        return True
    over = walk.take_period()
    if unit == "h" and over in {seconds()["d"], seconds()["w"]}:
        hours = signed_value(match) * seconds()["d"] / (over or DAY_S)
        draft.say("duty_h_per_day", hours, match.start(), walk.place)
        return True
    return False


def _say_audio(
    draft: Draft, match: re.Match[str], end: int, unit_s: float, of: tuple[str, float | None]
) -> None:
    """Say the requests a second of audio over time; hours alone wait for a deadline."""
    what, over = of
    audio_s, words = signed_value(match) * unit_s, draft.reader.words(match.start(), end).strip()
    draft.details["audio_hours"] = f"{audio_s / 3600:g}"
    if what in SEEN or over is None:
        draft.details["audio_words"] = words
        draft.mark("detail:audio_hours", match.start(), end)
        return
    _say_audio_rate(draft, audio_s / over / WINDOW_S, match.start(), end)


def _say_audio_rate(draft: Draft, rate: float, start: int, end: int) -> None:
    """Say audio over time as requests a second, each a window of it."""
    words = draft.reader.words(start, end).strip()
    draft.say("rps", rate, start, end)
    draft.note(
        "audio_volume", f"`{words}` is read as {rate:.3g} requests/s, windows of {WINDOW_S:g} s."
    )


def _read_shares(draft: Draft) -> None:
    """Say who is active, how far the peak is, what is cached, and steps and size of an image."""
    for match in draft.reader.matches(ACTIVE):
        draft.say("active_share", float(match["n"] or match["n2"]) / 100, *match.span())
    for match in draft.reader.matches(PEAK):
        draft.say("peak_factor", float(match["n"] or match["n2"]), *match.span())
    for match in draft.reader.matches(CACHED):
        draft.say("cached_share", float(match["n"]) / 100, *match.span())
    if not draft.trains:
        for match in draft.reader.matches(STEPS):
            draft.say("steps", float(match["n"]), *match.span())
        for match in draft.reader.matches(PIXELS):
            sides = float(match["wide"] or match["side"]) * float(match["high"] or match["side"])
            draft.say("image_px", round(sides**0.5), *match.span())


def _read_teams(draft: Draft) -> None:
    """Say the users of "a team of 12": what is counted stands before the figure."""
    for match in draft.reader.matches(TEAM):
        figure = COUNT.match(draft.reader.work, match.end())
        group = word_at(match["group"], 0, "who")
        if figure is None or group is None or group[0] != "group":
            continue
        if MACHINES_NEXT.match(draft.reader.work, figure.end()) is None:
            say_users(draft, signed_value(figure), match.start(), figure.end())


def _read_single(draft: Draft) -> None:
    """Say that "a single user" is one at a time."""
    for match in draft.reader.matches(SINGLE):
        who = word_at(draft.reader.work, match.end(), "who", "calls")
        if who is not None and who[0] in {"people", "call"} and "concurrency" not in draft.said:
            draft.say("concurrency", 1.0, match.start(), who[1])


def _read_often(draft: Draft) -> None:
    """Say how often each user asks, where that is a word: "each asks twice a minute"."""
    people = bool({"users", "concurrency"} & draft.said.keys())
    for match in draft.reader.matches(WORD):
        often = word_at(draft.reader.work, match.start(), "often")
        if often is None:
            continue
        walk = Walk(draft.reader.work, often[1])
        over = walk.take_period()
        if over is None:
            continue
        each = people or EACH_BEFORE.search(draft.reader.before(match.start())) is not None
        name = "requests_per_user_min" if each else "rps"
        draft.say(name, float(often[0]) * (60.0 if each else 1.0) / over, match.start(), walk.place)


def read_open_loads(draft: Draft) -> None:
    """Say a number of requests that names no time: at once where they are few, else by the day."""
    if draft.trains or OTHER_LOADS & draft.said.keys():
        return
    for match in draft.reader.matches(COUNT):
        read = counted(draft.reader.work, match.end())
        if read is None or read.what != "call":
            continue
        near = draft.reader.before(match.start(), 30), draft.reader.after(read.end, 20)
        if not any(COUNTED.search(words) for words in near):
            _say_open(draft, match, read.end)


def _say_open(draft: Draft, match: re.Match[str], end: int) -> None:
    count, words = signed_value(match), draft.reader.words(match.start(), end).strip()
    a_second = (f"{count:,.0f} requests a second", {"rps": count})
    if count <= MOST_AT_ONCE:
        a_day = (f"{count:,.0f} requests a day", {"rps": count / DAY_S})
        draft.note("open_load", f"`{words}` names no time: read as {count:,.0f} at once.")
        draft.offer("open_load", "concurrency", a_second, a_day)
        draft.say("concurrency", count, match.start(), end)
    else:
        an_hour = (f"{count:,.0f} requests an hour", {"rps": count / 3600.0})
        draft.note("open_load", f"`{words}` names no time: read as {count:,.0f} a day.")
        draft.offer("open_load", "rps", an_hour, a_second)
        draft.say("rps", count / DAY_S, match.start(), end)


def read_load_lists(draft: Draft) -> None:
    """Say every load of a list, mark what a list of loads asks for, say what a word names."""
    for match in draft.reader.matches(KEYED):
        if _listed(match):
            field = "rps" if match["key"] in {"rps", "qps"} else "concurrency"
            _say_list(draft, match, match.end(), field, 1.0)
    for match in draft.reader.matches(LISTED):
        read = counted(draft.reader.work, match.end())
        if read is None or read.what == "item" or _is_one_load(draft, match):
            continue
        rate = read.seconds is not None and read.what != "people"
        over = read.seconds or 1.0
        _say_list(draft, match, read.end, "rps" if rate else "concurrency", over)
    for match in draft.reader.matches(LEVELS):
        draft.mark("topic:crossover", *match.span())
    for match in draft.reader.matches(NAMED_BEFORE):
        figure = COUNT.search(draft.reader.work, match.end("word"))
        if figure is not None:
            draft.say("concurrency", signed_value(figure), match.start(), match.end())


def _say_list(draft: Draft, match: re.Match[str], end: int, field: str, over: float) -> None:
    for load in _listed(match):
        draft.say(field, load / over, match.start(), end)
    draft.mark("topic:crossover", match.start(), end)


def _is_one_load(draft: Draft, match: re.Match[str]) -> bool:
    loads = _listed(match)
    between = RANGE_BEFORE.search(draft.reader.before(match.start())) is not None
    two = len(loads) == FEW and (
        re.search(r"and|or|und|/", match["loads"]) is None  # "llama 3, 10"
        or loads[0] > FAR_APART * loads[-1]  # "16k and 10 requests"
    )
    return between or two or not loads or max(loads) < APART * min(loads)


def _listed(match: re.Match[str]) -> list[float]:
    if ONE_NUMBER.fullmatch(match["loads"]):
        return []
    apart = match["loads"].split(",") if CLOSED.fullmatch(match["loads"]) else None
    parts = apart or re.findall(ITEM, match["loads"])
    return [number(part.rstrip("k"), "k" if part.endswith("k") else "") for part in parts]


def mark_several_loads(draft: Draft) -> None:
    """Mark a text that names several loads one by one ("at 10 rps and at 100 rps")."""
    models = draft.said.get("model", ())
    for field in ("rps", "concurrency", "users"):
        loads = draft.said.get(field, ())
        if len(loads) == len(models) >= FEW:  # each its own
            draft.asked = replace(draft.asked, load_of_each_model=field)
        elif len(loads) >= FEW and ONE_LOAD.search(draft.reader.whole) is None:
            draft.marks.setdefault("topic:crossover", (loads[0].start, loads[-1].end))


def settle_loads(
    draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[object, ...]]
) -> None:
    """Settle what several words say of one load together; a run has none."""
    settle_peak(draft, said, alternatives)
    _drop_volumes(draft, said)
    _settle_rate_of_each(draft, said)
    if said.get("task") in {"train", "finetune"}:
        _drop_people(draft, said)
    else:
        _settle_deadline(draft, said)
        _settle_audio(draft, said)


def _drop_volumes(draft: Draft, said: dict[str, Any]) -> None:
    """Leave out tokens that are more than any prompt or answer: all of a job's, of many."""
    for name, most in (("input_tokens", LONGEST_PROMPT), ("output_tokens", LONGEST_ANSWER)):
        if said.get(name, 0) > most and not draft.said[name][0].keyed:
            del said[name]
            draft.note(
                f"{name}_in_all",
                f"`{draft.words(name).strip()}` is read as all of a job's tokens: say how many"
                " documents they are, or how many a day.",
            )


def settle_peak(
    draft: Draft, said: dict[str, object], alternatives: Mapping[str, tuple[object, ...]]
) -> None:
    """Size for the larger of two figures of one load (average and peak), and say so."""
    if draft.asked.load_of_each_model:
        draft.note("loads_of_models", "Each model is sized for the load said beside it.")
        return
    for field in alternatives.keys() & {"rps", "concurrency", "users"}:
        loads = [load for load in alternatives[field] if isinstance(load, int | float)]
        if "topic:crossover" not in draft.marks and loads:
            said[field] = max(loads)
            draft.note("peak_load", f"Sized for the peak, {max(loads):g}, of the loads said.")


def _settle_rate_of_each(draft: Draft, said: dict[str, Any]) -> None:
    """Read "30 at once, each asking every 30 s" as 30 users: who waits is not in flight."""
    every_s = draft.details.get("request_every_s")
    if every_s and "requests_per_user_min" not in said:
        said["requests_per_user_min"] = 60.0 / float(every_s)
    counted = not any(one.keyed for one in draft.said.get("concurrency", ()))
    both = "requests_per_user_min" in said and "concurrency" in said
    if counted and both and "users" not in said:
        said["users"] = round(said.pop("concurrency"))


def _drop_people(draft: Draft, said: dict[str, Any]) -> None:
    """Leave out who would use what is trained, and say so."""
    said.pop("use_case", None)
    for name in PEOPLE:
        if name in said:
            del said[name]
            draft.note(
                "users_of_training",
                f"`{draft.words(name).strip()}` is not used: training serves nobody.",
            )


def _settle_deadline(draft: Draft, said: dict[str, Any]) -> None:
    """Say by when a job is done, where the night is named."""
    job = "items" in said or "audio_words" in draft.details
    if not job or "deadline_h" in said or LOADS & said.keys() or _time_alone(draft, said):
        return
    for word in WORD.finditer(draft.reader.whole):
        if found := word_at(draft.reader.whole, word.start(), "overnight"):
            words = draft.reader.whole[word.start() : found[1]]
            said["deadline_h"] = float(found[0])
            draft.reader.take(word.start(), found[1])
            draft.note("overnight", f"`{words}` is read as {found[0]} hours.")
            return


def _time_alone(draft: Draft, said: dict[str, Any]) -> bool:
    """Read the one time of hours or more that no rule took as by when a job is done."""
    left = [(start, end) for start, end, _ in draft.ignored]
    times = [
        (match, of)
        for match in JOB_TIME.finditer(draft.reader.whole)
        for of in left
        if of[0] <= match.start() < of[1] and word_at(match["unit"], 0, "times") is not None
    ]
    if len(times) != 1:
        return False
    match, of = times[0]
    hours = number(match["n"]) * seconds()[unit_key(match["unit"], "times")] / 3600.0
    if not LEAST_JOB_H <= hours <= MOST_JOB_H:
        return False
    draft.ignored = [one for one in draft.ignored if one[:2] != of]
    said["deadline_h"] = hours
    words = draft.reader.words(*match.span()).strip()
    draft.note("by_when", f"`{words}` is read as the time that the job has.")
    return True


def _settle_audio(draft: Draft, said: dict[str, Any]) -> None:
    """Say hours of audio as a job of windows; of video no number of frames follows."""
    words = draft.details.pop("audio_words", None)
    if words is None:
        return
    if words.split()[-1] in SEEN:
        draft.note("audio_volume", f"`{words}` is not used: hours of audio would be a job.")
        return
    said["items"] = float(draft.details["audio_hours"]) * 3600.0 / WINDOW_S
    windows = f"{said['items']:,.0f} windows of {WINDOW_S:g} s"
    draft.note("audio_volume", f"`{words}` is read as a job of {windows}.")


# With the words before it: capacity that is reserved is billed on demand, and no commitment.
RESERVATION = re.compile(
    r"(?<![\w-])"
    r"(?:(?:named |capacity |on[- ]demand |open |targeted )*(?:reservation|odcr) ?[=:]? ?)?"
    r"(?P<id>cr-[0-9a-f]{8,17})(?![\w-])"
)


def read_reservations(draft: Draft) -> None:
    """Say the `reservation` whose machines are to be used."""
    for match in draft.reader.matches(RESERVATION):
        draft.say("reservation", match["id"], *match.span())


METRIC = (
    r"(?:throughput|latency|latencies|utili[sz]ation|speed"
    r"|costs?(?: per (?:inference|prediction|request|call))?|price)"
)
JOIN = r"(?:, ?(?:and )?| and | & | ?/ ?|; ?)"
# Two are a wish ("low cost and latency"), unless one is utilisation, which nobody wishes for.
METRICS_LISTED: Final = re.compile(
    rf"\b{METRIC}(?:{JOIN}{METRIC}){{2,}}\b"
    rf"|\butili[sz]ation{JOIN}{METRIC}\b|\b{METRIC}{JOIN}utili[sz]ation\b"
)
UNIT = r"(?:inference|prediction|request|call|query|classification|forward pass)"
UNIT_COST: Final = re.compile(
    rf"\b(?:costs?|prices?) (?:of|for|per) (?:an? |1 |each |every |a single )?(?:\w+ )?{UNIT}\b"
    rf"|\b(?:1|each|every|an?|single) (?:\w+ )?{UNIT} costs?\b"
)


def read_metrics(draft: Draft) -> None:
    """Mark a text that lists the metrics, or asks what one inference costs."""
    for match in draft.reader.matches(METRICS_LISTED):
        draft.mark("topic:metrics", *match.span())
    for match in draft.reader.matches(UNIT_COST):
        draft.marks.setdefault("topic:metrics", match.span())  # a model may be named inside
