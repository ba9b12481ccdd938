"""Reads the values that name hardware or a place: types, families, chips, regions."""

import re

from bot.language.fields.entry import NUMBER, WORDS, Entry, ends_value, signed_number
from bot.language.names.gpus import chips_of, say_chip
from bot.language.names.instances import guide_only_families, instance_type, refuse_instance
from bot.language.names.places import area_codes, refuse_region, region_code
from bot.language.text.phrases import hits
from bot.language.text.vocabulary import Vocabulary

QUOTED = re.compile(r'"([^"\n]{0,200})"|\'([^\'\n]{0,200})\'|`{1,3}([^`\n]{0,200})`{1,3}')

COUNTED_MEMORY = re.compile(
    r"(?:(?P<count>\d{1,5})\s?x\s?)?(?P<mem>\d{1,4}(?:\.\d+)?)\s?(?:gb|gib|g)(?![a-z0-9])"
)


def read_region(entry: Entry) -> bool:
    """Region = (code | nickname | quoted name) {"," …}."""
    text = entry.text
    if quoted := QUOTED.match(text, entry.value_at):
        return _say_region(entry, quoted[1] or quoted[2] or quoted[3], quoted.end())
    end, found = entry.value_at, False
    while match := WORDS.match(text, end):
        code, stop = _longest_place(entry, match)
        if code is None and (area := area_codes(match[0], entry.vocabulary)):
            for one in area:
                entry.say(one, match.end(), field="regions")
            return True
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


def read_instance(entry: Entry) -> bool:
    """Instance = type | family {"," …}; a family is allowed rather than asked about."""
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


def read_chip(entry: Entry) -> bool:
    """Gpu = [count "x"] chip ["-" memory] | [count "x"] memory "GB" | count."""
    if _exact_chip(entry):
        return True
    chip = chips_of(entry.vocabulary).match(entry.text, entry.value_at)
    if chip and ends_value(entry, chip.end()):
        return say_chip(entry.draft, chip, entry.vocabulary, keyed=True)
    memory = COUNTED_MEMORY.match(entry.text, entry.value_at)
    if memory and ends_value(entry, memory.end()):
        if memory["count"]:
            entry.say(float(memory["count"]), memory.end(), field="gpu_count")
        entry.say(float(memory["mem"]), memory.end(), field="gpu_memory_gb")
        return True
    bare = NUMBER.match(entry.text, entry.value_at)
    if bare and ends_value(entry, bare.end()):
        entry.say(signed_number(bare), bare.end(), field="gpu_count")
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


def read_memory(entry: Entry) -> bool:
    """gpu_memory = figure ["GB"]."""
    match = COUNTED_MEMORY.match(entry.text, entry.value_at) or NUMBER.match(
        entry.text, entry.value_at
    )
    if not match:
        return False
    groups = match.groupdict()
    entry.say(float(groups["mem"]) if groups.get("mem") else signed_number(match), match.end())
    return True


def read_groups(entry: Entry) -> bool:
    """Allow = family | type | group {"," …}."""
    end, found = entry.value_at, False
    while match := WORDS.match(entry.text, end):
        group = group_name(match[0].rstrip(".?!"), entry.vocabulary)
        if group is None:
            return found
        entry.say(group, match.end())
        if entry.field == "compare_family":
            entry.draft.marks.setdefault("intent:explain", (entry.start, match.end()))
        end, found = match.end(), True
        if entry.text[end : end + 1] != ",":
            break
        end += 1
    return found


def group_name(word: str, vocabulary: Vocabulary) -> str | None:
    """Return the family, type, chip or group a word names, None when it names none."""
    chips = vocabulary.catalog.accelerators
    if chip := next((one for one in chips if one.lower() == word), None):
        return chip
    if word in vocabulary.families or word in vocabulary.catalog.instances:
        return word
    if word in guide_only_families(vocabulary) or re.fullmatch("[a-z]", word):
        return word
    for hit in hits(word, vocabulary.phrases):
        for meaning in hit.meanings:
            if meaning.name == "group" and hit.end == len(word):
                return str(meaning.value)
    return None
