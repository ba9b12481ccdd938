"""Reads `field=value`, `field<value`, `field>value` and `field:value`, in any order."""

import re
from collections.abc import Callable
from dataclasses import replace

from bot.core.examples import example
from bot.language.draft import Draft, Sign
from bot.language.fields import field_names
from bot.language.fields import hardware as field_hardware
from bot.language.fields import numbers as field_numbers
from bot.language.fields.entry import RAW, Entry
from bot.language.fields.keys import BARE_NAMES, CLAIMS, KEYS, OPEN_VALUES, ValueKind
from bot.language.text.numbers import DIGITS
from bot.language.text.vocabulary import Vocabulary, nearest

KEY = re.compile(
    r"(?<![\w./-])(?:--)?(?:(?P<p1>p\d{2,3})[_ -]?)?(?P<key>[a-z][a-z0-9_/-]{0,40}?)(?:[_ "
    r"-]?(?P<p2>p\d{2,3}))?\"?"
    r"(?:\s*(?P<sign><=|>=|==|=<|=>|<|>|=|~)\s*|(?P<colon>:)\s*)(?:[\"'](?=\d+[\"']))?(?=\S)"
)

# "users 200", "max_model_len 8192", "max-model-len 8192": a name and its value without a sign
BARE = re.compile(
    r"(?<![\w./-])(?P<key>[a-z]+(?:[_/-][a-z0-9]+)*)(?P<of> (?:of|is|about|around|up to))?"
    r"\s+(?=[\w$.~])"
)
# What ends a value that a short name without a sign takes.
ENDS = re.compile(r"\s*(?:\Z|[,;\n)]|\b[a-z]{1,4}[\d-][\w-]*\.\w+)|\s+(?=[a-z_]+[ =]\d)")
FIGURE = re.compile(rf"[~$]?{DIGITS}(?:\s?[kmb](?![a-z0-9]))?(?:\s?(?:tokens?|tok)\b)?")
NEXT_WORD = re.compile(r"[\s-]?(?P<word>[a-z/%]+(?:/s)?)(?![a-z0-9])(?P<number>[ =]\d)?")
# A number that belongs to the word after it: "10 users 2000 …", "512 prompt tokens"
TAKEN_BEFORE = re.compile(
    r"(?<![\w.-])\d[\d,.]*(?<![,.])\s?(?:k|m|thousand|million|th|[gt]i?b(?:ps)?|m?s|h|usd|secs?"
    r"|(?:second|minute|hour|day|week|dollar)s?)?[ -]"
    r"(?:tokens? (?:of )?|concurrent |parallel |active )?\Z"
)
MADE_UP = re.compile(r"[\w.]*[-_\d][\w.-]*(?=[\s,;]|\Z)")
FLAG = re.compile(r"(?<!\S)--(?P<key>[a-z][a-z0-9_-]{1,40})\s+(?=[^-\s])")

# A flag in a list of arguments, as YAML and JSON write it: "--max-model-len","16384"
LISTED_FLAG = re.compile(
    r"""["']--(?P<key>[a-z][a-z0-9_-]{1,40})["']\s*,?\s*(?:\n\s*-\s*)?["'](?=[^\s"'-])"""
)

UNIT_OF = re.compile(r"(?:\bper |\ban? |\bevery |/ ?)\Z")
SIGNS: dict[str, Sign] = {"<": "<", "<=": "<", "=<": "<", ">": ">", ">=": ">", "=>": ">"}

EXAMPLES: dict[ValueKind, str] = {
    "latency": "inference 7B latency<100ms",
    "budget": "inference 8B budget<$5/hr",
    "params": "inference params=7B",
    "chip": example("fields_1"),
    "duration": "train 7B deadline=72h",
}


def read_fields(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say the value of every `field=value` in the text.

    Raises:
        RequestError: `invalid_value` for a value its field cannot take, and the unknown_ codes.
    """
    for pattern in (LISTED_FLAG, KEY, FLAG):
        for match in draft.reader.matches(pattern):
            entry = _entry(draft, vocabulary, match)
            if entry is None:
                _unknown_key(draft, match)
            elif not _open_value(entry):
                _read_entry(entry, match)
    for match in draft.reader.matches(BARE):
        entry = _entry(draft, vocabulary, match)
        if entry is not None and _needs_no_sign(entry, match):
            _read_entry(replace(entry, certain=False, keyed=False), match)


def _entry(draft: Draft, vocabulary: Vocabulary, match: re.Match[str]) -> Entry | None:
    key = match["key"].replace("-", "_").strip("_")
    if match.groupdict().get("colon") and UNIT_OF.search(draft.reader.before(match.start())):
        return None  # "1000 req per min: …"
    if re.fullmatch(r"p\d{2,3}", key):
        key = "latency"  # p95<100ms
    if key not in KEYS:
        return None
    groups = match.groupdict()
    return Entry(
        draft=draft,
        vocabulary=vocabulary,
        key=key,
        field=KEYS[key][0],
        sign=SIGNS.get(groups.get("sign") or "=", "="),
        start=match.start(),
        value_at=match.end(),
        certain=groups.get("colon") is None,
    )


def _needs_no_sign(entry: Entry, match: re.Match[str]) -> bool:
    """Return whether a value stands right behind its field's name, and nothing else claims it."""
    named = entry.draft.mention_at(entry.value_at, entry.value_at + 1)
    if named is not None and named.polarity != "for":
        return False  # "without GPUs A100": the word before a name is no field
    written, kind = match["key"], KEYS[entry.key][1]
    how = "always" if "_" in written or "-" in written else BARE_NAMES.get(written)
    if how == "named":
        return MADE_UP.match(entry.text, entry.value_at) is not None
    if how is None or kind in {"detail", "text"}:
        return False
    figure = FIGURE.match(entry.text, entry.value_at)
    if figure is None:
        return kind not in COUNTED and match["of"] is None
    return _owns_figure(entry, kind, figure, last=how == "at_end")


def _owns_figure(entry: Entry, kind: ValueKind, figure: re.Match[str], *, last: bool) -> bool:
    """Return whether the figure behind a name is its own; with `last` nothing may go on then."""
    taken = TAKEN_BEFORE.search(entry.text[max(0, entry.start - 24) : entry.start])
    if taken or (kind not in IN_BILLIONS and _in_billions(figure)):
        return False  # "10 users 2000 …", "batch 13B"
    if last:
        return ENDS.match(entry.text, figure.end()) is not None
    following = NEXT_WORD.match(entry.text, figure.end())
    if following is None or following["number"]:
        return True
    claims = CLAIMS["thing"] | (CLAIMS["unit"] if kind in COUNTED else frozenset())
    unit = following["word"][0] in "/%" and kind in COUNTED - {"fraction"}
    return not unit and following["word"] not in claims


def _in_billions(figure: re.Match[str]) -> bool:
    """Return whether a figure is written like a model's size ("7b")."""
    return figure[0].endswith("b")


def _unknown_key(draft: Draft, match: re.Match[str]) -> None:
    """Report `foo=bar` as not understood, whole, with the nearest field."""
    sign = match.groupdict().get("sign")
    if sign is None or (sign not in {"=", "=="} and f"{match['key']}{sign}" not in match[0]):
        return  # "Frankfurt <10$/h" compares nothing with Frankfurt
    end = RAW.match(draft.reader.work, match.end())
    if end is None or "\0" in match["key"]:
        return
    close = nearest(match["key"], KEYS, 1)
    draft.ignore(match.start(), end.end(), suggestion=f"{close[0]}=…" if close else None)


def _open_value(entry: Entry) -> bool:
    """Take `concurrency=?` or `ctx=variable`: the field is left open on purpose."""
    end = entry.raw_end()
    word = entry.text[entry.value_at : end].rstrip(".!")
    if word not in OPEN_VALUES or KEYS[entry.key][1] in {"text", "choice", "detail"}:
        return False
    entry.draft.note(f"{entry.field}_open", f"{entry.field} was left open (`{word}`).")
    if word == "mixed":
        entry.draft.details["architecture"] = "mixed"
    entry.draft.mark("open", entry.start, end)
    return True


def _read_entry(entry: Entry, match: re.Match[str]) -> None:
    kind = KEYS[entry.key][1]
    taken = READERS[kind](entry)
    if kind == "latency":
        _read_percentile(entry, match)
    if not taken and entry.certain:
        _refuse_value(entry)


def _read_percentile(entry: Entry, match: re.Match[str]) -> None:
    groups = match.groupdict()
    in_key = groups["key"] if re.fullmatch(r"p\d{2,3}", groups["key"]) else None
    said = groups.get("p1") or groups.get("p2") or in_key
    if said:
        value = 99.9 if said == "p999" else float(said[1:])
        entry.draft.say("percentile", value, match.start(), match.end(), keyed=True)


def _refuse_value(entry: Entry) -> None:
    end = entry.raw_end()
    value = entry.draft.reader.words(entry.value_at, end) if end > entry.value_at else ""
    raise entry.draft.refusal(
        "invalid_value",
        f"`{value}` is no value for {entry.field or entry.key}.",
        entry.start,
        max(end, entry.value_at),
        name=entry.field or None,
        example=EXAMPLES.get(KEYS[entry.key][1], example("fields_5")),
    )


# Kinds whose values are plain figures, which the word after them may claim.
IN_BILLIONS: frozenset[ValueKind] = frozenset({"token_rate", "amount", "params", "tokens"})
COUNTED: frozenset[ValueKind] = frozenset({"length", "count", "rate", "token_rate", "fraction"})
READERS: dict[ValueKind, Callable[[Entry], bool]] = {
    "choice": field_names.read_choice,
    "model": field_names.read_model,
    "params": field_numbers.read_params,
    "length": field_numbers.read_length,
    "count": field_numbers.read_count,
    "rate": field_numbers.read_rate,
    "token_rate": field_numbers.read_token_rate,
    "latency": field_numbers.read_latency,
    "latency_kind": field_names.read_latency_kind,
    "percentile": field_numbers.read_percentile,
    "amount": field_numbers.read_amount,
    "duration": field_numbers.read_duration,
    "term": field_numbers.read_term,
    "budget": field_numbers.read_budget,
    "region": field_hardware.read_region,
    "instance": field_hardware.read_instance,
    "chip": field_hardware.read_chip,
    "memory": field_hardware.read_memory,
    "fraction": field_numbers.read_fraction,
    "bandwidth": field_numbers.read_bandwidth,
    "flag": field_names.read_flag,
    "groups": field_hardware.read_groups,
    "text": field_names.read_text,
    "detail": field_names.read_detail,
    "tokens": field_numbers.read_tokens,
    "compare": field_names.read_compare,
}
