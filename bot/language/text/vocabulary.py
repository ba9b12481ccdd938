"""The catalog's own words ready for look-up, and the mending of slips in them: `mistrl-7b`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from bot.language.names.model_names import ModelNames, model_names
from bot.language.text.phrases import WORD, Index, phrase_index
from bot.language.text.tables import (
    LexiconRow,
    lexicon,
    not_slips,
    spoken,
    stopwords,
    tokens,
    words,
)
from catalog.catalog import Catalog
from catalog.facts.schema import Model

# What has no CUDA, by how its families and groups begin.
NOT_CUDA = words("not_cuda")
SHORTEST_MENDED = 6  # letters; shorter words are too close to one another
# Continents and the like, by the prefix of the region codes they cover.
AREAS = spoken("areas")
TRANSLATED_PLACES = spoken("translated_places")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One catalog's words."""

    catalog: Catalog
    models: ModelNames
    model_list: tuple[str, ...]
    model_set: frozenset[str]
    phrases: Index
    places: Index
    families: dict[str, tuple[str, ...]]  # family -> its instance types
    chips: dict[str, tuple[str, ...]]  # "a100" -> ids, smallest memory first
    known_words: frozenset[str] = field(default=frozenset())  # in any phrase or name
    telling_words: frozenset[str] = field(default=frozenset())  # that say something alone

    def size_b(self, name: str) -> float:
        """Return the total parameters, in billions, of a model by id or alias."""
        return self.catalog.models[self.model_id(name)].total_params_b

    def model_of(self, name: str | None) -> Model | None:
        """Return the model of that id or alias, None where no name is given."""
        return None if name is None else self.catalog.models.get(self.model_id(name))

    def model_id(self, name: str) -> str:
        """Return the id behind a model's name."""
        return name if name in self.catalog.models else self.catalog.model_names[name]


_LATEST: list[Vocabulary] = []


def vocabulary_of(catalog: Catalog) -> Vocabulary:
    """Return the words of `catalog`; the latest catalog's are kept."""
    if not _LATEST or _LATEST[0].catalog is not catalog:
        _LATEST[:] = [_built(catalog)]
    return _LATEST[0]


def _built(catalog: Catalog) -> Vocabulary:
    names = model_names(catalog)
    places = _place_index(catalog)
    phrases = phrase_index((*lexicon(), *_use_case_rows(catalog)))
    families: dict[str, list[str]] = {}
    for instance in catalog.instances.values():
        families.setdefault(instance.family, []).append(instance.instance_type)
    return Vocabulary(
        catalog=catalog,
        models=names,
        model_list=tuple(dict.fromkeys((*catalog.models, *catalog.model_names))),
        model_set=frozenset((*catalog.models, *catalog.model_names)),
        phrases=phrases,
        places=places,
        families={family: tuple(types) for family, types in families.items()},
        chips=_chips(catalog),
        known_words=_known_words(phrases, places, names.stems),
        telling_words=_known_words(phrases, places, names.stems, longest_phrase=1),
    )


def _place_index(catalog: Catalog) -> Index:
    rows: list[tuple[str, object, str]] = []
    listed = dict(catalog.region_names)
    for region in catalog.regions.values():
        listed |= {nickname: region.code for nickname in region.nicknames if nickname not in listed}
        if region.location_type == "region" and (city := re.search(r"\(([^()]+)\)", region.name)):
            listed.setdefault(city[1].lower(), region.code)
    rows += [("region", code, name) for name, code in listed.items() if name != code]
    for place, others in TRANSLATED_PLACES.items():
        if place in listed:
            rows.append(("region", listed[place], others))
    for prefix, others in AREAS.items():
        codes = sorted(
            (
                region.code
                for region in catalog.regions.values()
                if region.code.startswith(prefix)
                and region.location_type == "region"
                and "-gov-" not in region.code
            ),
            key=lambda code: _usual_first(code, catalog.usual_regions),
        )
        rows.append(("regions", tuple(codes), others))
    return phrase_index(rows)


def _use_case_rows(catalog: Catalog) -> list[LexiconRow]:
    cases = catalog.use_cases.values()
    return [("use_case", case.use_case, "; ".join(case.words)) for case in cases]


def _usual_first(code: str, usual: tuple[str, ...]) -> tuple[int, str]:
    return usual.index(code) if code in usual else len(usual), code


def _chips(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Return accelerator ids by what people call the chip (`a100`, `rtxpro6000`)."""
    chips: dict[str, list[str]] = {}
    for chip in sorted(catalog.accelerators.values(), key=lambda one: one.mem_gb_marketed):
        if "_" in chip.id:
            continue  # a fraction of a chip is asked for by its instance type
        has_memory_in_name = re.fullmatch(r"[A-Z]{1,2}\d+-\d+", chip.id)
        base = chip.id.partition("-")[0] if has_memory_in_name else chip.id.replace("-", "")
        chips.setdefault(base.lower(), []).append(chip.id)
    return {base: tuple(ids) for base, ids in chips.items()}


def _known_words(
    phrases: Index, places: Index, stems: Iterable[str], longest_phrase: int = 99
) -> frozenset[str]:
    words = {
        word
        for index in (phrases, places)
        for entries in index.values()
        for phrase, _ in entries
        if len(phrase) <= longest_phrase
        for word in phrase
    }
    return frozenset(words | {stem for stem in stems if WORD.fullmatch(stem)})


def nearest(words: str, choices: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return the choices spelled most like `words`, best first."""
    from rapidfuzz import fuzz, process

    found = process.extract(words.lower(), list(choices), scorer=fuzz.ratio, limit=limit)
    return tuple(choice for choice, _, _ in found)


# The owner of a repository is none of our words.
TYPED_WORD = re.compile(r"(?<![\w.<@!/])[a-z]{4,20}(?![\w'])(?!/[a-z0-9][\w.]*[-_.\d])")
# A family's name may be mended at any length when a version or size follows it.
LONG_WORD = 9  # letters
SIZED = re.compile(r"[ -]?v?\d")
# A slip of what is counted: "50 usres"
COUNTED = re.compile(r"(?<=\d )[a-z]{5,9}(?![a-z_'])")
COUNTABLE = frozenset({"users", "requests", "queries", "people", "tokens", "sessions", "replicas"})
# Names that people split, or that would be read in halves.
SPLIT_NAMES = (
    *((re.compile(rf"\b{split}\b"), name) for split, name in spoken("split_model_names").items()),
    (re.compile(r"\b(?:pls|plz|plse)\b"), "please"),
    (re.compile(r"\b(?:minus|negative) (?=\d)"), "-"),
    (re.compile(r"\bdoppelt so viele?n?\b"), "twice as many"),
    (re.compile(r"\bhalb so viele?n?\b"), "half as many"),
    # Apostrophes that nobody types.
    (re.compile(r"\bwhats\b"), "what's"),
    (re.compile(r"\bthats\b"), "that's"),
    (re.compile(r"\bhows\b"), "how's"),
    (re.compile(r"\bdont\b"), "don't"),
    (re.compile(r"\bdoesnt\b"), "doesn't"),
    (re.compile(r"\bisnt\b"), "isn't"),
)


def one_word(low: str) -> list[tuple[int, int, str]]:
    """Return the names to write as one word, as (start, end, replacement)."""
    return [
        (m.start(), m.end(), name) for pattern, name in SPLIT_NAMES for m in pattern.finditer(low)
    ]


def mended(low: str, vocabulary: Vocabulary) -> list[tuple[int, int, str]]:
    """Return the words to mend, as (start, end, replacement); digits are never touched.

    A word is mended when exactly one known word is one slip away (two in a LONG_WORD), or,
    for the name of a model family, when a version or size follows.
    """
    found = _counted_slips(low, vocabulary)
    seen: dict[tuple[str, bool], str | None] = {}
    for match in TYPED_WORD.finditer(low):
        word = match[0]
        if (
            word in vocabulary.known_words
            or word in vocabulary.models.words
            or word in stopwords()
            or word in not_slips()
        ):
            continue
        followed = SIZED.match(low, match.end()) is not None
        if not followed and word in tokens():
            continue  # a word of its own, such as "committee"
        if (word, followed) not in seen:
            seen[word, followed] = _replacement(word, vocabulary, followed=followed)
        if replacement := seen[word, followed]:
            found.append((match.start(), match.end(), replacement))
    return found


def _counted_slips(low: str, vocabulary: Vocabulary) -> list[tuple[int, int, str]]:
    """Return the slips of short words that stand behind a number."""
    found = []
    for match in COUNTED.finditer(low):
        known = match[0] in vocabulary.known_words | stopwords() | not_slips() | COUNTABLE
        if not known and (word := _one_slip_away(match[0], COUNTABLE, 1)):
            found.append((match.start(), match.end(), word))
    return found


def _replacement(word: str, vocabulary: Vocabulary, *, followed: bool) -> str | None:
    stem = followed and _one_slip_away(word, vocabulary.models.stems, 2 if len(word) > 6 else 1)
    if stem and not word.startswith(stem):  # a letter more is another name: bloomz
        return stem
    if len(word) < SHORTEST_MENDED:
        return None
    choices = _long_words(vocabulary.telling_words)
    return _one_slip_away(word, choices, 1) or (
        _one_slip_away(word, choices, 2) if len(word) >= LONG_WORD else None
    )


@cache
def _long_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(
        word for word in words if len(word) >= SHORTEST_MENDED and word.isascii() and word.isalpha()
    )


def _one_slip_away(word: str, choices: frozenset[str], slips: int) -> str | None:
    """Return the only choice within `slips` edits that starts with the same letter, if any."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    close = [
        choice
        for choice, _, _ in process.extract(
            word,
            [c for c in choices if c[0] == word[0] and len(c) > 3],
            scorer=OSA.distance,
            score_cutoff=slips,
            limit=3,
        )
    ]
    return close[0] if len(close) == 1 else None
