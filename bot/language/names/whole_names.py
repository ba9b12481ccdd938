"""Holds a name to what it says in full: a part left over is another model, an owner never one.

`org/name` is one word. A name that the catalog does not have is sized from itself
("235B-A22B", "2.4T", "8x7B") or refused; nothing ever stands in for it.
"""

import re
from dataclasses import dataclass

from bot.language.draft import Draft
from bot.language.names.model_names import (
    ACTIVE,
    PIECE,
    QUANT_TAIL,
    SIZE,
    ModelMention,
    NameParts,
    billions,
    only_published,
    parts_of,
    plain_name,
)
from bot.language.text.phrases import hits
from bot.language.text.plain import TAKEN
from bot.language.text.tables import spoken, stopwords, words
from bot.language.text.vocabulary import Vocabulary, nearest

GLUED_BEFORE = re.compile(r"[a-z0-9][a-z0-9._+-]*\Z")
GLUED_AFTER = re.compile(r"[-_.:+]{0,2}[a-z0-9](?:[a-z0-9._:+-]*[a-z0-9+])?")
LONGEST = 120  # characters of a name
SEGMENT = re.compile(r"[^-_\s]+")
# The owner of a repository and its name.
REPOSITORY = re.compile(
    r"(?<![\w./@:-])(?P<org>[a-z0-9][\w.-]{1,60})/(?P<name>[a-z0-9][\w.+-]{1,119}[a-z0-9+])(?![\w/:@])"
)
NUMBERED = re.compile(r"(?=.*[a-z])(?=.*\d).*[-_.].*")
NAMED_HERE = re.compile(r"\b(?:deploy|serve|host|run|models?|(?:fine-?)?tune|train)[ :=]+\Z")
TRILLIONS = re.compile(r"(?<![a-z0-9.])(?P<n>\d+(?:\.\d+)?)t(?![a-z0-9])")
VARIANTS = frozenset(words("variant_words"))
JOINED_VARIANTS = VARIANTS | frozenset(words("variant_words_joined"))
_VARIANT = "|".join((*sorted(VARIANTS), r"v\d(?:\.\d)?"))
# A word after a name that makes another of it, unless it says how it is run.
VARIANT_AFTER = re.compile(
    rf" (?P<word>{_VARIANT})(?![\w-])(?! \d+k\b| \d{{4}})"
    r"(?! (?:attention|attn|mode|models?|speech|instead|please|tasks?|encoder|tower)\b)"
)
# "phi 3 small": a size in words, where the name ends with it
SIZE_AFTER = re.compile(
    rf" (?P<word>{'|'.join(words('variant_sizes'))})"
    r"(?=\s*(?:\Z|[,.?!;]|(?:for|on|in|at|with|or|and|vs)\b))"
)
BITS = frozenset({"bit", "bits", "int", "fp", "nf", "mx", "w", "a"})  # "int-4", "4-bit"
_WHO = (
    r"(?:concurrent |active )?(?:users?|people|developers?|engineers?|customers?|seats?|rps|qps"
    r"|requests?|nutzer|benutzer|usuarios|utilisateurs|personas|personnes)\b"
)
_LOAD = rf"(?: (?:for|at|with|für|mit|pour|avec|para|con))? \d[\d.,]*k? ?{_WHO}"
# What a load is said of, at the head of a text or behind what is to be done with it.
NAMED_LOADED = re.compile(
    r"(?:\A|\b(?:deploy|serve|host|run|inference) )"
    rf"(?P<name>[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*)(?={_LOAD})"
)
NAMED_LAST = re.compile(
    r"\b(?:deploy|serve|host|run|(?:fine-?)?tune|train|model)[ :=]+(?:the |an? |our |my )?"
    r"(?P<name>[a-z][a-z0-9._-]{1,80}\d[a-z0-9._-]{0,40})(?![\w=<>:])"
)
# A name at the head of a text, before what is to be set up of it.
NAMED_HEAD = re.compile(
    r"\A(?P<name>[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*)(?= (?:endpoint|api|server|service|inference)\b)"
)
LOOKS_NAMED = re.compile(r".*(?:\d|[a-z][A-Z]|[A-Z]{2}|-[A-Z])")
# "aya-expanse-32b": words and a size joined to one
SIZED_NAME = re.compile(
    r"(?<![\w./@:=-])[a-z][a-z0-9._]*(?:-[a-z0-9._]+)*?-\d+(?:x\d+)?(?:\.\d+)?[bmt]"
    r"(?:-[a-z0-9._]*[a-z0-9])*(?![\w./=<>:-])"
)
MORE_AFTER = re.compile(
    rf"(?:[ -](?:{_VARIANT}|\d+(?:x\d+)?(?:\.\d+)?[bt]|a\d+(?:\.\d+)?b)(?!\w))*"
)
# What models of a kind are called anyway.
OWN_KIND = {
    "speech": {"asr", "tts"},
    "enc_dec": {"asr"},
    "vision_language": {"vl", "ocr", "omni"},
    "reranker": {"reranker"},
}
# What in a name tells how its model is used; long words may stand in one with others.
TASK_WORDS: dict[str, list[str]] = spoken("task_words")
TELLING = 5  # letters
LEAST_NAME = 4  # letters of a plain word that may be a model's name
SAME_SIZE = 0.1  # a "671B" beside a name is its own size, rounded


@dataclass(frozen=True, slots=True)
class WrittenSize:
    """The sizes that a name carries, in billions of parameters."""

    total_b: float
    active_b: float | None


def size_in(name: str) -> WrittenSize | None:
    """Return the size that a name says of itself; None where it says none."""
    pieces = PIECE.findall(name)
    sizes = [billions(piece) for piece in pieces if SIZE.fullmatch(piece)]
    if large := TRILLIONS.search(name):
        sizes = [float(large["n"]) * 1e3]
    active = [billions(piece[1:]) for piece in pieces if ACTIVE.fullmatch(piece)]
    if len(sizes) > 1 and min(sizes) < max(sizes):  # "1B-7B": in use and in all
        active = active or [min(sizes)]
    return WrittenSize(max(sizes), active[0] if active else None) if sizes else None


def task_in(name: str) -> str | None:
    """Return how a model is used where its name tells ("-Reranker-", "-ASR-"), else None."""
    segments = set(SEGMENT.findall(name))
    return next(
        (
            task
            for task, told in TASK_WORDS.items()
            if any(word in segments or (word in name and len(word) >= TELLING) for word in told)
        ),
        None,
    )


def is_size_of(size_b: float, name: str, vocabulary: Vocabulary) -> bool:
    """Return whether a written size is a model's own, in all or used per token."""
    model = vocabulary.catalog.models[vocabulary.model_id(name)]
    own = (model.total_params_b, model.active_params_b)
    return any(abs(one / size_b - 1) <= SAME_SIZE for one in own)


def glued(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the word around a stretch begins and ends, hyphens and dots being part of it."""
    first = max(0, start - LONGEST)
    before = GLUED_BEFORE.search(text, first, start)
    after = GLUED_AFTER.match(text, end, end + LONGEST)
    return before.start() if before else start, after.end() if after else end


def unread_of(found: ModelMention, text: str, vocabulary: Vocabulary) -> tuple[int, int] | None:
    """Return the whole name where a match does not use it up, None where it does."""
    start, end = glued(text, found.start, found.end)
    rest = QUANT_TAIL.sub("", f"{text[start : found.start]} {text[found.end : end]}")
    segments = [one.strip(".:+") for one in SEGMENT.findall(rest) if one.strip(".:+")]
    sized = found.parts.size is not None
    unused = any(not only_published(one, sized=sized) for one in segments)
    unused = unused or _goes_on_with_number(segments)
    variant = VARIANT_AFTER.match(text, end) or SIZE_AFTER.match(text, end)
    if variant is not None:
        kind = vocabulary.catalog.models[vocabulary.model_id(found.name)].task
        unused = unused or variant["word"] not in OWN_KIND.get(kind, ())
    if not unused:
        return None
    more = MORE_AFTER.match(text, variant.end() if variant else end)
    return start, more.end() if more else end


def _goes_on_with_number(segments: list[str]) -> bool:
    """Return whether a name goes on with a bare number that says no number of bits."""
    return any(one.isdigit() and len(one) == 1 for one in segments) and not BITS & set(segments)


def is_variant(rest: str) -> bool:
    """Return whether what a family's name is joined to makes a model of it ("-turbo")."""
    return bool(JOINED_VARIANTS & set(SEGMENT.findall(rest)))


def read_repositories(draft: Draft, vocabulary: Vocabulary) -> list[ModelMention]:
    """Return the catalog's models among the `org/name` of the text, and say the others.

    Raises:
        RequestError: `unknown_model` for one that carries no size either.
    """
    found = []
    for match in draft.reader.matches(REPOSITORY):
        if not _is_repository(draft, match, vocabulary):
            continue
        parts = _known_parts(match["name"], vocabulary)
        if parts is None:
            say_unknown(draft, *match.span(), vocabulary)
            continue
        name = vocabulary.models.exact[parts]
        end = _without_tail(draft, *match.span("name"), vocabulary)
        draft.reader.take(match.start(), end)
        take_tail(draft, end, vocabulary)
        found.append(ModelMention(name, parts, match.start("name"), end, in_full=True))
    return found


def refuse_unread_name(draft: Draft, vocabulary: Vocabulary) -> None:
    """Refuse what is to be served where it looks like a name and nothing has read it.

    Raises:
        RequestError: `unknown_model`, with the nearest names.
    """
    if {"model", "params_b", "model_kind", "instance"} & draft.said.keys():
        return
    whole = draft.reader.whole
    loaded = NAMED_LOADED.search(whole)
    for match in (NAMED_LAST.search(whole), NAMED_HEAD.match(whole), loaded):
        if match is None or TAKEN in draft.reader.work[match.start("name") : match.end("name")]:
            continue
        looks = LOOKS_NAMED.match(draft.reader.words(*match.span("name")))
        if looks or (match is loaded and _is_strange(match["name"], vocabulary)):
            say_unknown(draft, *match.span("name"), vocabulary)
            return


def _is_strange(word: str, vocabulary: Vocabulary) -> bool:
    """Return whether no part of a word is one that people or this program use."""
    known = vocabulary.known_words | stopwords()
    return len(word) >= LEAST_NAME and not known & {word, *SEGMENT.findall(word)}


def read_sized_names(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say the size of every joined name that nothing has read, with the name.

    "llama-like-7b" and "sub-10b" are made of words that say no name.
    """
    for match in draft.reader.matches(SIZED_NAME):
        first = SEGMENT.findall(match[0])[0]
        told = first in stopwords() or first in vocabulary.known_words - vocabulary.models.stems
        if not told and not only_published(first) and "params_b" not in draft.said:
            say_unknown(draft, *match.span(), vocabulary)


def is_known(name: str, vocabulary: Vocabulary) -> bool:
    """Return whether the catalog has a repository's name, all of it."""
    return _known_parts(name, vocabulary) is not None


def _known_parts(name: str, vocabulary: Vocabulary) -> NameParts | None:
    names = (name, plain_name(name, dated=True), plain_name(name))
    written = (parts_of(PIECE.findall(one)) for one in names)
    return next((parts for parts in written if parts in vocabulary.models.exact), None)


def _is_repository(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> bool:
    """Return whether `a/b` is an owner and a model, rather than a choice of two words."""
    owner, name = match["org"], match["name"]
    if owner in vocabulary.models.owners:
        return True
    choices = (vocabulary.families, vocabulary.chips, vocabulary.catalog.instances)
    if owner[0].isdigit() or any(one in group for one in (owner, name) for group in choices):
        return False
    if is_known(owner, vocabulary) or name in vocabulary.catalog.regions:
        return False
    if is_known(name, vocabulary) or (NUMBERED.fullmatch(name) and size_in(name)):
        return True
    known = vocabulary.known_words | stopwords()
    if set(SEGMENT.findall(owner)) <= known:
        return False
    asked = NAMED_HERE.search(draft.reader.before(match.start())) is not None
    return asked or NUMBERED.fullmatch(name) is not None


def say_unknown(
    draft: Draft, start: int, end: int, vocabulary: Vocabulary, *, keyed: bool = False
) -> None:
    """Size a name the catalog does not have from itself.

    Raises:
        RequestError: `unknown_model` for a name that carries no size.
    """
    written = draft.reader.work[start:end]
    name = draft.reader.words(start, end).strip()[:LONGEST]
    close = nearest(written.rpartition("/")[2], vocabulary.model_list)
    size = size_in(written.rpartition("/")[2])
    if size is None:
        raise draft.refusal(
            "unknown_model",
            f"There is no model `{name}` in the catalog. Close names: {', '.join(close)}. Say one"
            " of them or its size (`params=8B`), or give its config.json with `--model-config`.",
            start,
            end,
            name="model",
            suggestions=close,
            example=f"inference {close[0]}" if close else "inference 7B",
        )
    draft.note(
        "unknown_model_sized",
        f"`{name}` is not in the catalog: sized as a typical {size.total_b:g}B model. Close names: "
        f"{', '.join(close)}.",
    )
    end = _without_tail(draft, start, end, vocabulary)
    draft.say("params_b", size.total_b, start, end, keyed=keyed)
    if size.active_b is not None:
        draft.say("active_params_b", size.active_b, start, end, keyed=keyed)
    if task := task_in(written):
        draft.say("model_task", task, start, end, keyed=keyed)


def _without_tail(draft: Draft, start: int, end: int, vocabulary: Vocabulary) -> int:
    """Return where a name ends that goes on with a number format, which is read by itself."""
    formats = _formats_in(draft.reader.work[start:end], vocabulary)
    return start + formats[0][0] if formats and formats[0][0] else end


def take_tail(draft: Draft, end: int, vocabulary: Vocabulary) -> int:
    """Take what says nothing new behind a name ("-Instruct-2507"), but for number formats.

    Returns:
        Where the whole name ends.
    """
    after = GLUED_AFTER.match(draft.reader.work, end)
    if after is None:
        return end
    place = end
    for start, stop in _formats_in(after[0], vocabulary):
        draft.reader.take(place, end + start)
        place = end + stop
    draft.reader.take(place, after.end())
    return after.end()


def _formats_in(name: str, vocabulary: Vocabulary) -> list[tuple[int, int]]:
    """Return where a name speaks of number formats or of a program that runs it."""
    return [
        (hit.start, hit.end)
        for hit in hits(name, vocabulary.phrases)
        if any(meaning.name in {"quant", "framework"} for meaning in hit.meanings)
        and _tells_storage(name[hit.start : hit.end])
    ]


def _tells_storage(written: str) -> bool:
    """Return whether words of a name tell how it is stored ("awq", "q4_k_m"), not what it is."""
    return bool(QUANT_TAIL.fullmatch(written)) or all(map(only_published, SEGMENT.findall(written)))
