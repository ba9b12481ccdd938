"""Reads model names: in full, in part, in any order, with a version or size left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.language.draft import Draft
from bot.language.names.model_names import (
    ACTIVE,
    EVERYDAY,
    NUMBER,
    PIECE,
    SIZE,
    ModelMention,
    NameParts,
    billions,
    parts_of,
)
from bot.language.names.whole_names import (
    glued,
    is_size_of,
    is_variant,
    read_repositories,
    read_sized_names,
    say_unknown,
    take_tail,
    unread_of,
)
from bot.language.text.tables import words
from bot.language.text.units import spaced as apart
from bot.language.text.vocabulary import Vocabulary, nearest

JOINED = re.compile(r"[-_.:]?| | ?\(|\) ?")
FILLERS = frozenset({"of", "the", "model", "variant", "version", "sized", "v"})
LONGEST_NAME = 9  # pieces
ALL_SIZES = re.compile(
    r"\b(?:(?:all|every|each)[ -](?:the )?(?:sizes?|variants?)|whole family)(?: of)?\b"
)
# "llama-3-8b and 70b": the second size is of the same family
FURTHER_SIZE = re.compile(
    r"\s*(?:,|/|&|\+|and|or|vs\.?|versus)\s*(?:the\s+)?(\d+(?:x\d+)?(?:\.\d+)?[bm])(?![a-z0-9])"
)
# What may follow a version number; anything else makes "llama 4 gpus" a count.
AFTER_VERSION = re.compile(r"\s*(?:\Z|[?!,;:)\n]|\.(?!\d)|(?:on|in|with|for|at|and|or|vs|under)\b)")
# A number with a unit of its own is no part of a name: "llama-4-scout 1M context".
OTHER_UNIT = re.compile(
    r"[ -](?:tokens?|tok|context|ctx|windows?|req|requests?|rps|calls|users|steps)\b"
)
# The maker that people say before a name.
OWNER = re.compile(r"\bmeta[- ]\Z")
HOSTED = re.compile(r"\b(?:gpt-?(?:3\.5|4o?|4\.\d|5)|chatgpt|claude|gemini|grok)\b(?!-?oss)")
LIKENED_BEFORE = re.compile(
    r"\b(?:like|similar to|alternative to|replacement for|replac(?:e|ing)|instead of|our own|my own"
    r"|such as|as good as|wie)(?: an?| our| the)? \Z"
)
LIKENED_AFTER = re.compile(
    r"[ -]?(?:like|style|type|alternative|clone|replacement|equivalent|ähnlich\w*)(?![a-z])"
)


SIGN = re.compile(r" ?\+(?![a-z0-9])")


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a possible name."""

    text: str
    start: int
    end: int


def read_models(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say `model` (or `models`) for every name in the text.

    Raises:
        RequestError: `unknown_model` for a known family in a version that does not exist, and for
            models whose weights are not public.
    """
    hosted = _set_hosted_aside(draft, vocabulary)
    names = read_repositories(draft, vocabulary)
    position = 0
    while (found := _next_name(draft, vocabulary, position)) is not None:
        position = found.end
        owner = OWNER.search(draft.reader.work[: found.start])
        draft.reader.take(owner.start() if owner else found.start, found.end)
        take_tail(draft, found.end, vocabulary)
        names += _every_size(draft, vocabulary, found) or [
            found,
            *_further_sizes(draft, vocabulary, found),
        ]
    for found in names:
        say_model(draft, found, vocabulary)
    if not names:
        read_sized_names(draft, vocabulary)
    if hosted is not None:
        _refuse_hosted(draft, hosted)


def say_model(
    draft: Draft, found: ModelMention, vocabulary: Vocabulary, *, keyed: bool = False
) -> None:
    """Record one name, with a note where its version or size was taken for granted.

    Where the size was, others of the family are offered.
    """
    words = draft.reader.words(found.start, found.end).strip()
    draft.say("model", found.name, found.start, found.end, keyed=keyed)
    if not found.in_full:
        draft.note("model_assumed", f"`{words}` is read as {found.name}.")
    if found.parts.words and found.parts.size is None:
        size_b = vocabulary.size_b(found.name)
        others = vocabulary.models.other_sizes(found.parts, found.name, size_b)
        draft.offer("model_size", "model", *((name, {"model": name}) for name in others))


def find_name(text: str, start: int, vocabulary: Vocabulary) -> ModelMention | None:
    """Return the name that begins exactly at `start` of `text`, the longest there is."""
    pieces = _pieces(text, start)
    for length in range(min(len(pieces), LONGEST_NAME), 0, -1):
        written = text[start : pieces[length - 1].end]
        if written in vocabulary.model_set:
            parts = parts_of(piece.text for piece in pieces[:length])
            whole = ModelMention(written, parts, start, pieces[length - 1].end, in_full=True)
            return _with_sign(whole, text, vocabulary)
        if found := _exact_name(pieces[:length], vocabulary):
            return _with_sign(found, text, vocabulary)
    return None


def _with_sign(found: ModelMention, text: str, vocabulary: Vocabulary) -> ModelMention:
    """Return the name with the plus that follows it, where there is such a name (`command-r+`)."""
    sign, name = SIGN.match(text, found.end), f"{found.name}+"
    if sign is None or name not in vocabulary.model_set:
        return found
    return replace(found, name=name, end=sign.end(), in_full=True)


def _set_hosted_aside(draft: Draft, vocabulary: Vocabulary) -> re.Match[str] | None:
    """Return where a model is named that only its maker runs, its words taken.

    A tool that bears its name ("claude code") is a use, whatever model it is pointed at.
    """
    match = HOSTED.search(draft.reader.work)
    if match is None or _is_of_a_tool(draft.reader.work[match.start() :], vocabulary):
        return None
    draft.mark("open", *match.span())
    return match


def _is_of_a_tool(text: str, vocabulary: Vocabulary) -> bool:
    uses = vocabulary.catalog.use_cases.values()
    return text.startswith(tuple(apart(word) for case in uses for word in case.words))


def _refuse_hosted(draft: Draft, match: re.Match[str]) -> None:
    """Refuse a model without public weights, unless it is only what another one is like or for."""
    if _is_likened(draft, match) or {"model", "params_b"} & draft.said.keys():
        draft.note(
            "hosted_likened",
            f"`{match[0]}` itself runs only at its maker's: sized for an open model.",
        )
        return
    raise draft.refusal(
        "unknown_model",
        f"`{match[0]}` runs only at its maker's; its weights are not public, so no instance can"
        " host it. Name an open model or a size.",
        *match.span(),
        name="model",
        suggestions=words("open_models"),
    )


def _is_likened(draft: Draft, match: re.Match[str]) -> bool:
    """Return whether a hosted model is only what the wish is like ("a ChatGPT-like assistant")."""
    before, after = draft.reader.before(match.start()), draft.reader.after(match.end())
    return bool(LIKENED_BEFORE.search(before) or LIKENED_AFTER.match(after))


def _next_name(draft: Draft, vocabulary: Vocabulary, position: int) -> ModelMention | None:
    text = draft.reader.work
    for piece in _pieces_from(text, position):
        if piece.start < position or piece.text not in vocabulary.models.stems:
            continue
        if not _starts_word(text, piece.start):
            continue
        run = _run_around(text, piece, vocabulary)
        found = _longest_name(run, piece, vocabulary)
        if found is None or _name_goes_on(found, run):
            _refuse_version(draft, run, piece, found, vocabulary)
        unknown = _unknown_around(found, run, piece, text, vocabulary)
        if unknown is not None:
            position = unknown[1]
            say_unknown(draft, *unknown, vocabulary)
        elif found:
            return _with_sign(found, text, vocabulary)
    return None


def _unknown_around(
    found: ModelMention | None, run: list[Piece], stem: Piece, text: str, vocabulary: Vocabulary
) -> tuple[int, int] | None:
    """Return the stretch of a name that the catalog does not have, None where it has it."""
    if found is None:
        start, end = glued(text, stem.start, stem.end)
        rest = f"{text[start : stem.start]} {text[stem.end : end]}"
        return (start, end) if is_variant(rest) else None
    unread = unread_of(found, text, vocabulary)
    stranger = _foreign_size(found, run, vocabulary)
    if stranger is not None:
        start, end = unread or (found.start, found.end)
        return min(start, stranger.start), max(end, stranger.end)
    return unread


def _pieces_from(text: str, position: int) -> Iterator[Piece]:
    return (Piece(m[0], m.start(), m.end()) for m in PIECE.finditer(text, position))


def _starts_word(text: str, start: int) -> bool:
    return start == 0 or not (text[start - 1].isascii() and text[start - 1].isalnum())


def _pieces(text: str, start: int) -> list[Piece]:
    """Return the pieces from `start` on that could be one name."""
    pieces: list[Piece] = []
    end = start
    for match in PIECE.finditer(text, start, start + 120):
        if not JOINED.fullmatch(text[end : match.start()]) or len(pieces) == LONGEST_NAME:
            break
        pieces.append(Piece(match[0], match.start(), match.end()))
        end = match.end()
    return pieces


def _run_around(text: str, stem: Piece, vocabulary: Vocabulary) -> list[Piece]:
    """Return the pieces around a family's name that could belong to it, in text order."""
    left = list(PIECE.finditer(text, max(0, stem.start - 60), stem.start))
    run = [stem]
    for match in reversed(left):
        joined = JOINED.fullmatch(text[match.end() : run[0].start])
        if not joined or not _may_lead(match[0], vocabulary) or len(run) > LONGEST_NAME:
            break
        if not _starts_word(text, match.start()) and text[match.start() - 1].isdigit():
            break
        run.insert(0, Piece(match[0], match.start(), match.end()))
    for piece in _pieces(text, stem.start)[1:]:
        spaced = text[piece.start - 1] == " " and piece.text not in vocabulary.models.words
        has_unit = spaced and OTHER_UNIT.match(text, piece.end)
        if has_unit or not _may_follow(piece, text, vocabulary):
            break
        run.append(piece)
    return run


def _may_lead(piece: str, vocabulary: Vocabulary) -> bool:
    return piece in vocabulary.models.words or piece in FILLERS or bool(SIZE.fullmatch(piece))


def _may_follow(piece: Piece, text: str, vocabulary: Vocabulary) -> bool:
    known = piece.text in vocabulary.models.words or piece.text in FILLERS
    return (
        known
        or any(kind.fullmatch(piece.text) for kind in (SIZE, NUMBER, ACTIVE))
        or (
            text[piece.start - 1] in "-_"  # a tail such as -instruct
        )
    )


def _longest_name(run: list[Piece], stem: Piece, vocabulary: Vocabulary) -> ModelMention | None:
    """Return the longest stretch of the run, with the family's name in it, that is a name."""
    middle = run.index(stem)
    best: ModelMention | None = None
    for first in range(middle + 1):
        for last in range(len(run), middle, -1):
            found = _exact_name(run[first:last], vocabulary)
            if found and (best is None or _rank(found) > _rank(best)):
                best = found
    return best


def _rank(found: ModelMention) -> tuple[bool, int, bool]:
    """Return how much a reading explains: a size most of all, then the length of the name."""
    parts = found.parts
    said = len(parts.words) + (parts.version is not None) + (parts.size is not None)
    return parts.size is not None, said, found.in_full


def _exact_name(pieces: list[Piece], vocabulary: Vocabulary) -> ModelMention | None:
    useful = [piece for piece in pieces if piece.text not in FILLERS]
    if not useful or useful[0] is not pieces[0] or useful[-1] is not pieces[-1]:
        return None
    texts = [piece.text for piece in useful]
    if sum(bool(SIZE.fullmatch(one)) for one in texts) > 1:
        return None
    parts = parts_of(piece.text for piece in pieces)
    if parts not in vocabulary.models.exact:  # a name may hold a filler's letters: "t2v"
        parts = parts_of(texts)
    found = vocabulary.models.find(parts)
    if found is None or (parts.words <= EVERYDAY and not (parts.version or parts.size)):
        return None
    return ModelMention(found[0], parts, pieces[0].start, pieces[-1].end, found[1])


def _name_goes_on(found: ModelMention, run: list[Piece]) -> bool:
    """Return whether a number follows a name that was read without a version."""
    rest = [piece for piece in run if piece.start >= found.end]
    return bool(rest) and NUMBER.fullmatch(rest[0].text) is not None and not found.parts.version


def _foreign_size(found: ModelMention, run: list[Piece], vocabulary: Vocabulary) -> Piece | None:
    """Return the size said beside a name that has none, where it is not that model's own."""
    if found.parts.size is not None:
        return None
    for piece in run:
        if SIZE.fullmatch(piece.text) and not found.start <= piece.start < found.end:
            return None if is_size_of(billions(piece.text), found.name, vocabulary) else piece
    return None


def _refuse_version(
    draft: Draft,
    run: list[Piece],
    stem: Piece,
    found: ModelMention | None,
    vocabulary: Vocabulary,
) -> None:
    """Refuse a version of a known family that does not exist, unless a size still helps.

    The family is the stem, or all words of a name that was found before the number.
    """
    following, end = run[run.index(stem) + 1 :], stem.end
    known = vocabulary.models.versions.get(stem.text, frozenset())
    if found is not None and len(found.parts.words) > 1:
        end = found.end
        following = [piece for piece in run if piece.start >= found.end]
        known = vocabulary.models.versions_of(found.parts.words)
    if not following or not NUMBER.fullmatch(following[0].text):
        return
    version = following[0]
    text = draft.reader.work
    if version.text in known or not known:
        return
    sized = any(SIZE.fullmatch(piece.text) for piece in run)
    glued = text[end : version.start] != " "
    if sized or not (glued or AFTER_VERSION.match(text, version.end)):
        return
    said = draft.reader.words(stem.start, version.end)
    raise draft.refusal(
        "unknown_model",
        f"There is no model called `{said}` in the catalog.",
        stem.start,
        version.end,
        name="model",
        suggestions=nearest(said, vocabulary.model_list),
    )


def _every_size(draft: Draft, vocabulary: Vocabulary, found: ModelMention) -> list[ModelMention]:
    """Return all sizes of the family where the text asks for them ("every size of llama 2")."""
    match = ALL_SIZES.search(draft.reader.work)
    if match is None:
        return []
    names = vocabulary.models.sizes(found.parts.words, found.parts.version)
    if len(names) > 1:
        draft.reader.take(*match.span())
    return [ModelMention(name, found.parts, found.start, found.end, in_full=True) for name in names]


def _further_sizes(draft: Draft, vocabulary: Vocabulary, found: ModelMention) -> list[ModelMention]:
    """Return the other sizes of the same family that are listed right after `found`."""
    further: list[ModelMention] = []
    end = found.end
    while found.parts.size and (match := FURTHER_SIZE.match(draft.reader.work, end)):
        parts = NameParts(found.parts.words, found.parts.version, match[1])
        other = vocabulary.models.find(parts)
        if other is None:
            break
        further.append(ModelMention(other[0], parts, match.start(1), match.end(1), other[1]))
        draft.reader.take(*match.span(1))
        end = match.end()
    return further
