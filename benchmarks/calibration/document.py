"""The coefficients file as the fit sees it: lines with a prior are fitted, and written back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import catalog
from catalog.facts.coefficients import Coefficients, build_coefficients

PATH = Path(catalog.__file__).with_name("data") / "coefficients.json"
LINE_LISTS = ("ranges", "coefficients")
DIGITS = 4

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One fitted coefficient. Prior and width are of its logarithm: width is a standard deviation.

    A line of the file is fitted when it carries `prior` and `width`; the others are fixed.
    """

    name: str
    value: float
    low: float
    high: float
    prior: float
    width: float


def read_document() -> Document:
    """Return the coefficients file, parsed."""
    document: Document = json.loads(PATH.read_text(encoding="utf-8"))
    return document


def parameters(document: Document, prefix: str) -> tuple[Parameter, ...]:
    """Return the fitted coefficients whose name starts with the prefix ("gpu.")."""
    return tuple(
        Parameter(
            line["name"], line["value"], line["low"], line["high"], line["prior"], line["width"]
        )
        for line in document["coefficients"]
        if "prior" in line and line["name"].startswith(prefix)
    )


def tied_names(document: Document, name: str) -> list[str]:
    """Return the coefficients that take one fitted value: its own line and those tied to it."""
    lines = document["coefficients"]
    return [name, *(line["name"] for line in lines if line.get("same_as") == name)]


def with_values(document: Document, values: Mapping[str, float]) -> Document:
    """Return the document with some coefficients replaced, kept inside their bounds.

    A line with `same_as` is not fitted: it takes the value of the line it names.
    """
    found: dict[str, float] = {}
    for line in document["coefficients"]:
        value = values.get(line["name"], line["value"])
        found[line["name"]] = min(line["high"], max(line["low"], value))
    lines = [
        line | {"value": found[line.get("same_as", line["name"])]}
        for line in document["coefficients"]
    ]
    return document | {"coefficients": lines}


def coefficients_with(document: Document, values: Mapping[str, float]) -> Coefficients:
    """Return the typed coefficients of the document with some values replaced."""
    return build_coefficients(with_values(document, values))


def with_ranges(
    document: Document, populations: Sequence[str], ranges: Sequence[Mapping[str, Any]]
) -> Document:
    """Return the document with every range of these populations replaced."""
    kept = [line for line in document["ranges"] if line["population"] not in populations]
    return document | {"ranges": [*kept, *ranges]}


def write_document(document: Document) -> None:
    """Write the file: one line per coefficient and range, fitted values to four digits."""
    PATH.write_text(as_text(document), encoding="utf-8")


def as_text(document: Document) -> str:
    """Return the file's text, so that a refit is a diff of single lines."""
    parts = [f"  {json.dumps(key)}: {_value_text(key, document[key])}" for key in document]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _value_text(key: str, value: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    if key in LINE_LISTS:
        return "[\n" + ",\n".join(f"    {json.dumps(_rounded(line))}" for line in value) + "\n  ]"
    if isinstance(value, dict):
        inner = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
        return "{\n" + inner + "\n  }"
    return json.dumps(value, ensure_ascii=True)


def _rounded(line: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _digits(value) if key in _FITTED else value for key, value in line.items()}


_FITTED = frozenset({"value", "prior", "low", "high"})


def _digits(value: float) -> float:
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short == int(short) else short


def log_distance(parameter: Parameter, value: float) -> float:
    """Return how many prior widths a value lies from the prior."""
    return log(value / parameter.prior) / parameter.width
