"""The catalog in the form that a request loads: one JSON file, made from the CSV files.

A fact is a list in field order. A region's price list stays text until somebody asks about that
region: a request looks at a few regions, not at nineteen thousand prices.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from catalog.catalog import Catalog
from catalog.errors import CatalogError
from catalog.prices import Prices, PriceKey, list_quote
from catalog.schema import Accelerator, Cpu, EksType, Family, Instance, Model, Quote, Region

FILE: Final = "compiled.json"
REMEDY: Final = "run `make catalog`"
FACTS: Final[dict[str, tuple[type[Any], str]]] = {  # section -> row type, key field
    "accelerators": (Accelerator, "id"),
    "cpus": (Cpu, "family"),
    "eks": (EksType, "instance_type"),
    "families": (Family, "family"),
    "instances": (Instance, "instance_type"),
    "models": (Model, "id"),
    "regions": (Region, "code"),
}
# Columns whose few distinct values are stored once: rows hold the value's number.
SHARED_COLUMNS: Final = frozenset(
    {"aliases", "ami_families", "managed_ami_types", "nicknames", "regions", "source"}
)


class ListQuotes(Mapping[tuple[str, str], Quote]):
    """On-demand quotes by (region, instance type), read from text a region at a time."""

    def __init__(self, texts: Mapping[str, str], lists: list[list[str]]) -> None:
        """Take each region's lines `type price list-number` and the lists they came from."""
        self._texts = texts
        self._lists = lists
        self._split: dict[str, dict[str, str]] = {}

    def __getitem__(self, key: tuple[str, str]) -> Quote:
        region, name = key
        price, number = self._region(region)[name].split()
        source, as_of, currency = self._lists[int(number)]
        return list_quote(region, name, float(price), currency, as_of=as_of, source=source)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((region, name) for region in self._texts for name in self._region(region))

    def __len__(self) -> int:
        return sum(len(self._region(region)) for region in self._texts)

    def _region(self, region: str) -> dict[str, str]:
        if region not in self._split:
            lines = self._texts[region].split("\n")
            self._split[region] = {
                name: rest for name, _, rest in (x.partition(" ") for x in lines)
            }
        return self._split[region]


def load_compiled(path: Path) -> Catalog:
    """Return the catalog that `write_compiled` wrote.

    Raises:
        CatalogError: when the file is missing or not from this version of the code.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _catalog(content)
    except FileNotFoundError:
        raise CatalogError(path.name, None, "the file is missing", REMEDY) from None
    except (KeyError, TypeError, ValueError) as error:
        raise CatalogError(path.name, None, f"cannot be read ({error})", REMEDY) from error


def _catalog(content: Mapping[str, Any]) -> Catalog:
    shared = [tuple(value) if isinstance(value, list) else value for value in content["shared"]]
    return Catalog(
        **{section: _facts(section, content[section], shared) for section in FACTS},
        prices=Prices(
            on_demand=ListQuotes(content["on_demand"], content["lists"]),
            other=_quotes(content["other"]),
            three_year=_quotes(content["three_year"]),
            listed_regions=frozenset(content["listed_regions"]),
        ),
        as_of=content["as_of"],
        model_names=content["model_names"],
        region_names=content["region_names"],
    )


def _facts(section: str, rows: list[list[Any]], shared: list[Any]) -> dict[str, Any]:
    row_type, key = FACTS[section]
    names = [field.name for field in fields(row_type)]
    for column in SHARED_COLUMNS & set(names):
        at = names.index(column)
        for row in rows:
            row[at] = shared[row[at]]
    key_at = names.index(key)
    return {row[key_at]: row_type(*row) for row in rows}


def _quotes(rows: Iterable[list[Any]]) -> dict[PriceKey, Quote]:
    quotes = [Quote(*row) for row in rows]
    return {(quote.market, quote.region, quote.instance_type): quote for quote in quotes}
