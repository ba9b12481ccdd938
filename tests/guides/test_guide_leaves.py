"""Every leaf of every guide: facts that end there, and the document's own families."""

import pytest

from catalog.guides.guides import FAMILY_GROUPS, Guides, Leaf, leaves
from catalog.load import load_catalog
from engine.guides.guides import GuideFacts, first_leaf
from tests.guides.guides_check import check_guides

DEV = {"task": "development"}
INFER = {"task": "inference"}
LLM = {"task": "inference", "transformer": True}


def train(size_b: float, objective: str | None = None, **more: object) -> dict[str, object]:
    return {"task": "train", "size_b": size_b, "objective": objective, "transformer": True} | more


def said(*words: str) -> dict[str, object]:
    return {"words": frozenset(words)}


LEAVES = [
    # 000: the sixteen leaves of its one tree
    ("000", "llm", "development", "c7i c7g", DEV),
    ("000", "llm", "train/frontier", "p6e-gb200", train(1000)),
    ("000", "llm", "train/large/performance", "p6-b200", train(300, "performance")),
    ("000", "llm", "train/large/cost", "trn2u", train(100, "cost")),
    ("000", "llm", "train/standard/ultra_high_network", "p5en", train(34, network_gbps=3200.0)),
    ("000", "llm", "train/standard/standard_network", "p5e", train(10)),
    ("000", "llm", "train/small/performance", "p5", train(7, "performance")),
    ("000", "llm", "train/small/value", "p4d", train(7, "value")),
    ("000", "llm", "train/small/max_savings", "trn2", train(8, "max_savings")),
    ("000", "llm", "inference/edge", "c7g", INFER | {"mode": "edge"}),
    ("000", "llm", "inference/batch/moe", "inf2", LLM | {"mode": "batch", "moe": True}),
    ("000", "llm", "inference/batch/small", "c7i", LLM | {"mode": "batch", "size_b": 1.1}),
    ("000", "llm", "inference/batch/standard", "inf2", LLM | {"mode": "batch", "size_b": 70.0}),
    (
        "000",
        "llm",
        "inference/realtime/ultra_high",
        "p6-b200",
        LLM | {"latency_ms": 90.0, "throughput": "ultra_high"},
    ),
    (
        "000",
        "llm",
        "inference/realtime/high",
        "p5e",
        LLM | {"mode": "realtime", "throughput": "high"},
    ),
    ("000", "llm", "inference/realtime/standard", "inf2", LLM | {"latency_ms": 100.0}),
    # 001: sizes of one kind of hardware, four decisions, a size table and a sample's rules
    ("001", "trainium_sizes", "trainium/small", "trn1", train(7, hardware="trainium")),
    ("001", "trainium_sizes", "trainium/large", "trn1", train(13, hardware="trainium")),
    (
        "001",
        "inferentia_sizes",
        "inferentia/multi",
        "inf2",
        LLM | {"hardware": "inferentia"} | said("mixed_models"),
    ),
    (
        "001",
        "inferentia_sizes",
        "inferentia/large",
        "inf2",
        LLM | {"hardware": "inferentia", "size_b": 70.0},
    ),
    ("001", "inferentia_sizes", "inferentia/single", "inf2", LLM | {"hardware": "inferentia"}),
    ("001", "training_large", "train_large/experiment", "p3", train(13) | said("experiment")),
    ("001", "training_large", "train_large/performance", "p5", train(13, "performance")),
    ("001", "training_large", "train_large/balanced", "p4d", train(13, "balanced")),
    ("001", "training_large", "train_large/cost", "trn1", train(13, "cost", framework="pytorch")),
    ("001", "training_medium", "train_medium/cpu", "r5 m5", train(1) | said("cpu_only")),
    ("001", "training_medium", "train_medium/experiment", "g4dn", train(3) | said("experiment")),
    ("001", "training_medium", "train_medium/flexibility", "p4d", train(7) | said("flexible")),
    ("001", "training_medium", "train_medium/cost", "trn1", train(7, "cost")),
    (
        "001",
        "high_throughput",
        "high_throughput/mixed",
        "g5",
        INFER | {"objective": "throughput"} | said("mixed_models"),
    ),
    ("001", "high_throughput", "high_throughput/simple", "m5 c5", INFER | {"classic_ml": True}),
    (
        "001",
        "high_throughput",
        "high_throughput/realtime",
        "g4dn",
        LLM | {"throughput": "high", "mode": "realtime"},
    ),
    (
        "001",
        "high_throughput",
        "high_throughput/transformer",
        "inf2",
        LLM | {"throughput": "high", "objective": "cost"},
    ),
    (
        "001",
        "high_throughput",
        "high_throughput/unnamed",
        "g5",
        INFER | {"objective": "throughput"},
    ),
    ("001", "low_latency", "low_latency/edge", "cpu", INFER | {"mode": "edge"}),
    (
        "001",
        "low_latency",
        "low_latency/batch",
        "gpu",
        LLM | {"mode": "batch", "latency_ms": 500.0},
    ),
    ("001", "low_latency", "low_latency/sub_10ms", "g5", LLM | {"latency_ms": 10.0}),
    ("001", "low_latency", "low_latency/cost", "inf2", LLM | {"latency_ms": 50.0}),
    ("001", "gpu_sizes", "gpu/very_large", "p5", train(70)),
    ("001", "gpu_sizes", "gpu/large", "p4d", train(13)),
    ("001", "gpu_sizes", "gpu/medium", "p3", train(7)),
    ("001", "gpu_sizes", "gpu/small", "g4dn", train(0.3)),
    (
        "001",
        "recommender",
        "recommender/large_cost",
        "trn1",
        train(13, "cost") | said("sample_code"),
    ),
    ("001", "recommender", "recommender/large", "p4d", train(13) | said("sample_code")),
    ("001", "recommender", "recommender/other", "g4dn", train(7) | said("sample_code")),
    # 002: CUDA, the worked example, the families
    ("002", "cuda", "cuda", "g4dn g5", LLM | {"needs_cuda": True}),
    (
        "002",
        "worked_example",
        "worked_example",
        "inf1",
        LLM | {"size_b": 0.11, "latency_ms": 200.0},
    ),
    ("002", "families", "burstable", "t2 t3", DEV),
    ("002", "families", "general", "m5", DEV | said("preprocessing")),
    ("002", "families", "compute", "c5", INFER | {"classic_ml": True}),
    ("002", "families", "train/small", "g4dn g5", train(0.3)),
    ("002", "families", "train/massive", "p3 p4d", train(70)),
    ("002", "families", "inference/gpu", "g4dn g5", LLM | {"objective": "latency"}),
    ("002", "families", "inference/inferentia", "inf1 inf2", LLM | {"objective": "cost"}),
    # 003: one line per family
    ("003", "recap", "flexible", "gpu", INFER | said("flexible")),
    ("003", "hardware", "train/trainium", "trn1", train(120, "cost")),
    ("003", "hardware", "train/p5", "p5", train(120)),
    ("003", "hardware", "train/p4", "p4d", train(34)),
    ("003", "hardware", "train/p3", "p3", train(7)),
    ("003", "hardware", "inference/graphics", "g4dn g5 g6", INFER | {"model_task": "diffusion"}),
    ("003", "hardware", "inference/at_scale", "inf2", LLM | said("chatbot")),
    ("003", "hardware", "inference/inferentia", "inf1 inf2", LLM),
    # 004: when to use which, the GPU table, selection by workload
    ("004", "when_to_use", "use_cpu", "cpu", LLM | said("low_traffic")),
    ("004", "when_to_use", "use_trainium", "trn1", train(70) | said("long_running")),
    ("004", "when_to_use", "use_inferentia", "inf2", LLM | said("high_volume")),
    ("004", "when_to_use", "use_gpu", "gpu", INFER | {"model_task": "vision"}),
    (
        "004",
        "gpu_table",
        "gpu_table/p3",
        "p3",
        LLM | {"hardware": "gpu", "objective": "latency"},
    ),
    ("004", "gpu_table", "gpu_table/p5", "p5", train(13, "performance", hardware="gpu")),
    ("004", "gpu_table", "gpu_table/p4d", "p4d", train(13, hardware="gpu")),
    ("004", "gpu_table", "gpu_table/g5", "g5", train(7, hardware="gpu")),
    ("004", "gpu_table", "gpu_table/g4dn", "g4dn", train(0.3, hardware="gpu")),
    ("004", "selection", "development", "cpu g4dn", DEV),
    ("004", "selection", "train/cost", "trn1", train(70, "cost")),
    ("004", "selection", "train/large", "p4d p5", train(70)),
    ("004", "selection", "inference_performance", "inf2", LLM | {"latency_ms": 100.0}),
    ("004", "selection", "flexible", "g5", INFER),
]


@pytest.mark.parametrize(
    ("place", "families", "facts"),
    [(row[:3], row[3], row[4]) for row in LEAVES],
    ids=[f"{row[0]}-{row[2]}" for row in LEAVES],
)
def test_facts_lead_to_the_leaf(
    guides: Guides, place: tuple[str, str, str], families: str, facts: dict[str, object]
) -> None:
    document, tree, node = place
    found = first_leaf(guides[document], GuideFacts(**facts))

    assert found is not None
    assert (found.tree.id, found.path[-1].id) == (tree, node)
    assert found.leaf.families == tuple(families.split())


def test_no_leaf_is_without_a_request_that_reaches_it(guides: Guides) -> None:
    assert {row[:3] for row in LEAVES} == {place for place, _ in all_leaves(guides)}


SILENT = [
    ("000", train(0.3), "training below 1B"),
    ("000", LLM | {"latency_ms": 800.0}, "interactive but slower than 100 ms"),
    ("000", INFER | {"model_task": "diffusion", "transformer": False}, "not a language model"),
    ("000", INFER | {"classic_ml": True}, "not a language model"),
    ("001", DEV, "development"),
    ("001", LLM | {"latency_ms": 50.0, "objective": "performance"}, "no leaf for it"),
    ("002", INFER | {"mode": "edge"}, "edge"),
    ("003", DEV, "development"),
    ("004", INFER | {"mode": "edge"}, "edge"),
]


@pytest.mark.parametrize(("document", "facts", "why"), SILENT)
def test_a_guide_that_says_nothing_gives_no_leaf(
    guides: Guides, document: str, facts: dict[str, object], why: str
) -> None:
    assert first_leaf(guides[document], GuideFacts(**facts)) is None, why


@pytest.fixture(scope="module")
def current_families() -> dict[str, bool]:
    """Every family of the catalog, and whether any of its types is current and sold on."""
    found: dict[str, bool] = dict.fromkeys(FAMILY_GROUPS, True)
    for instance in load_catalog().instances.values():
        current = instance.current_generation and not instance.eol
        found[instance.family] = found.get(instance.family, False) or current
    return found


def test_every_family_and_size_of_a_leaf_is_in_the_catalog(
    guides: Guides, current_families: dict[str, bool]
) -> None:
    named = {size for _, leaf in all_leaves(guides) for size in leaf.instances}

    assert check_guides(families=current_families) == guides
    assert named <= load_catalog().instances.keys()


def test_a_leaf_with_a_withdrawn_or_old_family_names_current_ones(
    guides: Guides, current_families: dict[str, bool]
) -> None:
    bare = [
        place
        for place, leaf in all_leaves(guides)
        if not all(current_families[family] for family in leaf.families)
        and (leaf.today is None or not all(current_families[f] for f in leaf.today.families))
    ]

    assert bare == []


def test_no_note_states_a_price(guides: Guides) -> None:
    """Prices come from dated quotes; a figure in a note would go stale unseen."""
    priced = [place for place, leaf in all_leaves(guides) if "$" in leaf.note.replace("$/h", "")]

    assert priced == []


def all_leaves(guides: Guides) -> list[tuple[tuple[str, str, str], Leaf]]:
    return [
        ((guide.id, tree.id, node.id), node.leaf)
        for guide in guides
        for tree in guide.trees
        for node in leaves(tree)
        if node.leaf is not None
    ]
