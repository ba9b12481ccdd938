"""Making the compiled catalog: `python -m catalog.compile` after any change of a data file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from catalog.catalog import Catalog
from catalog.compiled import FACTS, FILE, shared_columns
from catalog.facts.files import write_text
from catalog.facts.schema import Quote
from catalog.load import DATA_DIR
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
    sections = {section: shared_columns(row_type) for section, (row_type, _) in FACTS.items()}
    content: dict[str, Any] = {
        section: [_fact_row(fact, once, shared) for fact in getattr(catalog, section).values()]
        for section, once in sections.items()
    }
    origins: dict[tuple[str, ...], int] = {}
    prices = catalog.prices
    content["on_demand"] = _price_texts(prices.on_demand.values(), origins)
    content["other"] = _price_texts(prices.other.values(), origins)
    content["three_year"] = _price_texts(prices.three_year.values(), origins)
    content["origins"] = list(origins)
    content["listed_regions"] = sorted(catalog.prices.listed_regions)
    content["model_names"] = dict(catalog.model_names)
    content["region_names"] = dict(catalog.region_names)
    content["shared"] = list(shared)
    content["as_of"] = catalog.as_of
    return _json_lines(content)


def _fact_row(fact: object, once: frozenset[str], shared: dict[Any, int]) -> list[Any]:
    return [
        shared.setdefault(getattr(fact, field.name), len(shared))
        if field.name in once
        else getattr(fact, field.name)
        for field in fields(cast("Any", fact))
    ]


def _price_texts(quotes: Iterable[Quote], origins: dict[tuple[str, ...], int]) -> dict[str, str]:
    lines: dict[str, list[str]] = {}
    for quote in quotes:
        price = quote.usd_per_hour or quote.local_price_per_hour
        origin = (quote.source_key, quote.as_of, quote.currency, quote.note)
        number = origins.setdefault(origin, len(origins))
        place = f"{quote.market} {quote.region}"
        lines.setdefault(place, []).append(f"{quote.instance_type} {price!r} {number}")
    return {place: "\n".join(found) for place, found in lines.items()}


def _json_lines(content: Mapping[str, Any]) -> str:
    sections = []
    for name, value in content.items():
        if isinstance(value, list):
            body = "[\n" + ",\n".join(_compact_json(entry) for entry in value) + "\n]"
        elif isinstance(value, dict):
            pairs = (
                f"{_compact_json(key)}: {_compact_json(entry)}" for key, entry in value.items()
            )
            body = "{\n" + ",\n".join(pairs) + "\n}"
        else:
            body = _compact_json(value)
        sections.append(f"{_compact_json(name)}: {body}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _compact_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    compile_catalog()
