"""The one coefficients file: complete, bounded, sourced, and refused when it is not."""

import copy
import json
from pathlib import Path

import pytest

import catalog
from catalog.facts.coefficient_values import CoefficientError
from catalog.facts.coefficients import build_coefficients, load_coefficients

DOCUMENT = json.loads(
    (Path(catalog.__file__).parent / "data" / "coefficients.json").read_text(encoding="utf-8")
)


def test_every_line_is_bounded_and_names_its_source():
    lines = [*DOCUMENT["coefficients"], *DOCUMENT["ranges"]]
    assert {line["source"] for line in lines} <= set(DOCUMENT["sources"])
    for line in DOCUMENT["coefficients"]:
        assert line["low"] <= line["value"] <= line["high"], line["name"]
        assert line["unit"]


def test_every_source_is_used():
    used = {line["source"] for line in [*DOCUMENT["coefficients"], *DOCUMENT["ranges"]]}
    assert used == set(DOCUMENT["sources"])


def test_loaded_once_and_hashed_by_identity():
    assert load_coefficients() is load_coefficients()
    assert hash(load_coefficients()) == hash(load_coefficients())
    assert build_coefficients(DOCUMENT) != load_coefficients()


def without_a_line(document):
    document["coefficients"] = [
        line for line in document["coefficients"] if line["name"] != "gpu.engine.vllm.layer_us"
    ]


def with_an_unknown_line(document):
    document["coefficients"].append(document["coefficients"][0] | {"name": "gpu.made.up"})


def with_a_line_twice(document):
    document["coefficients"].append(document["coefficients"][0])


def with_a_value_out_of_bounds(document):
    document["coefficients"][0]["value"] = document["coefficients"][0]["high"] * 2


def with_a_range_that_misses_its_estimate(document):
    document["ranges"][0]["low"] = 1.1


def with_a_range_twice(document):
    document["ranges"].append(document["ranges"][0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_a_line, "gpu.engine.vllm.*layer_us"),
        (with_an_unknown_line, "unused names.*gpu.made.up"),
        (with_a_line_twice, "twice"),
        (with_a_value_out_of_bounds, "outside"),
        (with_a_range_that_misses_its_estimate, "does not contain"),
        (with_a_range_twice, "range .* twice"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_wrong_file_is_refused(change, message):
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(CoefficientError, match=message):
        build_coefficients(document)


@pytest.mark.parametrize("kind", ["accelerator", "engine", "microarchitecture"])
def test_aliases_name_fitted_rows(kind):
    coefficients = load_coefficients()
    rows = {
        "accelerator": coefficients.serving.accelerator,
        "engine": coefficients.serving.engine,
        "microarchitecture": coefficients.cpu.microarchitecture,
    }[kind]
    assert set(getattr(coefficients.aliases, kind).values()) <= set(rows)
