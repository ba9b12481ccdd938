"""Reads latencies, deadlines and terms, and context windows said in thousands."""

import re
from typing import Any, Final

from bot.language.draft import Draft
from bot.language.roles import is_observed
from bot.language.text.numbers import DIGITS, START, number
from bot.language.text.units import any_word, seconds, unit_key
from bot.language.text.vocabulary import Vocabulary
from bot.language.values.quantities import tokens

UNIT = rf"(?P<unit>{any_word('times')}|(?<=\d)(?:{any_word('short times')}))"
# 100ms · 2-3 seconds · between 2 and 3 s; a range counts by its upper end
DURATION = re.compile(
    rf"{START}(?P<sign>-)?(?P<n>{DIGITS})(?:[ -]?(?:ms|s)?\s?(?:-|{any_word('range')})\s?"
    rf"(?P<high>{DIGITS}))?[ -]?{UNIT}"
    r"(?P<token>\s?(?:/|per |a |pro |each |for each |for every )\s?(?:output |generated "
    r"|new )?(?:tokens?|tok)(?!\w))?"
)
UNITLESS = re.compile(
    rf"\b(?:latency|ttft|tpot|itl|e2e"
    rf"|response times?)\b[^.,;\d\0]{{0,30}}?(?<!\w)(?P<n>{DIGITS})(?![\w%]|\.\d)"
)
# A limit beside `latency_ms`, which holds that of the whole answer first, else that per token.
FIELD_OF_KIND = {"ttft": "first_token_ms", "per_token": "per_token_ms"}
KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "per_token",
        re.compile(
            r"\b(?:tpot|itl|inter[ -]?token|per[ -](?:output[ -])?token|time per output token"
            r"|each token"
            r"|every token|token latency|per tok|between tokens|decode latency|a token)\b"
            r"|/ ?tok(?:en)?\b"
        ),
    ),
    (
        "ttft",
        re.compile(
            r"\b(?:ttft|time[ -]to[ -]first[ -]token|first[ -]token|first token latency"
            r"|prefill latency|"
            r"start(?:s|ing)? (?:answering|streaming|responding)|first word|erste[sn]? token)\b"
        ),
    ),
    (
        "e2e",
        re.compile(
            r"\b(?:e2e|end[ -]to[ -]end|whole (?:answer|request|response)|full (?:answer"
            r"|response|reply"
            r"|request)|complete (?:answer|response|reply)|total latency|response time|round trip"
            r"|entire (?:answer|response)|request latency|total response|antwortzeit)\b"
        ),
    ),
)
PERCENTILE = re.compile(
    r"\bp ?(?P<p>\d{2}(?:\.\d{1,3})?)(?![\w%]|\.\d)|\b(?P<th>\d{2}(?:\.\d+)?)(?:th|st|nd"
    r"|rd)?[ -]percentile"
    r"|\b(?P<share>\d{2}(?:\.\d)?) ?(?:%|percent)(?: (?=within|under|below|\0)"
    r"| of (?:the |all )?(?:requests|calls|queries|answers|responses|time))"
    r"|\b(?P<word>median)\b|\bp(?P<nines>999)\b"
)
LATENCY_WORD = re.compile(
    r"\b(?:latency|latenz|latencies|respon(?:d|ds|se|ses|sive)|answers?|reply|replies|ttft|tpot"
    r"|sla|slo|"
    r"real ?time|p\d\d|percentile|faster than|tokens?|delay|wait)\b"
)
DEADLINE_WORD = re.compile(
    r"\b(?:within|in|deadline|finish(?:es|ed)?|done|complete[ds]?|under|less than|at most|max"
    r"|no longer"
    r"|by|for|over|binnen|innerhalb|takes?|bis)\b[^,;]{0,24}\Z"
)
TERM_WORD = re.compile(
    r"\A[ -]?(?:savings?|ris?\b|reserved|reservation|capacity|commit|term|plan|convertible"
    r"|compute|upfront|ec2|no[ -]upfront)"
)
TERM_BEFORE = re.compile(
    r"\b(?:savings? ?plans?|reserved|ris?|commit(?:ment)?|term|capacity block|block)\b[^,;]{0,18}\Z"
)
THINK = re.compile(r"\b(?:every|each|once every)\s\Z")
AFTER_FIGURE = re.compile(r"\s?(?:\(|of |for |on |to |until |till )?(?:the |a )?")
LEAD = re.compile(
    r"(?:\b(?:latency|ttft|tpot|itl|e2e|p\d\d|under|below|less than|within|at most|max|maximum"
    r"|up to|of|in|is"
    r"|no more than|must be|be|unter|faster than|<=?|to|for|response times?|time to first token|"
    r"first token|end[ -]to[ -]end)|[<=:])\s*\Z"
)
WEEKEND = re.compile(r"\b(?:over|in|within|during|on) (?:an?|the|one|this|next) weekend\b")
WEEKEND_H = 48.0
A_WHILE = re.compile(
    r"\b(?:in|within|inside|under|during|over) (?:an?|the|one|1) (?P<unit>day|week|fortnight"
    r"|month)\b"
)
WHILE_H = {"day": 24.0, "week": 168.0, "fortnight": 336.0, "month": 730.0}
# What no served model is faster than, in ms, and what nobody calls a latency any more, in s.
PLAUSIBLE = {"ttft": (5.0, 10.0), "e2e": (5.0, 30.0), "per_token": (1.0, 0.5)}
SUB_SECOND = re.compile(r"\bsub[ -]?second\b")
HOURS_MS = 3.6e6


def read_durations(draft: Draft, *, trains: bool) -> None:
    """Say `latency_ms` (with kind and percentile), `deadline_h` or `term_years`."""
    for match in draft.reader.matches(DURATION):
        _say_duration(draft, match, trains=trains)
    for match in draft.reader.matches(SUB_SECOND):
        draft.say("latency_ms", 1000.0, *match.span(), sign="<")
    if trains or "items" in draft.said:
        _read_weekend(draft)
        for match in draft.reader.matches(A_WHILE):
            draft.say("deadline_h", WHILE_H[match["unit"]], *match.span(), sign="<")
    if "latency_ms" not in draft.said:
        for match in draft.reader.matches(UNITLESS):
            say_unitless(draft, match)
    read_kind(draft)


def _read_weekend(draft: Draft) -> None:
    for match in draft.reader.matches(WEEKEND):
        draft.say("deadline_h", WEEKEND_H, *match.span(), sign="<")
        draft.note("weekend", f"`{match[0]}` is read as {WEEKEND_H:g} hours.")


def milliseconds(match: re.Match[str]) -> float:
    """Return a match of DURATION in milliseconds, a range by its upper end."""
    value = number(match["high"] or match["n"]) * 1000.0 * seconds()[unit_of(match)]
    return -value if match["sign"] else value


def unit_of(match: re.Match[str]) -> str:
    """Return the key of the unit of time in a match of DURATION."""
    return unit_key(match["unit"], "times", "short times")


def _say_duration(draft: Draft, match: re.Match[str], *, trains: bool) -> None:
    before, after = draft.reader.before(match.start(), 60), draft.reader.after(match.end())
    value = milliseconds(match)
    start = match.start() - (len(lead[0]) if (lead := LEAD.search(before)) else 0)
    is_term = unit_of(match) == "y" and not trains and _years(value) in {1.0, 3.0}
    if is_term or TERM_WORD.match(after) or TERM_BEFORE.search(before):
        draft.say("term_years", _years(value), start, match.end())
    elif unit_of(match) in {"us", "ms", "s"} or (
        unit_of(match) == "min" and not trains and LATENCY_WORD.search(before)
    ):
        _say_latency(draft, match, before, start)
    elif trains or DEADLINE_WORD.search(before):
        draft.say("deadline_h", value / HOURS_MS, start, match.end(), sign="<")
    else:
        draft.ignore(
            *match.span(), suggestion="latency<200ms, deadline=24h or a 1-year savings plan"
        )


def _say_latency(draft: Draft, match: re.Match[str], before: str, start: int) -> None:
    after = draft.reader.after(match.end())
    if is_observed(before, after):
        draft.details["observed_latency_ms"] = f"{milliseconds(match):g}"
        draft.mark("observed", *match.span())
        return
    if THINK.search(before):
        draft.details["request_every_s"] = f"{milliseconds(match) / 1000:g}"
        draft.mark("detail:request_every_s", *match.span())
        return
    kind = "per_token" if match["token"] else _kind_beside(draft, match, before)
    if kind:
        draft.say("latency_kind", kind, *match.span())
    draft.say("latency_ms", milliseconds(match), start, match.end(), sign="<")


def _kind_beside(draft: Draft, match: re.Match[str], before: str) -> str | None:
    """Return the kind that the words right after the figure name, else the last one before it."""
    after = AFTER_FIGURE.match(draft.reader.whole, match.end())
    place = after.end() if after else match.end()
    for kind, pattern in KINDS:
        if named := pattern.match(draft.reader.whole, place):
            draft.reader.take(*named.span())
            return kind
    found = [(m.end(), m.start(), kind) for kind, p in KINDS for m in p.finditer(before)]
    if not found:
        return None
    end, begin, kind = max(found)
    offset = match.start() - len(before)
    draft.reader.take(offset + begin, offset + end)
    return kind


def say_unitless(draft: Draft, match: re.Match[str]) -> None:
    """Record a latency that was said without a unit: milliseconds, with a note."""
    words = draft.reader.words(*match.span()).strip()
    value = without_unit(draft, words, number(match["n"]))
    draft.say("latency_ms", value, *match.span(), sign="<")


def without_unit(draft: Draft, words: str, figure: float, kind: str | None = None) -> float:
    """Return a latency said without a unit in milliseconds, which is noted.

    A figure of milliseconds that no service answers in is seconds; one of seconds that nobody
    waits is milliseconds. Between the two, seconds are offered.
    """
    least_ms, most_s = PLAUSIBLE[kind or "e2e"]
    if 0 < figure < least_ms:
        draft.note("latency_unit", f"`{words}` has no unit: read as seconds.")
        return figure * 1000.0
    draft.note("latency_unit", f"`{words}` has no unit: read as milliseconds.")
    if 0 < figure <= most_s:
        draft.offer("latency_unit", "latency_ms", (f"{figure:g} s", {"latency_ms": figure * 1e3}))
    return figure


def read_kind(draft: Draft) -> None:
    """Say which latency is meant and at which percentile, where the words around it tell."""
    if "latency_ms" not in draft.said:
        return
    if "latency_kind" not in draft.said and len(draft.said["latency_ms"]) == 1:
        for kind, pattern in KINDS:
            if match := pattern.search(draft.reader.work):
                draft.say("latency_kind", kind, *match.span())
                break
    if match := PERCENTILE.search(draft.reader.work):
        draft.say("percentile", percentile(match), *match.span())


def percentile(match: re.Match[str]) -> float:
    """Return the percentile a match of PERCENTILE names."""
    if match["word"]:
        return 50.0
    return 99.9 if match["nines"] else float(match["p"] or match["th"] or match["share"])


def _years(value_ms: float) -> float:
    years = value_ms / 1000.0 / seconds()["y"]
    return float(round(years)) if abs(years - round(years)) < 0.02 and years > 0.5 else years


# A window that is written as a bare number of thousands: no served model has one as short.
SHORTEST_TOKENS: Final = 256
COUNTS_TOKENS: Final = re.compile(r"tok")
# 4k, 128k: sizes that windows have, where no other rule read them as a load or money.
BARE: Final = re.compile(
    r"(?<![\w$.,/-])(?P<n>1|2|4|8|16|32|64|100|128|200|256|512|1024)k(?![\w/])"
)


def read_bare_windows(draft: Draft) -> None:
    """Say the context that stands alone as "32k", beside a model."""
    if not {"model", "params_b"} & draft.said.keys() or {"context", "seq_len"} & draft.said.keys():
        return
    for match in draft.reader.matches(BARE):
        words = draft.reader.words(*match.span()).strip()
        draft.note("bare_window", f"`{words}` is read as the context window.")
        draft.say("context", tokens(match["n"], "k"), *match.span())


def settle_short_window(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Read "context 32" as 32k, where the model holds that; of `context=32` only offer it."""
    every = draft.said.get("context", ())
    if len(every) != 1 or not 0 < said.get("context", 0) <= SHORTEST_TOKENS:
        return
    one, count = every[0], int(said["context"])
    words = draft.reader.words(one.start, one.end).strip()
    thousands = count * 1024
    if COUNTS_TOKENS.search(words.lower()) or thousands > _longest_window(said, vocabulary):
        return
    if one.keyed:
        draft.note("short_window", f"`{words}` is read as {count} tokens.")
        draft.offer("short_window", "context", (f"{count}k context", {"context": thousands}))
        return
    said["context"] = thousands
    draft.note("short_window", f"`{words}` is read as {count}k tokens.")
    draft.offer("short_window", "context", (f"{count} tokens context", {"context": count}))


def _longest_window(said: dict[str, Any], vocabulary: Vocabulary) -> float:
    """Return the window of the model named in tokens; no limit is known of a size alone."""
    if "model" not in said:
        return float("inf")
    return vocabulary.catalog.models[vocabulary.model_id(said["model"])].max_context or 0
