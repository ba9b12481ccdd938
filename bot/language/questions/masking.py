"""What a text asks, apart from its values: its words, with a placeholder for each value.

"What does g6.xlarge cost in Ohio?" and "what does p5.48xlarge cost in Tokyo?" are one question:
both are read as `what does hw cost in plc ?`. Names come from the catalog's own vocabulary.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final
from unicodedata import combining, normalize

from bot.language.names.instances import FAMILY, INSTANCE, UNDOTTED
from bot.language.names.model_names import EVERYDAY, SIZE, TUNED
from bot.language.text.numbers import UNITS
from bot.language.text.phrases import Hit, Index, hits, phrase_index
from bot.language.text.tables import any_of, lexicon, spoken, stopwords
from bot.language.text.vocabulary import Vocabulary

EXAMPLES: Final = Path(__file__).parents[1] / "examples"
MOST_WORDS: Final = 150  # nobody asks in more; what follows is pasted
# The placeholders: a machine or chip, a model, a place, a number, a number format.
MACHINE, MODEL, PLACE, NUMBER, FORMAT = "hw", "mdl", "plc", "num", "dtype"
PLACEHOLDERS: Final = frozenset({MACHINE, MODEL, PLACE, NUMBER, FORMAT})
# A stretch that may be a name or a value, or a sign that says something.
CHUNK: Final = re.compile(r"[^\W_]+(?:[-./:,'_][^\W_]+)*|[?$€£%,;=]")
PIECE: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d[\d.,]*[^\W\d_]*")
VALUE: Final = re.compile(r"(?P<digits>\d[\d.,]*(?:x\d+)?)(?P<unit>[^\W\d_]*)")
REGION_CODE: Final = re.compile(r"(?<![\w-])[a-z]{2}(?:-[a-z]+){1,3}-\d[a-z]?(?![\w-])")
VERSION: Final = re.compile(r"v?\d(?:\.\d+)?")
SCALES: Final = frozenset({"k", "m", "x", "b", "bn", "mio"})
SIGNS: Final = {"$": "dollar", "€": "dollar", "£": "dollar", "%": "percent"}
FOREIGN_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]+(?:[-'][^\W\d_]+)*(?:'(?=\w)|(?!\w))")
# What elision and inversion join in one word: "l'" and "instance", "peut" and "on".
JOINED: Final = re.compile(r"(?<!\w)[^\W\d_]+(?:'(?=\w)|(?!\w))")
UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
CHIPS_ELSEWHERE: Final = re.compile(rf"(?:{any_of('other_chips')})s?")
NAMED_GROUPS: Final = {"group": MACHINE, "quant": FORMAT}
# "GPU" and "CPU" are kinds of machines that questions are about, not one machine among others.
KINDS_OF_MACHINES: Final = frozenset({"gpu", "cpu"})


def masked_words(text: str, vocabulary: Vocabulary) -> list[str]:
    """Return the first MOST_WORDS words of a text, each value as its placeholder."""
    low = _masked_phrases(in_english(text.lower().replace("\u2019", "'")), vocabulary)
    words: list[str] = []
    for word in _masked_chunks(CHUNK.findall(low), vocabulary):
        for one in _short_forms().get(word, word).split():
            if not (words and words[-1] == one == MODEL):
                words.append(one)
        if len(words) >= MOST_WORDS:
            break
    return words[:MOST_WORDS]


def _masked_phrases(low: str, vocabulary: Vocabulary) -> str:
    """Put the placeholder for places, groups of machines and number formats."""
    low = REGION_CODE.sub(f" {PLACE} ", low)
    found = [(hit, PLACE) for hit in hits(low, vocabulary.places) if not _is_everyday(low, hit)]
    found += [(hit, str(hit.meanings[0].value)) for hit in hits(low, _groups())]
    for hit, placeholder in sorted(found, key=lambda one: one[0].start, reverse=True):
        low = f"{low[: hit.start]} {placeholder} {low[hit.end :]}"
    return low


def _is_everyday(low: str, hit: Hit) -> bool:
    """Return whether a place's name is a word of every sentence ("tell us")."""
    return low[hit.start : hit.end] in stopwords()


@cache
def _groups() -> Index:
    rows = (
        (name, NAMED_GROUPS[name], phrases)
        for name, value, phrases in lexicon()
        if name in NAMED_GROUPS and value not in KINDS_OF_MACHINES
    )
    return phrase_index(rows)


def _masked_chunks(chunks: Sequence[str], vocabulary: Vocabulary) -> Iterator[str]:
    of_model = False  # what follows a model's name may be its version or size
    for number, chunk in enumerate(chunks):
        following = chunks[number + 1] if number + 1 < len(chunks) else ""
        if of_model and (VERSION.fullmatch(chunk) or SIZE.fullmatch(chunk) or chunk in TUNED):
            continue
        of_model = _is_model(chunk, following, vocabulary)
        if of_model:
            yield MODEL
        elif _is_machine(chunk, vocabulary):
            yield MACHINE
        else:
            yield from _masked_pieces(chunk, vocabulary)


def _masked_pieces(chunk: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the words of what is no name: "tokens/s", "100ms", "g5/g6"."""
    if chunk in SIGNS or chunk in {"?", "="}:
        yield SIGNS.get(chunk, chunk)
    for piece in PIECE.findall(chunk):  # none in a comma, which only parts what it stands between
        value = VALUE.fullmatch(piece)
        if _is_machine(piece, vocabulary):
            yield MACHINE
        elif SIZE.fullmatch(piece):
            yield MODEL
        elif value is not None:
            yield NUMBER
            if value["unit"] and value["unit"] not in SCALES:
                yield value["unit"]
        elif piece in UNITS and UNITS[piece] > 1:
            yield NUMBER
        else:
            yield from piece if UNSPACED.search(piece) else (piece,)


def _is_model(chunk: str, following: str, vocabulary: Vocabulary) -> bool:
    if chunk in vocabulary.model_set and chunk not in stopwords() | EVERYDAY:
        return True
    stem = re.match(r"(?:.+/)?([a-z]+)", chunk)
    if stem is None or stem[1] not in vocabulary.models.stems or len(stem[1]) < 3:
        return False
    sized = stem[0] != chunk or VERSION.fullmatch(following) or SIZE.fullmatch(following)
    return bool(sized) or (stem[1] not in EVERYDAY and stem[1] not in stopwords())


def _is_machine(chunk: str, vocabulary: Vocabulary) -> bool:
    if chunk in vocabulary.catalog.instances or INSTANCE.fullmatch(chunk):
        return True
    if chunk in vocabulary.families or UNDOTTED.fullmatch(chunk):
        return True
    singular = chunk.removesuffix("s")
    family = FAMILY.fullmatch(chunk)
    if family is not None and (family[1] in vocabulary.families or singular in vocabulary.families):
        return True
    chip = singular.partition("-")[0]
    return (
        chunk in vocabulary.chips
        or chip in vocabulary.chips
        or chip in _chips_sold_elsewhere()
        or CHIPS_ELSEWHERE.fullmatch(chunk) is not None
    )


@cache
def _chips_sold_elsewhere() -> frozenset[str]:
    return frozenset(spoken("chip_stand_ins"))


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file of examples that are no comment and not empty."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@cache
def _short_forms() -> Mapping[str, str]:
    """Return the spelled-out form of what people shorten ("what's", "pls")."""
    rows = (line.partition(": ") for line in lines_of(EXAMPLES / "short_forms.txt"))
    return {short: full for full, _, shorts in rows for short in shorts.split()}


@cache
def _foreign() -> tuple[tuple[Mapping[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the tables of spaced languages, and the rows of the other, longest first."""
    tables: list[dict[str, str]] = []
    unspaced: dict[str, str] = {}
    for line in lines_of(EXAMPLES / "foreign.txt"):
        english, _, cells = line.partition(": ")
        for number, cell in enumerate(cells.split("|")):
            tables += [{} for _ in range(number + 1 - len(tables))]
            for word in cell.split():
                (unspaced if UNSPACED.search(word) else tables[number]).setdefault(word, english)
    for table in tables:
        for word, english in list(table.items()):
            table.setdefault(_unaccented(word), english)
    longest_first = sorted(unspaced.items(), key=lambda row: -len(row[0]))
    return tuple(tables), tuple(longest_first)


def _unaccented(word: str) -> str:
    """Return a word as it is typed where the keyboard has no accents."""
    if word.isascii():
        return word
    return "".join(one for one in normalize("NFKD", word) if not combining(one))


@cache
def _english() -> frozenset[str]:
    """Return the English words of every sentence: those that the tables translate to."""
    return frozenset(english for table in _foreign()[0] for english in table.values())


def in_english(low: str) -> str:
    """Return a text of another language with the words that the tables know in English."""
    tables, unspaced = _foreign()
    if UNSPACED.search(low):
        for word, english in unspaced:
            low = low.replace(word, f" {english} ")
        return low
    said = JOINED.findall(low)
    known = [sum(word in table for word in said) for table in tables]
    if max(known) <= sum(not _english().isdisjoint((word, word.rstrip("'s"))) for word in said):
        return low
    language = known.index(max(known))
    table = tables[language]
    return _phrases(language).sub(lambda match: _translated(match[0], table), low)


@cache
def _phrases(language: int) -> re.Pattern[str]:
    """Return the pattern of the phrases of a language, longest first, and of any one word."""
    phrases = sorted((one for one in _foreign()[0][language] if "-" in one), key=len, reverse=True)
    spoken_out = "|".join(phrase.replace("-", "[- ]") for phrase in phrases)
    return re.compile(rf"(?<![\w-])(?:{spoken_out})(?:(?<=')|(?![\w'-]))|{FOREIGN_WORD.pattern}")


def _translated(said: str, table: Mapping[str, str]) -> str:
    """Return a word or phrase in English; what the table does not know, by its parts.

    A word whose first part is unknown may be a name ("command-r-plus"), and stays as it is.
    """
    whole = table.get(said.replace(" ", "-"))
    if whole is not None:
        return f"{whole} "
    parts = JOINED.findall(said)
    return " ".join(table.get(one, one) for one in parts) if parts[0] in table else said
