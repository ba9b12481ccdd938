"""The catalog in the form that a request loads: one JSON file, made from the CSV files.

A fact is a list in field order. A region's price list stays text until somebody asks about that
region: a request looks at a few regions, not at nineteen thousand prices.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, cast

from catalog.catalog import Catalog
from catalog.facts.errors import CatalogError
from catalog.facts.schema import (
    Accelerator,
    Cpu,
    CpuPower,
    EksType,
    Endpoint,
    Evidence,
    Family,
    Grid,
    Instance,
    InstanceGroup,
    Market,
    Model,
    Quote,
    Region,
    Stack,
    UseCase,
)
from catalog.huggingface.traits import Traits
from catalog.prices.prices import PriceKey, Prices, published_quote

FILE: Final = "compiled.json"
REMEDY: Final = "run `make catalog`"
FACTS: Final[dict[str, tuple[type[Any], str]]] = {  # section -> row type, key field
    "accelerators": (Accelerator, "id"),
    "architectures": (Traits, "model_type"),
    "cpu_powers": (CpuPower, "microarchitecture"),
    "cpus": (Cpu, "family"),
    "eks": (EksType, "instance_type"),
    "endpoints": (Endpoint, "service"),
    "evidence": (Evidence, "hardware"),
    "families": (Family, "family"),
    "grids": (Grid, "region"),
    "groups": (InstanceGroup, "word"),
    "instances": (Instance, "instance_type"),
    "models": (Model, "id"),
    "regions": (Region, "code"),
    "stacks": (Stack, "stack"),
    "use_cases": (UseCase, "use_case"),
}


def shared_columns(row_type: type[Any]) -> frozenset[str]:
    """Return the columns whose few values are stored once, rows holding the value's number.

    JSON has no tuples either: what comes back from the shared values is one again.
    """
    return frozenset(
        field.name
        for field in fields(row_type)
        if field.name == "source" or str(field.type).startswith("tuple[")
    )


class PriceTexts:
    """Price lists as text, split when somebody asks about their place (`market region`)."""

    def __init__(self, texts: Mapping[str, str], origins: Sequence[list[str]]) -> None:
        """Take each place's lines `type price origin-number`, and the origins."""
        self._texts = texts
        self._origins = origins
        self._split: dict[str, dict[str, str]] = {}
        self._quotes: dict[PriceKey, Quote] = {}

    def quote(self, market: Market, region: str, name: str) -> Quote:
        """Return the quote; a KeyError means that there is none."""
        key = (market, region, name)
        if key not in self._quotes:
            self._quotes[key] = self._read(market, region, name)
        return self._quotes[key]

    def _read(self, market: Market, region: str, name: str) -> Quote:
        price, number = self._lines(f"{market} {region}")[name].split()
        source, as_of, currency, note = self._origins[int(number)]
        return published_quote(
            (market, region, name), float(price), currency, as_of=as_of, source=source, note=note
        )

    def priced(self) -> Iterator[PriceKey]:
        """Return every (market, region, instance type) priced."""
        for place in self._texts:
            market, region = place.split(" ")
            for name in self._lines(place):
                yield cast("Market", market), region, name

    def count(self) -> int:
        """Return how many prices there are."""
        return sum(text.count("\n") + 1 for text in self._texts.values())

    def _lines(self, place: str) -> dict[str, str]:
        if place not in self._split:
            lines = (line.partition(" ") for line in self._texts[place].split("\n"))
            self._split[place] = {name: rest for name, _, rest in lines}
        return self._split[place]


class ListQuotes(Mapping[tuple[str, str], Quote]):
    """On-demand quotes by (region, instance type)."""

    def __init__(self, texts: PriceTexts) -> None:
        """Take the texts, all of them on demand."""
        self._texts = texts

    def __getitem__(self, key: tuple[str, str]) -> Quote:
        return self._texts.quote("on_demand", *key)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((region, name) for _, region, name in self._texts.priced())

    def __len__(self) -> int:
        return self._texts.count()


class MarketQuotes(Mapping[PriceKey, Quote]):
    """Quotes by (market, region, instance type)."""

    def __init__(self, texts: PriceTexts) -> None:
        """Take the texts."""
        self._texts = texts

    def __getitem__(self, key: PriceKey) -> Quote:
        return self._texts.quote(*key)

    def __iter__(self) -> Iterator[PriceKey]:
        return self._texts.priced()

    def __len__(self) -> int:
        return self._texts.count()


def load_compiled(path: Path) -> Catalog:
    """Return the catalog that `write_compiled` wrote.

    Raises:
        CatalogError: when the file is missing or not from this version of the code.
    """
    try:
        content = json.loads(path.read_bytes())
        return _catalog_of(content)
    except FileNotFoundError:
        raise CatalogError(path.name, None, "the file is missing", REMEDY) from None
    except (KeyError, TypeError, ValueError) as error:
        raise CatalogError(path.name, None, f"cannot be read ({error})", REMEDY) from error


def _catalog_of(content: Mapping[str, Any]) -> Catalog:
    shared = [tuple(value) if isinstance(value, list) else value for value in content["shared"]]
    origins = content["origins"]
    return Catalog(
        **{section: _facts(section, content[section], shared) for section in FACTS},
        prices=Prices(
            on_demand=ListQuotes(PriceTexts(content["on_demand"], origins)),
            other=MarketQuotes(PriceTexts(content["other"], origins)),
            three_year=MarketQuotes(PriceTexts(content["three_year"], origins)),
            listed_regions=frozenset(content["listed_regions"]),
        ),
        as_of=content["as_of"],
        model_names=content["model_names"],
        region_names=content["region_names"],
    )


def _facts(section: str, rows: list[list[Any]], shared: list[Any]) -> dict[str, Any]:
    row_type, key = FACTS[section]
    names = [field.name for field in fields(row_type)]
    for column in shared_columns(row_type):
        at = names.index(column)
        for row in rows:
            row[at] = shared[row[at]]
    key_at = names.index(key)
    return {row[key_at]: row_type(*row) for row in rows}
