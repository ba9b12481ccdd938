"""Reads `field=value`, `field<value`, `field>value` and `field:value`, in any order."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.language import money
from bot.language.draft import Draft, Sign
from bot.language.durations import DURATION, milliseconds, percentile, unit_key
from bot.language.gpus import CHIPS, say_chip
from bot.language.instances import guide_only_families, instance_type, refuse_instance
from bot.language.keys import CHOICES, KEYS, OPEN_VALUES, Kind
from bot.language.models import find_name, say_model, say_unknown_sized
from bot.language.numbers import DIGITS, SCALE, SCALES, WINDOW_SCALES, number
from bot.language.phrases import hits
from bot.language.places import refuse_region, region_code
from bot.language.quantities import SECONDS, say_bandwidth
from bot.language.vocabulary import Vocabulary, nearest

KEY = re.compile(
    r"(?<![\w./-])(?:--)?(?:(?P<p1>p\d{2,3})[_ -]?)?(?P<key>[a-z][a-z0-9_/-]{0,40}?)(?:[_ -]?(?P<p2>p\d{2,3}))?"
    r"(?:\s*(?P<sign><=|>=|==|=<|=>|<|>|=|~)\s*|(?P<colon>:)\s*)(?=\S)"
)
FLAG = re.compile(r"(?<!\S)--(?P<key>[a-z][a-z0-9_-]{1,40})\s+(?=[^-\s])")
QUOTED = re.compile(r'"([^"\n]{0,200})"|\'([^\'\n]{0,200})\'|`{1,3}([^`\n]{0,200})`{1,3}')
RAW = re.compile(r"\S+")
WORDS = re.compile(r"[^\s,;]+")
SIGNED = rf"(?P<minus>-?)(?P<n>{DIGITS})"
NUMBER = re.compile(rf"{SIGNED}(?P<scale>{SCALE})(?P<percent>\s?%)?")
LENGTH = re.compile(rf"{SIGNED}(?P<scale>\s?[km](?![a-z0-9]))?(?:\s?(?:tokens?|tok)(?![a-z]))?")
PARAMS = re.compile(rf"{SIGNED}(?P<scale>\s?(?:bn?|billions?|t|trillions?|m|millions?)(?![a-z0-9]))?")
PER = re.compile(r"\s?(?:/|per)\s?(?P<period>[a-z]+)")
COUNTED_MEMORY = re.compile(r"(?:(?P<count>\d{1,5})\s?x\s?)?(?P<mem>\d{1,4}(?:\.\d+)?)\s?(?:gb|gib|g)(?![a-z])")
BANDWIDTH = re.compile(rf"(?P<n>{DIGITS})\s?(?P<unit>tbps|tbit/s|tb/s|gbps|gbit/s|gb/s|g)?(?![a-z])")
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
SIGNS: dict[str, Sign] = {"<": "<", "<=": "<", "=<": "<", ">": ">", ">=": ">", "=>": ">"}


@dataclass(slots=True)
class Entry:
    """One `key sign` found, and where its value starts."""

    draft: Draft
    vocabulary: Vocabulary
    key: str
    field: str
    sign: Sign
    start: int  # of the key
    value_at: int
    certain: bool  # "=", "<" and ">" are grammar; a colon may be plain English

    @property
    def text(self) -> str:
        """Return the open text."""
        return self.draft.reader.work

    def say(self, value: object, end: int, *, field: str | None = None) -> None:
        """Record the value for this entry's field (or another)."""
        name = field or self.field
        self.draft.say(name, value, self.start, end, sign=self.sign, keyed=True)

    def raw_end(self) -> int:
        """Return where the value ends at the latest: the next space or comma."""
        match = WORDS.match(self.text, self.value_at)
        return match.end() if match else self.value_at


def read_fields(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say the value of every `field=value` in the text.

    Raises:
        RequestError: `invalid_value` for a value its field cannot take, and the unknown_ codes.
    """
    for pattern in (KEY, FLAG):
        for match in draft.reader.matches(pattern):
            entry = _entry(draft, vocabulary, match)
            if entry is None:
                _unknown_key(draft, match)
            elif not _open_value(entry):
                _read(entry, match)


def _entry(draft: Draft, vocabulary: Vocabulary, match: re.Match[str]) -> Entry | None:
    key = match["key"].replace("-", "_").strip("_")
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


def _read(entry: Entry, match: re.Match[str]) -> None:
    kind = KEYS[entry.key][1]
    taken = READERS[kind](entry)
    if kind == "latency":
        _read_percentile(entry, match)
    if not taken and entry.certain:
        _refuse(entry)


def _read_percentile(entry: Entry, match: re.Match[str]) -> None:
    groups = match.groupdict()
    in_key = groups["key"] if re.fullmatch(r"p\d{2,3}", groups["key"]) else None
    said = groups.get("p1") or groups.get("p2") or in_key
    if said:
        value = 99.9 if said == "p999" else float(said[1:])
        entry.draft.say("percentile", value, match.start(), match.end(), keyed=True)


def _refuse(entry: Entry) -> None:
    end = entry.raw_end()
    value = entry.draft.reader.words(entry.value_at, end) if end > entry.value_at else ""
    raise entry.draft.refusal(
        "invalid_value",
        f"`{value}` is no value for {entry.field or entry.key}.",
        entry.start,
        max(end, entry.value_at),
        name=entry.field or None,
        example=EXAMPLES.get(KEYS[entry.key][1], "inference llama-3-8b context=8k region=us-east-1"),
    )


EXAMPLES: dict[Kind, str] = {
    "latency": "inference 7B latency<100ms",
    "budget": "inference 8B budget<$5/hr",
    "params": "inference params=7B",
    "chip": "fit llama-3-8b gpu=2xL4",
    "duration": "train 7B deadline=72h",
}


def _number(match: re.Match[str], scales: dict[str, float] = SCALES) -> float:
    value = number(match["n"], (match["scale"] or "").strip(), scales)
    return -value if match["minus"] else value


def _ends(entry: Entry, end: int) -> bool:
    """Return whether the value ends there, rather than in the middle of a word."""
    return end >= len(entry.text) or not (entry.text[end].isalnum() or entry.text[end] == "_")


def _count(entry: Entry) -> bool:
    match = NUMBER.match(entry.text, entry.value_at)
    if not match or not _ends(entry, match.end()):
        return False
    entry.say(_number(match), match.end())
    return True


def _length(entry: Entry) -> bool:
    match = LENGTH.match(entry.text, entry.value_at)
    if not match or not _ends(entry, match.end()):
        return False
    value = round(_number(match, WINDOW_SCALES)) if match["scale"] else _number(match)
    entry.say(float(value), match.end())
    return True


def _params(entry: Entry) -> bool:
    match = PARAMS.match(entry.text, entry.value_at)
    if not match or not _ends(entry, match.end()):
        return False
    unit = (match["scale"] or "").strip()[:1]
    value = number(match["n"]) / {"b": 1.0, "t": 1e-3, "m": 1e3, "": 1.0}[unit]
    if not unit and not entry.field.endswith(entry.key[-2:]) and value >= 1e6:
        value /= 1e9  # params=7e9 counts parameters; params_b= is in billions
    entry.say(-value if match["minus"] else value, match.end())
    return True


def _rate(entry: Entry) -> bool:
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    seconds = 60.0 if entry.key in {"rpm", "qpm", "requests_per_minute"} else 1.0
    end = match.end()
    if per := PER.match(entry.text, end):
        seconds, end = _seconds(per["period"]), per.end()
    entry.say(_number(match) / seconds, end)
    return True


def _token_rate(entry: Entry) -> bool:
    match = NUMBER.match(entry.text, entry.value_at)
    if not match or not _ends(entry, match.end()):
        return False
    end = match.end()
    if per := PER.match(entry.text, end):
        end = per.end()
        if _seconds(per["period"]) > 1:
            entry.say(_number(match) / _seconds(per["period"]), end)
            return True
    entry.say(_number(match), end)
    return True


def _seconds(word: str) -> float:
    key = "mo" if word.startswith("mo") else {"m": "min"}.get(word[0], word[0])
    return SECONDS.get(key, 1.0)


def _latency(entry: Entry) -> bool:
    base = re.sub(r"_ms$", "", entry.key)
    match = DURATION.match(entry.text, entry.value_at)
    bare = None if match else NUMBER.match(entry.text, entry.value_at)
    if match is not None:
        value, end = milliseconds(match), match.end()
        per_token = bool(match["token"])
    elif bare is not None and not bare["percent"] and _ends(entry, bare.end()):
        value, end = _number(bare), bare.end()
        per_token = bool(token := TOKEN.match(entry.text, end))
        end = token.end() if token else end
        if not entry.key.endswith("_ms"):
            words = entry.draft.reader.words(entry.start, end).strip()
            entry.draft.note("latency_unit", f"`{words}` has no unit: read as milliseconds.")
    else:
        return False
    kind = "per_token" if per_token else KIND_OF_KEY.get(base)
    sign: Sign = ">" if entry.sign == ">" else "<"
    entry.draft.say("latency_ms", value, entry.start, end, sign=sign, keyed=True)
    if kind:
        entry.draft.say("latency_kind", kind, entry.start, end, keyed=True)
    return True


def _percentile(entry: Entry) -> bool:
    match = re.compile(r"p?(?P<p>\d{1,2}(?:\.\d{1,3})?)(?:th|%)?(?![\w])").match(entry.text, entry.value_at)
    if not match:
        return False
    entry.say(float(match["p"]), match.end())
    return True


def _duration(entry: Entry) -> bool:
    if match := DURATION.match(entry.text, entry.value_at):
        entry.say(milliseconds(match) / 3.6e6, match.end())
        return True
    return _count(entry)


def _term(entry: Entry) -> bool:
    match = DURATION.match(entry.text, entry.value_at)
    if match and unit_key(match["unit"]) in {"y", "mo", "w", "d"}:
        entry.say(milliseconds(match) / 3.1536e10, match.end())
        return True
    return _count(entry)


def _budget(entry: Entry) -> bool:
    match = money.AMOUNT.match(entry.text, entry.value_at) or BARE_AMOUNT.match(entry.text, entry.value_at)
    if match is None:
        return False
    generic = entry.key in {"budget", "max_price", "max_cost", "price_limit", "cost_limit", "price", "cost"}
    money.say_budget(
        entry.draft, match, entry.start, field=None if generic else entry.field, keyed=True
    )
    return True


BARE_AMOUNT = re.compile(rf"(?P<n1>-?{DIGITS})(?P<s1>{SCALE})(?![\w]){money.PERIOD}")


def _region(entry: Entry) -> bool:
    text = entry.text
    if quoted := QUOTED.match(text, entry.value_at):
        return _say_region(entry, quoted[1] or quoted[2] or quoted[3], quoted.end())
    end, found = entry.value_at, False
    while match := WORDS.match(text, end):
        code, stop = _longest_place(entry, match)
        if code is None:
            refuse_region(entry.draft, match.start(), match.end(), entry.vocabulary)
        entry.say(code, stop)
        end, found = stop, True
        if text[end : end + 1] != ",":
            break
        end += 1
    return found


def _longest_place(entry: Entry, match: re.Match[str]) -> tuple[str | None, int]:
    """Return the region named at `match`, up to three words long, and where it ends."""
    ends = [m.end() for m in WORDS.finditer(entry.text, match.start(), match.start() + 40)][:3]
    for end in reversed(ends):
        words = entry.text[match.start() : end]
        if "\0" not in words and (code := region_code(words, entry.vocabulary)):
            return code, end
    word = match[0].rstrip(".?!")
    if (code := region_code(word, entry.vocabulary)) is not None:
        return code, match.start() + len(word)
    if word[-1:].isalpha() and (code := region_code(word[:-1], entry.vocabulary)):
        entry.draft.details["zone"] = word
        return code, match.start() + len(word)
    return None, match.end()


def _say_region(entry: Entry, name: str, end: int) -> bool:
    code = region_code(name, entry.vocabulary)
    if code is None:
        refuse_region(entry.draft, entry.value_at, end, entry.vocabulary)
    entry.say(code, end)
    return True


def _instance(entry: Entry) -> bool:
    end, found = entry.value_at, False
    while match := WORDS.match(entry.text, end):
        word = match[0].rstrip(".?!")
        stop = match.start() + len(word)
        if word in entry.vocabulary.families and "." not in word:
            entry.say(word, stop, field="allow")
        elif name := instance_type(word, entry.vocabulary):
            entry.say(name, stop)
        else:
            refuse_instance(entry.draft, match.start(), stop, entry.vocabulary)
        end, found = stop, True
        if entry.text[end : end + 1] != ",":
            break
        end += 1
    return found


def _chip(entry: Entry) -> bool:
    chip = CHIPS.match(entry.text, entry.value_at)
    if chip and _ends(entry, chip.end()):
        return say_chip(entry.draft, chip, entry.vocabulary, keyed=True)
    memory = COUNTED_MEMORY.match(entry.text, entry.value_at)
    if memory and _ends(entry, memory.end()):
        if memory["count"]:
            entry.say(float(memory["count"]), memory.end(), field="gpu_count")
        entry.say(float(memory["mem"]), memory.end(), field="gpu_memory_gb")
        return True
    exact = _exact_chip(entry)
    if exact:
        return True
    bare = NUMBER.match(entry.text, entry.value_at)
    if bare and _ends(entry, bare.end()):
        entry.say(_number(bare), bare.end(), field="gpu_count")
        return True
    return False


def _exact_chip(entry: Entry) -> bool:
    end = entry.raw_end()
    word = entry.text[entry.value_at : end]
    for chip in entry.vocabulary.catalog.accelerators:
        if chip.lower() == word:
            entry.say(chip, end, field="gpu")
            return True
    return False


def _memory(entry: Entry) -> bool:
    match = COUNTED_MEMORY.match(entry.text, entry.value_at) or NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    groups = match.groupdict()
    entry.say(float(groups["mem"]) if groups.get("mem") else _number(match), match.end())
    return True


def _fraction(entry: Entry) -> bool:
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    value = _number(match)
    entry.say(value / 100.0 if match["percent"] else value, match.end())
    return True


def _bandwidth(entry: Entry) -> bool:
    match = BANDWIDTH.match(entry.text, entry.value_at)
    if not match or not match["unit"] and not _ends(entry, match.end()):
        return False
    say_bandwidth(entry.draft, number(match["n"]), match["unit"] or "gbps", entry.start, match.end())
    return True


def _flag(entry: Entry) -> bool:
    end = entry.raw_end()
    word = entry.text[entry.value_at : end]
    if word not in {"true", "yes", "1", "false", "no", "0"}:
        return False
    entry.say(word in {"true", "yes", "1"}, end)
    return True


def _groups(entry: Entry) -> bool:
    end, found = entry.value_at, False
    while match := WORDS.match(entry.text, end):
        group = group_name(match[0].rstrip(".?!"), entry.vocabulary)
        if group is None:
            return found
        entry.say(group, match.end())
        end, found = match.end(), True
        if entry.text[end : end + 1] != ",":
            break
        end += 1
    return found


def group_name(word: str, vocabulary: Vocabulary) -> str | None:
    """Return the family or group a word names, None when it names none."""
    if word in vocabulary.families or word in vocabulary.catalog.instances:
        return word
    if word in guide_only_families(vocabulary) or re.fullmatch("[a-z]", word):
        return word
    for hit in hits(word, vocabulary.phrases):
        for meaning in hit.meanings:
            if meaning.name == "group" and hit.end == len(word):
                return str(meaning.value)
    return None


def _choice(entry: Entry) -> bool:
    """Read one value (or a list to compare) of a field with named values."""
    end, values = entry.value_at, []
    if entry.field == "network" and _network_speed(entry):
        return True
    while match := WORDS.match(entry.text, end):
        value, stop = _choice_at(entry, match)
        if value is None:
            return bool(values)
        if value:
            entry.say(value, stop)
        else:
            entry.draft.mark("no_quant", entry.start, stop)
        values.append(value)
        end = stop
        if entry.text[end : end + 1] != ",":
            break
        end += 1
    return bool(values)


def _network_speed(entry: Entry) -> bool:
    match = BANDWIDTH.match(entry.text, entry.value_at)
    if not match or not match["unit"]:
        return False
    say_bandwidth(entry.draft, number(match["n"]), match["unit"], entry.start, match.end())
    return True


def _choice_at(entry: Entry, match: re.Match[str]) -> tuple[str | None, int]:
    word = match[0].rstrip(".?!")
    stop = match.start() + len(word)
    listed = CHOICES.get(entry.field, {})
    if word.replace("-", "_") in listed:
        return listed[word.replace("-", "_")], stop
    # A value may be two words in the text ("on demand"), but not run into the next one.
    field = "quant" if entry.field == "kv_dtype" else entry.field
    window = entry.text[match.start() : match.start() + 40]
    for hit in hits(window, entry.vocabulary.phrases):
        if hit.start:
            break
        for meaning in hit.meanings:
            if meaning.name == field and match.start() + hit.end >= stop:
                return str(meaning.value), match.start() + hit.end
    return None, stop


def _latency_kind(entry: Entry) -> bool:
    match = WORDS.match(entry.text, entry.value_at)
    if match is None or match[0] not in CHOICES["latency_kind"]:
        return False
    entry.say(CHOICES["latency_kind"][match[0]], match.end())
    return True


def _model(entry: Entry) -> bool:
    end, found = entry.value_at, False
    while match := RAW_NAME.match(entry.text, end):
        end = _one_model(entry, match)
        found = True
        if entry.text[end : end + 1] != ",":
            break
        end += 1
    return found


RAW_NAME = re.compile(r"[^\s,]+")
TRAILING_SIZE = re.compile(r"(?:^|[^\d.])(\d+(?:\.\d+)?)(b|m)\b")


def _one_model(entry: Entry, match: re.Match[str]) -> int:
    """Record the model named at `match`; return where its name ends."""
    draft, vocabulary = entry.draft, entry.vocabulary
    start = match.start() + match[0].rfind("/") + 1
    if found := find_name(entry.text, start, vocabulary):
        draft.reader.take(entry.start, found.start)
        say_model(draft, found, keyed=True)
        return _past_tail(draft, found.end, match.end())
    size = TRAILING_SIZE.search(match[0])
    if size is not None:
        size_b = float(size[1]) / (1e3 if size[2] == "m" else 1.0)
        if re.fullmatch(r"\d+(?:\.\d+)?[bm]", match[0]):
            draft.say("params_b", size_b, entry.start, match.end(), keyed=True)
        else:
            say_unknown_sized(draft, match.start(), match.end(), size_b, vocabulary)
            draft.reader.take(entry.start, match.end())
        return match.end()
    close = nearest(match[0], vocabulary.model_list)
    raise draft.refusal(
        "unknown_model",
        f"There is no model `{draft.reader.words(*match.span())}` in the catalog. Did you mean"
        f" {' or '.join(close)}? A size works too: params=7B.",
        *match.span(),
        name="model",
        suggestions=close,
        example=f"inference {close[0]}" if close else "inference 7B",
    )


def _past_tail(draft: Draft, end: int, limit: int) -> int:
    """Take the tail of a repository name that says nothing new ("-Instruct")."""
    if match := re.compile(r"-(?:instruct|chat|hf|it|base)\b").match(draft.reader.work, end, limit):
        draft.reader.take(*match.span())
        return match.end()
    return end


def _text(entry: Entry) -> bool:
    """Keep the user's own spelling: quotes are taken off, nothing else is changed."""
    if quoted := QUOTED.match(entry.text, entry.value_at):
        group = next(index for index in (1, 2, 3) if quoted[index] is not None)
        value = entry.draft.reader.words(*quoted.span(group)) if quoted[group] else ""
        entry.say(value, quoted.end())
        return bool(value)
    match = RAW.match(entry.text, entry.value_at)
    if match is None:
        return False
    entry.say(entry.draft.reader.words(*match.span()), match.end())
    return True


def _detail(entry: Entry) -> bool:
    end = entry.raw_end()
    if end == entry.value_at:
        return False
    entry.draft.details[entry.field] = entry.draft.reader.words(entry.value_at, end)
    entry.draft.mark("detail", entry.start, end)
    return True


def _tokens(entry: Entry) -> bool:
    """Read `tokens=`: the size of a training run; ambiguous where nothing is trained."""
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    per = PER.match(entry.text, match.end())
    if per and _seconds(per["period"]) > 1:
        entry.say(_number(match) / _seconds(per["period"]) * SECONDS["d"], per.end(), field="tokens_per_day")
        return True
    entry.draft.details["tokens"] = f"{_number(match):g}"
    entry.draft.marks["tokens_key"] = (entry.start, match.end())
    entry.draft.reader.take(entry.start, match.end())
    return True


def _compare(entry: Entry) -> bool:
    """Read `compare=a,b`: the names are read like any others, side by side."""
    entry.draft.mark("intent:compare", entry.start, entry.value_at)
    return True


def _amount(entry: Entry) -> bool:
    match = NUMBER.match(entry.text, entry.value_at)
    if not match:
        return False
    end = match.end()
    if word := re.compile(r"\s?(?:tokens?|tok)\b").match(entry.text, end):
        end = word.end()
    entry.say(_number(match), end)
    return True


READERS: dict[Kind, Callable[[Entry], bool]] = {
    "choice": _choice,
    "model": _model,
    "params": _params,
    "length": _length,
    "count": _count,
    "rate": _rate,
    "token_rate": _token_rate,
    "latency": _latency,
    "latency_kind": _latency_kind,
    "percentile": _percentile,
    "amount": _amount,
    "duration": _duration,
    "term": _term,
    "budget": _budget,
    "region": _region,
    "instance": _instance,
    "chip": _chip,
    "memory": _memory,
    "fraction": _fraction,
    "bandwidth": _bandwidth,
    "flag": _flag,
    "groups": _groups,
    "text": _text,
    "detail": _detail,
    "tokens": _tokens,
    "compare": _compare,
}
