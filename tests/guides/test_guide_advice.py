"""What the guides say about a whole workload: facts, path, agreement, notes, choices."""

import pytest

from bot.language.guides.names import branch_words
from catalog.guides.guides import Guides
from catalog.load import load_catalog
from engine.core.result import GuideAdvice
from engine.core.workload import Workload
from engine.guides.guides import (
    GuideFacts,
    advice,
    advice_for_all_objectives,
    guide_facts,
)


def ask(
    guides: Guides,
    workload: Workload,
    picked: tuple[str, ...] = (),
    text: str = "",
    asked: str | None = None,
) -> dict[str, GuideAdvice]:
    catalog = load_catalog()
    families = tuple(catalog.families[name] for name in picked)
    facts = guide_facts(workload, None, catalog, branch_words(text))
    return {said.source: said for said in advice(guides, facts, families, asked)}


def test_the_path_names_every_branch_taken(guides: Guides) -> None:
    said = ask(guides, Workload(params_b=7, latency_ms=100))["000"]

    assert said.path == ("Inference", "real-time < 100 ms", "standard throughput")
    assert said.suggests == ("inf2",)
    assert said.document == "000_5c3d5f2fe8578631.txt"


# workload, words of the text, document, families
REQUESTS = [
    ({"params_b": 7, "latency_ms": 100}, "", "000", "inf2"),
    ({"mode": "batch"}, "nightly batch with an MoE", "000", "inf2"),
    ({"mode": "edge"}, "", "000", "c7g"),
    ({"task": "train", "params_b": 300, "objective": "performance"}, "", "000", "p6-b200"),
    ({"task": "train", "params_b": 34, "network": "ultra_high"}, "", "000", "p5en"),
    ({"task": "train", "params_b": 34, "network_gbps": 3200}, "", "000", "p5en"),
    ({"task": "train", "params_b": 7, "objective": "performance"}, "", "000", "p5"),
    ({"task": "train", "params_b": 8, "objective": "max_savings"}, "", "000", "trn2"),
    ({"task": "train", "params_b": 8, "objective": "cost"}, "", "000", "trn2"),
    ({"task": "train", "params_b": 13, "objective": "balanced"}, "", "001", "p4d"),
    ({"objective": "throughput"}, "a mix of text and vision", "001", "g5"),
    ({"params_b": 0.11, "rps": 16.67, "latency_ms": 200}, "", "002", "inf1"),
    ({"task": "train", "params_b": 120}, "", "003", "p5"),
    ({"task": "train", "params_b": 100, "allow": ("nvidia",)}, "", "003", "p5"),
    ({}, "flexible workload", "004", "g5"),
    ({}, "", "004", "g5"),
    ({"task": "development"}, "", "004", "cpu g4dn"),
    ({}, "inference xgboost", "001", "m5 c5"),
    ({"framework": "xgboost"}, "", "002", "c5"),
    ({"task": "train", "params_b": 70}, "", "001", "p5"),
    ({"params_b": 70}, "gpu selection table", "001", "p5"),
    ({"params_b": 70}, "", "001", "p5"),
]


@pytest.mark.parametrize(("workload", "text", "document", "families"), REQUESTS)
def test_a_request_gets_the_documents_families(
    guides: Guides, workload: dict[str, object], text: str, document: str, families: str
) -> None:
    assert ask(guides, Workload(**workload), text=text)[document].suggests == tuple(
        families.split()
    )


AGREEMENTS = [
    ((), None),
    (("inf2", "g6"), True),
    (("g6", "inf2"), False),
    (("g6",), False),
]


@pytest.mark.parametrize(("picked", "agrees"), AGREEMENTS)
def test_agreement_is_with_the_first_pick(
    guides: Guides, picked: tuple[str, ...], *, agrees: bool | None
) -> None:
    said = ask(guides, Workload(params_b=7, latency_ms=100), picked)["000"]

    assert said.agrees is agrees
    assert ("inf2 is a runner-up here." in said.note) is (picked == ("g6", "inf2"))


GROUPS = [("c8g", True), ("g4dn", True), ("m7i", True), ("g6", False), ("trn1", False)]


@pytest.mark.parametrize(("picked", "agrees"), GROUPS)
def test_a_leaf_that_says_cpu_covers_every_cpu_family(
    guides: Guides, picked: str, *, agrees: bool
) -> None:
    assert ask(guides, Workload(task="development"), (picked,))["004"].agrees is agrees


def test_a_stale_leaf_keeps_its_family_and_names_todays(guides: Guides) -> None:
    workload = Workload(task="train", params_b=13)
    said = ask(guides, workload, ("g6e",), "13B, only an experiment")["001"]

    assert said.suggests == ("p3",)
    assert said.agrees is False
    assert "Today g6e, g7e or p5: P3 is withdrawn" in said.note
    assert "The pick, g6e, is one of these." in said.note


UNSAID = [
    ({"params_b": 7}, "Not said: real-time or batch, a latency limit."),
    ({"task": "train", "params_b": 7}, "Not said: what matters most."),
    ({"task": "train", "params_b": 300}, "Not said: what matters most."),
]


@pytest.mark.parametrize(("workload", "sentence"), UNSAID)
def test_facts_left_open_are_named_where_the_branch_turns_on_them(
    guides: Guides, workload: dict[str, object], sentence: str
) -> None:
    assert ask(guides, Workload(**workload))["000"].note.startswith(sentence)


REMARKS = [
    ({"task": "finetune", "params_b": 70, "method": "qlora"}, "000", "adapters need far less"),
    ({"params_b": 70}, "001", "written for training"),
    ({"task": "train", "params_b": 8, "needs_cuda": True}, "000", "does not run on Neuron"),
]


@pytest.mark.parametrize(("workload", "document", "words"), REMARKS)
def test_a_remark_goes_with_the_leaf(
    guides: Guides, workload: dict[str, object], document: str, words: str
) -> None:
    assert words in ask(guides, Workload(**workload))[document].note


def test_documents_come_by_precedence_and_the_asked_one_first(guides: Guides) -> None:
    workload = Workload(task="train", params_b=70, objective="cost")

    assert list(ask(guides, workload)) == ["000", "001", "004", "003", "002"]
    assert list(ask(guides, workload, asked="002")) == ["002", "000", "001", "004", "003"]


CHOICES = [
    (
        "001",
        {"task": "train", "size_b": 13.0, "objective": "balanced"},
        {"cost": "trn1", "performance": "p5", "balanced": "p4d", "experiment": "p3"},
    ),
    (
        "001",
        {"task": "train", "size_b": 13.0},
        {"cost": "trn1", "performance": "p5", "balanced": "p4d", "experiment": "p3"},
    ),
    (
        "001",
        {"objective": "throughput"},
        {
            "transformer_cost": "inf2",
            "mixed_models": "g5",
            "real_time": "g4dn",
            "simple": "m5 c5",
        },
    ),
    (
        "001",
        {"task": "finetune", "size_b": 3.0},
        {"cost": "trn1", "flexibility": "p4d", "experiment": "g4dn", "cpu_only": "r5 m5"},
    ),
    (
        "001",
        {"latency_ms": 50.0},
        {"sub_10ms": "g5", "cost": "inf2", "edge": "cpu", "batch": "gpu"},
    ),
    ("000", {"task": "train", "size_b": 300.0}, {"performance": "p6-b200", "cost": "trn2u"}),
    (
        "000",
        {"task": "train", "size_b": 7.0},
        {"performance": "p5", "value": "p4d", "max_savings": "trn2"},
    ),
    ("000", {"task": "train", "size_b": 34.0}, {}),
    ("002", {"task": "development"}, {}),
]


@pytest.mark.parametrize(("document", "facts", "choices"), CHOICES)
def test_the_choices_a_document_leaves_to_the_reader(
    guides: Guides, document: str, facts: dict[str, object], choices: dict[str, str]
) -> None:
    assert advice_for_all_objectives(guides, GuideFacts(**facts), document) == {
        key: tuple(families.split()) for key, families in choices.items()
    }


def test_an_unknown_document_is_an_error(guides: Guides) -> None:
    with pytest.raises(KeyError, match="009"):
        advice_for_all_objectives(guides, GuideFacts(), "009")


TEXTS = [
    ("throughput=high models=mixed", "mixed_models"),
    ("a mix of vision, tabular and text models at HIGH volume", "mixed_models high_volume"),
    ("Flexible workload", "flexible"),
    ("mixture-of-experts model", "moe"),
    ("inference xgboost", "classic_ml"),
    ("scikit-learn, CPU-only", "classic_ml cpu_only"),
    ("13B, just experimenting", "experiment"),
    ("inflexible remix office", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "words"), TEXTS)
def test_context_words_of_a_text(text: str, words: str) -> None:
    assert branch_words(text) == frozenset(words.split())
