"""Reads the values that are names: models, the lexicon's choices, free text."""

import re

from bot.language.fields.entry import RAW, WORDS, Entry
from bot.language.fields.hardware import QUOTED
from bot.language.fields.keys import CHOICES, UNUSED
from bot.language.fields.numbers import network_speed
from bot.language.names.model_names import billions
from bot.language.names.models import find_name, say_model
from bot.language.names.whole_names import say_unknown, take_tail, unread_of
from bot.language.text.phrases import hits
from bot.language.text.tables import stopwords
from engine.core.dtypes import is_cache_format

RAW_NAME = re.compile(r"[^\s,]+")

ONLY_SIZE = re.compile(r"\d+(?:\.\d+)?[bm]")


def read_choice(entry: Entry) -> bool:
    """Read one value (or a list to compare) of a field with named values."""
    end, values = entry.value_at, list[str]()
    if entry.field == "network" and network_speed(entry):
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


def _choice_at(entry: Entry, match: re.Match[str]) -> tuple[str | None, int]:
    word = match[0].rstrip(".?!")
    stop = match.start() + len(word)
    listed = CHOICES.get(entry.field, {})
    if entry.field == "use_case":
        listed = {name: name for name in entry.vocabulary.catalog.use_cases}
    if word.replace("-", "_") in listed:
        return listed[word.replace("-", "_")], stop
    # A value may be two words in the text ("on demand"), but not run into the next one.
    field = "quant" if entry.field == "kv_dtype" else entry.field
    window = entry.text[match.start() : match.start() + 40]
    for hit in hits(window, entry.vocabulary.phrases):
        if hit.start:
            break
        for meaning in hit.meanings:
            if entry.field == "kv_dtype" and not is_cache_format(str(meaning.value)):
                continue
            if meaning.name == field and match.start() + hit.end >= stop:
                return str(meaning.value), match.start() + hit.end
    return None, stop


def read_latency_kind(entry: Entry) -> bool:
    """latency_kind = "ttft" | "per_token" | "e2e" | what they are also called."""
    match = WORDS.match(entry.text, entry.value_at)
    if match is None or match[0] not in CHOICES["latency_kind"]:
        return False
    entry.say(CHOICES["latency_kind"][match[0]], match.end())
    return True


def read_flag(entry: Entry) -> bool:
    """needs_cuda = "true" | "yes" | "1" | "false" | "no" | "0"."""
    end = entry.raw_end()
    word = entry.text[entry.value_at : end]
    if word not in {"true", "yes", "1", "false", "no", "0"}:
        return False
    entry.say(word in {"true", "yes", "1"}, end)
    return True


def read_model(entry: Entry) -> bool:
    """Model = name | owner "/" name | size {"," …}."""
    end, found = entry.value_at, False
    while match := RAW_NAME.match(entry.text, end):
        end = _one_model(entry, match)
        found = True
        if entry.text[end : end + 1] != ",":
            break
        end += 1
    return found


def _one_model(entry: Entry, match: re.Match[str]) -> int:
    """Record the model named at `match`; return where its name ends."""
    draft, vocabulary = entry.draft, entry.vocabulary
    end = match.start() + len(match[0].rstrip(".?!)"))
    size = ONLY_SIZE.fullmatch(entry.text, match.start(), end)
    if size is not None:
        draft.say("params_b", billions(size[0]), entry.start, end, keyed=True)
        return end
    start = match.start() + entry.text[match.start() : end].rfind("/") + 1
    found = find_name(entry.text, start, vocabulary)
    if found is None or unread_of(found, entry.text, vocabulary) is not None:
        draft.reader.take(entry.start, entry.value_at)
        say_unknown(draft, match.start(), end, vocabulary, keyed=True)
        return end
    draft.reader.take(entry.start, found.start)
    say_model(draft, found, entry.vocabulary, keyed=True)
    return take_tail(draft, found.end, vocabulary)


def read_text(entry: Entry) -> bool:
    """Keep the user's own spelling: quotes are taken off, nothing else is changed."""
    begin = entry.value_at - (entry.text[entry.value_at - 1] in "\"'")  # numbers stand without
    if quoted := QUOTED.match(entry.text, begin):
        group = next(index for index in (1, 2, 3) if quoted[index] is not None)
        value = entry.draft.reader.words(*quoted.span(group)) if quoted[group] else ""
        entry.say(value, quoted.end())
        return bool(value)
    match = RAW.match(entry.text, entry.value_at)
    if match is None or (entry.field == "guide" and not _names_guide(entry, match[0])):
        return False
    entry.say(entry.draft.reader.words(*match.span()), match.end())
    return True


def _names_guide(entry: Entry, word: str) -> bool:
    """Return whether a guide's number follows: "the guide: training a 30B" goes on in prose."""
    return entry.certain or re.match(r"0\d\d\b", word) is not None


def read_detail(entry: Entry) -> bool:
    """k8s = any word: kept as the user wrote it, and said not to be used."""
    end = entry.raw_end()
    if end == entry.value_at or (not entry.certain and _is_prose(entry, end)):
        return False
    entry.draft.details[entry.field] = entry.draft.reader.words(entry.value_at, end)
    said = entry.draft.reader.words(entry.start, end).strip()
    entry.draft.note(f"unused_{entry.field}", f"`{said}` was not used: {UNUSED[entry.field]}.")
    entry.draft.mark("detail", entry.start, end)
    return True


def _is_prose(entry: Entry, end: int) -> bool:
    """Return whether a sentence goes on after the colon ("compute optimizer: how to call it")."""
    return entry.text[entry.value_at : end].rstrip(".,!?") in stopwords()


def read_compare(entry: Entry) -> bool:
    """Read `compare=a,b`: the names are read like any others, side by side."""
    entry.draft.mark("intent:compare", entry.start, entry.value_at)
    return True
