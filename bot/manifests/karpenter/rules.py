"""Rules that Karpenter documents must keep: what the API server refuses, and what it lets pass.

K4 is the API server's own rules (the CEL of both resource definitions, karpenter-provider-aws of
2026-08-21) written out for the fields this project uses; a test holds it against the originals.
The others are faults no schema can see. Rules over a class are in `class_rules`.
"""

import re
from collections.abc import Iterator

from bot.manifests.karpenter.class_rules import CLASS_RULES, NodeClass
from bot.manifests.karpenter.match import AWS, KarpenterPool, admitted
from bot.manifests.nodes import ARCH, TAINT_EFFECTS
from bot.manifests.rule import Breach, Document, RuleBook, RuleFacts

NODE_POOL = ("karpenter.sh/v1", "NodePool")
NODE_CLASS = ("karpenter.k8s.aws/v1", "EC2NodeClass")
POOL_RULES: RuleBook[KarpenterPool] = RuleBook()

CAPACITY_TYPES = frozenset({"on-demand", "spot", "reserved"})
LIST_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})
NUMBER_OPERATORS = frozenset({"Gt", "Lt", "Gte", "Lte"})
POLICIES = frozenset({"WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"})
OWN_KEYS = frozenset({"karpenter.sh/capacity-type"})
AWS_KEYS = frozenset(
    f"karpenter.k8s.aws/{name}"
    for name in (
        "instance-tenancy",
        "capacity-reservation-type",
        "capacity-reservation-id",
        "capacity-reservation-interruptible",
        "ec2nodeclass",
        *(
            f"instance-{label}"
            for label in (
                "encryption-in-transit-supported",
                "category",
                "hypervisor",
                "family",
                "generation",
                "local-nvme",
                "size",
                "cpu",
                "cpu-manufacturer",
                "cpu-sustained-clock-speed-mhz",
                "memory",
                "ebs-bandwidth",
                "network-bandwidth",
                "gpu-name",
                "gpu-manufacturer",
                "gpu-count",
                "gpu-memory",
                "accelerator-name",
                "accelerator-manufacturer",
                "accelerator-count",
                "capability-flex",
            )
        ),
    )
)
DURATION = re.compile(r"([0-9]+(s|m|h))+|Never")
ZONE = "topology.kubernetes.io/zone"


def broken_karpenter_rules(documents: tuple[Document, ...], facts: RuleFacts) -> tuple[Breach, ...]:
    """Return every rule the documents break; a document of another kind breaks K4."""
    broken: list[Breach] = []
    classes = {_document_name(d): d for d in documents if _document_kind(d) == NODE_CLASS}
    for document in documents:
        where = f"{document.get('kind')} {_document_name(document)}"
        if _document_kind(document) == NODE_POOL:
            named = _pool_class(document)
            pool = KarpenterPool(body=document, node_class=classes.get(named), facts=facts)
            broken += POOL_RULES.broken(pool, where)
        elif _document_kind(document) == NODE_CLASS:
            broken += CLASS_RULES.broken(NodeClass(body=document), where)
        else:
            broken.append(Breach("K4", where, "is neither a NodePool nor an EC2NodeClass"))
    return tuple(broken)


def _document_kind(document: Document) -> tuple[str, str]:
    return str(document.get("apiVersion")), str(document.get("kind"))


def _document_name(document: Document) -> str:
    return str((document.get("metadata") or {}).get("name", ""))


def _pool_class(document: Document) -> str:
    spec = document.get("spec", {}).get("template", {}).get("spec", {})
    return str((spec.get("nodeClassRef") or {}).get("name", ""))


@POOL_RULES.rule("K1")
def chips_have_karpenters_names(pool: KarpenterPool) -> Iterator[str]:
    """Yield chip names that no type carries: they match nothing, and nothing flags them."""
    rows = pool.facts.eks.values()
    known = {
        f"{AWS}gpu-name": {e.karpenter_gpu_name for e in rows},
        f"{AWS}accelerator-name": {e.karpenter_accelerator_name for e in rows},
    }
    for requirement in pool.requirements:
        names = known.get(str(requirement.get("key")))
        for value in requirement.get("values", ()) if names is not None else ():
            if value not in (names or ()):
                yield f"no type is labelled {requirement['key']}={value}"


@POOL_RULES.rule("K2")
def capacity_types_exist(pool: KarpenterPool) -> Iterator[str]:
    """Yield capacity types that Karpenter does not have; `capacity-block` is one."""
    for value in pool.values("karpenter.sh/capacity-type"):
        if value not in CAPACITY_TYPES:
            yield f"there is no capacity-type {value}"


@POOL_RULES.rule("K4")
def api_server_takes_the_pool(pool: KarpenterPool) -> Iterator[str]:
    """Yield what the API server refuses of a pool."""
    yield from _requirements_are_well_formed(pool)
    yield from _labels_are_allowed(pool)
    yield from _pool_is_complete(pool)


def _requirements_are_well_formed(pool: KarpenterPool) -> Iterator[str]:
    """Yield requirements that the API server refuses."""
    for requirement in pool.requirements:
        key, operator = str(requirement.get("key", "")), requirement.get("operator")
        values = requirement.get("values", ())
        if not _may_require(key):
            yield f"requirement on {key} is not allowed"
        if operator not in LIST_OPERATORS | NUMBER_OPERATORS:
            yield f"there is no operator {operator}"
        if operator == "In" and len(values) < max(1, requirement.get("minValues", 1)):
            yield f"{key} needs more values"
        if operator in NUMBER_OPERATORS and not (len(values) == 1 and str(values[0]).isdigit()):
            yield f"{operator} on {key} needs one whole number"


def _labels_are_allowed(pool: KarpenterPool) -> Iterator[str]:
    """Yield labels that only Karpenter or the kubelet may set."""
    metadata = pool.body.get("spec", {}).get("template", {}).get("metadata", {})
    for key in metadata.get("labels", ()):
        if not _may_require(str(key)):
            yield f"label {key} is not allowed"


def _pool_is_complete(pool: KarpenterPool) -> Iterator[str]:
    """Yield what the pool lacks or has in a wrong form."""
    reference = pool.node_spec.get("nodeClassRef") or {}
    if (reference.get("group"), reference.get("kind")) != ("karpenter.k8s.aws", "EC2NodeClass"):
        yield "nodeClassRef needs group karpenter.k8s.aws and kind EC2NodeClass"
    for taint in pool.node_spec.get("taints", ()):
        if not taint.get("key") or taint.get("effect") not in TAINT_EFFECTS:
            yield f"taint {taint.get('key')!r} is not legal"
    disruption = pool.body.get("spec", {}).get("disruption") or {}
    if not DURATION.fullmatch(str(disruption.get("consolidateAfter", ""))):
        yield "disruption needs consolidateAfter"
    if disruption.get("consolidationPolicy", "WhenEmpty") not in POLICIES:
        yield "consolidationPolicy is none of Karpenter's"
    for budget in disruption.get("budgets", ()):
        if ("schedule" in budget) != ("duration" in budget):
            yield "a budget's schedule and duration stand together"
    if not DURATION.fullmatch(str(pool.node_spec.get("expireAfter", "Never"))):
        yield "expireAfter is no duration"


@POOL_RULES.rule("K5")
def reserved_has_its_reservation(pool: KarpenterPool) -> Iterator[str]:
    """Yield `reserved` without a reservation to take, or one that is never taken."""
    reserved = "reserved" in pool.values("karpenter.sh/capacity-type")
    terms = bool(pool.class_spec.get("capacityReservationSelectorTerms"))
    if pool.node_class is not None and reserved != terms:
        yield "capacity-type reserved and capacityReservationSelectorTerms need each other"


@POOL_RULES.rule("K6")
def class_is_in_the_file(pool: KarpenterPool) -> Iterator[str]:
    """Yield a class that the pool names and the file lacks."""
    if pool.node_class is None:
        yield "nodeClassRef.name names no EC2NodeClass of this file"


@POOL_RULES.rule("K7")
def something_matches(pool: KarpenterPool) -> Iterator[str]:
    """Yield when no type that Karpenter knows meets all requirements."""
    if next(admitted(pool), None) is None:
        yield "no type that Karpenter knows meets all requirements"


@POOL_RULES.rule("K8")
def architecture_is_the_types(pool: KarpenterPool) -> Iterator[str]:
    """Yield types whose architecture the pool does not admit."""
    arches = pool.values("kubernetes.io/arch")
    for name in pool.values("node.kubernetes.io/instance-type"):
        instance = pool.facts.instances.get(name)
        if arches and instance is not None and ARCH[instance.arch] not in arches:
            yield f"{name} is {ARCH[instance.arch]}"


@POOL_RULES.rule("K10")
def efa_in_one_private_place(pool: KarpenterPool) -> Iterator[str]:
    """Yield when EFA machines may be spread over zones or get public addresses."""
    kinds = {i.get("interfaceType") for i in pool.class_spec.get("networkInterfaces", ())}
    if "efa-only" not in kinds:
        return
    if len(pool.values(ZONE)) != 1:
        yield "machines with EFA need exactly one zone"
    if pool.class_spec.get("associatePublicIPAddress"):
        yield "machines with EFA must be in private subnets"


@POOL_RULES.rule("K11")
def no_type_that_karpenter_miscounts(pool: KarpenterPool) -> Iterator[str]:
    """Yield types whose devices Karpenter counts wrongly or does not know."""
    named = pool.values("node.kubernetes.io/instance-type")
    families = {name.partition(".")[0] for name in named} | set(pool.values(f"{AWS}family"))
    never = {name.partition(".")[0] for name, e in pool.facts.eks.items() if not e.karpenter_counts}
    yield from (f"Karpenter cannot run {family}" for family in sorted(families & never))
    chips = ", ".join(pool.values(f"{AWS}gpu-name"))
    if chips and not named:
        kept = {i.family for i in admitted(pool)} & never
        yield from (f"gpu-name {chips} also admits {one}: exclude it" for one in sorted(kept))


def _may_require(key: str) -> bool:
    """Return whether a pool may label its nodes by a key or require it."""
    domain = key.partition("/")[0] if "/" in key else ""
    if key == "kubernetes.io/hostname":
        return False
    if domain.endswith("karpenter.k8s.aws"):
        return key in AWS_KEYS
    return not domain.endswith("karpenter.sh") or key in OWN_KEYS
