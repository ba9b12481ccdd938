"""Reads regions: codes, zones (`eu-central-1c`) and what people call them (`Frankfurt`)."""

import re
from typing import NoReturn

from bot.core.examples import example
from bot.language.draft import Draft
from bot.language.text.phrases import Hit, hits
from bot.language.text.spoken import spoken, words
from bot.language.text.vocabulary import Vocabulary, nearest

PREFIXES = "us|eu|ap|ca|sa|me|af|il|mx|cn"
CODE = re.compile(
    rf"(?<![\w.-])((?:{PREFIXES})(?:-[a-z]{{2,12}}){{1,2}}-?\d{{1,2}}(?:-[a-z]{{3}}-\d|-wl\d-[a-z]{{3}}\d)?)([a-z])?(?![\w-])"
)
SPOKEN = re.compile(
    rf"(?<![\w.-])({PREFIXES})[ -]?(?P<gov>gov[ -]?)?"
    r"(?P<side>(?:north|south)?(?:east|west)|north|south|central)[ -]?"
    r"(?P<n>\d)(?P<zone>[a-z])?(?![\w-])"
)
US_FOLLOWS = re.compile(r"\b(?:in|within|region)[ :=]+(?:the )?\Z")
# Of a name that two regions share, the one it is not read as.
NAMESAKES = spoken("namesakes")
SHORT_NAME = 3  # "fra", "uk": only where a place must follow
PLACE_FOLLOWS = re.compile(r"\b(?:in|region|from|at|within|of|to|and|or)[ :=]+(?:the )?\Z")


def read_region_codes(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say `region` for every code, as AWS writes it or spoken ("us east 1").

    Raises:
        RequestError: `unknown_region` for a code that looks like one and is none.
    """
    for match in draft.reader.matches(CODE):
        _say_code(draft, match, match[1], match[2], vocabulary)
    for match in draft.reader.matches(SPOKEN):
        words = re.sub(r"[ -]", "", match["side"])
        gov = "gov-" if match["gov"] else ""
        _say_code(draft, match, f"{match[1]}-{gov}{words}-{match['n']}", match["zone"], vocabulary)


def _say_code(
    draft: Draft, match: re.Match[str], written: str, zone: str | None, vocabulary: Vocabulary
) -> None:
    code = region_code(written, vocabulary)
    if code is None:
        refuse_region(draft, *match.span(), vocabulary)
    if zone:
        draft.details["zone"] = code + zone
    draft.say("region", code, *match.span())


def read_places(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say `region` for every place in the text that is called by a name.

    "In Europe but not Spain" names all regions of the area but one.
    """
    found = [hit for hit in hits(draft.reader.work, vocabulary.places) if is_place(draft, hit)]
    for hit in sorted(found, key=lambda one: not _is_left_out(draft, one)):
        codes = hit.meanings[0].value
        if _is_left_out(draft, hit):
            for code in codes if isinstance(codes, tuple) else (codes,):
                draft.say("region", code, hit.start, hit.end)
        elif isinstance(codes, tuple):
            _say_area(draft, hit, codes)
        else:
            _offer_namesake(draft, hit, vocabulary)
            draft.say("region", codes, hit.start, hit.end)


def _is_left_out(draft: Draft, hit: Hit) -> bool:
    mention = draft.mention_at(hit.start, hit.end)
    return mention is not None and mention.left_out


def is_place(draft: Draft, hit: Hit) -> bool:
    """Return whether a name is that of a place here: short ones, and words, need one around."""
    word = draft.reader.work[hit.start : hit.end]
    if word in {"eu", "usa"}:
        return True
    if word == "us":  # mostly a pronoun
        lead = US_FOLLOWS.search(draft.reader.before(hit.start))
        return lead is not None or draft.reader.words(hit.start, hit.end) == "US"
    if len(word) <= SHORT_NAME or word in words("places_that_are_words"):
        return PLACE_FOLLOWS.search(draft.reader.before(hit.start)) is not None
    return True


def _say_area(draft: Draft, hit: Hit, codes: tuple[str, ...]) -> None:
    words = draft.reader.words(hit.start, hit.end)
    wanted = [code for code in codes if code not in draft.not_there]
    draft.note("area", f"`{words}` is read as any of {', '.join(wanted)}.")
    for code in wanted:
        draft.say("regions", code, hit.start, hit.end)


def _offer_namesake(draft: Draft, hit: Hit, vocabulary: Vocabulary) -> None:
    """Offer the second region of a country or coast whose name says no more."""
    name = re.sub(r"[\s-]+", " ", draft.reader.work[hit.start : hit.end])
    if name in NAMESAKES:
        draft.offer("place", "region", _place_choice(NAMESAKES[name], vocabulary))


def _place_choice(code: str, vocabulary: Vocabulary) -> tuple[str, dict[str, object]]:
    name = vocabulary.catalog.regions[code].name
    city = re.search(r"\(([^()]+)\)", name)
    return f"{code} ({city[1] if city else name})", {"region": code}


def region_code(written: str, vocabulary: Vocabulary) -> str | None:
    """Return the region's code for a code or a nickname, None when there is none."""
    name = re.sub(r"[\s_]+", " ", written.strip().lower())
    if name in vocabulary.catalog.regions:
        return name
    name = re.sub(r"([a-z])(\d)\Z", r"\1-\2", name)  # us-east1
    if name in vocabulary.catalog.regions:
        return name
    for hit in hits(name, vocabulary.places):
        meaning = hit.meanings[0]
        if hit.start == 0 and hit.end == len(name) and isinstance(meaning.value, str):
            return meaning.value
    return None


def area_codes(written: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the regions of an area ("eu", "asia"), none when it names none."""
    name = written.strip().lower()
    for hit in hits(name, vocabulary.places):
        whole = hit.start == 0 and hit.end == len(name)
        if whole and isinstance(codes := hit.meanings[0].value, tuple):
            return codes
    return ()


def refuse_region(draft: Draft, start: int, end: int, vocabulary: Vocabulary) -> NoReturn:
    """Raise `unknown_region` for the words at `start`..`end`, with the nearest codes."""
    written = draft.reader.words(start, end).strip()
    close = nearest(written, vocabulary.catalog.regions)
    raise draft.refusal(
        "unknown_region",
        f"There is no AWS region `{written}`. Did you mean {' or '.join(close)}?",
        start,
        end,
        name="region",
        suggestions=close,
        example=example("places"),
    )
