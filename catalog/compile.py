"""Making the compiled catalog: `python -m catalog.compile` after any change of a data file."""

import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from catalog.catalog import Catalog
from catalog.compiled import FACTS, FILE, SHARED_COLUMNS
from catalog.files import write_text
from catalog.load import DATA_DIR
from catalog.schema import Quote
from catalog.sources import read_catalog


def compile_catalog(data_dir: Path = DATA_DIR) -> Catalog:
    """Check the data files of a folder, write their compiled form beside them, and return them.

    Raises:
        CatalogError: for the first row that is wrong; nothing is written then.
    """
    catalog = read_catalog(data_dir)
    write_text(data_dir / FILE, compiled_text(catalog))
    return catalog


def compiled_text(catalog: Catalog) -> str:
    """Return the compiled form of a catalog, one fact a line so that diffs stay readable."""
    shared: dict[Any, int] = {}
    content: dict[str, Any] = {
        section: [_row(fact, shared) for fact in getattr(catalog, section).values()]
        for section in FACTS
    }
    texts, lists = _price_texts(catalog.prices.on_demand)
    content |= {"on_demand": texts, "lists": lists}
    content["other"] = [list(astuple(quote)) for quote in catalog.prices.other.values()]
    content["three_year"] = [list(astuple(quote)) for quote in catalog.prices.three_year.values()]
    content["listed_regions"] = sorted(catalog.prices.listed_regions)
    content["model_names"] = dict(catalog.model_names)
    content["region_names"] = dict(catalog.region_names)
    content["shared"] = list(shared)
    content["as_of"] = catalog.as_of
    return _json_lines(content)


def _row(fact: Any, shared: dict[Any, int]) -> list[Any]:  # noqa: ANN401 - any fact
    return [
        shared.setdefault(getattr(fact, field.name), len(shared))
        if field.name in SHARED_COLUMNS
        else getattr(fact, field.name)
        for field in fields(fact)
    ]


def _price_texts(
    quotes: Mapping[tuple[str, str], Quote],
) -> tuple[dict[str, str], list[list[str]]]:
    lists: dict[tuple[str, str, str], int] = {}
    lines: dict[str, list[str]] = {}
    for (region, name), quote in quotes.items():
        price = quote.usd_per_hour or quote.local_price_per_hour
        origin = (quote.source_key, quote.as_of, quote.currency)
        number = lists.setdefault(origin, len(lists))
        lines.setdefault(region, []).append(f"{name} {price!r} {number}")
    return {region: "\n".join(found) for region, found in lines.items()}, [list(x) for x in lists]


def _json_lines(content: Mapping[str, Any]) -> str:
    sections = []
    for name, value in content.items():
        if isinstance(value, list):
            body = "[\n" + ",\n".join(_json(entry) for entry in value) + "\n]"
        elif isinstance(value, dict):
            pairs = (f"{_json(key)}: {_json(entry)}" for key, entry in value.items())
            body = "{\n" + ",\n".join(pairs) + "\n}"
        else:
            body = _json(value)
        sections.append(f"{_json(name)}: {body}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    compile_catalog()
