"""The catalog's own words - models, places, families, chips - ready for look-up."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.language.names.model_names import ModelNames, model_names
from bot.language.text.lexicon import LexiconRow, lexicon
from bot.language.text.phrases import WORD, Index, phrase_index
from bot.language.text.spoken import spoken, words
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
