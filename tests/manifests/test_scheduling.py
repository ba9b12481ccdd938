"""Every pod that is printed finds room on the nodes that are printed, type by type."""

import pytest
import yaml

from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.manifests.beside.sharing import sharing_manifest
from bot.manifests.eksctl.eksctl import eksctl_manifest
from bot.manifests.karpenter.karpenter import karpenter_manifest
from bot.manifests.pool import DAEMONSET_CPU_M, DAEMONSET_MEMORY_MIB
from bot.manifests.workload.kubernetes import kubernetes_manifest
from tests.manifests.scheduler import (
    DAEMONSETS,
    beyond_limits,
    divided,
    karpenter_node_of,
    node_of,
    pods_of,
    unmet,
    unplaced,
)
from tests.manifests.workloads import answered, documents_of, world

ACCELERATED = sorted(world().catalog.eks)
MARKETS = ("on demand", "on spot", "in a capacity block")
TASKS = (
    "inference 1B latency<1s",
    "inference llama-3.1-8b",
    "inference llama-3.1-70b int4",
    "inference llama-3.1-405b fp8",
    "llama-3.1-8b batch 2B tokens per day",
    "bge-large embeddings rps=100",
    "whisper-large-v3 inference",
    "sdxl inference",
    "finetune 8B lora",
    "train llama-3.1-8b deadline 30 days",
)
FEW_TYPES = ("g6e.12xlarge", "g6f.large", "inf2.48xlarge", "trn1.32xlarge", "p5.48xlarge")
FEW = [(name, task, MARKETS[0]) for name in FEW_TYPES for task in TASKS[1:9:3]]
ALL = [(name, task, market) for name in ACCELERATED for task in TASKS for market in MARKETS]
REFUSED = ("end of life", "no image", "cannot run", "lays out", "not sold", "larger size")
REFUSED += ("does not know",)


def pending(instance_type, task, market):
    """Return why pods stay pending; None where the type does not carry the workload."""
    result = answer(f"{task} {market} instance={instance_type}", world()).recommendation
    pick = None if result is None else result.asked
    if pick is None or pick.instance.instance_type != instance_type:
        return None
    found = [_file(maker, result, pick) for maker in (kubernetes_manifest, *POOLS)]
    workload, *pools = found
    if workload is None:
        return None
    documents = documents_of(workload)
    return [
        why
        for maker, text in zip(POOLS, pools, strict=True)
        if text is not None
        for why in POOLS[maker](documents, text, pick)
    ]


def _file(maker, result, pick):
    """Return the text; None where it is refused for a reason that is told."""
    try:
        return maker(result, pick, world().catalog).yaml_text
    except ManifestError as error:
        if any(words in str(error) for words in REFUSED):
            return None
        raise


def eksctl_of(result, pick, catalog):
    return eksctl_manifest(pick, result.workload, catalog)


def on_eksctl(documents, text, pick):
    (group,) = yaml.safe_load(text)["managedNodeGroups"]
    types = group.get("instanceTypes") or [group["instanceType"]]  # several on spot
    for name in types:
        instance = world().catalog.instances[name]
        yield from unplaced(documents, node_of(group, instance), pick.instances)


def on_karpenter(documents, text, pick):
    """Yield what keeps Karpenter from bringing the nodes, or the pods off them."""
    pool, node_class = documents_of(text)
    catalog = world().catalog
    (types,) = (
        one["values"]
        for one in pool["spec"]["template"]["spec"]["requirements"]
        if one["key"] == "node.kubernetes.io/instance-type"
    )
    assert pick.instance.instance_type in types
    for name in types:
        instance = catalog.instances[name]
        node = karpenter_node_of(pool, node_class, instance)
        yield from unmet(pool, instance, node["labels"]["kubernetes.io/arch"])
        yield from beyond_limits(pool, node, pick.instances)
        yield from unplaced(documents, node, pick.instances)


POOLS = {eksctl_of: on_eksctl, karpenter_manifest: on_karpenter}


@pytest.mark.parametrize(("instance_type", "task", "market"), FEW)
def test_pods_find_room(instance_type, task, market):
    assert not pending(instance_type, task, market)


@pytest.mark.slow
@pytest.mark.parametrize("instance_type", ACCELERATED)
def test_pods_find_room_on_every_type(instance_type):
    found = {
        (task, market): why
        for name, task, market in ALL
        if name == instance_type and (why := pending(name, task, market))
    }
    assert found == {}


SHARED = (
    "inference llama-3.2-1b instance=g6e.2xlarge",
    "inference llama-3.2-1b instance=g6.48xlarge",
    "inference llama-3.2-1b instance=p4d.24xlarge",
    "inference llama-3.2-1b instance=p4de.24xlarge",
    "inference llama-3.1-8b instance=p5en.48xlarge",
    "inference llama-3.2-1b instance=g7e.2xlarge",
)


@pytest.mark.parametrize("text", SHARED)
def test_sharers_find_room_on_divided_gpus(text):
    result, pick = answered(text)
    catalog = world().catalog
    documents = documents_of(sharing_manifest(result, pick, catalog).yaml_text)
    (group,) = yaml.safe_load(eksctl_of(result, pick, catalog).yaml_text)["managedNodeGroups"]
    node = divided(node_of(group, pick.instance), documents)
    assert unplaced(documents, node, pick.instances) == []
    assert len(pods_of(documents)) > pick.instances * pick.instance.accelerators
    undivided = node_of(group, pick.instance)
    assert unplaced(documents, undivided, pick.instances) != []


def test_daemonsets_stay_within_what_is_kept_for_them():
    assert sum(cpu for cpu, _ in DAEMONSETS.values()) <= DAEMONSET_CPU_M
    assert sum(mib for _, mib in DAEMONSETS.values()) <= DAEMONSET_MEMORY_MIB


def test_the_check_sees_what_is_wrong():
    """A pool that lacks the label, the toleration, the room or the limit leaves pods pending."""
    result, pick = answered("inference llama-3.1-8b instance=g6e.xlarge")
    catalog = world().catalog
    documents = documents_of(kubernetes_manifest(result, pick, catalog).yaml_text)
    pool, node_class = documents_of(karpenter_manifest(result, pick, catalog).yaml_text)
    node = karpenter_node_of(pool, node_class, pick.instance)
    assert unplaced(documents, node, 1) == []
    for change, says in (
        ({"labels": {}}, "label"),
        ({"taints": [{"key": "other"}]}, "taint other"),
        ({"free": node["free"] | {"memory": 1e9}}, "memory"),
        ({"free": node["free"] | {"nvidia.com/gpu": 0}}, "nvidia.com/gpu"),
    ):
        assert any(says in why for why in unplaced(documents, node | change, 1))
    assert list(beyond_limits(pool, node, 5))
    assert list(unmet(pool, catalog.instances["g6.xlarge"], "amd64"))
    assert list(unmet(pool, pick.instance, "arm64"))
