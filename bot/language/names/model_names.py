"""The catalog's model names taken apart, so that any order and spelling of their parts finds them.

`llama-3.1-8b`, `Llama 3.1 8B`, `8B llama 3.1` and `meta-llama/Llama-3.1-8B-Instruct` all have the
words {llama}, the version 3.1 and the size 8b.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.language.text.tables import spoken, words
from catalog.catalog import Catalog

PIECE = re.compile(
    r"\d+x\d+(?:\.\d+)?b(?![a-z0-9])"  # 8x7b
    r"|a\d+(?:\.\d+)?[bm](?![a-z0-9])"  # a22b, a800m
    r"|\d+(?:\.\d+)?[bm](?![a-z])"  # 8b, 350m
    r"|(?<![a-z0-9])[a-z]\d+(?:\.\d+)?(?![a-z0-9])"  # r1, k2.5, v0.3
    r"|[a-z]+|\d+(?:\.\d+)?k?"
)
SIZE = re.compile(r"\d+(?:x\d+)?(?:\.\d+)?[bm]")
ACTIVE = re.compile(r"a\d+(?:\.\d+)?[bm]")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Words that tell how a checkpoint was tuned or published, not which model it is.
TUNED = frozenset({"instruct", "chat", "hf", "it", "meta"})
PUBLISHED = frozenset(words("checkpoint_words"))
PUBLISHED_OF_SIZED = frozenset(words("checkpoint_words_of_sized"))
DATE = re.compile(r"[0-2]\d{3}|\d{6}|\d{8}")  # of a release: -2507, -0528
QUANT_TAIL = re.compile(
    r"(?<![a-z0-9])i?q\d(?:[-_](?:k|0|1|nl))?(?:[-_](?:xxs|xs|s|m|l|xl))?(?![a-z0-9])"
)
# First words of names that are also everyday words: believed only beside a size or version.
EVERYDAY = frozenset(words("everyday_model_names"))
# Letter-and-digit names short enough to look like something else (an instance family, say).
SHORT_STEMS = frozenset(words("short_model_names"))
STEM = re.compile(r"[a-z]{2,}")
USUAL_SIZE_B = 8.0  # of the models people name without a size
# What a maker's name alone stands for, where no size near the usual one decides.
USUALLY_MEANT: dict[str, list[str]] = spoken("usually_meant_models")
MOST_OTHER_SIZES = 2
OTHER_SIZE = 2.0  # a model nearer in size than this is no other choice of hardware


@dataclass(frozen=True, slots=True)
class NameParts:
    """A model name as a set of parts; `version` and `size` None where the name has none."""

    words: frozenset[str]
    version: str | None
    size: str | None


def parts_of(pieces: Iterable[str]) -> NameParts:
    """Return the parts that a name's pieces form."""
    words: set[str] = set()
    version = size = None
    for piece in pieces:
        if SIZE.fullmatch(piece) and size is None:
            size = piece
        elif NUMBER.fullmatch(piece) and version is None and words:
            version = piece
        elif not ACTIVE.fullmatch(piece) and piece not in TUNED:
            words.add(piece)
    return NameParts(frozenset(words), version, size)


def plain_name(written: str, *, dated: bool = False) -> str:
    """Return a name without how it was tuned or stored; its date is kept with `dated`."""
    segments = re.split("[-_]", QUANT_TAIL.sub("", written))
    dates = {one for one in segments if dated and DATE.fullmatch(one)}
    sized = any(SIZE.fullmatch(one) for one in segments)
    return "-".join(
        one for one in segments if one and (one in dates or not only_published(one, sized=sized))
    )


def only_published(segment: str, *, sized: bool = False) -> bool:
    """Return whether a part of a name, maybe of one with a size, says not which model it is."""
    if DATE.fullmatch(segment) or (sized and segment in PUBLISHED_OF_SIZED):
        return True
    return all(part in PUBLISHED for part in segment.split("."))


@dataclass(frozen=True, slots=True)
class ModelMention:
    """A name found in the text."""

    name: str
    parts: NameParts
    start: int
    end: int
    in_full: bool


@dataclass(frozen=True, slots=True)
class ModelNames:
    """Every name of the catalog by its parts, and what can be said less fully."""

    exact: dict[NameParts, str]
    loose: dict[NameParts, str]  # version, size or side words left out: the usual one
    stems: frozenset[str]
    words: frozenset[str]
    versions: dict[str, frozenset[str]]  # by stem
    owners: frozenset[str]  # who publishes them

    def find(self, parts: NameParts) -> tuple[str, bool] | None:
        """Return the name for `parts` and whether it was said in full."""
        if parts in self.exact:
            return self.exact[parts], True
        return (self.loose[parts], False) if parts in self.loose else None

    def versions_of(self, words: frozenset[str]) -> frozenset[str]:
        """Return the versions of the names that have just these words."""
        return frozenset(one.version for one in self.exact if one.words == words and one.version)

    def sizes(self, stem: frozenset[str], version: str | None) -> list[str]:
        """Return the names of a family that differ only in size, smallest first."""
        found = {
            name: billions(parts.size)
            for parts, name in self.exact.items()
            if parts.words == stem and parts.version == version and parts.size
        }
        return sorted(found, key=lambda name: found[name])

    def other_sizes(self, parts: NameParts, name: str, size_b: float) -> list[str]:
        """Return up to two other sizes that a name without one may mean: next ones up, else down.

        `name` is what it was read as, of `size_b` billion parameters. Older versions than that
        are not meant by somebody who names none.
        """
        for stem, usual in USUALLY_MEANT.items():
            if parts.words == {stem}:
                return list(usual[1:])
        oldest = math.floor(_version(parts_of(PIECE.findall(name))))
        family = [one for one in self._of_family(parts) if _version(one) >= oldest]
        sized = {
            billions(one.size): self.exact[one]
            for one in sorted(family, key=_version)
            if one.size is not None
        }
        up = _sizes_apart(size_b, sorted(size for size in sized if size > size_b))
        down = _sizes_apart(size_b, sorted((size for size in sized if size < size_b), reverse=True))
        return [sized[size] for size in (*up, *down)[:MOST_OTHER_SIZES]]

    def _of_family(self, parts: NameParts) -> Iterator[NameParts]:
        return (
            one
            for one in self.exact
            if one.words == parts.words and parts.version in {None, one.version}
        )


def _version(parts: NameParts) -> float:
    return float(parts.version or 0)


def _sizes_apart(size_b: float, sizes: Iterable[float]) -> list[float]:
    """Return the sizes that each differ from the one before by OTHER_SIZE, starting at `size_b`."""
    kept, last = [], size_b
    for size in sizes:
        if max(size / last, last / size) >= OTHER_SIZE:
            kept.append(size)
            last = size
    return kept


def billions(size: str) -> float:
    """Return a written size ("8b", "350m", "8x7b") in billions, as the digits say."""
    times, _, each = size[:-1].rpartition("x")
    return float(times or 1) * float(each) / (1e3 if size.endswith("m") else 1.0)


def model_names(catalog: Catalog) -> ModelNames:
    """Return the index of every id, alias and Hugging Face name in the catalog."""
    listed = dict.fromkeys(catalog.models) | dict.fromkeys(catalog.model_names)
    spelled = {name: name for name in listed}
    for model in catalog.models.values():
        if model.hf_repo and not model.typical:
            spelled.setdefault(model.hf_repo.rpartition("/")[2].lower(), model.id)
    exact: dict[NameParts, str] = {}
    for written, name in spelled.items():
        if name in catalog.models and catalog.models[name].typical:
            continue
        exact.setdefault(parts_of(PIECE.findall(written)), name)
    for written, name in spelled.items():
        if exact.get(parts_of(PIECE.findall(written))) == name:
            exact.setdefault(parts_of(PIECE.findall(plain_name(written))), name)
    for parts, name in list(exact.items()):
        if "deepseek" in parts.words and len(parts.words) > 1:  # "R1", "R1 distill llama 8b"
            short = NameParts(parts.words - {"deepseek"}, parts.version, parts.size)
            exact.setdefault(short, name)
    return _indexed(catalog, exact)


def _indexed(catalog: Catalog, exact: dict[NameParts, str]) -> ModelNames:
    stems = _stems(catalog, exact)
    versions: dict[str, set[str]] = {}
    ranked: dict[NameParts, tuple[tuple[float, ...], str]] = {}
    for parts, name in exact.items():
        for stem in parts.words & stems:
            if parts.version:
                versions.setdefault(stem, set()).add(parts.version)
        for shorter, rank in _shorter(catalog, parts, name, stems):
            if shorter not in exact and (shorter not in ranked or rank < ranked[shorter][0]):
                ranked[shorter] = (rank, name)
    loose = {parts: name for parts, (_, name) in ranked.items()}
    loose |= {parts_of([stem]): names[0] for stem, names in USUALLY_MEANT.items()}
    return ModelNames(
        exact,
        loose,
        frozenset(stems),
        frozenset(word for parts in exact for word in parts.words),
        {stem: frozenset(known) for stem, known in versions.items()},
        frozenset(one.hf_repo.partition("/")[0].lower() for one in catalog.models.values()) - {""},
    )


def _stems(catalog: Catalog, exact: dict[NameParts, str]) -> set[str]:
    """Return the words that names are found by: the first of each.

    Of another checkpoint of a shape ("faster-whisper") only where it names no known family.
    """
    further = {name for name in exact.values() if _is_variant(catalog, name)}
    first = {name: match[0] for name in exact.values() if (match := STEM.match(name))}
    stems = {stem for name, stem in first.items() if name not in further} | SHORT_STEMS
    strangers = {
        first[name] for parts, name in exact.items() if name in first and not parts.words & stems
    }
    return stems | strangers


def _is_variant(catalog: Catalog, name: str) -> bool:
    return catalog.models[catalog.model_names.get(name, name)].shape_of is not None


def _shorter(
    catalog: Catalog, parts: NameParts, name: str, stems: set[str]
) -> list[tuple[NameParts, tuple[float, ...]]]:
    """Return the ways to say a name less fully, each with how well the name answers to it."""
    model = catalog.models[catalog.model_names.get(name, name)]
    version = float(parts.version) if parts.version else 0.0
    away = abs(math.log(model.total_params_b / USUAL_SIZE_B))
    other = name != model.id or model.shape_of is not None
    side_words = len(parts.words) - 1 + 0.5 * other
    alone = len(parts.words & stems) == 1 and model.shape_of is None
    stem = parts.words & stems if alone else parts.words
    by_version = (side_words, -version, away)
    by_size = (side_words, round(away), -version, away)
    return [
        (NameParts(parts.words, None, parts.size), by_version),
        (NameParts(stem, parts.version, parts.size), by_version),
        (NameParts(stem, None, parts.size), by_version),
        (NameParts(parts.words, parts.version, None), by_size),
        (NameParts(parts.words, None, None), by_size),
        (NameParts(stem, parts.version, None), by_size),
        (NameParts(stem, None, None), by_size),
    ]
