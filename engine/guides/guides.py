"""What the written guides say about one workload: facts in, the leaf of each document out.

All decisions are the documents' own, kept as data (`catalog.guides.guides`); this walks them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from catalog.catalog import Catalog
from catalog.facts.instances import family_name
from catalog.facts.schema import Family, Model, ModelTask
from catalog.guides.guides import (
    OPERATORS,
    Condition,
    Guide,
    Guides,
    Leaf,
    Node,
    Tree,
    When,
)
from engine.core.result import GuideAdvice
from engine.core.workload import Mode, Network, Objective, Task, Throughput, Workload

CLASSIC_ML_FRAMEWORKS = frozenset({"xgboost", "lightgbm", "sklearn", "scikit-learn", "catboost"})

# How a note names a fact that the reader left open.
_FACT_NAMES: Mapping[str, str] = {
    "mode": "real-time or batch",
    "latency_ms": "a latency limit",
    "objective": "what matters most",
    "throughput": "the throughput",
    "network": "the network",
    "network_gbps": "the network",
    "size_b": "the size",
    "hardware": "the hardware",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideFacts:
    """All that a guide's conditions may look at. None is "not said": no default is taken here."""

    task: Task = "inference"
    mode: Mode | None = None
    size_b: float | None = None  # all parameters, in billions; every expert counts
    moe: bool = False
    classic_ml: bool = False  # trees, regressions and the like: no neural network
    transformer: bool | None = None
    model_task: ModelTask | None = None
    objective: Objective | None = None
    throughput: Throughput | None = None
    network: Network | None = None
    network_gbps: float | None = None
    latency_ms: float | None = None  # of a request or its first token, not per token
    method: str | None = None
    framework: str | None = None
    needs_cuda: bool | None = None
    hardware: str | None = None  # a kind of the guides, when the user names it
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GuidePath:
    """A leaf that a tree leads to, the nodes on the way, and the facts that were left open."""

    tree: Tree
    path: tuple[Node, ...]
    leaf: Leaf
    unsaid: tuple[str, ...]


def guide_facts(
    said: Workload, model: Model | None, catalog: Catalog, words: frozenset[str] = frozenset()
) -> GuideFacts:
    """Return what the guides may look at.

    Pass the workload as said, not as filled in: a guide has its own branch for what was left open,
    and an assumed objective would hide it. A model that the user did not name is left out for the
    same reason. `words` are the context words of the text (`Understanding.asked`).
    """
    named = model if said.model or said.params_b else None
    framework = said.framework.lower() if said.framework else None
    per_token = said.latency_kind == "per_token"
    return GuideFacts(
        task=said.task,
        mode="realtime" if per_token and said.mode is None else said.mode,
        size_b=said.params_b or (named.total_params_b if named else None),
        moe="moe" in words or _model_has_experts(said, named),
        classic_ml="classic_ml" in words or framework in CLASSIC_ML_FRAMEWORKS,
        transformer="transformer" in words or _is_transformer(said, named),
        model_task=named.task if named else None,
        objective=said.objective,
        throughput=said.throughput,
        network=said.network,
        network_gbps=said.network_gbps,
        latency_ms=None if per_token else said.latency_ms,
        method=said.method,
        framework=framework,
        needs_cuda=said.needs_cuda,
        hardware=_hardware_asked(said, catalog),
        words=words,
    )


def advice(
    guides: Iterable[Guide],
    facts: GuideFacts,
    picked_families: tuple[Family, ...] = (),
    asked_guide: str | None = None,
) -> tuple[GuideAdvice, ...]:
    """Return one advice per document that speaks of this workload, the asked document first.

    `picked_families` are in rank order: agreement is with the first, and None without a pick.
    """
    order = sorted(guides, key=lambda guide: guide.id != asked_guide)
    found = ((guide, first_leaf(guide, facts)) for guide in order)
    return tuple(
        _advice(guide, leaf, facts, picked_families) for guide, leaf in found if leaf is not None
    )


def advice_for_all_objectives(
    guides: Guides, facts: GuideFacts, guide_id: str
) -> dict[str, tuple[str, ...]]:
    """Return the families for each choice that one document leaves to the reader.

    The first tree of the document that leads this workload to such a choice is taken; empty where
    none does. KeyError for an unknown document.
    """
    for tree in guides[guide_id].trees:
        choices = _leaf_choices(tree.nodes, facts)
        if choices:
            return choices
    return {}


def open_choice(guide: Guide, facts: GuideFacts) -> Node | None:
    """Return the node at which a document asks what these facts leave open; None for none."""
    for tree in guide.trees:
        node, nodes = None, tree.nodes
        while (taken := _node_taken(nodes, facts)) is not None and taken[0].leaf is None:
            node = taken[0]
            nodes = node.children
        if node is not None and taken is None and any(child.key for child in nodes):
            return node
    return None


def first_leaf(guide: Guide, facts: GuideFacts) -> GuidePath | None:
    """Return the leaf of the first tree that has one for these facts."""
    found = (walk(tree, facts) for tree in guide.trees)
    return next((leaf for leaf in found if leaf is not None), None)


def walk(tree: Tree, facts: GuideFacts) -> GuidePath | None:
    """Return the leaf these facts lead to, or None where a level has no branch for them."""
    path: list[Node] = []
    unsaid: dict[str, None] = {}
    nodes = tree.nodes
    while nodes:
        taken = _node_taken(nodes, facts)
        if taken is None:
            return None
        node, group = taken
        path.append(node)
        unsaid.update(dict.fromkeys(c.field for c in group if c.operator == "unknown"))
        if node.leaf is not None:
            return GuidePath(tree, tuple(path), node.leaf, tuple(unsaid))
        nodes = node.children
    return None


def holds(condition: Condition, facts: GuideFacts) -> bool:
    """Return whether one condition holds for the facts."""
    fact = getattr(facts, condition.field)
    return OPERATORS[condition.operator](fact, condition.value)


def _node_taken(
    nodes: tuple[Node, ...], facts: GuideFacts
) -> tuple[Node, tuple[Condition, ...]] | None:
    for node in nodes:
        group = _group_that_holds(node.when, facts)
        if group is not None:
            return node, group
    return None


def _group_that_holds(when: When, facts: GuideFacts) -> tuple[Condition, ...] | None:
    groups = when or ((),)
    return next((g for g in groups if all(holds(condition, facts) for condition in g)), None)


def _leaf_choices(nodes: tuple[Node, ...], facts: GuideFacts) -> dict[str, tuple[str, ...]]:
    while nodes:
        keyed = {n.key: n.leaf.families for n in nodes if n.key is not None and n.leaf is not None}
        if keyed:
            return keyed
        taken = _node_taken(nodes, facts)
        nodes = taken[0].children if taken else ()
    return {}


def _advice(
    guide: Guide, found: GuidePath, facts: GuideFacts, picked_families: tuple[Family, ...]
) -> GuideAdvice:
    first = picked_families[0] if picked_families else None
    return GuideAdvice(
        source=guide.id,
        document=guide.document,
        path=tuple(node.label for node in found.path),
        suggests=found.leaf.families,
        agrees=None if first is None else suggests(found.leaf.families, first),
        note=" ".join(_sentences(found, facts, picked_families)),
        section=found.path[-1].citation.section,
        line=found.path[-1].citation.line,
    )


def suggests(families: tuple[str, ...], picked: Family) -> bool:
    """Return whether a leaf's families (or the group "cpu" or "gpu" among them) cover a family."""
    return picked.family in families or picked.kind in families


def _sentences(found: GuidePath, facts: GuideFacts, picked: tuple[Family, ...]) -> Iterator[str]:
    if found.unsaid:
        names = dict.fromkeys(_FACT_NAMES.get(field, field) for field in found.unsaid)
        yield f"Not said: {', '.join(names)}."
    for remark in found.tree.remarks:
        if _group_that_holds(remark.when, facts) is not None:
            yield remark.note
    leaf = found.leaf
    if leaf.note:
        yield leaf.note
    if leaf.today is not None:
        yield f"Today {_families_said(leaf.today.families)}: {leaf.today.why}"
    yield from _relation(leaf, picked)


def _relation(leaf: Leaf, picked: tuple[Family, ...]) -> Iterator[str]:
    if not picked or suggests(leaf.families, picked[0]):
        return
    if leaf.today is not None and suggests(leaf.today.families, picked[0]):
        yield f"The pick, {picked[0].family}, is one of these."
    runners_up = [one.family for one in picked[1:] if suggests(leaf.families, one)]
    if runners_up:
        yield f"{runners_up[0]} is a runner-up here."


def _families_said(families: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(families[:-1]), families[-1])))


def _model_has_experts(said: Workload, model: Model | None) -> bool:
    if model is not None and model.num_experts is not None:
        return True
    total, active = said.params_b, said.active_params_b
    return active is not None and (total is None or active < total)


def _is_transformer(said: Workload, model: Model | None) -> bool | None:
    """Return whether the model attends; a size alone ("7B") is how people speak of transformers."""
    if model is not None:
        return model.attention != "none"
    return True if said.params_b else None


def _hardware_asked(said: Workload, catalog: Catalog) -> str | None:
    """Return the one kind of hardware that everything the user named belongs to."""
    names = [*(said.allow or ()), said.compare_family, said.instance]
    kinds = {_kind_named(name.lower(), catalog) for name in names if name}
    if said.gpu:  # an accelerator's id, GPU or Neuron
        kinds.add(_kind_of_word(said.gpu.lower(), catalog) or "gpu")
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of_word(word: str, catalog: Catalog) -> str | None:
    group = catalog.groups.get(word) or catalog.groups.get(word.rstrip("0123456789"))
    return None if group is None else group.guide_kind


def _kind_named(name: str, catalog: Catalog) -> str | None:
    """Return the kind of a type, of a family or several by their beginning, a group or a chip."""
    family = catalog.families.get(family_name(name))
    if family is not None:
        return family.kind
    begun = {one.kind for one in catalog.families.values() if one.family.startswith(name)}
    chips = (one for one in catalog.accelerators.values() if one.id.lower().startswith(name))
    kinds = begun or {_kind_of_word(one.vendor, catalog) or "" for one in chips}
    known = kinds.pop() if len(kinds) == 1 else None
    return _kind_of_word(name, catalog) or known or None
