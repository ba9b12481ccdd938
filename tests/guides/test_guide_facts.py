"""What the conditions may look at, from the workload as said and the model it names."""

from dataclasses import fields
from typing import Any, get_args

import pytest

from catalog.facts import schema
from catalog.facts.schema import Model
from catalog.guides.guides import FIELDS
from catalog.load import load_catalog
from engine.core import workload as words_of
from engine.core.workload import Workload
from engine.guides.guides import GuideFacts, guide_facts


def model(**changes: Any) -> Model:
    values: dict[str, Any] = dict.fromkeys(field.name for field in fields(Model))
    values |= {"id": "m", "task": "decoder", "attention": "full", "total_params_b": 46.7}
    return Model(**(values | changes))


def test_every_fact_is_a_field_and_every_field_a_fact() -> None:
    assert {field.name for field in fields(GuideFacts)} == set(FIELDS)


CHOICES = [
    ("task", words_of.Task),
    ("mode", words_of.Mode),
    ("objective", words_of.Objective),
    ("throughput", words_of.Throughput),
    ("network", words_of.Network),
    ("model_task", schema.ModelTask),
]


@pytest.mark.parametrize(("name", "literal"), CHOICES)
def test_the_choices_are_the_workloads(name: str, literal: object) -> None:
    assert FIELDS[name].choices == get_args(literal)


FACTS = [
    (Workload(), None, {"task": "inference", "size_b": None, "transformer": None, "moe": False}),
    (Workload(params_b=7), None, {"size_b": 7, "transformer": True}),
    (Workload(model="m"), model(), {"size_b": 46.7, "transformer": True, "moe": False}),
    (Workload(model="m"), model(num_experts=8), {"moe": True}),
    (Workload(params_b=671, active_params_b=37), None, {"size_b": 671, "moe": True}),
    (Workload(params_b=7, active_params_b=7), None, {"moe": False}),
    (
        Workload(model="m"),
        model(task="vision", attention="none"),
        {"transformer": False, "model_task": "vision"},
    ),
    # A model the engine assumed is not a fact the user gave.
    (Workload(), model(), {"size_b": None, "transformer": None, "model_task": None}),
    (
        Workload(latency_ms=20, latency_kind="per_token"),
        None,
        {"mode": "realtime", "latency_ms": None},
    ),
    (
        Workload(latency_ms=20, latency_kind="ttft"),
        None,
        {"mode": None, "latency_ms": 20},
    ),
    (Workload(framework="PyTorch"), None, {"framework": "pytorch"}),
    (Workload(framework="XGBoost"), None, {"classic_ml": True}),
    (Workload(allow=("nvidia",)), None, {"hardware": "gpu"}),
    (Workload(allow=("trn1", "trn2")), None, {"hardware": "trainium"}),
    (Workload(allow=("trainium",)), None, {"hardware": "trainium"}),
    (Workload(allow=("g5", "inf2")), None, {"hardware": None}),
    (Workload(allow=("graviton",)), None, {"hardware": "cpu"}),
    (Workload(allow=("cpu", "x86")), None, {"hardware": "cpu"}),
    (Workload(allow=("p6", "p5en")), None, {"hardware": "gpu"}),  # p6 begins p6-b200, p6e-gb200 …
    (Workload(compare_family="h100"), None, {"hardware": "gpu"}),
    (Workload(allow=("trn",)), None, {"hardware": "trainium"}),
    (Workload(allow=("g",)), None, {"hardware": "gpu"}),
    (Workload(instance="inf2.8xlarge"), None, {"hardware": "inferentia"}),
    (Workload(compare_family="p6-b200"), None, {"hardware": "gpu"}),
    (Workload(gpu="Trainium2"), None, {"hardware": "trainium"}),
    (Workload(gpu="T4"), None, {"hardware": "gpu"}),
    (Workload(allow=("aws",)), None, {"hardware": None}),
]


@pytest.mark.parametrize(("said", "named", "expected"), FACTS)
def test_facts_of_a_workload(
    said: Workload, named: Model | None, expected: dict[str, object]
) -> None:
    facts = guide_facts(said, named, load_catalog())

    assert {name: getattr(facts, name) for name in expected} == expected


FAMILIES = [
    ("g6e", "gpu"),
    ("gr6", "gpu"),
    ("p6-b200", "gpu"),
    ("trn2u", "trainium"),
    ("inf1", "inferentia"),
    ("dl1", "other"),
    ("t4g", "cpu"),
    ("u-6tb1", "cpu"),
    ("im4gn", "cpu"),
    ("f2", "other"),
]


@pytest.mark.parametrize(("family", "kind"), FAMILIES)
def test_kind_of_a_family(family: str, kind: str) -> None:
    assert load_catalog().families[family].kind == kind
