"""Reads places: regions, zones and cities, and the stores of models and checkpoints."""

import re
from typing import NoReturn

from bot.core.errors import RequestError
from bot.core.examples import example
from bot.language.draft import Draft
from bot.language.text.phrases import Hit, hits
from bot.language.text.tables import spoken, words
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


# An S3 address, as long as it goes on: what is wrong with it is said, not cut off.
ADDRESS = r"s3://(?P<address>[^\s<>\"'`,;]*)"
KIND = r"(?P<kind>s3|fsx(?: for lustre)?|lustre|efs|ebs|gp3|pvc|persistent volume(?: claim)?)\b"
PLACE = rf"(?:<?{ADDRESS}>?|{KIND})"
OWNER = r"(?:(?:an?|my|our|the) )?(?:amazon )?"
CHECKPOINTS = re.compile(
    rf"\bcheckpoint(?:s|ing|ed)?\b[^,;.]{{0,20}}?\b(?:to|in|on|into) {OWNER}{PLACE}"
)
MODEL = re.compile(
    rf"\b(?:model|weights|checkpoint|artifacts?|artefacts?|cached?|stored|loaded|load|lives?|sits?"
    rf"|is|are)(?: is| are| it)? (?:in|on|from) {OWNER}{PLACE}"
    rf"|\bfrom {OWNER}{PLACE.replace('address', 'address2').replace('kind', 'kind2')}"
)
# A file system named by itself is where the model lies: the checkpoints of a job are said to be.
ON_FILES = re.compile(
    rf"(?:\b(?:on|auf|sur|en|in)\b|在) ?{OWNER}"
    r"(?P<kind>fsx(?: for lustre)?|lustre|efs|ebs|pvc|persistent volume(?: claim)?)\b(?: volumes?)?"
)
CHECKPOINTS_FIELD = re.compile(rf"\bcheckpoint_store ?[=:] ?{PLACE}")
MODEL_FIELD = re.compile(rf"\b(?:source|model_source) ?[=:] ?{PLACE}")
BARE = re.compile(rf"<?{ADDRESS}>?")
BUCKET = re.compile(r"[a-z0-9](?:[a-z0-9]|[.-](?=[a-z0-9])){1,61}[a-z0-9]")
PREFIX = re.compile(r"[A-Za-z0-9._=/+-]{0,512}")
KINDS = {
    "s3": "s3",
    "fsx": "fsx",
    "lustre": "fsx",
    "efs": "efs",
    "ebs": "ebs",
    "gp3": "ebs",
    "pvc": "pvc",
    "persistent": "pvc",
}


def read_stores(draft: Draft) -> None:
    """Say the `model_source` and, of a training job, the `checkpoint_store`.

    Raises:
        RequestError: an S3 address that no bucket can have.
    """
    for pattern, name in (
        (CHECKPOINTS_FIELD, "checkpoint_store"),
        (MODEL_FIELD, "model_source"),
        (CHECKPOINTS, "checkpoint_store"),
        (MODEL, "model_source"),
        (BARE, "model_source"),
        (ON_FILES, "model_source"),
    ):
        for match in draft.reader.matches(pattern):
            draft.say(name, _store(draft, match), *match.span())


def _store(draft: Draft, match: re.Match[str]) -> str:
    groups = match.groupdict()
    kind = groups.get("kind") or groups.get("kind2")
    if kind:
        return KINDS[kind.split()[0]]
    which = "address" if groups.get("address") is not None else "address2"
    address = draft.reader.words(*match.span(which)) if groups[which] else ""
    bucket, _, prefix = address.rstrip(".").partition("/")
    prefix = prefix.strip("/")
    if not BUCKET.fullmatch(bucket) or not PREFIX.fullmatch(prefix) or ".." in prefix:
        raise RequestError(
            "invalid_value",
            "That is no S3 address: a bucket has 3 to 63 lower-case letters, digits, dots and "
            "hyphens, its prefix letters, digits and . _ = + - /.",
            words=address[:120],
            example=example("stores"),
        )
    return f"s3://{bucket}/{prefix}" if prefix else f"s3://{bucket}"
