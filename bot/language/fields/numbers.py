"""Reads the values that are figures: counts, lengths, rates, times, money, shares."""

import re
from typing import Literal

from bot.language.fields.entry import NUMBER, SIGNED, Entry, ends_value, signed_number
from bot.language.text.late import LatePattern
from bot.language.text.numbers import DIGITS, SCALE, WINDOW_SCALES, number
from bot.language.values import money
from bot.language.values.currencies import note_rate, rate_said
from bot.language.values.durations import DURATION, milliseconds, unit_of, without_unit
from bot.language.values.quantities import period_seconds, say_bandwidth
from catalog.facts.units import SECONDS_PER_DAY

LENGTH = re.compile(rf"{SIGNED}(?P<scale>\s?[km](?![a-z0-9]))?(?:\s?(?:tokens?|tok)(?![a-z_]))?")

PARAMS = re.compile(
    rf"{SIGNED}(?P<scale>\s?(?:bn?|billions?|t|trillions?|m|millions?)(?![a-z0-9]))?"
)

PER = re.compile(r"\s?(?:/|per)\s?(?P<period>[a-z]+)")

BANDWIDTH = re.compile(
    rf"(?P<n>{DIGITS})\s?(?P<unit>tbps|tbit/s|tb/s|gbps|gbit/s|gb/s|g)?(?![a-z])"
)

TOKEN = re.compile(r"\s?(?:/|per )\s?(?:output )?tok(?:en)?s?(?![a-z])")

KIND_OF_KEY = {
    "ttft": "ttft",
    "time_to_first_token": "ttft",
    "first_token": "ttft",
    "tpot": "per_token",
    "itl": "per_token",
    "per_token": "per_token",
    "e2e": "e2e",
    "end_to_end": "e2e",
    "response_time": "e2e",
}

BARE_AMOUNT = LatePattern(rf"(?P<n1>-?{DIGITS})(?P<s1>{SCALE})(?![\w]){money.PERIOD}")


def read_count(entry: Entry) -> bool:
    """Concurrency = figure [scale]."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match or not ends_value(entry, match.end()):
        return False
    entry.say(signed_number(match), match.end())
    return True


def read_length(entry: Entry) -> bool:
    """Context = figure ["k" | "m"] ["tokens"], k being 1,024."""
    match = LENGTH.match(entry.text, entry.value_at)
    if not match or not ends_value(entry, match.end()):
        return False
    value = round(signed_number(match, WINDOW_SCALES)) if match["scale"] else signed_number(match)
    entry.say(float(value), match.end())
    return True


def read_params(entry: Entry) -> bool:
    """Params = figure ["b" | "t" | "m"]; a bare figure is in billions."""
    match = PARAMS.match(entry.text, entry.value_at)
    if not match or not ends_value(entry, match.end()):
        return False
    unit = (match["scale"] or "").strip()[:1]
    value = number(match["n"]) / {"b": 1.0, "t": 1e-3, "m": 1e3, "": 1.0}[unit]
    if not unit and not entry.field.endswith(entry.key[-2:]) and value >= 1e6:
        value /= 1e9  # params=7e9 counts parameters; params_b= is in billions
    entry.say(-value if match["minus"] else value, match.end())
    return True


def read_rate(entry: Entry) -> bool:
    """Rps = figure [scale] ["/" period]."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    seconds = 60.0 if entry.key in {"rpm", "qpm", "requests_per_minute"} else 1.0
    end = match.end()
    if per := PER.match(entry.text, end):
        seconds, end = _unit_seconds(per["period"]), per.end()
    entry.say(signed_number(match) / seconds, end)
    return True


def read_token_rate(entry: Entry) -> bool:
    """tokens_per_day = figure [scale] ["/" period]."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match or not ends_value(entry, match.end()):
        return False
    end = match.end()
    if per := PER.match(entry.text, end):
        end = per.end()
        if _unit_seconds(per["period"]) > 1:
            entry.say(signed_number(match) / _unit_seconds(per["period"]), end)
            return True
    entry.say(signed_number(match), end)
    return True


def _unit_seconds(word: str) -> float:
    try:
        return period_seconds(word)
    except StopIteration:
        return 1.0


def read_latency(entry: Entry) -> bool:
    """Latency = duration ["/" "token"] | figure, which is in milliseconds."""
    base = re.sub(r"_ms$", "", entry.key)
    match = DURATION.match(entry.text, entry.value_at)
    bare = None if match else NUMBER.match(entry.text, entry.value_at)
    if match is not None:
        value, end = milliseconds(match), match.end()
        per_token = bool(match["token"])
    elif bare is not None and not bare["percent"] and ends_value(entry, bare.end()):
        value, end = signed_number(bare), bare.end()
        per_token = bool(token := TOKEN.match(entry.text, end))
        end = token.end() if token else end
        if not entry.key.endswith("_ms"):
            words = entry.draft.reader.words(entry.start, end).strip()
            kind = "per_token" if per_token else KIND_OF_KEY.get(base)
            value = without_unit(entry.draft, words, value, kind)
    else:
        return False
    kind = "per_token" if per_token else KIND_OF_KEY.get(base)
    sign: Literal["<", ">"] = ">" if entry.sign == ">" else "<"
    entry.draft.say("latency_ms", value, entry.start, end, sign=sign, keyed=True)
    if kind:
        entry.draft.say("latency_kind", kind, entry.start, end, keyed=True)
    return True


def read_percentile(entry: Entry) -> bool:
    """Percentile = ["p"] figure below 100."""
    match = re.compile(r"p?(?P<p>\d{1,3}(?:\.\d{1,17})?)(?:th|%)?(?![\w])").match(
        entry.text, entry.value_at
    )
    if not match:
        return False
    entry.say(float(match["p"]), match.end())
    return True


def read_duration(entry: Entry) -> bool:
    """Deadline = duration | hours."""
    if match := DURATION.match(entry.text, entry.value_at):
        entry.say(milliseconds(match) / 3.6e6, match.end())
        return True
    return read_count(entry)


def read_term(entry: Entry) -> bool:
    """Term = duration in days or more | years."""
    match = DURATION.match(entry.text, entry.value_at)
    if match and unit_of(match) in {"y", "mo", "w", "d"}:
        entry.say(milliseconds(match) / 3.1536e10, match.end())
        return True
    return read_count(entry)


def read_budget(entry: Entry) -> bool:
    """Budget = ["$"] figure [scale] ["dollars"] ["/" period] ["total"]."""
    if foreign := money.FOREIGN.match(entry.text, entry.value_at):
        rate = rate_said(foreign)
        if rate is None:
            return False  # no exchange rate is known
        words = entry.draft.reader.words(entry.value_at, foreign.end()).strip()
        note_rate(entry.draft, words, money.amount(foreign), rate)
    match = (
        foreign
        or money.AMOUNT.match(entry.text, entry.value_at)
        or BARE_AMOUNT.match(entry.text, entry.value_at)
    )
    if match is None:
        return False
    generic = entry.key in {
        "budget",
        "max_price",
        "max_cost",
        "price_limit",
        "cost_limit",
        "price",
        "cost",
    }
    money.say_budget(
        entry.draft, match, entry.start, field=None if generic else entry.field, keyed=True
    )
    return True


def read_fraction(entry: Entry) -> bool:
    """Util = share | percentage."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    value = signed_number(match)
    entry.say(value / 100.0 if match["percent"] else value, match.end())
    return True


def read_bandwidth(entry: Entry) -> bool:
    """network_gbps = figure ["gbps" | "tbps"]."""
    match = BANDWIDTH.match(entry.text, entry.value_at)
    if not match or (not match["unit"] and not ends_value(entry, match.end())):
        return False
    say_bandwidth(
        entry.draft, number(match["n"]), match["unit"] or "gbps", entry.start, match.end()
    )
    return True


def read_amount(entry: Entry) -> bool:
    """tokens_total = figure [scale] ["tokens"]."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    end = match.end()
    if word := re.compile(r"\s?(?:tokens?|tok)(?!\w)").match(entry.text, end):
        end = word.end()
    entry.say(signed_number(match), end)
    return True


def read_tokens(entry: Entry) -> bool:
    """Read `tokens=`: the size of a training run; ambiguous where nothing is trained."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    per = PER.match(entry.text, match.end())
    if per and _unit_seconds(per["period"]) > 1:
        entry.say(
            signed_number(match) / _unit_seconds(per["period"]) * SECONDS_PER_DAY,
            per.end(),
            field="tokens_per_day",
        )
        return True
    entry.draft.details["tokens"] = f"{signed_number(match):g}"
    entry.draft.marks["tokens_key"] = (entry.start, match.end())
    entry.draft.reader.take(entry.start, match.end())
    return True


def network_speed(entry: Entry) -> bool:
    """Read `network=3.2Tbps`, a speed where the field takes a word."""
    match = BANDWIDTH.match(entry.text, entry.value_at)
    if not match or not match["unit"]:
        return False
    say_bandwidth(entry.draft, number(match["n"]), match["unit"], entry.start, match.end())
    return True
