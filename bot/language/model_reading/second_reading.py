"""Reads a turn with the grammar, and with a language model what the grammar left unread.

The model's fields are put as `field=value` behind the text, or behind what the grammar understood
of it, and read by the same parser. Whatever the text said in the grammar's own terms stands, and a
reading that is refused or adds nothing is thrown away.
"""

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from bot.core.errors import RequestError
from bot.core.understanding import Intent, Understanding
from bot.language.fields.keys import ValueKind
from bot.language.model_reading.bedrock import MOST_VALUE_CHARACTERS, LanguageModel, kinds
from bot.language.readings import format_request, written
from bot.language.text.numbers import SCALES, number_words
from bot.language.text.plain import lower, normalised
from engine.core.workload import Workload

# A number and the word behind it: "8 bee", "50 folks", "200ms", "g5".
SPOKEN: Final = re.compile(r"(\d+(?:\.\d+)?)([ -]?)([a-z]*)")
GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# "8 bee" and "8 bil" may be 8B; "8 bananas" may not.
MORE_LETTERS: Final = 2


@dataclass(frozen=True, slots=True)
class NumbersOfText:
    """The numbers of a text, each with the word behind it."""

    said: frozenset[tuple[float, str]]

    def holds(self, value: str, *, bare: bool) -> bool:
        """Return whether each number of a value is in the text, with the same unit.

        `bare`: the field counts, so that a number without a unit is one.
        """
        return all(self._holds_one(n, unit, bare=bare) for n, unit in numbers_in(value))

    def _holds_one(self, number: float, unit: str, *, bare: bool) -> bool:
        words = [word for one, word in self.said if one == number]
        if not unit:
            return bare and any(word not in SCALES or not word for word in words)
        return any(
            word.startswith(unit) and len(word) <= len(unit) + MORE_LETTERS for word in words
        )


def numbers_in(text: str) -> list[tuple[float, str]]:
    """Return the numbers of a text in digits or words, each with the word behind it."""
    low = lower(text)
    for start, end, digits in reversed(number_words(low)):
        low = f"{low[:start]}{digits}{low[end:]}"
    return [(float(m[1]), m[3]) for m in SPOKEN.finditer(GROUPED.sub("", low))]


def heard_in(*texts: str) -> NumbersOfText:
    """Return the numbers of the texts."""
    return NumbersOfText(frozenset(pair for text in texts for pair in numbers_in(text)))


VALUE: Final = re.compile(r"[a-z0-9._/+-]+")
# Of these a number without a unit is a count or part of a name; all others need the text's unit.
BARE: Final[frozenset[ValueKind]] = frozenset(
    {"count", "percentile", "fraction", "length", "instance", "chip", "groups", "region"}
)
NAMES: Final[frozenset[ValueKind]] = frozenset({"model", "choice"})
IN_MILLISECONDS: Final = "_ms"


def grammar_words(
    said: Mapping[str, object], unread: NumbersOfText, whole: NumbersOfText
) -> dict[str, str]:
    """Return the fields as values the parser takes: known ones, short, without signs or spaces.

    A number has to stand in what the grammar left `unread`; a model's name may use the `whole`.
    """
    words = {}
    for field, kind in kinds().items():
        value = _plain_value(said.get(field), "-" if kind in NAMES else "")
        if kind == "model":
            value = _named_in(value, whole)
        elif not unread.holds(value, bare=_is_count(field, kind)):
            continue
        if VALUE.fullmatch(value):
            words[field] = value
    return words


def _plain_value(value: object, space: str) -> str:
    """Return a value in lower case, spaces replaced; nothing for one that is no short text."""
    if not isinstance(value, str) or len(value) > MOST_VALUE_CHARACTERS:
        return ""
    return re.sub(r"\s+", space, value.strip().lower())


def _is_count(field: str, kind: ValueKind) -> bool:
    return kind in BARE and not field.endswith(IN_MILLISECONDS)


def _named_in(value: str, whole: NumbersOfText) -> str:
    """Return a model's name without the versions and sizes that nobody said."""

    def kept(match: re.Match[str]) -> str:
        return match[0] if whole.holds(match[0], bare=True) else ""

    return re.sub(r"[-_.]{2,}", "-", SPOKEN.sub(kept, value)).strip("-_.")


# What a workload changes; alerts, help and starting over are understood or they are not.
READ: Final[frozenset[Intent]] = frozenset({"pick", "estimate", "compare", "manifest"})
# Of a text that said nothing these alone would be an answer to a question nobody asked.
NO_QUESTION: Final = frozenset({"task", "mode"})
SIZES: Final = frozenset({"params_b", "active_params_b"})
ASSUMED: Final = "model_assumed"  # the grammar's note of a name taken for granted
CODE: Final = "language_model"
Parse = Callable[[str], Understanding]


def read_with(
    model: LanguageModel, text: str, parse: Parse, previous: Workload | None
) -> Understanding:
    """Return what `parse` understands of a text, and where that is not all of it, the model too.

    Raises:
        RequestError: what `parse` raises, unless the model made a request of a text without one.
    """
    try:
        found = parse(text)
    except RequestError as error:
        if error.code != "not_understood":
            raise
        read = _refused_text(model, text, parse, previous)
        if read is None:
            raise
        return read
    if found.intent not in READ or not found.not_understood:
        return found
    return _understood_in_part(model, found, parse, previous) or found


def _refused_text(
    model: LanguageModel, text: str, parse: Parse, previous: Workload | None
) -> Understanding | None:
    plain = normalised(text)
    heard = heard_in(plain)
    words = grammar_words(model.fields(plain), heard, heard)
    words = _one_size(words, named="model" in words)
    read = _parsed_with(plain, words, parse) if words.keys() - NO_QUESTION else None
    if read is None or read.intent not in READ:
        return None
    before = previous if previous is not None and read.follow_up else Workload()
    typed = tuple(span for span in read.not_understood if span.end <= len(plain))
    empty = Understanding(
        text=plain,
        intent=read.intent,
        workload=before,
        topic=read.topic,
        follow_up=read.follow_up,
        manifest_kind=read.manifest_kind,
        not_understood=typed,
    )
    return _with_note(empty, read.workload)


def _understood_in_part(
    model: LanguageModel, found: Understanding, parse: Parse, previous: Workload | None
) -> Understanding | None:
    before = previous if previous is not None and found.follow_up else Workload()
    kept = found.said | _fields_read(before, found.workload).keys()
    if ASSUMED in found.codes:  # "llama" alone: the model may say which
        kept -= {"model"}
    unread = heard_in(*(span.text for span in found.not_understood))
    words = grammar_words(model.fields(found.text), unread, heard_in(found.text))
    words = _without_fields(words, kept | ({"model"} if SIZES & kept else set()))
    request = _request_before(found.workload, words)
    words = _one_size(words, named="model" in words or found.workload.model is not None)
    read = _parsed_with(request, words, parse) if words else None
    if read is None or read.intent != "pick" or _any_differs(kept, found.workload, read.workload):
        return None
    return _with_note(found, read.workload)


def _request_before(workload: Workload, words: dict[str, str]) -> str:
    """Return what was understood as a request, open to the model where the words name one."""
    if "model" in words:
        workload = replace(workload, model=None, params_b=None, active_params_b=None)
    return format_request(workload)


def _one_size(words: dict[str, str], *, named: bool) -> dict[str, str]:
    """Return the fields without a size where a model is named, which has its own."""
    return _without_fields(words, SIZES) if named else words


def _without_fields(words: dict[str, str], fields: AbstractSet[str]) -> dict[str, str]:
    return {field: value for field, value in words.items() if field not in fields}


def _parsed_with(text: str, words: dict[str, str], parse: Parse) -> Understanding | None:
    fields = " ".join(f"{field}={value}" for field, value in words.items())
    try:
        return parse(f"{text}\n{fields}")
    except RequestError:
        return None


def _any_differs(names: AbstractSet[str], one: Workload, other: Workload) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _with_note(found: Understanding, read: Workload) -> Understanding | None:
    """Return the text as typed with the workload read, and a note of what the model added."""
    added = _fields_read(found.workload, read)
    if not added:
        return None
    listed = ", ".join(f"{field}={_shown_value(value)}" for field, value in added.items())
    note = f"Read with a language model: {listed}. Say it as field=value to be exact."
    placed = {number for number, _ in numbers_in(listed)}
    return replace(
        found,
        workload=read,
        not_understood=tuple(
            span
            for span in found.not_understood
            if not placed & {number for number, _ in numbers_in(span.text)}
        ),
        notes=(*_true_still(found, added), note),
        codes=(*found.codes, CODE),
    )


def _true_still(found: Understanding, added: Mapping[str, object]) -> tuple[str, ...]:
    """Return the grammar's notes, without that of a name which the model has replaced."""
    notes = zip(found.codes, found.notes, strict=True)
    return tuple(note for code, note in notes if code != ASSUMED or "model" not in added)


def _shown_value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else written(value)


def _fields_read(before: Workload, after: Workload) -> dict[str, object]:
    """Return the fields that say something else than before, with what they say."""
    earlier = before.said()
    return {name: value for name, value in after.said().items() if earlier.get(name) != value}
