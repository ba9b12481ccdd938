"""Reads a turn with the grammar, and with a language model what the grammar left unread.

The model's fields are put as `field=value` behind the text, or behind what the grammar understood
of it, and read by the same parser. Whatever the text said in the grammar's own terms stands, and a
reading that is refused or adds nothing is thrown away.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from bot.core.errors import RequestError
from bot.core.understanding import Intent, Understanding
from bot.language.format import format_request, written
from bot.language.model_reading.bedrock import LanguageModel
from bot.language.model_reading.model_fields import grammar_words
from bot.language.model_reading.text_numbers import heard_in, numbers_in
from bot.language.text.normalise import normalised
from engine.core.workload import Workload

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
